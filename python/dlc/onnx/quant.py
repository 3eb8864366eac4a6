"""Handlers of quantized operators."""

from __future__ import annotations

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import normalize, reshape_to
from dlc.onnx.matmul import matmul
from dlc.onnx.nn import Window, minus_zero_point
from dlc.onnx.reduction import reduce
from dlc.onnx.types import from_onnx


def _layout(c, n, x, scale):
    """The attributes of per-tensor, per-axis or blocked quantization, and a 0-d or full scale."""
    if scale.rank == 0:
        return {}
    if scale.rank == 1 and scale.shape[0] == 1 and x.rank != 1:
        return {}
    attrs = {"axis": normalize(n.attr("axis", 1), x.rank)}
    if n.attr("block_size", 0):
        attrs["block_size"] = n.attr("block_size")
    return attrs


def _per_tensor(c, value, attrs):
    """A one-element scale or zero point as 0-d."""
    if value is None or attrs or value.rank == 0:
        return value
    return reshape_to(c, value, [])


@handler("QuantizeLinear")
def quantize_linear(c, n):
    x, scale, zero_point = n.inputs[0], n.inputs[1], n.input(2)
    dtype = zero_point.dtype if zero_point is not None else "ui8"
    if n.attr("output_dtype"):
        dtype = from_onnx(n.attr("output_dtype"))
    if not dtypes.is_float(x.dtype):
        # x may be i32: the division is one of floats.
        x = c.cast(x, scale.dtype)
    elif scale.dtype != x.dtype:
        scale = c.cast(scale, x.dtype)
    attrs = _layout(c, n, x, scale)
    return quantize(c, x, _per_tensor(c, scale, attrs), _per_tensor(c, zero_point, attrs), dtype,
                    {**attrs, "saturate": bool(n.attr("saturate", 1))})


def quantize(c, x, scale, zero_point, dtype, attrs=None):
    attrs = dict(attrs or {})
    if dtypes.is_unsigned(dtype):
        attrs["is_unsigned"] = True
    return c.explicit("quantize", [x, scale, zero_point], attrs, shape=x.shape, dtype=dtype)


@handler("DequantizeLinear")
def dequantize_linear(c, n):
    x, scale, zero_point = n.inputs[0], n.inputs[1], n.input(2)
    attrs = _layout(c, n, x, scale)
    dtype = from_onnx(n.attr("output_dtype")) if n.attr("output_dtype") else scale.dtype
    return dequantize(c, x, _per_tensor(c, scale, attrs), _per_tensor(c, zero_point, attrs), attrs,
                      dtype)


def dequantize(c, x, scale, zero_point, attrs=None, dtype=None):
    attrs = dict(attrs or {})
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    return c.explicit("dequantize", [x, scale, zero_point], attrs, shape=x.shape,
                      dtype=dtype or scale.dtype)


@handler("DynamicQuantizeLinear")
def dynamic_quantize(c, n):
    """uint8 with the range of x widened to hold 0."""
    x = n.inputs[0]
    axes, zero = list(range(x.rank)), c.scalar(0, "f32")
    top = c.elementwise("maximum", [reduce(c, x, "max", axes), zero])
    bottom = c.elementwise("minimum", [reduce(c, x, "min", axes), zero])
    span = c.elementwise("sub", [top, bottom])
    scale = c.elementwise("div", [span, c.scalar(255, "f32")])
    # An all-zero x has the scale 0; its zero point is 0 and so is every element.
    offset = c.elementwise("div", [c.op("neg", [bottom], shape=[]), scale])
    none = c.elementwise("compare", [scale, zero], {"predicate": "eq"}, dtype="i1")
    offset = c.op("select", [none, zero, offset], shape=[], dtype="f32")
    offset = c.op("clamp", [zero, c.op("round", [offset], shape=[]), c.scalar(255, "f32")],
                  shape=[], dtype="f32")
    point = c.cast(offset, "ui8")
    divisor = c.op("select", [none, c.scalar(1, "f32"), scale], shape=[], dtype="f32")
    return [quantize(c, x, divisor, point, "ui8"), scale, point]


@handler("QLinearMatMul")
def qlinear_matmul(c, n):
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = n.inputs
    a32 = minus_zero_point(c, a, a_zero, channel_axis=a.rank - 2)
    b32 = minus_zero_point(c, b, b_zero, channel_axis=b.rank - 1)
    total = matmul(c, a32, b32, "i32")
    scale = c.elementwise("mul", [_column(c, a_scale), _row(c, b_scale)])
    return _requantize(c, total, scale, y_scale, y_zero)


def _column(c, scale):
    if scale.rank == 1 and scale.shape[0] != 1:
        return reshape_to(c, scale, [scale.shape[0], 1])
    return reshape_to(c, scale, []) if scale.rank == 1 else scale


def _row(c, scale):
    return reshape_to(c, scale, []) if scale.rank == 1 and scale.shape[0] == 1 else scale


def _requantize(c, total, scale, y_scale, y_zero):
    """An i32 accumulator times `scale`, quantized."""
    if y_scale.rank and y_scale.shape != [1]:
        raise Unsupported(errors.ATTRIBUTE, "a scale of the result for each channel")
    scale = c.cast(scale, "f32")
    real = c.elementwise("mul", [c.cast(total, "f32"), scale])
    return quantize(c, real, c.cast(reshape_to(c, y_scale, []), "f32"),
                    reshape_to(c, y_zero, []), y_zero.dtype)


@handler("QLinearConv")
def qlinear_conv(c, n):
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = n.inputs[:8]
    bias = n.input(8)
    x32 = minus_zero_point(c, x, x_zero)
    w32 = minus_zero_point(c, w, w_zero, channel_axis=0)
    window = Window(c, n, x, w.shape[2:])
    x32 = window.take_dynamic_pads(c, x32, 0)
    shape = [x.shape[0], w.shape[0], *window.output(c, x32.shape[2:])]
    attrs = {**window.attrs(), "groups": n.attr("group", 1)}
    total = c.op("conv", [x32, w32], attrs, shape=shape, dtype="i32")
    channels = [w.shape[0]] + [1] * (x.rank - 2)
    if bias is not None:
        total = c.elementwise("add", [total, reshape_to(c, bias, channels)])
    per_channel = w_scale.rank == 1 and w_scale.shape[0] != 1
    w_scale = reshape_to(c, w_scale, channels if per_channel else [])
    scale = c.elementwise("mul", [reshape_to(c, x_scale, []), w_scale])
    return _requantize(c, total, scale, y_scale, y_zero)


