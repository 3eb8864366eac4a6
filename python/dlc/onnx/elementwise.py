"""Handlers of element-wise operators."""

from __future__ import annotations

import numpy as np

from dlc import dtypes, errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.types import from_onnx, onnx_name
from dlc.onnx.values import Dim, Val

_UNARY = {
    "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh",
    "Atan": "atan", "Atanh": "atanh", "BitwiseNot": "not", "Ceil": "ceil", "Cos": "cos",
    "Cosh": "cosh", "Erf": "erf", "Exp": "exp", "Floor": "floor", "HardSwish": "hard_swish",
    "Log": "log", "Mish": "mish", "Neg": "neg", "Not": "not", "Round": "round",
    "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Softplus": "softplus",
    "Sqrt": "sqrt", "Tan": "tan", "Tanh": "tanh",
}
_BINARY = {
    "Add": ("add", np.add), "Sub": ("sub", np.subtract), "Mul": ("mul", np.multiply),
    "Div": ("div", None), "And": ("and", None), "Or": ("or", None), "Xor": ("xor", None),
    "BitwiseAnd": ("and", None), "BitwiseOr": ("or", None), "BitwiseXor": ("xor", None),
}
_COMPARE = {
    "Equal": "eq", "Greater": "gt", "Less": "lt", "GreaterOrEqual": "ge", "LessOrEqual": "le",
}


@handler(*_UNARY)
def unary(c, n):
    x = n.inputs[0]
    if dtypes.is_unsigned(x.dtype) and n.op in ("Abs", "Sign"):
        if n.op == "Abs":
            return x
        one = c.scalar(1, x.dtype)
        return c.elementwise("minimum", [x, one], {"is_unsigned": True})
    arrays = objects_of([x]) if n.op == "Neg" else None
    if arrays is not None:
        return c.shape_value(_map(lambda v: v * -1, *arrays), x.dtype)
    return c.op(_UNARY[n.op], [x], shape=x.shape)


def objects_of(values):
    """The operands as arrays of objects when all are shape values, else None.

    Pure constants of another type than integers take the normal way.
    """
    arrays = []
    for value in values:
        if dtypes.is_float(value.dtype):
            return None
        array = value.objects()
        if array is None:
            return None
        arrays.append(array)
    return arrays


def _map(function, *arrays):
    """Applies a function to broadcast arrays of objects."""
    arrays = np.broadcast_arrays(*arrays)
    result = np.empty(arrays[0].shape, object)
    for index in np.ndindex(result.shape):
        result[index] = function(*(a[index] for a in arrays))
    return result


@handler(*_BINARY)
def binary(c, n):
    _check_legacy_broadcast(n)
    name, _ = _BINARY[n.op]
    a, b = n.inputs
    arrays = objects_of([a, b])
    if arrays is not None and n.op in ("Add", "Sub", "Mul", "Div"):
        functions = {
            "Add": lambda x, y: x + y, "Sub": lambda x, y: x - y,
            "Mul": lambda x, y: x * y, "Div": c.dims.div,
        }
        if n.op != "Div" or not _has_zero(arrays[1]):
            return c.shape_value(_map(functions[n.op], *arrays), a.dtype)
    return c.elementwise(name, [a, b], signed=n.op == "Div")


def _has_zero(array) -> bool:
    return any(not isinstance(item, Dim) and item == 0 for item in array.reshape(-1))


def _check_legacy_broadcast(n):
    if n.opset < 7 and n.attr("broadcast"):
        raise Unsupported(
            errors.OPSET, "broadcasting by attribute, from before opset 7",
            "convert the model with onnx.version_converter",
        )


@handler("Reciprocal")
def reciprocal(c, n):
    x = n.inputs[0]
    return c.op("div", [c.scalar(1, x.dtype), x], shape=x.shape)


@handler("Pow")
def power(c, n):
    base, exponent = n.inputs
    if base.dtype != exponent.dtype:
        if dtypes.is_float(base.dtype) and not exponent.is_constant:
            exponent = c.cast(exponent, base.dtype)
        elif dtypes.is_float(exponent.dtype) and not dtypes.is_float(base.dtype):
            # The result has the base's type; the power is taken in the exponent's.
            wide = c.elementwise("pow", [c.cast(base, exponent.dtype), exponent])
            return c.cast(wide, base.dtype)
        else:
            exponent = c.cast(exponent, base.dtype)
    return c.elementwise("pow", [base, exponent], signed=True)


@handler("Mod")
def modulo(c, n):
    a, b = n.inputs
    name = "rem" if n.attr("fmod", 0) else "mod"
    if name == "mod" and dtypes.is_float(a.dtype):
        raise Unsupported(errors.ATTRIBUTE, "fmod=0 with floats", "ONNX allows only fmod=1")
    return c.elementwise(name, [a, b], signed=True)


