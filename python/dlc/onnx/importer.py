"""Walks an ONNX graph and builds the dlc graph, one handler per operator."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import AttributeProto

from dlc import dtypes, errors
from dlc.errors import CompileError, Issue, UnsupportedError
from dlc.graph import Graph, Tensor
from dlc.onnx.types import from_onnx, onnx_name
from dlc.onnx.values import Dim, DimContext, Val

# Operator -> handler(importer, node) -> Val or list of Vals.
HANDLERS: dict = {}

# Names that exporters write for "no name" on a dimension.
_ANONYMOUS = {"", "?", "None", "-1", "unk"}

MODEL_FAULTS = (
    ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError,
)


def handler(*names: str):
    """Registers the handler of the operators `names`."""

    def register(function):
        for name in names:
            HANDLERS[name] = function
        return function

    return register


class Unsupported(Exception):
    """Raised by a handler; becomes an `Issue` with the node's name."""

    def __init__(self, code: str, detail: str, hint: str = ""):
        super().__init__(detail)
        self.code, self.detail, self.hint = code, detail, hint


@dataclass
class Node:
    """One ONNX node with its inputs resolved."""

    op: str
    name: str
    opset: int
    inputs: list
    outputs: list
    attrs: dict = field(default_factory=dict)

    def input(self, index: int):
        """The input, or None when it is absent."""
        return self.inputs[index] if index < len(self.inputs) else None

    def attr(self, name: str, default=None):
        return self.attrs.get(name, default)


def attribute_value(proto: AttributeProto):
    """The Python value of an attribute; text as str; tensors and graphs as protos."""
    value = onnx.helper.get_attribute_value(proto)
    if proto.type == AttributeProto.STRING:
        return value.decode("utf-8", "replace")
    if proto.type == AttributeProto.STRINGS:
        return [item.decode("utf-8", "replace") for item in value]
    if proto.type in (AttributeProto.INTS, AttributeProto.FLOATS):
        return list(value)
    return value


