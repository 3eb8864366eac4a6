"""Handlers of operators that move data or make shapes."""

from __future__ import annotations

import numpy as np
import onnx

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.types import from_onnx
from dlc.onnx.values import SLT, Dim


def normalize(axis: int, rank: int) -> int:
    """A non-negative axis; refuses one out of range."""
    if not -rank <= axis < max(rank, 1):
        raise Unsupported(
            errors.NOT_VALID, f"expected axis to be in range [{-rank}, {rank}), but got {axis}"
        )
    return axis + rank if axis < 0 else axis


def product(sizes):
    total = 1
    for size in sizes:
        total = total * size
    return total


def movable(value):
    """The array to move in Python: a shape value, a small constant or a splat; else None."""
    if value.data is None:
        return None
    if value.data.dtype == object or value.data.nbytes <= 4096:
        return value.data
    return value.data if is_splat(value.data) else None


def is_splat(array) -> bool:
    return array.size > 0 and not any(s for s, d in zip(array.strides, array.shape) if d != 1)


def moved(c, value, array):
    """A constant or shape value with the moved data of `value`."""
    if array.dtype == object:
        return c.shape_value(array, value.dtype)
    return c.constant(array, None)


def _reshape_array(array, shape):
    if is_splat(array) and array.dtype != object:
        return np.broadcast_to(array[(0,) * array.ndim], shape)
    return array.reshape(shape)


def reshape_to(c, x, shape):
    """`x` with a shape of ints and Dims and the same number of elements."""
    array = movable(x)
    if array is not None and all(not isinstance(s, Dim) for s in shape):
        if array.size != product(shape):
            raise Unsupported(
                errors.NOT_VALID, f"{array.size} elements cannot have the shape {list(shape)}"
            )
        return moved(c, x, _reshape_array(array, shape))
    same = x.rank == len(shape) and all(
        isinstance(a, Dim) == isinstance(b, Dim) and a == b for a, b in zip(x.shape, shape)
    )
    return x if same else c.op("reshape", [x], mixed={"sizes": shape}, shape=shape)


# --- Constants and shapes -----------------------------------------------------


@handler("Constant")
def constant(c, n):
    for name, value in n.attrs.items():
        if name == "value":
            return c._from_proto(value, n.name)
        if name in ("value_int", "value_ints"):
            return c.constant(np.asarray(value, np.int64))
        if name in ("value_float", "value_floats"):
            return c.constant(np.asarray(value, np.float32))
    kinds = ", ".join(n.attrs) or "no attribute"
    raise Unsupported(errors.NON_TENSOR, f"a constant given by {kinds}")


@handler("ConstantOfShape")
def constant_of_shape(c, n):
    proto = n.attr("value")
    value = np.zeros(1, np.float32) if proto is None else onnx.numpy_helper.to_array(proto)
    value = value.reshape(())
    sizes = c.sizes(n.inputs[0])
    if all(not isinstance(s, Dim) for s in sizes):
        if any(s < 0 for s in sizes):
            raise Unsupported(errors.NOT_VALID, f"a negative size in {sizes}")
        if product(sizes) <= 64 and value.dtype.kind in "iub":
            return c.constant(np.full(sizes, value))
        return c.constant(np.broadcast_to(value, sizes))
    return c.op("broadcast", [c.constant(value)], mixed={"sizes": sizes}, shape=sizes)


@handler("Shape")
def shape(c, n):
    x = n.inputs[0]
    start, end = n.attr("start", 0), n.attr("end", None)
    return c.shape_value(list(x.shape[slice(*slice(start, end).indices(x.rank))]))


@handler("Size")
def size(c, n):
    return c.shape_value(product(n.inputs[0].shape))


@handler("Range")
def range_(c, n):
    start, limit, delta = (
        v if v.rank == 0 else reshape_to(c, v, []) for v in n.inputs
    )
    if all(v.is_constant for v in (start, limit, delta)):
        array = np.arange(start.data[()], limit.data[()], delta.data[()])
        return c.constant(array, start.dtype)
    if dtypes.is_float(start.dtype):
        return _float_range(c, start, limit, delta)
    begin, end, step = (c.sizes(v)[0] for v in (start, limit, delta))
    dims = c.dims
    if isinstance(step, Dim):
        # ceil((end - begin) / step) for either sign, by the identity below on |step|.
        span = dims.select(SLT, step, 0, begin - end, end - begin)
        stride = dims.maximum(step, step * -1)
    else:
        span, stride = (end - begin, step) if step > 0 else (begin - end, -step)
    count = dims.maximum(dims.div(span + (stride - 1), stride), 0)
    positions = c.explicit_iota([count], 0, start.dtype)
    scaled = c.elementwise("mul", [positions, reshape_to(c, delta, [])])
    return c.elementwise("add", [scaled, reshape_to(c, start, [])])


