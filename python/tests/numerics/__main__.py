"""Writes docs/numerics.md to standard output; fails if a bound is exceeded."""

import argparse
import sys

from numerics import functions, sample
from numerics.measure import measure

_HEADER = """# Numerics

Written by `python -m numerics` (python/tests). Errors are in units of the last place (ULP) of the
exact result; 0.5 is correct rounding. Denormal arguments and results count like others.

- f32: straight-line code of `dlc-expand-math`. f16, bf16: computed in f32, rounded once. f64: the C
  library.
- Sample: {sample}. f16 and bf16: every argument (pairs: random).
- NaN, Inf and the signs of zeros must be those of the reference, or the error counts as infinite.

| op | dtype | arguments | largest error | bound | at | result | correctly rounded |
|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", help="names of math ops; all by default")
    parser.add_argument("--dtype", action="append", choices=functions.DTYPES, help="all by default")
    parser.add_argument("--count", type=int, default=4096, help="random mantissas per exponent and sign")
    parser.add_argument("--exhaustive", action="store_true", help="all 2^32 arguments of f32")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", default="native", help="an LLVM processor name")
    arguments = parser.parse_args()
    chosen = [functions.BY_NAME[n] for n in arguments.functions] or functions.FUNCTIONS
    what = "all 2^32 arguments" if arguments.exhaustive else " ".join(sample.one_operand.__doc__.split())
    print(_HEADER.format(sample=what.rstrip(".")))
    failures = []
    for function in chosen:
        for dtype in arguments.dtype or functions.DTYPES:
            result = measure(function, dtype, arguments.count, exhaustive=arguments.exhaustive,
                             seed=arguments.seed, cpu=arguments.cpu)
            at = ", ".join(f"{v:.17g}" for v in result.where)
            bound = function.bounds[dtype]
            print(f"| {function.name} | {dtype} | {result.count:,} | {result.worst:.3f} | {bound} | {at} "
                  f"| {result.value:.9g} | {result.rounded / result.count:.2%} |", flush=True)
            if not result.worst <= bound:
                failures.append(f"{function.name} {dtype} at {at}: expected at most {bound} ULP, "
                                f"but got {result.worst:.3f}")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
