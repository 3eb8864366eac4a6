"""Handlers of operators that read or write by index."""

from __future__ import annotations

import numpy as np

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import movable, moved, normalize, reshape_to
from dlc.onnx.slicing import slice_of
from dlc.onnx.values import Dim


def _index(c, indices):
    """Indices as the ops take them; those count negative ones from the end and check the range."""
    return indices if indices.dtype in ("i64", "i32") else c.cast(indices, "i64")


def _wrap(c, indices, size):
    """Indices with negative ones counted from the end."""
    if indices.is_constant and not (indices.data < 0).any():
        return indices
    extent = c.shape_value(size, indices.dtype)
    negative = c.elementwise(
        "compare", [indices, c.scalar(0, indices.dtype)], {"predicate": "lt"}, dtype="i1"
    )
    wrapped = c.elementwise("add", [indices, extent])
    values, shape = c.broadcast([negative, wrapped, indices])
    return c.op("select", values, shape=shape, dtype=indices.dtype)


@handler("Gather")
def gather(c, n):
    x, indices = n.inputs
    axis = normalize(n.attr("axis", 0), x.rank)
    array, where = movable(x), indices.objects()
    if array is not None and where is not None:
        if all(not isinstance(i, Dim) for i in where.reshape(-1)):
            positions = where.astype(np.int64)
            if not ((positions >= -array.shape[axis]) & (positions < array.shape[axis])).all():
                raise Unsupported(errors.NOT_VALID, "an index that is out of range")
            return moved(c, x, np.asarray(np.take(array, positions, axis)))
    shape = [*x.shape[:axis], *indices.shape, *x.shape[axis + 1:]]
    if where is not None and where.size == 1 and not isinstance(where.reshape(-1)[0], Dim):
        return _gather_one(c, x, axis, int(where.reshape(-1)[0]), shape)
    indices = _index(c, indices)
    return c.op("gather", [x, indices], {"axis": axis}, shape=shape)


def _gather_one(c, x, axis, index, shape):
    """One constant index is a slice."""
    size = x.shape[axis]
    if not isinstance(size, Dim) and not -size <= index < size:
        raise Unsupported(
            errors.NOT_VALID, f"expected index to be in range [{-size}, {size}), but got {index}"
        )
    offsets, sizes = [0] * x.rank, list(x.shape)
    offsets[axis] = index if index >= 0 else size + index
    sizes[axis] = 1
    return reshape_to(c, slice_of(c, x, offsets, sizes), shape)


@handler("GatherElements")
def gather_elements(c, n):
    x, indices = n.inputs
    axis = normalize(n.attr("axis", 0), x.rank)
    indices = _index(c, indices)
    return c.op("gather_elements", [x, indices], {"axis": axis}, shape=indices.shape)


@handler("GatherND")
def gather_nd(c, n):
    x, indices = n.inputs
    batch = n.attr("batch_dims", 0)
    depth = indices.shape[-1]
    if isinstance(depth, Dim):
        raise Unsupported(errors.DYNAMIC, "the last dimension of the indices is not known")
    indices = _index(c, indices)
    shape = [*indices.shape[:-1], *x.shape[batch + depth:]]
    return c.op("gather_nd", [x, indices], {"batch_dims": batch}, shape=shape)


@handler("Scatter", "ScatterElements")
def scatter_elements(c, n):
    x, indices, updates = n.inputs
    axis = normalize(n.attr("axis", 0), x.rank)
    attrs = {"axis": axis, "reduction": n.attr("reduction", "none")}
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    indices = _index(c, indices)
    return c.op("scatter_elements", [x, indices, updates], attrs, shape=x.shape)


@handler("ScatterND")
def scatter_nd(c, n):
    x, indices, updates = n.inputs
    depth = indices.shape[-1]
    if isinstance(depth, Dim):
        raise Unsupported(errors.DYNAMIC, "the last dimension of the indices is not known")
    attrs = {"reduction": n.attr("reduction", "none")}
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    indices = _index(c, indices)
    return c.op("scatter_nd", [x, indices, updates], attrs, shape=x.shape)


@handler("OneHot")
def one_hot(c, n):
    indices, depth, values = n.inputs
    depth = c.sizes(c.cast(depth, "i64"))[0]
    axis = n.attr("axis", -1)
    axis = normalize(axis, indices.rank + 1)
    if indices.dtype != "i64":
        indices = c.cast(indices, "i64")
    wrapped = _wrap(c, indices, depth)
    spread = reshape_to(c, wrapped, [*indices.shape[:axis], 1, *indices.shape[axis:]])
    shape = [*indices.shape[:axis], depth, *indices.shape[axis:]]
    position = c.explicit_iota(shape, axis, "i64")
    hit = c.elementwise("compare", [position, spread], {"predicate": "eq"}, dtype="i1")
    off = reshape_to(c, slice_of(c, values, [0], [1]), [])
    on = reshape_to(c, slice_of(c, values, [1], [1]), [])
    operands, shape = c.broadcast([hit, on, off])
    return c.op("select", operands, shape=shape, dtype=values.dtype)


@handler("NonZero")
def non_zero(c, n):
    x = n.inputs[0]
    if x.rank == 0:
        x = reshape_to(c, x, [1])
    return c.op("nonzero", [x], dtype="i64")


@handler("Compress")
def compress(c, n):
    x, condition = n.inputs
    axis = n.attr("axis")
    if axis is None:
        total = 1
        for size in x.shape:
            total = total * size
        x, axis = reshape_to(c, x, [total]), 0
    axis = normalize(axis, x.rank)
    found = c.op("nonzero", [condition], dtype="i64")
    count = found.shape[1]
    indices = reshape_to(c, found, [count])
    shape = [*x.shape[:axis], count, *x.shape[axis + 1:]]
    return c.op("gather", [x, indices], {"axis": axis}, shape=shape)


@handler("TopK")
def top_k(c, n):
    x = n.inputs[0]
    if n.opset < 10:
        k = n.attr("k")
    else:
        k = c.sizes(n.inputs[1])[0]
    axis = normalize(n.attr("axis", -1), x.rank)
    attrs = {"axis": axis, "largest": bool(n.attr("largest", 1))}
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    operation = c.graph.add_operation(
        "topk", [x.tensor()], attrs, mixed={"k": c.dims.mixed([k])}
    )
    shape = list(x.shape)
    shape[axis] = k
    values, indices = operation.results
    return [c.result(values, shape, x.dtype), c.result(indices, shape, "i64")]