@handler("BitShift")
def bit_shift(c, n):
    name = "shift_left" if n.attr("direction") == "LEFT" else "shift_right"
    return c.elementwise(name, list(n.inputs), signed=name == "shift_right")


@handler("Max", "Min")
def extremum(c, n):
    arrays = objects_of(n.inputs)
    pick = c.dims.maximum if n.op == "Max" else c.dims.minimum
    name = "maximum" if n.op == "Max" else "minimum"
    result = n.inputs[0]
    if arrays is not None:
        data = arrays[0]
        for other in arrays[1:]:
            data = _map(pick, data, other)
        return c.shape_value(data, result.dtype)
    for other in n.inputs[1:]:
        result = c.elementwise(name, [result, other], signed=True)
    return result


@handler("Sum", "Mean")
def total(c, n):
    result = n.inputs[0]
    for other in n.inputs[1:]:
        result = c.elementwise("add", [result, other])
    if n.op == "Mean" and len(n.inputs) > 1:
        result = c.elementwise("div", [result, c.scalar(len(n.inputs), result.dtype)])
    return result


@handler(*_COMPARE)
def compare(c, n):
    a, b = n.inputs
    arrays = objects_of([a, b])
    if arrays is not None and n.op == "Equal":
        equal = _map(lambda x, y: _decide_equal(x, y), *arrays)
        if None not in equal.reshape(-1).tolist():
            return c.constant(equal.astype(bool))
    return c.elementwise("compare", [a, b], {"predicate": _COMPARE[n.op]}, dtype="i1", signed=True)


def _decide_equal(x, y):
    """Whether two sizes are equal, None when only the program can tell."""
    if isinstance(x, Dim) or isinstance(y, Dim):
        if x == y:
            return True
        # A size is never negative: exporters compare shapes with -1.
        if (isinstance(x, int) and x < 0) or (isinstance(y, int) and y < 0):
            return False
        return None
    return x == y


@handler("Where")
def where(c, n):
    condition, x, y = n.inputs
    arrays = objects_of([x, y])
    if arrays is not None and condition.is_constant and condition.data.size <= 1024:
        data = _map(lambda k, a, b: a if k else b, condition.data.astype(object), *arrays)
        return c.shape_value(data, x.dtype)
    values, shape = c.broadcast([condition, x, y])
    return c.op("select", values, shape=shape, dtype=x.dtype)


@handler("Clip")
def clip(c, n):
    x = n.inputs[0]
    if n.opset < 11:
        low, high = n.attr("min"), n.attr("max")
        low = None if low is None else c.scalar(low, x.dtype)
        high = None if high is None else c.scalar(high, x.dtype)
    else:
        low, high = n.input(1), n.input(2)
    low, high = _scalar_of(c, low), _scalar_of(c, high)
    if low is None and high is None:
        return x
    if high is None:
        return c.elementwise("maximum", [x, low], signed=True)
    if low is None:
        return c.elementwise("minimum", [x, high], signed=True)
    attrs = {"is_unsigned": True} if dtypes.is_unsigned(x.dtype) else {}
    return c.op("clamp", [low, x, high], attrs, shape=x.shape)


def _scalar_of(c, value):
    """A one-element value as 0-d; exporters write bounds with shape [1] as well."""
    if value is None or value.rank == 0:
        return value
    if value.is_constant and value.data.size == 1:
        return c.constant(value.data.reshape(()))
    return c.op("reshape", [value], mixed={"sizes": []}, shape=[])


@handler("Cast")
def cast(c, n):
    dtype = from_onnx(n.attr("to"))
    if dtype is None:
        raise Unsupported(errors.ELEMENT_TYPE, f"a cast to {onnx_name(n.attr('to'))}")
    saturate = bool(n.attr("saturate", 1)) and dtype.startswith(("f8", "f4"))
    return c.cast(n.inputs[0], dtype, saturate)


@handler("CastLike")
def cast_like(c, n):
    dtype = n.inputs[1].dtype
    saturate = bool(n.attr("saturate", 1)) and dtype.startswith(("f8", "f4"))
    return c.cast(n.inputs[0], dtype, saturate)


@handler("BitCast")
def bit_cast(c, n):
    x, dtype = n.inputs[0], from_onnx(n.attr("to"))
    if dtypes.mlir_name(dtype) == dtypes.mlir_name(x.dtype):
        return c.relabel(x, dtype)
    return c.explicit("bitcast", [x], shape=x.shape, dtype=dtype)


