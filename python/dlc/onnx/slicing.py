"""Handlers of Concat, Split, Slice and Pad."""

from __future__ import annotations

import numpy as np

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import movable, moved, normalize, reshape_to
from dlc.onnx.values import SLT, Dim



@handler("Concat")
def concat(c, n):
    values = list(n.inputs)
    axis = normalize(n.attr("axis", 1 if n.opset < 4 else None), values[0].rank)
    arrays = [v.objects() if not dtypes.is_float(v.dtype) else None for v in values]
    if all(a is not None for a in arrays) and sum(a.size for a in arrays) <= 1024:
        return c.shape_value(np.concatenate(arrays, axis), values[0].dtype)
    if len(values) == 1:
        return values[0]
    size = 0
    for value in values:
        size = size + value.shape[axis]
    shape = _merge_shapes(values, axis)
    shape[axis] = size
    return c.op("concat", [values], {"axis": axis}, shape=shape)


def _merge_shapes(values, axis):
    """For each other axis a static size where any operand has one."""
    shape = list(values[0].shape)
    for value in values[1:]:
        for i, d in enumerate(value.shape):
            if i != axis and isinstance(shape[i], Dim) and not isinstance(d, Dim):
                shape[i] = d
    return shape


@handler("Split")
def split(c, n):
    x = n.inputs[0]
    axis = normalize(n.attr("axis", 0), x.rank)
    sizes = c.sizes(n.input(1)) if n.input(1) is not None else n.attr("split")
    count = len(n.outputs)
    if sizes is None:
        whole = x.shape[axis]
        # Equal parts, the last one smaller when it does not divide.
        part = c.dims.div(whole + (count - 1), count)
        sizes = [part] * (count - 1) + [whole - part * (count - 1)]
    results, offset = [], 0
    for length in sizes:
        begin = [0] * x.rank
        begin[axis] = offset
        shape = list(x.shape)
        shape[axis] = length
        results.append(slice_of(c, x, begin, shape))
        offset = offset + length
    return results


def slice_of(c, x, offsets, sizes, strides=None):
    strides = strides or [1] * x.rank
    return c.op(
        "slice", [x], mixed={"offsets": offsets, "sizes": sizes, "strides": strides}, shape=sizes
    )


@handler("Slice")
def slice_(c, n):
    x = n.inputs[0]
    if n.opset < 10:
        starts, ends, axes, steps = n.attr("starts"), n.attr("ends"), n.attr("axes"), None
    else:
        starts, ends = c.sizes(n.inputs[1]), c.sizes(n.inputs[2])
        axes = c.ints(n.input(3), "axes")
        steps = c.sizes(n.input(4)) if n.input(4) is not None else None
    axes = [normalize(a, x.rank) for a in axes or range(len(starts))]
    steps = steps or [1] * len(starts)
    array = movable(x)
    bounds = [*starts, *ends, *steps]
    if array is not None and all(not isinstance(b, Dim) for b in bounds):
        index = [slice(None)] * x.rank
        for axis, start, end, step in zip(axes, starts, ends, steps):
            index[axis] = _python_slice(start, end, step)
        return moved(c, x, array[tuple(index)])
    offsets, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
    for axis, start, end, step in zip(axes, starts, ends, steps):
        offsets[axis], sizes[axis] = _slice_range(c, x.shape[axis], start, end, step)
        strides[axis] = step
    return slice_of(c, x, offsets, sizes, strides)


def _python_slice(start, end, step):
    # With a negative step an end below -size means "through the first", which is None in Python.
    end = int(end)
    if step < 0 and end <= -(2**31):
        end = None
    return slice(int(start), end, int(step))


def _slice_range(c, size, start, end, step):
    """Offset and length of a slice as ONNX clamps them, over ints and Dims."""
    dims = c.dims
    if isinstance(step, Dim):
        raise Unsupported(errors.DYNAMIC, "a step that is computed when the program runs")
    low, high = (0, size) if step > 0 else (-1, size + -1)

    def clamp(value, upper_is_size):
        if isinstance(value, Dim):
            if value == size:
                return high
            wrapped = dims.select(SLT, value, 0, value + size, value)
            return dims.minimum(dims.maximum(wrapped, low), high)
        if isinstance(size, Dim):
            if value >= 10**9:
                # Exporters write "to the end" as 10^9, 2^31-1 or 2^63-1.
                if value < 2**31 - 1:
                    c.check_equal(dims.minimum(size, value), size, f"a slice ends at {value}")
                return high
            if value <= -(2**31):
                return low
            if value < 0:
                return dims.maximum(size + value, low)
            return value if value <= 0 and step > 0 else dims.minimum(value, high)
        wrapped = value + size if value < 0 else value
        return min(max(wrapped, low), high)

    begin = clamp(start, False)
    if step < 0:
        begin = dims.maximum(begin, 0) if isinstance(begin, Dim) else max(begin, 0)
    stop = clamp(end, True)
    span = stop - begin if step > 0 else begin - stop
    count = dims.div(span + (abs(step) - 1), abs(step)) if abs(step) != 1 else span
    if isinstance(count, Dim):
        # A size minus nothing is never negative; anything else may be.
        return begin, count if count == size else dims.maximum(count, 0)
    return begin, max(count, 0)


@handler("Pad")
def pad(c, n):
    x, mode = n.inputs[0], n.attr("mode", "constant")
    if n.opset < 11:
        pads = n.attr("pads") or n.attr("paddings")
        value = c.scalar(n.attr("value", 0.0), x.dtype)
    else:
        pads = c.sizes(n.inputs[1])
        value = n.input(2)
        value = c.scalar(0, x.dtype) if value is None else reshape_to(c, value, [])
    axes = c.ints(n.input(3), "axes")
    axes = [normalize(a, x.rank) for a in axes] if axes is not None else list(range(x.rank))
    low, high = [0] * x.rank, [0] * x.rank
    for position, axis in enumerate(axes):
        low[axis], high[axis] = pads[position], pads[position + len(axes)]
    return pad_to(c, x, low, high, value, mode)


def pad_to(c, x, low, high, value=None, mode="constant"):
    if all(not isinstance(p, Dim) and p == 0 for p in [*low, *high]):
        return x
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise Unsupported(errors.ATTRIBUTE, f"mode {mode}")
    shape = [a + d + b for a, d, b in zip(low, x.shape, high)]
    value = value if mode == "constant" else None
    return c.op("pad", [x, value], {"mode": mode}, mixed={"low": low, "high": high}, shape=shape)
