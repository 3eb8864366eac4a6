"""Handlers of reductions, scans and the softmax family."""

from __future__ import annotations

import numpy as np

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import normalize, product, reshape_to
from dlc.onnx.values import Dim

_REDUCE = {
    "ReduceSum": "sum", "ReduceProd": "prod", "ReduceMax": "max", "ReduceMin": "min",
    "ReduceMean": "mean", "ReduceL1": "sum", "ReduceL2": "sum", "ReduceSumSquare": "sum",
    "ReduceLogSum": "sum", "ReduceLogSumExp": "sum",
}


def _axes(c, n, x):
    """The axes to reduce; None when the op is an identity."""
    by_input = n.opset >= (13 if n.op == "ReduceSum" else 18)
    axes = c.ints(n.input(1), "axes") if by_input else n.attr("axes")
    if not axes:
        if by_input and n.attr("noop_with_empty_axes", 0):
            return None
        return list(range(x.rank))
    return sorted({normalize(a, x.rank) for a in axes})


def _reduced(x, axes, keepdims):
    if keepdims:
        return [1 if i in axes else d for i, d in enumerate(x.shape)]
    return [d for i, d in enumerate(x.shape) if i not in axes]


def reduce(c, x, kind, axes, keepdims=False):
    if not axes:
        return x
    attrs = {"kind": kind, "axes": list(axes), "keepdims": bool(keepdims)}
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    return c.op("reduce", [x], attrs, shape=_reduced(x, axes, keepdims))


@handler(*_REDUCE)
def reduce_(c, n):
    x, keepdims = n.inputs[0], n.attr("keepdims", 1)
    axes = _axes(c, n, x)
    if axes is None:
        axes = []
    objects = x.objects()
    if objects is not None and n.op in ("ReduceProd", "ReduceSum") and x.rank == 1 and axes == [0]:
        total = product(objects) if n.op == "ReduceProd" else sum(objects, 0)
        return c.shape_value([total] if keepdims else total, x.dtype)
    kind = _REDUCE[n.op]
    if x.dtype == "i1":
        kind = {"max": "or", "min": "and"}[kind]
    if n.op == "ReduceLogSumExp":
        return _log_sum_exp(c, x, axes, keepdims)
    if n.op == "ReduceL1":
        x = c.op("abs", [x], shape=x.shape) if not dtypes.is_unsigned(x.dtype) else x
    elif n.op in ("ReduceL2", "ReduceSumSquare"):
        x = c.op("mul", [x, x], shape=x.shape)
    result = reduce(c, x, kind, axes, keepdims)
    if n.op == "ReduceL2":
        result = _float_unary(c, "sqrt", result)
    elif n.op == "ReduceLogSum":
        result = _float_unary(c, "log", result)
    return result


def _float_unary(c, name, x):
    if dtypes.is_float(x.dtype):
        return c.op(name, [x], shape=x.shape)
    wide = c.cast(x, "f64")
    return c.cast(c.op(name, [wide], shape=x.shape), x.dtype)


def _log_sum_exp(c, x, axes, keepdims):
    """log(sum(exp(x - m))) + m, with m = 0 where the maximum is not finite."""
    dtype = x.dtype
    if not dtypes.is_float(dtype):
        x = c.cast(x, "f64")
    top = reduce(c, x, "max", axes, True)
    infinite = c.op("is_inf", [top], shape=top.shape, dtype="i1")
    operands, shape = c.broadcast([infinite, c.scalar(0, x.dtype), top])
    safe = c.op("select", operands, shape=shape, dtype=x.dtype)
    shifted = c.op("exp", [c.elementwise("sub", [x, safe])], shape=x.shape)
    total = reduce(c, shifted, "sum", axes, True)
    result = c.elementwise("add", [c.op("log", [total], shape=total.shape), safe])
    if not keepdims:
        result = reshape_to(c, result, _reduced(x, axes, False))
    return c.cast(result, dtype)


@handler("ArgMax", "ArgMin")
def arg_reduce(c, n):
    x = n.inputs[0]
    axis, keepdims = normalize(n.attr("axis", 0), x.rank), bool(n.attr("keepdims", 1))
    attrs = {
        "kind": "max" if n.op == "ArgMax" else "min", "axis": axis, "keepdims": keepdims,
        "select_last_index": bool(n.attr("select_last_index", 0)),
    }
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    return c.op("arg_reduce", [x], attrs, shape=_reduced(x, [axis], keepdims), dtype="i64")