@handler("Identity", "Dropout")
def identity(c, n):
    x = n.inputs[0]
    if n.op == "Dropout":
        training = n.input(2)
        if training is not None and not (training.is_constant and not training.data.any()):
            raise Unsupported(errors.ATTRIBUTE, "training_mode", "export the model for inference")
        if len(n.outputs) > 1:
            mask = np.broadcast_to(np.True_, ())
            full = c.op("broadcast", [c.constant(mask)], mixed={"sizes": x.shape}, shape=x.shape)
            return [x, full if n.opset >= 10 else c.cast(full, x.dtype)]
    return [x]


@handler("IsNaN")
def is_nan(c, n):
    return c.op("is_nan", [n.inputs[0]], shape=n.inputs[0].shape, dtype="i1")


@handler("IsInf")
def is_inf(c, n):
    attrs = {name: bool(n.attr(name, 1)) for name in ("detect_negative", "detect_positive")}
    return c.op("is_inf", [n.inputs[0]], attrs, shape=n.inputs[0].shape, dtype="i1")


# --- Activations --------------------------------------------------------------


@handler("Relu")
def relu(c, n):
    x = n.inputs[0]
    if dtypes.is_float(x.dtype):
        return c.op("relu", [x], shape=x.shape)
    return c.elementwise("maximum", [x, c.scalar(0, x.dtype)])


@handler("LeakyRelu")
def leaky_relu(c, n):
    return c.op("leaky_relu", [n.inputs[0]], {"alpha": float(n.attr("alpha", 0.01))},
                shape=n.inputs[0].shape)


@handler("Elu")
def elu(c, n):
    return c.op("elu", [n.inputs[0]], {"alpha": float(n.attr("alpha", 1.0))},
                shape=n.inputs[0].shape)


@handler("HardSigmoid")
def hard_sigmoid(c, n):
    attrs = {"alpha": float(n.attr("alpha", 0.2)), "beta": float(n.attr("beta", 0.5))}
    return c.op("hard_sigmoid", [n.inputs[0]], attrs, shape=n.inputs[0].shape)


@handler("Gelu")
def gelu(c, n):
    return c.op("gelu", [n.inputs[0]], {"approximate": n.attr("approximate", "none")},
                shape=n.inputs[0].shape)


@handler("Selu")
def selu(c, n):
    x = n.inputs[0]
    gamma = c.scalar(n.attr("gamma", 1.0507009873554805), x.dtype)
    inner = c.op("elu", [x], {"alpha": float(n.attr("alpha", 1.6732632423543772))}, shape=x.shape)
    return c.elementwise("mul", [inner, gamma])


@handler("Celu")
def celu(c, n):
    x = n.inputs[0]
    alpha = c.scalar(n.attr("alpha", 1.0), x.dtype)
    scaled = c.elementwise("div", [x, alpha])
    return c.elementwise("mul", [c.op("elu", [scaled], {"alpha": 1.0}, shape=x.shape), alpha])


@handler("Softsign")
def softsign(c, n):
    x = n.inputs[0]
    one = c.scalar(1, x.dtype)
    return c.elementwise("div", [x, c.elementwise("add", [c.op("abs", [x], shape=x.shape), one])])


@handler("Swish")
def swish(c, n):
    x, alpha = n.inputs[0], float(n.attr("alpha", 1.0))
    if alpha == 1.0:
        return c.op("silu", [x], shape=x.shape)
    inner = c.elementwise("mul", [x, c.scalar(alpha, x.dtype)])
    return c.elementwise("mul", [x, c.op("sigmoid", [inner], shape=x.shape)])


def _choose(c, predicate, x, bound, on_true, on_false) -> Val:
    """`x predicate bound ? on_true : on_false`, element by element."""
    condition = c.elementwise("compare", [x, bound], {"predicate": predicate}, dtype="i1", signed=True)
    values, shape = c.broadcast([condition, on_true, on_false])
    return c.op("select", values, shape=shape, dtype=on_true.dtype)


@handler("ThresholdedRelu")
def thresholded_relu(c, n):
    x = n.inputs[0]
    return _choose(c, "gt", x, c.scalar(n.attr("alpha", 1.0), x.dtype), x, c.scalar(0, x.dtype))


@handler("PRelu")
def prelu(c, n):
    x, slope = n.inputs
    return _choose(c, "lt", x, c.scalar(0, x.dtype), c.elementwise("mul", [x, slope]), x)


@handler("Shrink")
def shrink(c, n):
    x, lambd, bias = n.inputs[0], n.attr("lambd", 0.5), n.attr("bias", 0.0)
    bias = c.scalar(bias, x.dtype)
    upper = _choose(
        c, "gt", x, c.scalar(lambd, x.dtype), c.elementwise("sub", [x, bias]),
        c.scalar(0, x.dtype),
    )
    return _choose(c, "lt", x, c.scalar(-lambd, x.dtype), c.elementwise("add", [x, bias]), upper)
