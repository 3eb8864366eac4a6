#!/usr/bin/env python3
"""Derive the polynomials of dlc-expand-math and write them as a C++ header.

    python scripts/minimax.py > lib/Transforms/ExpandMath/Coefficients.h

Each polynomial is the weighted minimax fit that the Remez exchange finds on a
Chebyshev-spaced grid, in 80 decimal digits (mpmath). The error that the header
states for each is that of the exact polynomial, before its coefficients are
rounded.

Methods: E. Remez 1934 (exchange); M. Shepherd and J. Laframboise, Math. Comp.
36 (1981) (erfc on a half line through t = (x - k) / (x + k)); M. Payne and
R. Hanek, SIGNUM 18 (1983) (2/pi by parts for large arguments).
"""

import mpmath as mp

mp.mp.dps = 80


def remez(target, weight, lo, hi, degree, points=600, rounds=30):
    """Coefficients (lowest first) of the polynomial p of the degree that
    minimises max |weight * (p - target)| on [lo, hi], and that maximum."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / points)
            for k in range(points)]
    values = [target(t) for t in grid]
    weights = [weight(t) for t in grid]
    count = degree + 2
    reference = [int((points - 1) * k / (count - 1)) for k in range(count)]
    for _ in range(rounds):
        system = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for row, index in enumerate(reference):
            for column in range(degree + 1):
                system[row, column] = grid[index] ** column
            system[row, degree + 1] = (-1) ** row / weights[index]
            right[row] = values[index]
        solution = mp.lu_solve(system, right)
        coefficients = [solution[k] for k in range(degree + 1)]
        errors = [(mp.polyval(coefficients[::-1], t) - v) * w
                  for t, v, w in zip(grid, values, weights)]
        extrema = []
        for index, error in enumerate(errors):
            if extrema and mp.sign(errors[extrema[-1]]) == mp.sign(error):
                if abs(error) > abs(errors[extrema[-1]]):
                    extrema[-1] = index
            else:
                extrema.append(index)
        while len(extrema) > count:
            drop = 0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1
            extrema.pop(drop)
        if len(extrema) < count or extrema == reference:
            break
        reference = extrema
    return coefficients, max(abs(error) for error in errors)


def series(function, order, drop, at):
    """function without its first `drop` Taylor terms, divided by t^drop; near
    0 by its Taylor series of the order, so that nothing cancels."""
    taylor = mp.taylor(function, 0, order + drop)

    def reduced(t):
        if abs(t) < at:
            return mp.polyval(taylor[drop:][::-1], t)
        return (function(t) - mp.polyval(taylor[:drop][::-1], t)) / t ** drop

    return reduced


def even_part(function, drop):
    """g(z) where function(x) = x * g(x^2), without its first `drop` terms and
    divided by z^drop; the terms come from the Taylor series at 0."""
    taylor = mp.taylor(function, 0, 2 * drop + 21)[1::2]

    def reduced(z):
        if z < mp.mpf("0.002"):
            return mp.polyval(taylor[drop:][::-1], z)
        x = mp.sqrt(z)
        return (function(x) / x - mp.polyval(taylor[:drop][::-1], z)) / z ** drop

    return reduced


def erfcx(a):
    return mp.exp(a * a) * mp.erfc(a)


HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.0005")
LOG_LO, LOG_HI = mp.sqrt(mp.mpf(1) / 2) - 1 - mp.mpf("1e-6"), mp.sqrt(2) - 1 + mp.mpf("1e-6")
QUARTER_PI = mp.pi / 4 * mp.mpf("1.0005")
ERFC_K = mp.mpf(2)


def one(_):
    return mp.mpf(1)


def log_weight(t):
    return t ** 2 / mp.log(1 + t) if t else mp.mpf(0) + mp.mpf("1e-30")


def fits():
    """(name, element type, what it approximates, target, weight, interval, degree)"""
    exp1 = series(mp.exp, 30, 1, mp.mpf("1e-4"))
    exp2_ = series(lambda t: mp.power(2, t), 30, 1, mp.mpf("1e-4"))
    log2_ = series(lambda t: mp.log(1 + t), 40, 2, mp.mpf("1e-3"))
    return [
        ("kExpF32", "float", "(e^r - 1) / r", exp1,
         lambda t: abs(t) / mp.exp(t) + mp.mpf("1e-30"), -HALF_LN2, HALF_LN2, 5),
        ("kExp2F32", "float", "(2^r - 1) / r", exp2_,
         lambda t: abs(t) / mp.power(2, t) + mp.mpf("1e-30"), "-0.501", "0.501", 5),
        ("kExpm1F64", "double", "(e^r - 1) / r", exp1, lambda t: 1 / exp1(t),
         -HALF_LN2, HALF_LN2, 6),
        ("kExp2F64", "double", "(2^r - 1) / r", exp2_,
         lambda t: abs(t) / mp.power(2, t) + mp.mpf("1e-30"), "-0.501", "0.501", 6),
        ("kTanhF32", "float", "(tanh(x) / x - 1) / z, z = x^2", even_part(mp.tanh, 1),
         lambda z: z + mp.mpf("1e-30"), 0, mp.mpf("0.61") ** 2, 4),
        ("kErfSmallF32", "float", "erf(x) / x - 1, z = x^2",
         lambda z: even_part(mp.erf, 0)(z) - 1,
         lambda z: 1 / even_part(mp.erf, 0)(z), 0, mp.mpf("0.93") ** 2, 6),
        ("kErfLargeF32", "float", "log(erfc(x))", lambda t: mp.log(mp.erfc(t)),
         lambda t: mp.erfc(t), "0.92", "3.95", 6),
        ("kErfcxF64", "double", "erfcx(x) (1 + 2 x), t = (x - 2) / (x + 2)",
         lambda t: erfcx(ERFC_K * (1 + t) / (1 - t)) * (1 + 2 * ERFC_K * (1 + t) / (1 - t)),
         one, -1, (mp.mpf("10.2") - ERFC_K) / (mp.mpf("10.2") + ERFC_K), 12),
        ("kLogF64", "double", "(log(1 + f) - f) / f^2", log2_, log_weight, LOG_LO, LOG_HI, 9),
        ("kLogPowF64", "double", "(log(1 + f) - f) / f^2", log2_, log_weight, LOG_LO, LOG_HI, 13),
        ("kLogF32", "float", "(log(1 + f) - f) / f^2", log2_, log_weight, LOG_LO, LOG_HI, 8),
        ("kSinF32", "float", "(sin(x) / x - 1) / z, z = x^2", even_part(mp.sin, 1),
         lambda z: z + mp.mpf("1e-30"), 0, QUARTER_PI ** 2, 2),
        ("kCosF32", "float", "(cos(x) - 1 + z / 2) / z^2, z = x^2",
         series(cos_even_taylor, 12, 2, mp.mpf("1e-2")),
         lambda z: z * z + mp.mpf("1e-30"), 0, QUARTER_PI ** 2, 2),
        ("kSinF64", "double", "(sin(x) / x - 1) / z, z = x^2", even_part(mp.sin, 1),
         lambda z: z + mp.mpf("1e-30"), 0, QUARTER_PI ** 2, 3),
        ("kCosF64", "double", "(cos(x) - 1) / z, z = x^2",
         series(cos_even_taylor, 12, 1, mp.mpf("1e-2")),
         lambda z: z + mp.mpf("1e-30"), 0, QUARTER_PI ** 2, 3),
        ("kAsinF64", "double", "(asin(x) / x - 1) / z, z = x^2", even_part(mp.asin, 1),
         lambda z: z + mp.mpf("1e-30"), 0, "0.2501", 5),
        ("kAtanF64", "double", "(atan(x) / x - 1) / z, z = x^2", even_part(mp.atan, 1),
         lambda z: z + mp.mpf("1e-30"), 0, "1.0001", 9),
    ]


def cos_even_taylor(z):
    """cos(sqrt(z)) as its entire series, so that it has derivatives at 0."""
    total, term, k = mp.mpf(0), mp.mpf(1), 0
    while k < 24:
        total += term
        k += 1
        term = -term * z / ((2 * k - 1) * (2 * k))
    return total


def as_single(value):
    import numpy
    return float(numpy.float32(float(value)))


def windows(value, step, count):
    """`value` modulo 2^-(step * k) for each k, as the nearest f64 and the f64
    nearest to the rest."""
    for index in range(count):
        unit = mp.mpf(2) ** (-step * index)
        low = value - mp.floor(value / unit) * unit
        head = mp.mpf(float(low))
        yield float(head), float(low - head)


def literal(value, kind):
    return as_single(value).hex() + "f" if kind == "float" else float(value).hex()


def main():
    print("""//===- Coefficients.h - Polynomials of dlc-expand-math ----------*- C++ -*-===//
