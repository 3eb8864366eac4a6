"""Handlers of control flow: If, Loop and Scan through scf.

Values of the enclosing graph are used directly. Shapes that change between branches or iterations
become dynamic dimensions.
"""

from __future__ import annotations

from dlc import _dlc, dtypes, errors
from dlc.graph import Tensor
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import normalize, reshape_to
from dlc.onnx.slicing import slice_of
from dlc.onnx.values import EQ, Dim, Val


def _enter(c, operation, region):
    _dlc.enter_block(c.graph.module, operation.op, region)
    c.scopes.append({})
    c.env.append({})


def _leave(c):
    _dlc.leave_block(c.graph.module)
    c.scopes.pop()
    c.env.pop()


def _type(dtype, shape):
    return dtypes.tensor_type(dtype, [None if isinstance(d, Dim) else d for d in shape])


def _coerce(c, value: Val, dtype: str, shape) -> Tensor:
    """The tensor of `value` with a less precise type."""
    if value.dtype != dtype or value.rank != len(shape):
        raise Unsupported(
            errors.NOT_VALID,
            f"expected {dtype} of rank {len(shape)} from a body, but got {value.dtype} of rank "
            f"{value.rank}",
        )
    tensor, wanted = value.tensor(), _type(dtype, shape)
    if tensor.type == wanted:
        return tensor
    return c.graph.add_op("tensor.cast", [tensor], result_types=[wanted])


def _common(values):
    """The shape that holds both values: a size that differs is None."""
    first, second = values
    return [
        a if not isinstance(a, Dim) and not isinstance(b, Dim) and a == b else None
        for a, b in zip(first.shape, second.shape)
    ]


@handler("If")
def if_(c, n):
    condition = n.inputs[0]
    branches = [n.attr("then_branch"), n.attr("else_branch")]
    if condition.is_constant:
        return _inline(c, branches[0 if condition.data.reshape(-1)[0] else 1])
    flag = c.graph.add_op("tensor.extract", [reshape_to(c, condition, []).tensor(), []])
    # The result types are known only after the bodies: they are built once to learn them.
    trial = _if_operation(c, flag, [[], []])
    results = [_branch(c, trial, i, body) for i, body in enumerate(branches)]
    dtypes_, shapes = [], []
    for then_value, else_value in zip(*results, strict=True):
        if then_value.poison or else_value.poison:
            trial.erase()
            return None
        if then_value.dtype != else_value.dtype or then_value.rank != else_value.rank:
            trial.erase()
            raise Unsupported(errors.NOT_VALID, "the branches of an If have results of two types")
        dtypes_.append(then_value.dtype)
        shapes.append(_common([then_value, else_value]))
    trial.erase()
    types = [dtypes.tensor_type(d, s) for d, s in zip(dtypes_, shapes)]
    operation = c.graph.add_operation("scf.if", [flag], result_types=types, regions=[[], []])
    for index, body in enumerate(branches):
        _enter(c, operation, index)
        values = _body(c, body, [])
        c.graph.add_operation(
            "scf.yield", [[_coerce(c, v, d, s) for v, d, s in zip(values, dtypes_, shapes)]]
        )
        _leave(c)
    return [c.result(r, None, d) for r, d in zip(operation.results, dtypes_)]


def _if_operation(c, flag, regions):
    return c.graph.add_operation("scf.if", [flag], result_types=[], regions=regions)


def _branch(c, operation, index, body):
    _enter(c, operation, index)
    values = _body(c, body, [])
    c.graph.add_operation("scf.yield", [[]])
    _leave(c)
    return values


def _body(c, proto, inputs) -> list[Val]:
    """Imports a subgraph into the innermost scope with its inputs bound."""
    for item, value in zip(proto.input, inputs):
        c.env[-1][item.name] = value
    c.import_body(proto)
    # The condition that a Scan lacks has an empty name and is always true.
    return [
        (c.lookup(item.name) or c.poison()) if item.name else c.constant(True)
        for item in proto.output
    ]


def _inline(c, proto):
    c.env.append({})
    values = _body(c, proto, [])
    c.env.pop()
    return values


# --- Loop ---------------------------------------------------------------------


