"""Handlers of convolutions, pools and norms."""

from __future__ import annotations

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import normalize, reshape_to
from dlc.onnx.reduction import reduce
from dlc.onnx.slicing import pad_to
from dlc.onnx.values import Dim


# --- Windows --------------------------------------------------------------------


class Window:
    """Geometry of a convolution or pool over the spatial axes of x."""

    def __init__(self, c, n, x, kernel):
        rank = x.rank - 2
        self.kernel = list(kernel)
        self.strides = list(n.attr("strides") or [1] * rank)
        self.dilations = list(n.attr("dilations") or [1] * rank)
        self.pads = list(n.attr("pads") or [0] * (2 * rank))
        self.ceil = bool(n.attr("ceil_mode", 0))
        auto = n.attr("auto_pad", "NOTSET")
        for name, size in (("strides", rank), ("dilations", rank), ("pads", 2 * rank)):
            if len(getattr(self, name)) != size:
                raise Unsupported(errors.NOT_VALID, f"expected {size} values in {name}")
        if auto == "VALID":
            self.pads = [0] * (2 * rank)
        elif auto in ("SAME_UPPER", "SAME_LOWER"):
            self._same_pads(c, x, auto == "SAME_UPPER")
        elif auto != "NOTSET":
            raise Unsupported(errors.ATTRIBUTE, f"auto_pad {auto}")

    def _same_pads(self, c, x, upper):
        rank = len(self.kernel)
        for axis in range(rank):
            size, stride = x.shape[2 + axis], self.strides[axis]
            extent = (self.kernel[axis] - 1) * self.dilations[axis] + 1
            if stride == 1:
                total = extent - 1
            else:
                out = c.dims.div(size + (stride - 1), stride)
                total = c.dims.maximum((out - 1) * stride + extent - size, 0)
            small = c.dims.div(total, 2)
            low, high = (small, total - small) if upper else (total - small, small)
            self.pads[axis], self.pads[axis + rank] = low, high

    def take_dynamic_pads(self, c, x, value):
        """Pads that depend on a run-time size become an explicit dlc.pad."""
        if all(not isinstance(p, Dim) for p in self.pads):
            return x
        rank = len(self.kernel)
        low, high = [0, 0, *self.pads[:rank]], [0, 0, *self.pads[rank:]]
        self.pads = [0] * (2 * rank)
        return pad_to(c, x, low, high, c.scalar(value, x.dtype))

    def output(self, c, spatial):
        rank, sizes = len(self.kernel), []
        for axis, size in enumerate(spatial):
            extent = (self.kernel[axis] - 1) * self.dilations[axis] + 1
            stride = self.strides[axis]
            room = size + self.pads[axis] + self.pads[axis + rank] - extent
            if not self.ceil:
                # floor(room / stride) + 1; a window larger than its input gives nothing.
                count = c.dims.div(room + stride, stride)
                sizes.append(count if isinstance(count, Dim) else max(count, 0))
                continue
            count = c.dims.div(room + (stride - 1), stride) + 1
            if not isinstance(count, Dim) and (count - 1) * stride >= size + self.pads[axis]:
                # A window that would begin past the input is dropped.
                count -= 1
            sizes.append(count)
        return sizes

    def attrs(self):
        return {"strides": self.strides, "pads": self.pads, "dilations": self.dilations}


@handler("Conv")
def conv(c, n):
    x, w = n.inputs[0], n.inputs[1]
    _static_weights(w)
    window = Window(c, n, x, w.shape[2:])
    x = window.take_dynamic_pads(c, x, 0)
    shape = [x.shape[0], w.shape[0], *window.output(c, x.shape[2:])]
    attrs = {**window.attrs(), "groups": n.attr("group", 1)}
    result = c.op("conv", [x, w], attrs, shape=shape)
    return add_bias(c, result, n.input(2))


def _static_weights(w):
    if any(isinstance(d, Dim) for d in w.shape[2:]):
        raise Unsupported(errors.DYNAMIC, "the kernel's size is not known")


def add_bias(c, result, bias):
    """Adds a per-channel vector to [N, C, spatial...]."""
    if bias is None:
        return result
    spread = reshape_to(c, bias, [bias.shape[0]] + [1] * (result.rank - 2))
    return c.op("add", [result, spread], shape=result.shape)