def _float_range(c, start, limit, delta):
    exact = "f64" if start.dtype == "f64" else "f32"
    a, b, d = (c.cast(v, exact) for v in (start, limit, delta))
    length = c.op("ceil", [c.elementwise("div", [c.elementwise("sub", [b, a]), d])], shape=[])
    count = c.dims.maximum(c.sizes(c.cast(length, "i64"))[0], 0)
    positions = c.cast(c.explicit_iota([count], 0, "i64"), exact)
    return c.cast(c.elementwise("add", [c.elementwise("mul", [positions, d]), a]), start.dtype)


@handler("EyeLike")
def eye_like(c, n):
    x = n.inputs[0]
    dtype = from_onnx(n.attr("dtype")) if n.attr("dtype") else x.dtype
    rows = c.explicit_iota(x.shape, 0, "i64")
    columns = c.explicit_iota(x.shape, 1, "i64")
    shifted = c.elementwise("add", [rows, c.scalar(n.attr("k", 0), "i64")])
    equal = c.elementwise("compare", [shifted, columns], {"predicate": "eq"}, dtype="i1")
    return c.cast(equal, dtype)


# --- Reshaping ----------------------------------------------------------------


@handler("Reshape")
def reshape(c, n):
    x = n.inputs[0]
    if n.opset < 5:
        wanted = list(n.attr("shape"))
    else:
        wanted = c.sizes(n.inputs[1])
    return reshape_to(c, x, resolve_reshape(c, x, wanted, n.attr("allowzero", 0)))


def resolve_reshape(c, x, wanted, allow_zero=0):
    """The target with 0 (copy) and -1 (the rest) replaced."""
    target, inferred = [], None
    for axis, item in enumerate(wanted):
        if isinstance(item, Dim):
            target.append(item)
        elif item == -1:
            if inferred is not None:
                raise Unsupported(errors.NOT_VALID, "more than one -1 in the shape")
            inferred = axis
            target.append(1)
        elif item == 0 and not allow_zero:
            if axis >= x.rank:
                raise Unsupported(errors.NOT_VALID, f"no dimension {axis} to copy for a 0")
            target.append(x.shape[axis])
        else:
            target.append(int(item))
    if inferred is not None:
        target[inferred] = _quotient(c, x.shape, target)
    return target


def _quotient(c, shape, target):
    """Number of elements of `shape` over that of `target`, after cancelling equal sizes."""
    above, below = list(shape), []
    for item in target:
        match = next((i for i, a in enumerate(above)
                      if isinstance(a, Dim) == isinstance(item, Dim) and a == item
                      and (isinstance(a, Dim) or a != 0)), None)
        if match is None:
            below.append(item)
        else:
            del above[match]
    divisor = product(below)
    total = product(above)
    if not isinstance(total, Dim) and not isinstance(divisor, Dim):
        if divisor == 0:
            return 0
        if total % divisor:
            raise Unsupported(
                errors.NOT_VALID, f"shape {list(shape)} does not fit the target {list(target)}"
            )
    return c.dims.div(total, divisor)


