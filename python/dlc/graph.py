"""The graph builder: `Graph`, `Tensor` and `Operation` over MLIR."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dlc import _dlc, dtypes
from dlc.errors import CompileError

# Bytes above which a constant becomes a weight, which is never printed or copied.
_WEIGHT_BYTES = 1024


class Tensor:
    """A value of a graph: a ranked tensor, or a scalar `index`."""

    __slots__ = ("graph", "value", "unsigned")

    def __init__(self, graph: "Graph", value, unsigned: bool = False):
        self.graph = graph
        self.value = value
        self.unsigned = unsigned

    @property
    def shape(self) -> tuple | None:
        """Dimensions, None where dynamic; None for a scalar."""
        return self.value.shape

    @property
    def rank(self) -> int:
        return len(self.value.shape)

    @property
    def dtype(self) -> str:
        """Element type: 'f32', 'i8', 'ui8', 'i1', ..."""
        return dtypes.from_mlir(self.value.dtype, self.unsigned)

    @property
    def type(self) -> str:
        """The type as MLIR prints it."""
        return self.value.type

    @property
    def owner(self) -> "Operation | None":
        """The operation that makes this value; None for an input."""
        owner = self.value.owner
        return None if owner is None else Operation(self.graph, owner)

    @property
    def users(self) -> list["Operation"]:
        return [Operation(self.graph, user) for user in self.value.users]

    def replace_all_uses_with(self, other: "Tensor") -> None:
        self.value.replace_all_uses_with(other.value)

    def __eq__(self, other) -> bool:
        return isinstance(other, Tensor) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Tensor({self.type})"

    def __add__(self, other):
        return self.graph.add_op("add", [self, other])

    def __sub__(self, other):
        return self.graph.add_op("sub", [self, other])

    def __mul__(self, other):
        return self.graph.add_op("mul", [self, other])

    def __truediv__(self, other):
        return self.graph.add_op("div", [self, other])

    def __neg__(self):
        return self.graph.add_op("neg", [self])


class Operation:
    """An operation of a graph, for passes written in Python."""

    __slots__ = ("graph", "op")

    def __init__(self, graph: "Graph", op):
        self.graph = graph
        self.op = op

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def operands(self) -> list[Tensor]:
        return [Tensor(self.graph, value) for value in self.op.operands]

    @property
    def results(self) -> list[Tensor]:
        return [Tensor(self.graph, value) for value in self.op.results]

    @property
    def attributes(self) -> dict:
        return self.op.attributes

    @property
    def location(self) -> str:
        return self.op.location

    def erase(self) -> None:
        """Removes the operation, whose results must have no uses."""
        self.op.erase()

    def set_operand(self, index: int, tensor: Tensor) -> None:
        self.op.set_operand(index, tensor.value)

    def __eq__(self, other) -> bool:
        return isinstance(other, Operation) and self.op == other.op

    def __hash__(self) -> int:
        return hash(self.op)

    def __str__(self) -> str:
        return str(self.op)


class Graph:
    """One function under construction, in an MLIR module of its own."""

    def __init__(self, name: str = "main"):
        self.name = name
        self.module = _dlc.create_module()
        self.inputs: list[Tensor] = []
        self._weights: dict = {}
        self._finished = False
        _dlc.add_function(self.module, name, [], [])

    # --- Building -----------------------------------------------------------

    def input(self, name: str, shape: Sequence, dtype: str = "f32") -> Tensor:
        """Adds an input. A dimension is an int, None, or a str that names it.

        Two dimensions with one name must be equal when the program is called.
        """
        names = [d if isinstance(d, str) else "" if d is None else str(d) for d in shape]
        attrs = {"dlc.name": name, "dlc.dims": _strings(names)}
        unsigned = dtypes.is_unsigned(dtype)
        if unsigned:
            attrs["dlc.unsigned"] = _UNIT
        value = _dlc.add_argument(
            self.module, self.name, dtypes.tensor_type(dtype, shape), _attrs(self.module, attrs)
        )
        tensor = Tensor(self, value, unsigned)
        self.inputs.append(tensor)
        return tensor

    def add_operation(
        self,
        name: str,
        operands: Sequence,
        attributes: dict | None = None,
        result_types: Sequence[str] | None = None,
        mixed: dict | None = None,
        regions: Sequence = (),
    ) -> Operation:
        """Adds an operation and returns it.

        An operand is a Tensor, a list of them for a variadic group, or None for an absent one.
        `mixed` gives size lists of integers and index tensors: `{"sizes": [2, n, 64]}` becomes the
        dynamic operands and the attribute `static_sizes`. Result types are inferred unless given.
        """
        groups = [_unwrap(operand) for operand in operands]
        attributes = dict(attributes or {})
        for key, sizes in (mixed or {}).items():
            static, dynamic = split_mixed(sizes)
            attributes["static_" + key] = static
            groups.append(_unwrap(dynamic))
        op = _dlc.add_op(
            self.module, name, groups, attributes, result_types, [list(r) for r in regions]
        )
        return Operation(self, op)

    def add_op(self, name: str, operands: Sequence, attributes: dict | None = None, **rest):
        """Adds an operation; returns its result, or a list when there is not exactly one."""
        results = self.add_operation(name, operands, attributes, **rest).results
        return results[0] if len(results) == 1 else results

    def constant(self, value, dtype: str | None = None) -> Tensor:
        """A constant tensor. A large one becomes a weight that borrows the array's memory.

        An array whose strides are all zero (`np.broadcast_to(1.0, shape)`) is a splat and takes no
        memory whatever its size.
        """
        array = np.asarray(value, None if dtype is None else dtypes.to_numpy(dtype))
        dtype = dtypes.from_numpy(array.dtype)
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        text = dtypes.tensor_type(dtype, array.shape)
        unsigned = dtypes.is_unsigned(dtype)
        splat = array.size > 1 and not any(
            s for s, d in zip(array.strides, array.shape) if d != 1
        )
        if splat or array.nbytes <= _WEIGHT_BYTES:
            data = array[(slice(0, 1),) * array.ndim] if splat else array
            return Tensor(self, _dlc.constant(self.module, text, _bytes(data)), unsigned)
        if array.dtype.itemsize == 1 and dtypes.mlir_name(dtype) in ("i1", "i2", "i4", "f4E2M1FN"):
            return Tensor(self, _dlc.constant(self.module, text, _bytes(array)), unsigned)
        return Tensor(self, self._weight(array, text), unsigned)

    def scalar(self, value, type: str = "index") -> Tensor:
        """A scalar constant, by default an index."""
        return Tensor(self, _dlc.scalar(self.module, type, value))

    def output(self, tensors: Sequence[Tensor], names: Sequence[str], dims=None) -> None:
        """Ends the function; `dims` names the dimensions of each result where known."""
        attrs = []
        for i, (tensor, name) in enumerate(zip(tensors, names, strict=True)):
            entry = {"dlc.name": name}
            shape = tensor.shape or ()
            labels = dims[i] if dims and dims[i] else [None] * len(shape)
            entry["dlc.dims"] = _strings(
                [str(d) if d is not None else n or "" for d, n in zip(shape, labels)]
            )
            if tensor.unsigned:
                entry["dlc.unsigned"] = _UNIT
            attrs.append(_attrs(self.module, entry))
        _dlc.add_return(self.module, [t.value for t in tensors], attrs)
        _dlc.verify(self.module)
        self._finished = True

    def locate(self, file: str, name: str, line: int = 0) -> None:
        """Sets the source location of the operations that follow."""
        _dlc.set_location(self.module, file, name, line)

    def _weight(self, array: np.ndarray, text: str):
        key = (array.__array_interface__["data"][0], text)
        if key not in self._weights:
            contiguous = _aligned(np.ascontiguousarray(array))
            name = f"weight_{len(self._weights)}"
            symbol = _dlc.add_weight(self.module, name, text, _bytes(contiguous))
            # The array is kept so that its address cannot be taken by another one.
            self._weights[key] = (symbol, array)
        return _dlc.load_weight(self.module, self._weights[key][0], text)

    # --- Reading and rewriting ----------------------------------------------

    @property
    def operations(self) -> list[Operation]:
        """The operations in order."""
        return [Operation(self, op) for op in _dlc.operations(self.module, self.name)]

    def set_insertion_point(self, before: Operation) -> None:
        """Makes `add_op` insert before `before`, for passes."""
        _dlc.set_insertion_point(self.module, before.op)

    def optimize(self, passes: Sequence[str | Callable[["Graph"], None]] = ()) -> "Graph":
        """Runs passes in order and verifies after each; returns the graph.

        A pass is an MLIR pipeline (`"canonicalize,cse"`, anchored at the module) or a function that
        takes the graph and rewrites it.
        """
        for item in passes:
            if isinstance(item, str):
                _dlc.run_pipeline(self.module, item)
                values = _dlc.arguments(self.module, self.name)
                flags = [tensor.unsigned for tensor in self.inputs]
                self.inputs = [Tensor(self, v, u) for v, u in zip(values, flags)]
            elif callable(item):
                item(self)
                _dlc.verify(self.module)
            else:
                raise TypeError(f"expected a pass to be a pipeline or a function, but got {item!r}")
        return self

    def mlir(self, locations: bool = False) -> str:
        """The module's text, large constants elided."""
        return _dlc.print_module(self.module, locations=locations)

    def compile(self, target: str = "cpu", **options):
        """Compiles to a `dlc.Executable`; see `dlc.compile`."""
        from dlc.runtime import compile_module

        if not self._finished:
            raise CompileError("expected the graph to have outputs: call output() first")
        return compile_module(self.module, self.name, target, **options)

    def __str__(self) -> str:
        return self.mlir()