@handler("ConvTranspose")
def conv_transpose(c, n):
    x, w = n.inputs[0], n.inputs[1]
    _static_weights(w)
    rank, groups = x.rank - 2, n.attr("group", 1)
    kernel = w.shape[2:]
    strides = n.attr("strides") or [1] * rank
    dilations = n.attr("dilations") or [1] * rank
    extra = list(n.attr("output_padding") or [0] * rank)
    pads = list(n.attr("pads") or [0] * (2 * rank))
    wanted, auto = n.attr("output_shape"), n.attr("auto_pad", "NOTSET")
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [d * s for d, s in zip(x.shape[2:], strides)]
    sizes = []
    for axis in range(rank):
        extent = (kernel[axis] - 1) * dilations[axis] + 1
        full = (x.shape[2 + axis] - 1) * strides[axis] + extra[axis] + extent
        if wanted is not None:
            total = full - wanted[len(wanted) - rank + axis]
            if isinstance(total, Dim):
                raise Unsupported(errors.DYNAMIC, "pads that depend on a run-time size")
            # More output than the kernel reaches: the rest is added at the end.
            if total < 0:
                extra[axis] += -total
                full, total = full - total, 0
            half = total // 2
            low, high = (half, total - half) if auto == "SAME_UPPER" else (total - half, half)
            pads[axis], pads[axis + rank] = low, high
        elif auto == "VALID":
            pads[axis] = pads[axis + rank] = 0
        sizes.append(full - pads[axis] - pads[axis + rank])
    attrs = {"strides": list(strides), "pads": pads, "dilations": list(dilations),
             "output_padding": extra, "groups": groups}
    shape = [x.shape[0], w.shape[1] * groups, *sizes]
    return add_bias(c, c.op("conv_transpose", [x, w], attrs, shape=shape), n.input(2))


@handler("ConvInteger")
def conv_integer(c, n):
    x, w = n.inputs[0], n.inputs[1]
    x = minus_zero_point(c, x, n.input(2))
    w = minus_zero_point(c, w, n.input(3), channel_axis=0)
    window = Window(c, n, x, w.shape[2:])
    shape = [x.shape[0], w.shape[0], *window.output(c, x.shape[2:])]
    attrs = {**window.attrs(), "groups": n.attr("group", 1)}
    return c.op("conv", [x, w], attrs, shape=shape, dtype="i32")


def minus_zero_point(c, value, zero_point, channel_axis=None):
    """An 8-bit value as i32 minus its zero point."""
    wide = c.cast(value, "i32")
    if zero_point is None or (zero_point.is_constant and not zero_point.data.any()):
        return wide
    offset = c.cast(zero_point, "i32")
    if offset.rank == 1 and offset.shape[0] != 1 and channel_axis is not None:
        spread = [1] * value.rank
        spread[channel_axis] = offset.shape[0]
        offset = reshape_to(c, offset, spread)
    elif offset.rank == 1 and offset.shape[0] == 1:
        offset = reshape_to(c, offset, [])
    return c.elementwise("sub", [wide, offset])


@handler("MaxPool", "AveragePool")
def pool(c, n):
    x = n.inputs[0]
    window = Window(c, n, x, n.attr("kernel_shape"))
    attrs = {"window": window.kernel, **window.attrs(), "ceil_mode": window.ceil}
    if any(isinstance(p, Dim) for p in window.pads):
        raise Unsupported(
            errors.DYNAMIC, "auto_pad over a dimension that is not known", "give the pads"
        )
    shape = [*x.shape[:2], *window.output(c, x.shape[2:])]
    if n.op == "AveragePool":
        attrs |= {"kind": "mean", "count_include_pad": bool(n.attr("count_include_pad", 0))}
        return c.op("reduce_window", [x], attrs, shape=_or_inferred(window, shape))
    if len(n.outputs) < 2 or not n.outputs[1]:
        if dtypes.is_unsigned(x.dtype):
            attrs["is_unsigned"] = True
        return c.op("reduce_window", [x], {"kind": "max", **attrs},
                    shape=_or_inferred(window, shape))
    attrs["column_major"] = bool(n.attr("storage_order", 0))
    results = c.graph.add_op("window_arg_max", [x.tensor()], attrs)
    return [c.result(results[0], None, x.dtype), c.result(results[1], None, "i64")]


def _or_inferred(window, shape):
    # With ceil_mode the last window of a dynamic axis may be dropped: the op's own rule decides.
    return None if window.ceil and any(isinstance(d, Dim) for d in shape[2:]) else shape


@handler("GlobalAveragePool", "GlobalMaxPool")
def global_pool(c, n):
    x = n.inputs[0]
    kind = "mean" if n.op == "GlobalAveragePool" else "max"
    return reduce(c, x, kind, list(range(2, x.rank)), True)