@handler("Flatten")
def flatten(c, n):
    x, axis = n.inputs[0], n.attr("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    return reshape_to(c, x, [product(x.shape[:axis]), product(x.shape[axis:])])


def _axes(c, n):
    if n.opset >= 13:
        return c.ints(n.input(1), "axes")
    return n.attr("axes")


@handler("Squeeze")
def squeeze(c, n):
    x, axes = n.inputs[0], _axes(c, n)
    if axes is None:
        if any(isinstance(d, Dim) for d in x.shape):
            raise Unsupported(
                errors.DYNAMIC, "no axes, and a dimension that is not known",
                "give the axes to squeeze",
            )
        axes = [i for i, d in enumerate(x.shape) if d == 1]
    axes = {normalize(a, x.rank) for a in axes}
    return reshape_to(c, x, [d for i, d in enumerate(x.shape) if i not in axes])


@handler("Unsqueeze")
def unsqueeze(c, n):
    x, axes = n.inputs[0], _axes(c, n)
    rank = x.rank + len(axes)
    axes = {normalize(a, rank) for a in axes}
    rest = iter(x.shape)
    return reshape_to(c, x, [1 if i in axes else next(rest) for i in range(rank)])


@handler("Transpose")
def transpose(c, n):
    x = n.inputs[0]
    return transpose_to(c, x, n.attr("perm") or list(range(x.rank))[::-1])


def transpose_to(c, x, permutation):
    permutation = [int(p) for p in permutation]
    if permutation == list(range(x.rank)):
        return x
    array = movable(x)
    if array is not None:
        return moved(c, x, array.transpose(permutation))
    return c.op("transpose", [x], {"permutation": permutation},
                shape=[x.shape[p] for p in permutation])


@handler("Expand")
def expand(c, n):
    x = n.inputs[0]
    return expand_to(c, x, c.sizes(n.inputs[1]))


def expand_to(c, x, wanted):
    """NumPy broadcast of `x` with the shape `wanted`, in either direction."""
    rank = max(x.rank, len(wanted))
    shape = [1] * (rank - x.rank) + list(x.shape)
    wanted = [1] * (rank - len(wanted)) + list(wanted)
    target = [c.dims.broadcast(a, b) for a, b in zip(shape, wanted)]
    array = movable(x)
    if array is not None and all(not isinstance(s, Dim) for s in target):
        return moved(c, x, np.broadcast_to(array, target))
    same = x.rank == rank and all(
        isinstance(a, Dim) == isinstance(b, Dim) and a == b for a, b in zip(x.shape, target)
    )
    return x if same else c.op("broadcast", [x], mixed={"sizes": target}, shape=target)


@handler("Tile")
def tile(c, n):
    x, repeats = n.inputs[0], c.sizes(n.inputs[1])
    target = [d * r for d, r in zip(x.shape, repeats, strict=True)]
    array = movable(x)
    if array is not None and all(not isinstance(r, Dim) for r in repeats):
        return moved(c, x, np.tile(array, repeats))
    split, wide = [], []
    for size, repeat in zip(x.shape, repeats):
        split += [1, size]
        wide += [repeat, size]
    spread = c.op("broadcast", [reshape_to(c, x, split)], mixed={"sizes": wide}, shape=wide)
    return reshape_to(c, spread, target)


@handler("DepthToSpace")
def depth_to_space(c, n):
    x, block = n.inputs[0], n.attr("blocksize")
    batch, channels, height, width = x.shape
    rest = c.dims.div(channels, block * block)
    if n.attr("mode", "DCR") == "DCR":
        split, order = [batch, block, block, rest, height, width], [0, 3, 4, 1, 5, 2]
    else:
        split, order = [batch, rest, block, block, height, width], [0, 1, 4, 2, 5, 3]
    moved_ = transpose_to(c, reshape_to(c, x, split), order)
    return reshape_to(c, moved_, [batch, rest, height * block, width * block])


@handler("SpaceToDepth")
def space_to_depth(c, n):
    x, block = n.inputs[0], n.attr("blocksize")
    batch, channels, height, width = x.shape
    h, w = c.dims.div(height, block), c.dims.div(width, block)
    split = reshape_to(c, x, [batch, channels, h, block, w, block])
    # The block's position comes before the channel, or after it ("column-row-depth").
    order = [0, 1, 3, 5, 2, 4] if n.attr("mode", "DCR") == "CRD" else [0, 3, 5, 1, 2, 4]
    moved_ = transpose_to(c, split, order)
    return reshape_to(c, moved_, [batch, channels * (block * block), h, w])


@handler("ReverseSequence")
def reverse_sequence(c, n):
    x, lengths = n.inputs
    time, batch = n.attr("time_axis", 0), n.attr("batch_axis", 1)
    lengths = c.cast(lengths, "i64")
    wide = [1] * x.rank
    wide[batch] = x.shape[batch]
    lengths = reshape_to(c, lengths, wide)
    position = c.explicit_iota(x.shape, time, "i64")
    last = c.elementwise("sub", [lengths, c.scalar(1, "i64")])
    mirrored = c.elementwise("sub", [last, position])
    inside = c.elementwise("compare", [position, lengths], {"predicate": "lt"}, dtype="i1")
    values, shape = c.broadcast([inside, mirrored, position])
    index = c.op("select", values, shape=shape, dtype="i64")
    return c.op("gather_elements", [x, index], {"axis": time}, shape=x.shape)


@handler("Trilu")
def trilu(c, n):
    x = n.inputs[0]
    rows = c.explicit_iota(x.shape[-2:], 0, "i64")
    columns = c.explicit_iota(x.shape[-2:], 1, "i64")
    k = n.input(1)
    if k is not None:
        rows = c.elementwise("add", [rows, reshape_to(c, k, [])])
    predicate = "ge" if n.attr("upper", 1) else "le"
    keep = c.elementwise("compare", [columns, rows], {"predicate": predicate}, dtype="i1")
    values, shape = c.broadcast([keep, x, c.scalar(0, x.dtype)])
    return c.op("select", values, shape=shape, dtype=x.dtype)
