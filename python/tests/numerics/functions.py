"""The operations to measure: how to write them, their exact value, their bound.

References compute in x86's 80-bit longdouble (64 bits of mantissa), except for
erf and erfc: those of f32 and narrower types come from the C library's f64,
those of f64 from mpmath.
"""

import dataclasses
import math
from typing import Callable

import numpy as np

_ERF = np.frompyfunc(math.erf, 1, 1)
_ERFC = np.frompyfunc(math.erfc, 1, 1)


def erf(x):
    return _ERF(x.astype(np.float64)).astype(np.longdouble)


def erfc(x):
    return _ERFC(x.astype(np.float64)).astype(np.longdouble)


def mpmath_function(name):
    """An mpmath function on longdouble arrays that hold f64 values."""
    import mpmath

    function, limit = getattr(mpmath, name), getattr(math, name)

    def split(value):
        # At 0, NaN and where the result is 0, 1 or 2 to 80 bits, f64 is exact.
        if not 0 < abs(value) < 200:
            return np.longdouble(limit(value))
        with mpmath.workprec(200):
            exact = function(mpmath.mpf(float(value)))
            head = float(exact)
            return np.longdouble(head) + np.longdouble(float(exact - head))

    return lambda x: np.array([split(v) for v in x], np.longdouble)


@dataclasses.dataclass(frozen=True)
class Function:
    """`bounds` are in ULP by dtype; `text` is one operation on %a (and %b)."""

    name: str
    exact: Callable
    bounds: dict
    operands: int = 1
    dialect: str = "math"

    @property
    def text(self):
        return f"{self.dialect}.{self.name} {', '.join(['%a', '%b'][:self.operands])} : {{type}}"


# f64 is the C library's; f16 and bf16 round the f32 result once.
def _bounds(single, double=1.0):
    return {"f32": single, "f64": double, "f16": 0.51, "bf16": 0.51}


# Correctly rounded. A reference that is itself rounded can make it look like
# slightly more than 0.5.
_EXACT = dict.fromkeys(["f32", "f64", "f16", "bf16"], 0.501)

FUNCTIONS = [
    Function("addf", np.add, _EXACT, 2, "arith"),
    Function("subf", np.subtract, _EXACT, 2, "arith"),
    Function("mulf", np.multiply, _EXACT, 2, "arith"),
    Function("divf", np.divide, _EXACT, 2, "arith"),
    Function("sqrt", np.sqrt, _EXACT),
    Function("acos", np.arccos, _bounds(0.6)),
    Function("acosh", np.arccosh, _bounds(0.6, 2.0)),
    Function("asin", np.arcsin, _bounds(0.6)),
    Function("asinh", np.arcsinh, _bounds(0.6, 2.0)),
    Function("atan", np.arctan, _bounds(0.6)),
    Function("atan2", np.arctan2, _bounds(0.6), 2),
    Function("atanh", np.arctanh, _bounds(0.6, 2.0)),
    Function("cbrt", np.cbrt, _bounds(0.6, 4.0)),
    Function("cos", np.cos, _bounds(1.6)),
    Function("cosh", np.cosh, _bounds(0.6, 2.0)),
    Function("erf", erf, _bounds(1.0, 2.0)),
    Function("erfc", erfc, _bounds(0.6, 4.0)),
    Function("exp", np.exp, _bounds(1.1)),
    Function("exp2", np.exp2, _bounds(1.1)),
    Function("expm1", np.expm1, _bounds(0.6)),
    Function("log", np.log, _bounds(1.0)),
    Function("log10", np.log10, _bounds(0.6, 2.0)),
    Function("log1p", np.log1p, _bounds(0.6)),
    Function("log2", np.log2, _bounds(0.6)),
    Function("powf", np.power, _bounds(0.6), 2),
    # 1 / sqrt(x), each rounded.
    Function("rsqrt", lambda x: 1 / np.sqrt(x), _bounds(1.5, 1.5)),
    Function("sin", np.sin, _bounds(1.6)),
    Function("sinh", np.sinh, _bounds(0.6, 2.0)),
    Function("tan", np.tan, _bounds(0.6)),
    Function("tanh", np.tanh, _bounds(1.5, 3.0)),
]
BY_NAME = {function.name: function for function in FUNCTIONS}
DTYPES = ["f32", "f64", "f16", "bf16"]
