"""Compiling an operation, running it on a sample, errors in units of the last place."""

import dataclasses

import numpy as np

from dlc import _dlc
from dlc.runtime import compile_module
from numerics import functions, sample

_PROGRAM = """
func.func @main({arguments}) -> (tensor<?x{type}> {{dlc.name = "y", dlc.dims = ["N"]}}) {{
  %zero = arith.constant 0 : index
  %size = tensor.dim %x0, %zero : tensor<?x{type}>
  %empty = tensor.empty(%size) : tensor<?x{type}>
  %y = linalg.generic {{
      indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({names} : {types}) outs(%empty : tensor<?x{type}>) {{
  ^bb0({block}, %out: {type}):
    %r = {operation}
    linalg.yield %r : {type}
  }} -> tensor<?x{type}>
  return %y : tensor<?x{type}>
}}
"""


@dataclasses.dataclass
class Result:
    worst: float = -1.0
    where: tuple = ()
    value: float = 0.0
    count: int = 0
    rounded: int = 0

    def merge(self, other):
        if other.worst > self.worst:
            self.worst, self.where, self.value = other.worst, other.where, other.value
        self.count += other.count
        self.rounded += other.rounded


def compile_function(function, dtype, **options):
    operands = range(function.operands)
    text = _PROGRAM.format(
        type=dtype,
        arguments=", ".join(f'%x{k}: tensor<?x{dtype}> {{dlc.name = "x{k}", dlc.dims = ["N"]}}'
                            for k in operands),
        maps=", ".join(["affine_map<(i) -> (i)>"] * (function.operands + 1)),
        names=", ".join(f"%x{k}" for k in operands),
        types=", ".join([f"tensor<?x{dtype}>"] * function.operands),
        block=", ".join(f"%{'ab'[k]}: {dtype}" for k in operands),
        operation=function.text.format(type=dtype))
    return compile_module(_dlc.parse_module(text), "main", **options)


def errors_in_ulp(result, exact, dtype):
    """|result - exact| in units of the last place of the exact value.

    0 for the same NaN or Inf; Inf where one is NaN and the other not, or a zero has the wrong sign.
    An overflow is measured as if the exponent had no limit, so that Inf instead of a value that
    rounds to the largest number counts as at most one ULP.
    """
    digits, exponent = sample.MANTISSA[dtype], sample.EXPONENT[dtype]
    emin, emax = 2 - (1 << (exponent - 1)), (1 << (exponent - 1))
    with np.errstate(all="ignore"):
        # x86's longdouble is slow where f64 is precise enough.
        element = np.longdouble if dtype == "f64" else np.float64
        wide = result.astype(element)
        exact = exact.astype(element)
        limit = np.ldexp(element(1), emax)
        capped = np.clip(exact, -limit, limit)
        wide = np.where(np.isinf(wide), np.sign(wide) * limit, wide)
        place = np.clip(np.frexp(capped)[1] - 1, emin, emax - 1)
        error = np.abs(wide - capped) / np.ldexp(element(1), place - digits)
        error = np.where(np.isnan(wide) & np.isnan(exact), 0, error)
        wrong_sign = (wide == 0) & (np.signbit(wide) != np.signbit(exact))
        wrong_sign |= (exact == 0) & (np.signbit(wide) != np.signbit(exact))
        error = np.where(wrong_sign | np.isnan(error), np.inf, error)
    return error.astype(np.float64)


def exact_values(function, dtype, operands):
    exact = function.exact
    if dtype == "f64" and function.name in ("erf", "erfc"):
        exact = functions.mpmath_function(function.name)
    wide = np.longdouble if dtype == "f64" else np.float64
    with np.errstate(all="ignore"):
        return exact(*(o.astype(wide) for o in operands))


def compare(executable, function, dtype, operands):
    result = Result()
    step = 1 << 20
    for start in range(0, operands[0].size, step):
        chunk = [o[start:start + step] for o in operands]
        value, = executable(*chunk)
        error = errors_in_ulp(value, exact_values(function, dtype, chunk), dtype)
        k = int(np.argmax(error))
        result.merge(Result(float(error[k]), tuple(float(o[k]) for o in chunk), float(value[k]),
                            error.size, int(np.sum(error <= 0.5))))
    return result


def measure(function, dtype, count, *, exhaustive=False, seed=1, **options):
    """The error of a function over the sample, or over all arguments."""
    generator = np.random.default_rng(seed)
    executable = compile_function(function, dtype, **options)
    if exhaustive and dtype == "f32" and function.operands == 1:
        result = Result()
        for chunk in sample.every_f32():
            result.merge(compare(executable, function, dtype, [chunk]))
        return result
    if dtype == "f64":  # 2048 exponents, and mpmath where there is no longdouble
        count = max(count // 64, 4)
    if function.operands == 2:
        operands = sample.two_operands(function.name, dtype, count * 64, generator)
    else:
        operands = [sample.one_operand(dtype, count, generator)]
    return compare(executable, function, dtype, operands)