@handler("GlobalLpPool", "LpPool")
def lp_pool(c, n):
    x, p = n.inputs[0], float(n.attr("p", 2))
    power = c.scalar(p, x.dtype)
    raised = c.elementwise("pow", [c.op("abs", [x], shape=x.shape), power])
    if n.op == "GlobalLpPool":
        total = reduce(c, raised, "sum", list(range(2, x.rank)), True)
    else:
        window = Window(c, n, x, n.attr("kernel_shape"))
        attrs = {"kind": "sum", "window": window.kernel, **window.attrs(),
                 "ceil_mode": window.ceil}
        shape = _or_inferred(window, [*x.shape[:2], *window.output(c, x.shape[2:])])
        total = c.op("reduce_window", [raised], attrs, shape=shape)
    return c.elementwise("pow", [total, c.scalar(1.0 / p, x.dtype)])


# --- Norms ------------------------------------------------------------------------


@handler("BatchNormalization")
def batch_norm(c, n):
    x = n.inputs[0]
    if n.attr("training_mode", 0) or (n.opset < 7 and not n.attr("is_test", 0)):
        raise Unsupported(errors.ATTRIBUTE, "training_mode", "export the model for inference")
    if not n.attr("spatial", 1):
        raise Unsupported(errors.ATTRIBUTE, "spatial=0")
    operands = [x] + [c.cast(v, x.dtype) for v in n.inputs[1:5]]
    return c.op("batch_norm", operands, {"epsilon": float(n.attr("epsilon", 1e-5))}, shape=x.shape)


@handler("InstanceNormalization")
def instance_norm(c, n):
    return c.op("instance_norm", list(n.inputs), {"epsilon": float(n.attr("epsilon", 1e-5))},
                shape=n.inputs[0].shape)


@handler("LayerNormalization", "RMSNormalization")
def layer_norm(c, n):
    x, scale, bias = n.inputs[0], n.input(1), n.input(2)
    axis = normalize(n.attr("axis", -1), x.rank)
    if any(n.outputs[1:]):
        return _layer_norm_parts(c, n, x, axis)
    attrs = {"axis": axis, "epsilon": float(n.attr("epsilon", 1e-5))}
    shape = x.shape[axis:]
    tail = [v if v is None or v.rank == len(shape) else _full_scale(c, v, shape)
            for v in (scale, bias)]
    if n.op == "RMSNormalization":
        return c.op("rms_norm", [x, tail[0]], attrs, shape=x.shape)
    return c.op("layer_norm", [x, *tail], attrs, shape=x.shape)


def _layer_norm_parts(c, n, x, axis):
    """Layer normalisation spelled out, when the mean and deviation are results too."""
    dtype, axes = x.dtype, list(range(axis, x.rank))
    wide = c.cast(x, "f64" if dtype == "f64" else "f32")
    mean = reduce(c, wide, "mean", axes, True)
    centered = c.elementwise("sub", [wide, mean])
    square = c.op("mul", [centered, centered], shape=x.shape)
    variance = reduce(c, square, "mean", axes, True)
    shifted = c.elementwise("add", [variance, c.scalar(n.attr("epsilon", 1e-5), wide.dtype)])
    inverse = c.op("rsqrt", [shifted], shape=variance.shape)
    result = c.cast(c.elementwise("mul", [centered, inverse]), dtype)
    result = c.elementwise("mul", [result, n.inputs[1]])
    if n.input(2) is not None:
        result = c.elementwise("add", [result, n.input(2)])
    return [result, mean, inverse]


def _full_scale(c, value, shape):
    """A scale that broadcasts, as one of the normalised shape."""
    return c.op("broadcast", [value], mixed={"sizes": shape}, shape=shape)


@handler("GroupNormalization")
def group_norm(c, n):
    x, scale, bias = n.inputs
    groups = n.attr("num_groups")
    if n.opset < 21:
        # One scale for each group: repeat it over the group's channels.
        per = c.dims.div(x.shape[1], groups)
        scale, bias = (
            reshape_to(c, c.op("broadcast", [reshape_to(c, v, [groups, 1])],
                               mixed={"sizes": [groups, per]}, shape=[groups, per]), [x.shape[1]])
            for v in (scale, bias)
        )
    attrs = {"num_groups": groups, "epsilon": float(n.attr("epsilon", 1e-5))}
    return c.op("group_norm", [x, scale, bias], attrs, shape=x.shape)