@handler("Loop")
def loop(c, n):
    """Carried values and scan outputs are tensors of an scf.while.

    A scan output grows by one row at a time when the number of iterations is not known, and has its
    full size from the start when it is.
    """
    body = n.attr("body")
    trip, condition = n.input(0), n.input(1)
    carried = list(n.inputs[2:])
    return _Loop(c, body, trip, condition, carried).build()


class _Loop:
    def __init__(self, c, body, trip, condition, carried):
        self.c, self.body, self.carried = c, body, carried
        self.trip, self.condition = trip, condition
        self.scans = len(body.output) - 1 - len(carried)
        self.shapes = [list(v.shape) for v in carried]

    def build(self):
        c = self.c
        self._learn_types()
        limit = self._limit()
        start = c.graph.scalar(0)
        go = self._flag(self.condition)
        states = [_coerce(c, v, v.dtype, s) for v, s in zip(self.carried, self.shapes)]
        scans = [self._empty_scan(d, s) for d, s in self.scan_types]
        operands = [start, go, *states, *scans]
        types = [t.type for t in operands]
        operation = c.graph.add_operation(
            "scf.while", [operands], result_types=types, regions=[types, types]
        )
        self._condition_region(operation, limit)
        self._body_region(operation)
        results = operation.results[2:]
        out = [c.result(r, None, v.dtype) for r, v in zip(results, self.carried)]
        for result, (dtype, _) in zip(results[len(self.carried):], self.scan_types):
            out.append(c.result(result, None, dtype))
        return out

    def _limit(self):
        if self.trip is None:
            return None
        return self.c.dims.index(self.c.sizes(self.trip)[0])

    def _flag(self, value):
        c = self.c
        if value is None:
            return c.graph.scalar(1, "i1")
        return c.graph.add_op("tensor.extract", [reshape_to(c, value, []).tensor(), []])

    def _learn_types(self):
        """Imports the body until the shapes of the carried values are stable."""
        c = self.c
        for _ in range(8):
            types = [_type(v.dtype, s) for v, s in zip(self.carried, self.shapes)]
            trial = c.graph.add_operation(
                "scf.execute_region", [], result_types=[], regions=[["index", *types]]
            )
            outputs = self._import(trial, 0)
            if any(v.poison for v in outputs):
                trial.erase()
                raise Unsupported(errors.NOT_VALID, "the body of the loop was not imported")
            changed = False
            for shape, value in zip(self.shapes, outputs[1:]):
                for axis, (a, b) in enumerate(zip(shape, value.shape)):
                    if a is not None and not isinstance(a, Dim) and (isinstance(b, Dim) or a != b):
                        shape[axis], changed = None, True
            self.scan_types = [
                (v.dtype, [None if isinstance(d, Dim) else d for d in v.shape])
                for v in outputs[1 + len(self.carried):]
            ]
            trial.erase()
            if not changed:
                self.shapes = [[None if isinstance(d, Dim) else d for d in s] for s in self.shapes]
                return
        raise Unsupported(errors.DYNAMIC, "shapes of a loop that do not become stable")

    def _import(self, operation, region):
        c = self.c
        _enter(c, operation, region)
        arguments = [Tensor(c.graph, v) for v in operation.op.block_arguments(region)]
        values = self._bind(arguments[0], arguments[1:])
        outputs = _body(c, self.body, values)
        c.graph.add_operation("scf.yield", [[]])
        _leave(c)
        return outputs

    def _bind(self, iteration, arguments):
        c = self.c
        values = [c.shape_value(c.dims.value(iteration), "i64"),
                  c.constant(True)]
        for argument, like in zip(arguments, self.carried):
            values.append(c.result(argument, None, like.dtype))
        return values

    def _condition_region(self, operation, limit):
        c = self.c
        _enter(c, operation, 0)
        arguments = [Tensor(c.graph, v) for v in operation.op.block_arguments(0)]
        proceed = arguments[1]
        if limit is not None:
            more = c.graph.add_op("arith.cmpi", [arguments[0], limit], {"predicate": 2})
            proceed = c.graph.add_op("arith.andi", [proceed, more])
        c.graph.add_operation("scf.condition", [proceed, arguments])
        _leave(c)

    def _body_region(self, operation):
        c = self.c
        _enter(c, operation, 1)
        arguments = [Tensor(c.graph, v) for v in operation.op.block_arguments(1)]
        count = len(self.carried)
        outputs = _body(c, self.body, self._bind(arguments[0], arguments[2:2 + count]))
        flag = self._flag(outputs[0])
        states = [_coerce(c, v, like.dtype, s)
                  for v, like, s in zip(outputs[1:], self.carried, self.shapes)]
        scans = [self._append(a, v, t) for a, v, t in
                 zip(arguments[2 + count:], outputs[1 + count:], self.scan_types)]
        following = c.graph.add_op("arith.addi", [arguments[0], c.graph.scalar(1)])
        c.graph.add_operation("scf.yield", [[following, flag, *states, *scans]])
        _leave(c)

    def _empty_scan(self, dtype, shape):
        c = self.c
        sizes = [0] + [0 if d is None else d for d in shape]
        text = dtypes.tensor_type(dtype, [None, *shape])
        tensor = c.graph.add_op(
            "tensor.empty", [[]], result_types=[dtypes.tensor_type(dtype, sizes)]
        )
        return c.graph.add_op("tensor.cast", [tensor], result_types=[text])

    def _append(self, scan, value, scan_type):
        """The rows so far and one more."""
        c, (dtype, shape) = self.c, scan_type
        row = reshape_to(c, value, [1, *value.shape])
        rows = c.result(scan, None, dtype)
        if any(d is None for d in shape):
            # Rows of a dynamic size: before the first one the stack has size 0 there.
            first = c.dims.select(EQ, rows.shape[0], 0, 1, 0)
            sizes = [rows.shape[0]] + [
                r if d is not None else c.dims.select(EQ, first, 1, v, r)
                for d, r, v in zip(shape, rows.shape[1:], value.shape)
            ]
            rows = reshape_to(c, rows, sizes)
        total = rows.shape[0] + 1
        joined = c.op("concat", [[rows, row]], {"axis": 0}, shape=[total, *value.shape])
        return _coerce(c, joined, dtype, [None, *shape])