@handler("CumSum", "CumProd")
def cumulative(c, n):
    x = n.inputs[0]
    axis = normalize(c.ints(n.inputs[1], "the axis")[0], x.rank)
    attrs = {
        "kind": "sum" if n.op == "CumSum" else "prod", "axis": axis,
        "exclusive": bool(n.attr("exclusive", 0)), "reverse": bool(n.attr("reverse", 0)),
    }
    return c.op("cumulative", [x], attrs, shape=x.shape)


# --- Softmax family -------------------------------------------------------------


def _flattened(c, n, function):
    """Before opset 13 the axes from `axis` on are one axis."""
    x = n.inputs[0]
    axis = normalize(n.attr("axis", -1 if n.opset >= 13 else 1), x.rank)
    if n.opset >= 13 or axis == x.rank - 1:
        return function(x, axis)
    flat = reshape_to(c, x, [product(x.shape[:axis]), product(x.shape[axis:])])
    return reshape_to(c, function(flat, 1), x.shape)


@handler("Softmax")
def softmax(c, n):
    return _flattened(c, n, lambda x, a: c.op("softmax", [x], {"axis": a}, shape=x.shape))


@handler("LogSoftmax")
def log_softmax(c, n):
    return _flattened(c, n, lambda x, a: c.op("log_softmax", [x], {"axis": a}, shape=x.shape))


@handler("Hardmax")
def hardmax(c, n):
    def one_hot(x, axis):
        best = c.op("arg_reduce", [x], {"kind": "max", "axis": axis, "keepdims": True},
                    shape=_reduced(x, [axis], True), dtype="i64")
        position = c.explicit_iota(x.shape, axis, "i64")
        hit = c.elementwise("compare", [position, best], {"predicate": "eq"}, dtype="i1")
        return c.cast(hit, x.dtype)

    return _flattened(c, n, one_hot)


# --- Norms over axes ------------------------------------------------------------


@handler("LpNormalization")
def lp_normalization(c, n):
    x, p = n.inputs[0], n.attr("p", 2)
    axis = normalize(n.attr("axis", -1), x.rank)
    if p == 1:
        norm = reduce(c, c.op("abs", [x], shape=x.shape), "sum", [axis], True)
    elif p == 2:
        square = c.op("mul", [x, x], shape=x.shape)
        total = reduce(c, square, "sum", [axis], True)
        norm = c.op("sqrt", [total], shape=total.shape)
    else:
        raise Unsupported(errors.ATTRIBUTE, f"p = {p}")
    # A zero vector stays zero.
    zero = c.scalar(0, x.dtype)
    empty = c.elementwise("compare", [norm, zero], {"predicate": "eq"}, dtype="i1")
    operands, shape = c.broadcast([empty, c.scalar(1, x.dtype), norm])
    return c.elementwise("div", [x, c.op("select", operands, shape=shape, dtype=x.dtype)])


@handler("MeanVarianceNormalization")
def mean_variance(c, n):
    x = n.inputs[0]
    axes = sorted({normalize(a, x.rank) for a in n.attr("axes", [0, 2, 3])})
    centered = c.elementwise("sub", [x, reduce(c, x, "mean", axes, True)])
    square = c.op("mul", [centered, centered], shape=x.shape)
    variance = reduce(c, square, "mean", axes, True)
    deviation = c.op("sqrt", [variance], shape=variance.shape)
    floor = c.elementwise("add", [deviation, c.scalar(np.float32(1e-9), x.dtype)])
    return c.elementwise("div", [centered, floor])


@handler("LRN")
def lrn(c, n):
    """x / (bias + alpha / size * sum of squares over the channels near)^beta."""
    x, size = n.inputs[0], n.attr("size")
    before = (size - 1) // 2
    square = c.op("mul", [x, x], shape=x.shape)
    # The channel axis as the window's only axis longer than 1: [N, 1, C, spatial...].
    lifted = reshape_to(c, square, [x.shape[0], 1, *x.shape[1:]])
    ones = [1] * (x.rank - 2)
    zeros = [0] * (x.rank - 2)
    attrs = {
        "kind": "sum", "window": [size, *ones], "strides": [1, *ones], "dilations": [1, *ones],
        "pads": [before, *zeros, size - 1 - before, *zeros],
    }
    near = c.op("reduce_window", [lifted], attrs, shape=lifted.shape)
    near = reshape_to(c, near, x.shape)
    factor = c.scalar(n.attr("alpha", 1e-4) / size, x.dtype)
    scaled = c.elementwise("mul", [near, factor])
    base = c.elementwise("add", [scaled, c.scalar(n.attr("bias", 1.0), x.dtype)])
    power = c.elementwise("pow", [base, c.scalar(n.attr("beta", 0.75), x.dtype)])
    return c.elementwise("div", [x, power])


def is_static(shape) -> bool:
    return all(not isinstance(d, Dim) for d in shape)