_UNIT = object()


def _strings(items):
    return list(items)


def _attrs(module, entries: dict) -> dict:
    unit = None
    result = {}
    for key, value in entries.items():
        if value is _UNIT:
            unit = unit or _dlc.attribute(module, "unit")
            value = unit
        result[key] = value
    return result


def _bytes(array: np.ndarray):
    """The array's memory as bytes, without a copy of a contiguous array."""
    array = np.ascontiguousarray(array)
    return array.reshape(-1).view(np.uint8)


# Compiled code loads whole vectors from weights.
_ALIGNMENT = 64


def _aligned(array: np.ndarray) -> np.ndarray:
    """The array, or a copy of it where its address is not a multiple of 64."""
    if array.__array_interface__["data"][0] % _ALIGNMENT == 0:
        return array
    room = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -room.__array_interface__["data"][0] % _ALIGNMENT
    copy = room[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _unwrap(operand):
    if operand is None:
        return None
    if isinstance(operand, Tensor):
        return operand.value
    if isinstance(operand, (list, tuple)):
        return [item.value for item in operand]
    raise TypeError(
        f"expected an operand to be a Tensor, a list of them or None, but got {operand!r}"
    )


def split_mixed(sizes):
    """The static part of a mixed size list and the index tensors of the rest."""
    static, dynamic = [], []
    for size in sizes:
        if isinstance(size, (int, np.integer)):
            static.append(int(size))
        else:
            static.append(_dlc.DYNAMIC)
            dynamic.append(size)
    return static, dynamic
