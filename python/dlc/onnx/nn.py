"""Handlers of convolutions, pools, matrix products and norms."""

from __future__ import annotations

import string

import numpy as np


from dlc import dtypes, errors
from dlc.graph import split_mixed
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import normalize, pad_to, reshape_to, transpose_to
from dlc.onnx.reduction import reduce
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
                sizes.append(c.dims.div(room, stride) + 1)
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
            attrs["unsigned"] = True
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


# --- Matrix products --------------------------------------------------------------


def matmul_shape(c, a, b):
    """The result shape of NumPy's matmul, and the operands with equal batch dimensions."""
    if a.rank == 0 or b.rank == 0:
        raise Unsupported(errors.NOT_VALID, "a matrix product of a scalar")
    batch = []
    rank = max(a.rank, b.rank) - 2
    for axis in range(max(rank, 0)):
        size = 1
        for value in (a, b):
            position = axis - rank + value.rank - 2
            if value.rank > 2 and position >= 0:
                size = c.dims.broadcast(size, value.shape[position])
        batch.append(size)
    rows = [a.shape[-2]] if a.rank > 1 else []
    columns = [b.shape[-1]] if b.rank > 1 else []
    return batch, [*batch, *rows, *columns]


def matmul(c, a, b, dtype=None, attrs=None):
    batch, shape = matmul_shape(c, a, b)
    a, b = _expand_batch(c, a, batch), _expand_batch(c, b, batch)
    return c.explicit("matmul", [a, b], attrs or {}, shape=shape, dtype=dtype or a.dtype)


def _expand_batch(c, value, batch):
    """Dynamic batch dimensions that may be 1 at run time are broadcast explicitly."""
    target = list(value.shape)
    for axis in range(value.rank - 2):
        size = batch[len(batch) - (value.rank - 2) + axis]
        if isinstance(value.shape[axis], Dim) and not value.shape[axis] == size:
            target[axis] = size
    if all(isinstance(a, Dim) == isinstance(b, Dim) and a == b
           for a, b in zip(target, value.shape)):
        return value
    return c.op("broadcast", [value], mixed={"sizes": target}, shape=target)


@handler("MatMul")
def matmul_(c, n):
    return matmul(c, *n.inputs)


@handler("MatMulInteger")
def matmul_integer(c, n):
    a, b = n.inputs[:2]
    a = minus_zero_point(c, a, n.input(2), channel_axis=a.rank - 2)
    b = minus_zero_point(c, b, n.input(3), channel_axis=b.rank - 1)
    return matmul(c, a, b, "i32")


@handler("Gemm")
def gemm(c, n):
    a, b, bias = n.inputs[0], n.inputs[1], n.input(2)
    alpha, beta = n.attr("alpha", 1.0), n.attr("beta", 1.0)
    attrs = {}
    rows = a.shape[1] if n.attr("transA", 0) else a.shape[0]
    columns = b.shape[0] if n.attr("transB", 0) else b.shape[1]
    if n.attr("transA", 0):
        attrs["transpose_a"] = True
    if n.attr("transB", 0):
        attrs["transpose_b"] = True
    result = c.explicit("matmul", [a, b], attrs, shape=[rows, columns], dtype=a.dtype)
    if alpha != 1.0:
        result = c.elementwise("mul", [result, c.scalar(alpha, a.dtype)])
    if bias is None or beta == 0.0:
        return result
    if beta != 1.0:
        bias = c.elementwise("mul", [bias, c.scalar(beta, a.dtype)])
    return c.elementwise("add", [result, bias])


@handler("Einsum")
def einsum(c, n):
    """Contracts the operands from left to right with dot_general."""
    terms, result = _parse_einsum(n.attr("equation"), [v.rank for v in n.inputs])
    value, labels = _diagonal_free(n.inputs[0], terms[0]), terms[0]
    for position, (other, other_labels) in enumerate(zip(n.inputs[1:], terms[1:]), 1):
        later = set(result).union(*terms[position + 1:])
        other = _diagonal_free(other, other_labels)
        value, labels = _contract(c, value, labels, other, other_labels, later)
    gone = [i for i, label in enumerate(labels) if label not in result]
    value = reduce(c, value, "sum", gone)
    labels = [label for label in labels if label in result]
    return transpose_to(c, value, [labels.index(label) for label in result])


def _parse_einsum(equation, ranks):
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    raw = left.split(",")
    if len(raw) != len(ranks):
        raise Unsupported(errors.NOT_VALID, f"equation '{equation}' for {len(ranks)} operands")
    spare = [ch for ch in string.digits + string.punctuation if ch not in ".,->"]
    widest = max([r - len(t.replace("...", "")) for t, r in zip(raw, ranks) if "..." in t] or [0])
    hidden = spare[:widest]
    terms = []
    for term, rank in zip(raw, ranks):
        count = rank - len(term.replace("...", ""))
        terms.append(list(term.replace("...", "".join(hidden[widest - count:]))))
    if arrow:
        return terms, list(right.replace("...", "".join(hidden)))
    flat = [label for term in terms for label in term]
    once = sorted({label for label in flat if flat.count(label) == 1} - set(hidden))
    return terms, hidden + once