class Importer:
    """State of one import. `weights` holds the arrays of inputs that stand for large constants."""

    def __init__(self, model, weights: dict, path: str):
        self.model = model
        self.weights = weights
        self.path = path
        self.opsets = {o.domain or "ai.onnx": o.version for o in model.opset_import}
        self.graph = Graph("main")
        self.dims = DimContext(self)
        self.scopes: list[dict] = [{}]
        self.env: list[dict] = [{}]
        self.issues: list[Issue] = []
        self._symbols: dict = {}

    # --- Entry ---------------------------------------------------------------

    def run(self) -> Graph:
        """Imports the model; raises one UnsupportedError with everything that is missing."""
        proto = self.model.graph
        initializers = {t.name for t in proto.initializer} | set(self.weights)
        for item in proto.input:
            if item.name not in initializers:
                self._add_input(item)
        self._check_symbols()
        for name, array in self.weights.items():
            self.env[0][name] = self.constant(array)
        self.import_body(proto)
        outputs = [self._output(item.name) for item in proto.output]
        if self.issues:
            raise UnsupportedError(self.issues)
        dims = [_dim_names(item) for item in proto.output]
        self.graph.output([v.tensor() for v in outputs], [o.name for o in proto.output], dims)
        return self.graph

    def _output(self, name: str) -> Val:
        value = self.lookup(name)
        if value is None:
            self.issue(errors.NOT_VALID, "graph", name, "the output is not computed by any node")
            return self.poison()
        return value

    def _add_input(self, item) -> None:
        kind = item.type.WhichOneof("value")
        if kind != "tensor_type":
            self.issue(
                errors.NON_TENSOR, "input", item.name, f"the input is a {kind or 'value of no type'}"
            )
            self.env[0][item.name] = self.poison()
            return
        tensor_type = item.type.tensor_type
        dtype = from_onnx(tensor_type.elem_type)
        if dtype is None:
            self.issue(
                errors.ELEMENT_TYPE, "input", item.name,
                f"element type {onnx_name(tensor_type.elem_type)}",
            )
        elif not tensor_type.HasField("shape"):
            self.issue(
                errors.UNKNOWN_RANK, "input", item.name, "the input has no shape",
                "give its rank in the model, with named or empty dimensions",
            )
        else:
            self._add_tensor_input(item, dtype)
            return
        self.env[0][item.name] = self.poison()

    def _add_tensor_input(self, item, dtype: str) -> None:
        names = _dim_names(item)
        sizes = []
        for dim, name in zip(item.type.tensor_type.shape.dim, names):
            # A negative size is how some exporters write a dynamic one.
            fixed = dim.HasField("dim_value") and dim.dim_value >= 0
            sizes.append(dim.dim_value if fixed else name)
        tensor = self.graph.input(item.name, sizes, dtype)
        shape = []
        for axis, size in enumerate(sizes):
            if isinstance(size, int):
                shape.append(size)
                continue
            here = self.dims.of(tensor, axis)
            if size is None:
                shape.append(here)
                continue
            first = self._symbols.setdefault(size, [])
            first.append((here, item.name, axis))
            shape.append(first[0][0])
        self.env[0][item.name] = Val(self, dtype, shape, tensor)

    def _check_symbols(self) -> None:
        """Dimensions with one name are equal: the program checks it once, at its start."""
        for name, places in self._symbols.items():
            first, first_input, first_axis = places[0]
            for other, input_name, axis in places[1:]:
                text = (
                    f"expected dimension {axis} of input '{input_name}' to equal dimension "
                    f"{first_axis} of input '{first_input}', both called '{name}'"
                )
                self.check_equal(other, first, text)

    # --- Bodies --------------------------------------------------------------

    def import_body(self, proto) -> None:
        """Imports the initializers and nodes of a graph into the innermost scope."""
        for tensor in proto.initializer:
            if tensor.name not in self.env[-1]:
                self.env[-1][tensor.name] = self._from_proto(tensor, tensor.name)
        for tensor in proto.sparse_initializer:
            self.issue(
                errors.NON_TENSOR, "initializer", tensor.values.name, "a sparse initializer"
            )
            self.env[-1][tensor.values.name] = self.poison()
        for index, node in enumerate(proto.node):
            self._import_node(index, node)

    def _import_node(self, index: int, proto) -> None:
        name = proto.name or f"{proto.op_type}_{index}"
        self.graph.locate(self.path, name, index + 1)
        inputs = [self.lookup(i) if i else None for i in proto.input]
        results = None
        try:
            results = self._convert(proto, name, inputs)
        except Unsupported as error:
            self.issue(error.code, proto.op_type, name, error.detail, error.hint)
        except CompileError as error:
            # An op refused its operands: either the model is wrong or a form is not supported.
            self.issue(errors.NOT_VALID, proto.op_type, name, str(error))
        except MODEL_FAULTS as error:
            # What a handler takes for granted, the checker does not promise for damaged models.
            text = f"the node is not valid ({type(error).__name__}: {error})"
            self.issue(errors.NOT_VALID, proto.op_type, name, text)
        if results is None:
            results = [self.poison() for _ in proto.output]
        for output, value in zip(proto.output, results):
            if output:
                self.env[-1][output] = value

    def _convert(self, proto, name: str, inputs: list):
        domain = proto.domain or "ai.onnx"
        if domain != "ai.onnx" or proto.op_type not in HANDLERS:
            full = proto.op_type if domain == "ai.onnx" else f"{domain}:{proto.op_type}"
            self.issue(errors.UNKNOWN_OP, full, name, "there is no such operator in dlc")
            return None
        for given, value in zip(proto.input, inputs):
            if given and value is None:
                self.issue(errors.NOT_VALID, proto.op_type, name, f"input '{given}' is not defined")
                return None
        if any(value is not None and value.poison for value in inputs):
            return None
        node = Node(
            proto.op_type, name, self.opsets.get("ai.onnx", 1), inputs, list(proto.output),
            {a.name: attribute_value(a) for a in proto.attribute},
        )
        results = HANDLERS[proto.op_type](self, node)
        return results if isinstance(results, (list, tuple)) else [results]

    def lookup(self, name: str):
        for scope in reversed(self.env):
            if name in scope:
                return scope[name]
        return None

    def check_equal(self, a, b, message: str) -> None:
        """Stops the program with an error unless two sizes are equal."""
        self.graph.add_operation(
            "check_equal", [self.dims.index(a), self.dims.index(b)], {"message": message}
        )

    # --- Values --------------------------------------------------------------

    def issue(self, code, op, node, detail, hint="") -> None:
        self.issues.append(Issue(code, op, node, detail, hint))

    def poison(self) -> Val:
        """Stands for a value that could not be imported; its users are skipped."""
        return Val(self, "f32", [], poison=True)

    def constant(self, array, dtype: str | None = None) -> Val:
        if dtype is not None:
            array = np.asarray(array, dtypes.to_numpy(dtype))
        array = np.asarray(array)
        return Val(self, dtype or dtypes.from_numpy(array.dtype), array.shape, data=array)

    def _from_proto(self, tensor, name: str) -> Val:
        dtype = from_onnx(tensor.data_type)
        if dtype is None:
            self.issue(
                errors.ELEMENT_TYPE, "initializer", name,
                f"element type {onnx_name(tensor.data_type)}",
            )
            return self.poison()
        return self.constant(self.tensor_array(tensor))

    def tensor_array(self, tensor) -> np.ndarray:
        return onnx.numpy_helper.to_array(tensor)

    def shape_value(self, items, dtype: str = "i64") -> Val:
        """A value from ints and Dims (an array of objects, or a list)."""
        array = np.empty(np.shape(items), object)
        array[...] = items
        if all(not isinstance(item, Dim) for item in array.reshape(-1)):
            # Wraps like the element type does.
            data = np.array(array.tolist(), np.int64).reshape(array.shape)
            return self.constant(data.astype(dtypes.to_numpy(dtype)))
        return Val(self, dtype, array.shape, data=array)

    def from_objects(self, array: np.ndarray, dtype: str) -> Tensor:
        """A tensor of the program with the ints and Dims of `array`."""
        element = dtypes.mlir_name(dtype)
        elements = []
        for item in array.reshape(-1):
            index = self.dims.index(item)
            if element == "i1":
                zero = self.dims.index(0)
                elements.append(self.graph.add_op("arith.cmpi", [index, zero], {"predicate": 1}))
            else:
                elements.append(
                    self.graph.add_op("arith.index_cast", [index], result_types=[element])
                )
        text = dtypes.tensor_type(dtype, array.shape)
        tensor = self.graph.add_op("tensor.from_elements", [elements], result_types=[text])
        tensor.unsigned = dtypes.is_unsigned(dtype)
        return tensor

    def sizes(self, value: Val) -> list:
        """The elements of a rank-0 or rank-1 integer value as ints and Dims.

        What is not a shape value is read from the tensor at run time; its length must be known.
        """
        objects = value.objects()
        if objects is not None:
            return list(objects.reshape(-1))
        count = 1 if value.rank == 0 else value.shape[0]
        if value.rank > 1 or isinstance(count, Dim):
            raise Unsupported(
                errors.DYNAMIC, "the number of sizes is not known before the program runs"
            )
        tensor = value.tensor()
        result = []
        for position in range(count):
            indices = [] if value.rank == 0 else [self.graph.scalar(position)]
            element = self.graph.add_op("tensor.extract", [tensor, indices])
            cast = "arith.index_castui" if dtypes.is_unsigned(value.dtype) else "arith.index_cast"
            index = self.graph.add_op(cast, [element], result_types=["index"])
            result.append(self.dims.value(index))
        return result

    def ints(self, value: Val | None, what: str) -> list[int] | None:
        """The elements of a constant integer value."""
        if value is None:
            return None
        objects = value.objects()
        if objects is None or any(isinstance(o, Dim) for o in objects.reshape(-1)):
            raise Unsupported(
                errors.DYNAMIC, f"{what} is computed when the program runs",
                "make it a constant of the model",
            )
        return [int(o) for o in objects.reshape(-1)]

    def result(self, tensor: Tensor, shape=None, dtype: str | None = None) -> Val:
        """The Val of an op's result. `shape` refines what the type says."""
        if dtype is not None:
            tensor.unsigned = dtypes.is_unsigned(dtype)
        known = tensor.shape
        if shape is None:
            shape = [d if d is not None else self.dims.of(tensor, i) for i, d in enumerate(known)]
        else:
            shape = [d if d is not None else int(s) if not isinstance(s, Dim) else s
                     for d, s in zip(known, shape, strict=True)]
            if any(d is None and not isinstance(s, Dim) for d, s in zip(known, shape)):
                unsigned = tensor.unsigned
                text = dtypes.tensor_type(tensor.dtype, shape)
                tensor = self.graph.add_op("tensor.cast", [tensor], result_types=[text])
                tensor.unsigned = unsigned
        return Val(self, tensor.dtype, shape, tensor)

    def op(self, name, operands, attrs=None, *, shape=None, dtype=None, types=None, mixed=None):
        """Adds a dlc op over Vals (or lists, None) with one result and returns its Val.

        The result has the unsignedness of `dtype`, by default that of the first operand.
        """
        first = operands[0] if isinstance(operands[0], Val) else operands[0][0]
        dtype = dtype or first.dtype
        tensor = self.graph.add_op(
            name, [_tensors(o) for o in operands], attrs, result_types=types,
            mixed=None if mixed is None else {k: self.dims.mixed(v) for k, v in mixed.items()},
        )
        return self.result(tensor, shape, dtype)

    def explicit(self, name, operands, attrs=None, *, shape, dtype, mixed=None) -> Val:
        """Like `op` for an op whose result type is written."""
        text = dtypes.tensor_type(dtype, shape)
        return self.op(name, operands, attrs, shape=shape, dtype=dtype, types=[text], mixed=mixed)

    def explicit_iota(self, shape, axis: int, dtype: str) -> Val:
        """Numbers 0, 1, 2, ... along `axis`."""
        text = dtypes.tensor_type(dtype, shape)
        tensor = self.graph.add_op(
            "iota", [], {"axis": axis}, result_types=[text],
            mixed={"sizes": self.dims.mixed(shape)},
        )
        return self.result(tensor, shape, dtype)

    def broadcast(self, values: list[Val]) -> tuple[list[Val], list]:
        """Operands that the dialect broadcasts by itself, and the common shape.

        A dynamic dimension that is not known to equal the result's may be 1 at run time, which the
        dialect leaves to an explicit dlc.broadcast.
        """
        rank = max(v.rank for v in values)
        shape = []
        for axis in range(rank):
            size = 1
            for value in values:
                position = axis - rank + value.rank
                if position >= 0:
                    size = self.dims.broadcast(size, value.shape[position])
            shape.append(size)
        return [self._expand_dynamic(v, shape) for v in values], shape

    def _expand_dynamic(self, value: Val, shape: list) -> Val:
        target = list(value.shape)
        offset = len(shape) - value.rank
        for axis, size in enumerate(value.shape):
            if isinstance(size, Dim) and not size == shape[offset + axis]:
                target[axis] = shape[offset + axis]
        if all(a is b or (type(a) is type(b) and a == b) for a, b in zip(target, value.shape)):
            return value
        return self.op("broadcast", [value], mixed={"sizes": target}, shape=target)

    def elementwise(self, name, values, attrs=None, *, dtype=None, signed=False) -> Val:
        """An element-wise op with NumPy broadcasting; `is_unsigned` is set where `signed` asks."""
        values, shape = self.broadcast(values)
        attrs = dict(attrs or {})
        if signed and dtypes.is_unsigned(values[0].dtype):
            attrs["is_unsigned"] = True
        return self.op(name, values, attrs, shape=shape, dtype=dtype)

    def scalar(self, value, dtype: str) -> Val:
        """A 0-d constant of an element type."""
        return self.constant(np.asarray(value), dtype)

    def cast(self, value: Val, dtype: str, saturate: bool = False) -> Val:
        """Converts as ONNX does: to bool by `x != 0`, integers wrap, floats saturate to integers."""
        if value.dtype == dtype:
            return value
        if value.is_constant and value.data.size <= 1024 and not dtypes.is_float(dtype):
            if value.data.dtype.kind in "iub":
                return self.constant(value.data.astype(dtypes.to_numpy(dtype)))
        if value.data is not None and value.data.dtype == object and dtype in ("i64", "i32"):
            return Val(self, dtype, value.shape, data=value.data)
        if dtype == "i1":
            zero = self.scalar(0, value.dtype)
            return self.op("compare", [value, zero], {"predicate": "ne"},
                           shape=value.shape, dtype="i1")
        attrs = {}
        if dtypes.is_unsigned(value.dtype) or value.dtype == "i1":
            attrs["unsigned_input"] = True
        if dtypes.is_unsigned(dtype):
            attrs["unsigned_result"] = True
        to_int = not dtypes.is_float(dtype) and dtypes.is_float(value.dtype)
        attrs["saturate"] = to_int or saturate
        if dtypes.mlir_name(dtype) == dtypes.mlir_name(value.dtype):
            # Same bits, other signedness.
            return self.relabel(value, dtype)
        return self.explicit("cast", [value], attrs, shape=value.shape, dtype=dtype)

    def relabel(self, value: Val, dtype: str) -> Val:
        """The same bits with the other signedness, which only Python tracks."""
        tensor = value.tensor()
        return Val(self, dtype, value.shape, Tensor(self.graph, tensor.value, dtypes.is_unsigned(dtype)))


def _tensors(operand):
    if operand is None:
        return None
    if isinstance(operand, Val):
        return operand.tensor()
    return [item.tensor() for item in operand]


def _dim_names(item) -> list:
    """The symbolic names of the dimensions of a graph input or output."""
    shape = item.type.tensor_type.shape
    return [
        d.dim_param if d.HasField("dim_param") and d.dim_param not in _ANONYMOUS else None
        for d in shape.dim
    ]