# --- Scan ---------------------------------------------------------------------


@handler("Scan")
def scan(c, n):
    """A Loop whose body slices its inputs."""
    if n.opset < 9:
        raise Unsupported(errors.OPSET, "Scan with a batch axis, from before opset 9")
    body, count = n.attr("body"), n.attr("num_scan_inputs")
    states = list(n.inputs[: len(n.inputs) - count])
    sequences = list(n.inputs[len(n.inputs) - count:])
    outputs = len(body.output) - len(states)
    if any(n.attr("scan_output_axes", [0] * outputs)) or any(
        n.attr("scan_output_directions", [0] * outputs)
    ):
        raise Unsupported(errors.ATTRIBUTE, "scan_output_axes or scan_output_directions")
    axes = [normalize(a, s.rank) for a, s in
            zip(n.attr("scan_input_axes", [0] * count), sequences)]
    directions = n.attr("scan_input_directions", [0] * count)
    length = sequences[0].shape[axes[0]]
    trip = c.shape_value(length)
    loop_ = _Scan(c, body, trip, states, sequences, axes, directions, length)
    return loop_.build()


class _Scan(_Loop):
    def __init__(self, c, body, trip, states, sequences, axes, directions, length):
        self.sequences, self.axes, self.directions = sequences, axes, directions
        self.length = length
        super().__init__(c, _Outputs(body), trip, None, states)

    def _bind(self, iteration, arguments):
        c = self.c
        position = c.dims.value(iteration)
        values = [c.result(a, None, v.dtype) for a, v in zip(arguments, self.carried)]
        for value, axis, backward in zip(self.sequences, self.axes, self.directions):
            offsets, sizes = [0] * value.rank, list(value.shape)
            offsets[axis] = self.length - 1 - position if backward else position
            sizes[axis] = 1
            rest = [d for i, d in enumerate(value.shape) if i != axis]
            values.append(reshape_to(c, slice_of(c, value, offsets, sizes), rest))
        return values


class _Outputs:
    """The body of a Scan with the constant condition that a Loop's body gives first."""

    def __init__(self, proto):
        self.proto = proto
        self.input = proto.input
        self.node, self.initializer = proto.node, proto.initializer
        self.sparse_initializer = proto.sparse_initializer
        self.output = [_Name(), *proto.output]


class _Name:
    name = ""