def _diagonal_free(value, labels):
    if len(set(labels)) != len(labels):
        raise Unsupported(errors.ATTRIBUTE, "a label twice in one operand of an Einsum")
    return value


def _contract(c, a, a_labels, b, b_labels, later):
    """One pairwise contraction; labels that no later term needs are summed."""
    a = reduce(c, a, "sum", [i for i, x in enumerate(a_labels)
                             if x not in later and x not in b_labels])
    a_labels = [x for x in a_labels if x in later or x in b_labels]
    b = reduce(c, b, "sum", [i for i, x in enumerate(b_labels)
                             if x not in later and x not in a_labels])
    b_labels = [x for x in b_labels if x in later or x in a_labels]
    shared = [x for x in a_labels if x in b_labels]
    batch = [x for x in shared if x in later]
    summed = [x for x in shared if x not in later]
    a, b = _expand_shared(c, a, a_labels, b, b_labels, shared)
    labels = batch + [x for x in a_labels if x not in shared] + [
        x for x in b_labels if x not in shared
    ]
    attrs = {
        "lhs_batch": [a_labels.index(x) for x in batch],
        "rhs_batch": [b_labels.index(x) for x in batch],
        "lhs_contract": [a_labels.index(x) for x in summed],
        "rhs_contract": [b_labels.index(x) for x in summed],
    }
    sizes = {**dict(zip(b_labels, b.shape)), **dict(zip(a_labels, a.shape))}
    shape = [sizes[x] for x in labels]
    return c.explicit("dot_general", [a, b], attrs, shape=shape, dtype=a.dtype), labels


def _expand_shared(c, a, a_labels, b, b_labels, shared):
    """Size-1 dimensions of shared labels broadcast, as NumPy's einsum does."""
    targets = [list(a.shape), list(b.shape)]
    for label in shared:
        i, j = a_labels.index(label), b_labels.index(label)
        size = c.dims.broadcast(a.shape[i], b.shape[j])
        targets[0][i] = targets[1][j] = size
    out = []
    for value, target in zip((a, b), targets):
        same = all(isinstance(x, Dim) == isinstance(y, Dim) and x == y
                   for x, y in zip(value.shape, target))
        out.append(value if same else
                   c.op("broadcast", [value], mixed={"sizes": target}, shape=target))
    return out


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
    if any(n.outputs[1:]):
        raise Unsupported(errors.ATTRIBUTE, "the outputs Mean and InvStdDev")
    axis = normalize(n.attr("axis", -1), x.rank)
    attrs = {"axis": axis, "epsilon": float(n.attr("epsilon", 1e-5))}
    shape = x.shape[axis:]
    tail = [v if v is None or v.rank == len(shape) else _full_scale(c, v, shape)
            for v in (scale, bias)]
    if n.op == "RMSNormalization":
        return c.op("rms_norm", [x, tail[0]], attrs, shape=x.shape)
    return c.op("layer_norm", [x, *tail], attrs, shape=x.shape)


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




# --- Resize -----------------------------------------------------------------------

_COORDINATES = {
    "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric",
    "tf_crop_and_resize",
}


@handler("Upsample")
def upsample(c, n):
    x = n.inputs[0]
    scales = n.attr("scales") if n.opset < 9 else _float_list(c, n.inputs[1])
    if scales is None:
        raise Unsupported(errors.DYNAMIC, "scales that are computed when the program runs")
    attrs = {"mode": n.attr("mode", "nearest"), "coordinate_mode": "asymmetric",
             "nearest_mode": "floor"}
    return _resize(c, x, scales, None, attrs)


@handler("Resize")
def resize(c, n):
    x = n.inputs[0]
    if n.opset < 11:
        scales, sizes = _float_list(c, n.inputs[1]), None
        attrs = {"coordinate_mode": "asymmetric", "nearest_mode": "floor"}
    else:
        scales, sizes = _float_list(c, n.input(2)), n.input(3)
        attrs = {"coordinate_mode": n.attr("coordinate_transformation_mode", "half_pixel"),
                 "nearest_mode": n.attr("nearest_mode", "round_prefer_floor"),
                 "cubic_coeff_a": float(n.attr("cubic_coeff_a", -0.75)),
                 "exclude_outside": bool(n.attr("exclude_outside", 0)),
                 "extrapolation_value": float(n.attr("extrapolation_value", 0.0)),
                 "antialias": bool(n.attr("antialias", 0))}
        if attrs["coordinate_mode"] not in _COORDINATES:
            raise Unsupported(errors.ATTRIBUTE,
                              f"coordinate_transformation_mode {attrs['coordinate_mode']}")
    attrs["mode"] = n.attr("mode", "nearest")
    sizes = None if sizes is None or sizes.shape == [0] else c.sizes(sizes)
    if sizes is None and scales is None:
        raise Unsupported(errors.DYNAMIC, "scales that are computed when the program runs",
                          "give sizes")
    axes = n.attr("axes")
    if axes is not None:
        axes = [normalize(a, x.rank) for a in axes]
        scales = None if scales is None else _spread(axes, scales, [1.0] * x.rank)
        sizes = None if sizes is None else _spread(axes, sizes, x.shape)
    if attrs["coordinate_mode"] == "tf_crop_and_resize":
        attrs["roi"] = _roi(c, n.input(1), axes, x.rank)
    if sizes is not None:
        return _resize_to_sizes(c, n, x, sizes, axes or list(range(x.rank)), attrs)
    return _resize(c, x, scales, None, attrs)


