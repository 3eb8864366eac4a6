"""Handlers of Resize and Upsample."""

from __future__ import annotations

import numpy as np

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import normalize
from dlc.onnx.values import Dim


_COORDINATES = {
    "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric",
    "tf_crop_and_resize",
}


@handler("Upsample")
def upsample(c, n):
    x = n.inputs[0]
    scales = n.attr("scales") if n.opset < 9 else _scales(c, n.inputs[1])
    attrs = {"mode": n.attr("mode", "nearest"), "coordinate_mode": "asymmetric",
             "nearest_mode": "floor"}
    return _resize(c, x, scales, None, attrs)


@handler("Resize")
def resize(c, n):
    x = n.inputs[0]
    if n.opset < 11:
        scales, sizes = _scales(c, n.inputs[1]), None
        attrs = {"coordinate_mode": "asymmetric", "nearest_mode": "floor"}
    else:
        scales, sizes = _scales(c, n.input(2)), n.input(3)
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
        raise Unsupported(errors.NOT_VALID, "neither scales nor sizes")
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


def _scales(c, value):
    """Scales as floats, or as f32 scalars of the program; None when absent."""
    if value is None or value.shape == [0]:
        return None
    constant = _float_list(c, value)
    if constant is not None:
        return constant
    if value.rank != 1 or isinstance(value.shape[0], Dim):
        raise Unsupported(errors.DYNAMIC, "the number of scales is not known")
    tensor = c.cast(value, "f32").tensor()
    return [c.graph.add_op("tensor.extract", [tensor, [c.graph.scalar(i)]])
            for i in range(value.shape[0])]


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
    f32 = [None] * x.rank if scales is None else [
        float(np.float32(s)) if isinstance(s, (int, float)) else s for s in scales
    ]
    if sizes is None:
        sizes = [_scaled_size(c, d, s) for d, s in zip(x.shape, f32)]
    elements = []
    for axis, size in enumerate(sizes):
        if isinstance(f32[axis], float):
            elements.append(c.graph.scalar(f32[axis], "f32"))
        elif f32[axis] is not None:
            elements.append(f32[axis])
        elif isinstance(size, Dim) or isinstance(x.shape[axis], Dim):
            if isinstance(size, Dim) == isinstance(x.shape[axis], Dim) and size == x.shape[axis]:
                elements.append(c.graph.scalar(1.0, "f32"))
                continue
            elements.append(c.graph.add_op("arith.divf", [_as_float(c, size),
                                                          _as_float(c, x.shape[axis])]))
        else:
            ratio = np.float32(size) / np.float32(x.shape[axis]) if x.shape[axis] else 1.0
            elements.append(c.graph.scalar(float(ratio), "f32"))
    if dtypes.is_unsigned(x.dtype):
        attrs["is_unsigned"] = True
    tensor = c.graph.add_op(
        "resize", [x.tensor(), elements], attrs, mixed={"sizes": c.dims.mixed(sizes)}
    )
    return c.result(tensor, sizes, x.dtype)


def _as_float(c, size):
    bits = c.graph.add_op("arith.index_cast", [c.dims.index(size)], result_types=["i64"])
    return c.graph.add_op("arith.sitofp", [bits], result_types=["f32"])


def _scaled_size(c, size, scale):
    """floor(size * scale), the scale a float or an f32 scalar of the program."""
    if not isinstance(scale, float):
        return c.dims.atom(("scaled", size, scale), lambda: _multiplied(c, size, scale))
    if scale == int(scale):
        return size * int(scale)
    if not isinstance(size, Dim):
        return int(np.floor(np.float64(size) * scale))
    if scale > 0 and 1 / scale == int(1 / scale):
        return c.dims.div(size, int(1 / scale))

    return c.dims.atom(
        ("scaled", size, scale), lambda: _multiplied(c, size, c.graph.scalar(scale, "f32"))
    )


def _multiplied(c, size, scale):
    """floor(size * scale) as an index; in f64, which is exact for every size a tensor can have."""
    graph = c.graph
    bits = graph.add_op("arith.index_cast", [c.dims.index(size)], result_types=["i64"])
    wide = graph.add_op("arith.sitofp", [bits], result_types=["f64"])
    factor = graph.add_op("arith.extf", [scale], result_types=["f64"])
    whole = graph.add_op(
        "arith.fptosi", [graph.add_op("arith.mulf", [wide, factor])], result_types=["i64"]
    )
    return graph.add_op("arith.index_cast", [whole], result_types=["index"])
