"""Shared by all tests: comparing a model with ONNX Runtime and with expected values."""

import importlib.util
import os
import pathlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc.onnx

_TYPES = {
    "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16, "int64": TensorProto.INT64, "int32": TensorProto.INT32,
    "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "bool": TensorProto.BOOL,
    "int16": TensorProto.INT16, "uint16": TensorProto.UINT16, "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
}


def elem_type(array) -> int:
    return _TYPES[array.dtype.name]


def make_model(nodes, inputs, outputs, constants=None, opset=17, dynamic=()):
    """A model of `nodes`; inputs are arrays by name, outputs element types by name.

    The inputs in `dynamic` have only named dimensions.
    """
    infos = []
    for name, array in inputs.items():
        shape = list(array.shape)
        if name in dynamic:
            shape = [f"{name}_{i}" for i in range(len(shape))]
        infos.append(helper.make_tensor_value_info(name, elem_type(array), shape))
    results = [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()]
    initializers = [numpy_helper.from_array(np.asarray(a), n) for n, a in (constants or {}).items()]
    graph = helper.make_graph(nodes, "test", infos, results, initializers)
    for result in results:
        result.type.tensor_type.ClearField("shape")
    del graph.output[:]
    graph.output.extend(results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8 if opset < 21 else 10
    return model


def run_node(op, inputs, out_types, *, opset=17, mode="static", **attrs):
    """Runs one node on arrays (None: absent). `mode`: static, dynamic, or constant inputs."""
    names = ["" if a is None else f"x{i}" for i, a in enumerate(inputs)]
    outputs = [f"y{i}" for i in range(len(out_types))]
    node = helper.make_node(op, names, outputs, **attrs)
    arrays = {n: a for n, a in zip(names, inputs) if n}
    given = {} if mode == "constant" else arrays
    model = make_model(
        [node], given, dict(zip(outputs, out_types)), {} if given else arrays, opset,
        dynamic=arrays if mode == "dynamic" else (),
    )
    return dlc.onnx.load(model).compile(threads=1)(**given)


def onnxruntime_outputs(model, inputs: dict):
    """ONNX Runtime without optimisations, the reference of the model tests."""
    ort = pytest.importorskip("onnxruntime")
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = model if isinstance(model, str) else model.SerializeToString()
    session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def find_model(package: str, relative: str) -> str:
    """A model file of an installed package, or of the folder in DLC_TEST_MODELS; else skips."""
    folders = []
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.origin:
        folders.append(pathlib.Path(spec.origin).parent)
    if os.environ.get("DLC_TEST_MODELS"):
        folders.append(pathlib.Path(os.environ["DLC_TEST_MODELS"]) / package)
    for folder in folders:
        if (folder / relative).exists():
            return str(folder / relative)
    pytest.skip(f"{package} with {relative} is not installed and not in DLC_TEST_MODELS")


def light_model(name: str) -> str:
    folder = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    path = folder / f"light_{name}.onnx"
    if not path.exists():
        pytest.skip(f"this onnx package has no light model {name}")
    return str(path)


@pytest.fixture(params=["static", "dynamic", "constant"])
def mode(request):
    return request.param