def _spread(axes, values, rest):
    result = list(rest)
    for axis, value in zip(axes, values, strict=True):
        result[axis] = value
    return result


def _roi(c, value, axes, rank):
    roi = _float_list(c, value)
    if roi is None:
        raise Unsupported(errors.DYNAMIC, "a roi that is computed when the program runs")
    if axes is None:
        return roi
    count = len(axes)
    return [*_spread(axes, roi[:count], [0.0] * rank), *_spread(axes, roi[count:], [1.0] * rank)]


def _float_list(c, value):
    """Constant floats; None when absent, empty, or only known at run time."""
    if value is None or value.shape == [0] or not value.is_constant:
        return None
    return [float(v) for v in value.data.reshape(-1)]


def _resize_to_sizes(c, n, x, sizes, axes, attrs):
    policy = n.attr("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return _resize(c, x, None, sizes, attrs)
    if any(isinstance(d, Dim) for d in [*x.shape, *sizes]):
        raise Unsupported(errors.DYNAMIC, f"keep_aspect_ratio_policy {policy} with run-time sizes")
    pick = min if policy == "not_larger" else max
    scale = pick(sizes[a] / x.shape[a] for a in axes)
    scales = [scale if a in axes else 1.0 for a in range(x.rank)]
    sizes = [int(scale * d + 0.5) if a in axes else d for a, d in enumerate(x.shape)]
    return _resize(c, x, scales, sizes, attrs)


def _resize(c, x, scales, sizes, attrs):
    """Emits dlc.resize; what is missing of scales and sizes follows from the other."""
    f32 = [None if scales is None else float(np.float32(s)) for s in scales or x.shape]
    if sizes is None:
        sizes = [_scaled_size(c, d, s) for d, s in zip(x.shape, f32)]
    elements = []
    for axis, size in enumerate(sizes):
        if f32[axis] is not None:
            elements.append(c.graph.scalar(f32[axis], "f32"))
        elif isinstance(size, Dim) or isinstance(x.shape[axis], Dim):
            if isinstance(size, Dim) == isinstance(x.shape[axis], Dim) and size == x.shape[axis]:
                elements.append(c.graph.scalar(1.0, "f32"))
                continue
            elements.append(c.graph.add_op("arith.divf", [_as_float(c, size),
                                                          _as_float(c, x.shape[axis])]))
        else:
            ratio = np.float32(size) / np.float32(x.shape[axis]) if x.shape[axis] else 1.0
            elements.append(c.graph.scalar(float(ratio), "f32"))
    roi = attrs.pop("roi", None)
    static, dynamic = split_mixed(c.dims.mixed(sizes))
    roi = None if roi is None else c.constant(np.asarray(roi), "f32").tensor()
    if dtypes.is_unsigned(x.dtype):
        attrs["unsigned"] = True
    tensor = c.graph.add_op("resize", [x.tensor(), elements, dynamic, roi],
                            {**attrs, "static_sizes": static})
    return c.result(tensor, sizes, x.dtype)


def _as_float(c, size):
    bits = c.graph.add_op("arith.index_cast", [c.dims.index(size)], result_types=["i64"])
    return c.graph.add_op("arith.sitofp", [bits], result_types=["f32"])


def _scaled_size(c, size, scale):
    """floor(size * scale)"""
    if scale == int(scale):
        return size * int(scale)
    if not isinstance(size, Dim):
        return int(np.floor(np.float64(size) * scale))
    if scale > 0 and 1 / scale == int(1 / scale):
        return c.dims.div(size, int(1 / scale))

    def emit():
        # In f64: exact for every size that a tensor can have.
        bits = c.graph.add_op("arith.index_cast", [c.dims.index(size)], result_types=["i64"])
        wide = c.graph.add_op("arith.sitofp", [bits], result_types=["f64"])
        product_ = c.graph.add_op("arith.mulf", [wide, c.graph.scalar(scale, "f64")])
        whole = c.graph.add_op("arith.fptosi", [product_], result_types=["i64"])
        return c.graph.add_op("arith.index_cast", [whole], result_types=["index"])

    return c.dims.atom(("scaled", size, scale), emit)
