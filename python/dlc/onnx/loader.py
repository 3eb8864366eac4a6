"""Reads ONNX files without copying their weights, and checks them."""

from __future__ import annotations

import mmap
import os

import numpy as np
import onnx
from onnx import TensorProto, checker, helper, inliner, version_converter

from dlc.errors import ModelError

# Tensors of more bytes than this stay in the file and are read from its mapping.
_INLINE_BYTES = 1024
OLDEST_OPSET, NEWEST_OPSET = 7, 26


def read(source):
    """Returns the model without its large tensors, those as arrays by name, and the path.

    The large tensors are graph inputs of the returned model, so that checks and conversions see
    their types and never their bytes.
    """
    if isinstance(source, onnx.ModelProto):
        model = onnx.ModelProto()
        model.CopyFrom(source)
        return model, _take_tensors(model, "", lambda t, place: _proto_array(t)), "model"
    if isinstance(source, (bytes, bytearray, memoryview)):
        model = _parse(bytes(source), "model")
        return model, _take_tensors(model, "", lambda t, place: _proto_array(t)), "model"
    path = os.fspath(source)
    data = _map_file(path)
    from dlc.onnx.wire import strip_raw_data

    try:
        slim, places = strip_raw_data(data, _INLINE_BYTES)
    except ValueError as error:
        raise ModelError(f"'{path}' is not a valid ONNX file: {error}") from None
    model = _parse(slim, path)

    def array(tensor, place):
        if place in places:
            return _view(tensor, data, *places[place], path)
        return _proto_array(tensor)

    return model, _take_tensors(model, os.path.dirname(path), array, places), path


def _map_file(path: str):
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise ModelError(f"'{path}' is empty")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror}") from None


def _parse(data: bytes, path: str) -> onnx.ModelProto:
    try:
        model = onnx.load_model_from_string(data)
    except Exception as error:
        raise ModelError(f"'{path}' is not a valid ONNX file: {error}") from None
    if not model.HasField("graph") or not model.opset_import:
        raise ModelError(f"'{path}' is not a valid ONNX file: it has no graph or no opset")
    return model


def _take_tensors(model, folder: str, read_array, places=()) -> dict:
    """Moves large and external tensors out of the top-level graph; returns them by name."""
    graph, arrays = model.graph, {}
    kept = []
    for index, tensor in enumerate(graph.initializer):
        place = ("initializer", index)
        if tensor.data_location == TensorProto.EXTERNAL:
            arrays[tensor.name] = _external_array(tensor, folder)
        elif place in places or len(tensor.raw_data) > _INLINE_BYTES:
            arrays[tensor.name] = read_array(tensor, place)
        else:
            kept.append(tensor)
            continue
        _add_input(graph, tensor, tensor.name)
    if len(kept) != len(graph.initializer):
        rest = [t.SerializeToString() for t in kept]
        del graph.initializer[:]
        for text in rest:
            graph.initializer.add().ParseFromString(text)
    _take_constants(graph, folder, read_array, places, arrays)
    return arrays


def _take_constants(graph, folder, read_array, places, arrays) -> None:
    removed = []
    for index, node in enumerate(graph.node):
        if node.op_type != "Constant" or node.domain not in ("", "ai.onnx") or not node.output:
            continue
        for attribute in node.attribute:
            tensor = attribute.t
            place = ("constant", index)
            if attribute.name != "value":
                continue
            if tensor.data_location == TensorProto.EXTERNAL:
                arrays[node.output[0]] = _external_array(tensor, folder)
            elif place in places or len(tensor.raw_data) > _INLINE_BYTES:
                arrays[node.output[0]] = read_array(tensor, place)
            else:
                continue
            _add_input(graph, tensor, node.output[0])
            removed.append(index)
    for index in reversed(removed):
        del graph.node[index]


def _add_input(graph, tensor, name: str) -> None:
    if not any(item.name == name for item in graph.input):
        graph.input.append(helper.make_tensor_value_info(name, tensor.data_type, tensor.dims))


def _numpy_dtype(tensor):
    try:
        return np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
    except KeyError:
        raise ModelError(
            f"tensor '{tensor.name}' has the unknown element type {tensor.data_type}"
        ) from None


def _proto_array(tensor) -> np.ndarray:
    try:
        return onnx.numpy_helper.to_array(tensor)
    except Exception as error:
        raise ModelError(f"tensor '{tensor.name}' is damaged: {error}") from None