//
// Written by scripts/minimax.py, which states the methods. Lowest degree first.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_EXPANDMATH_COEFFICIENTS_H
#define DLC_LIB_TRANSFORMS_EXPANDMATH_COEFFICIENTS_H

namespace mlir::dlc::coefficients {
""")
    for name, kind, what, target, weight, lo, hi, degree in fits():
        coefficients, error = remez(target, weight, lo, hi, degree)
        print(f"/// {what} on [{mp.nstr(mp.mpf(lo), 6)}, {mp.nstr(mp.mpf(hi), 6)}],")
        print(f"/// weighted error {mp.nstr(error, 3)}.")
        print(f"inline constexpr {kind} {name}[] = {{")
        for coefficient in coefficients:
            print(f"    {literal(coefficient, kind)},")
        print("};\n")
    print("/// 1 / (2 pi) modulo 2^-25k in two parts, for row k.")
    print("inline constexpr double kInverseTwoPi[][2] = {")
    for head, tail in windows(1 / (2 * mp.pi), 25, 5):
        print(f"    {{{head.hex()}, {tail.hex()}}},")
    print("};\n")
    print("} // namespace mlir::dlc::coefficients\n")
    print("#endif // DLC_LIB_TRANSFORMS_EXPANDMATH_COEFFICIENTS_H")


if __name__ == "__main__":
    main()