def _view(tensor, data, offset: int, length: int, path: str) -> np.ndarray:
    dtype = _numpy_dtype(tensor)
    count = 1
    for dim in tensor.dims:
        if dim < 0:
            raise ModelError(f"tensor '{tensor.name}' in '{path}' has the dimension {dim}")
        count *= dim
    if tensor.data_type in _PACKED:
        copy = TensorProto()
        copy.CopyFrom(tensor)
        copy.raw_data = bytes(data[offset:offset + length])
        return _proto_array(copy)
    if count * dtype.itemsize != length:
        raise ModelError(
            f"tensor '{tensor.name}' in '{path}' has {length} bytes of data, but its type needs "
            f"{count * dtype.itemsize}"
        )
    # The address may suit no element; the graph copies such a weight once.
    return np.frombuffer(data, dtype, count, offset).reshape(tuple(tensor.dims))


# Several elements share a byte in the file.
_PACKED = {TensorProto.INT4, TensorProto.UINT4, TensorProto.FLOAT4E2M1}


def _external_array(tensor, folder: str) -> np.ndarray:
    """Maps the bytes of an external tensor; reads none of them."""
    entries = {e.key: e.value for e in tensor.external_data}
    location = entries.get("location", "")
    parts = location.replace("\\", "/").split("/")
    if not location or os.path.isabs(location) or ".." in parts:
        raise ModelError(
            f"tensor '{tensor.name}' has its data in '{location}', which is not inside the "
            "model's folder"
        )
    path = os.path.join(folder, location)
    try:
        size = os.stat(path).st_size
    except OSError as error:
        raise ModelError(
            f"the data file '{path}' of tensor '{tensor.name}' cannot be read: {error.strerror}"
        ) from None
    try:
        offset = int(entries.get("offset", 0))
        length = int(entries.get("length", size - offset))
    except ValueError:
        raise ModelError(f"tensor '{tensor.name}' has a malformed offset or length") from None
    if offset < 0 or length < 0 or offset + length > size:
        raise ModelError(
            f"tensor '{tensor.name}' needs the bytes {offset} to {offset + length} of '{path}', "
            f"which has {size}"
        )
    if length == 0:
        return _view(tensor, b"", 0, 0, path)
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _view(tensor, mapped, offset, length, path)


def _ends(graph):
    """The inputs and outputs that are tensors."""
    return [i for i in [*graph.input, *graph.output] if i.type.HasField("tensor_type")]


def check(model: onnx.ModelProto, path: str) -> None:
    """Runs ONNX's checker; raises ModelError with its message."""
    checked = model
    if any(not item.type.tensor_type.HasField("shape") for item in _ends(model.graph)):
        # The checker wants shapes at the ends of the graph. Outputs do without here, and the walk
        # reports inputs by name.
        checked = onnx.ModelProto()
        checked.CopyFrom(model)
        for item in _ends(checked.graph):
            item.type.tensor_type.shape.SetInParent()
    try:
        checker.check_model(checked, full_check=False)
    except Exception as error:
        text = str(error).split("\n==>")[0].strip()
        raise ModelError(f"'{path}' is not a valid ONNX model: {text}") from None


def prepare(model: onnx.ModelProto, path: str, direct_ops) -> onnx.ModelProto:
    """Converts very old opsets and inlines functions that have no handler."""
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), None)
    if opset is not None and opset < OLDEST_OPSET:
        try:
            model = version_converter.convert_version(model, 13)
        except Exception as error:
            raise ModelError(f"cannot convert '{path}' from opset {opset}: {error}") from None
    if model.functions:
        model = inliner.inline_local_functions(model)
    return _inline_schema_functions(model, direct_ops)


def _inline_schema_functions(model, direct_ops):
    """Expands operators that ONNX defines by others, until only direct ones are left."""
    tried = set()
    while True:
        needed = {
            (node.domain, node.op_type) for node in _nodes(model.graph)
            if node.domain in ("", "ai.onnx") and node.op_type not in direct_ops
        } - tried
        if not needed:
            return model
        tried |= needed
        try:
            model = inliner.inline_selected_functions(
                model, list(needed), exclude=False, inline_schema_functions=True
            )
        except RuntimeError:
            # The walk reports the operators that are left.
            return model


def _nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
