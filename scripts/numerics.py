#!/usr/bin/env python3
"""Measure the elementary functions of dlc-expand-math and write docs/numerics.md.

    python scripts/numerics.py --bin build/bin > docs/numerics.md   # the document
    python scripts/numerics.py --bin build/bin --check              # a test
    python scripts/numerics.py --bin build/bin --exhaustive exp log # all 2^32

Each function is compiled from one `math` op by dlc-opt, mlir-translate and
clang, called on the whole sample, and compared in units of the last place with
the f64 function of the C library (whose own error is below 1e-8 ULP of f32).
--check fails if an error exceeds the function's bound, or if a result's class
(NaN, Inf, sign of zero) is not the reference's.
"""

import argparse
import ctypes
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ERF = np.frompyfunc(math.erf, 1, 1)
ERFC = np.frompyfunc(math.erfc, 1, 1)


def _erf(x):
    return ERF(x).astype(np.float64)


def _erfc(x):
    return ERFC(x).astype(np.float64)


# op -> (f64 reference, bound in ULP)
UNARY = {
    "acos": (np.arccos, 1.0),
    "acosh": (np.arccosh, 1.0),
    "asin": (np.arcsin, 1.0),
    "asinh": (np.arcsinh, 1.0),
    "atan": (np.arctan, 1.0),
    "atanh": (np.arctanh, 1.0),
    "cbrt": (np.cbrt, 1.0),
    "cos": (np.cos, 2.0),
    "cosh": (np.cosh, 1.0),
    "erf": (_erf, 2.0),
    "erfc": (_erfc, 1.0),
    "exp": (np.exp, 2.0),
    "exp2": (np.exp2, 2.0),
    "expm1": (np.expm1, 1.0),
    "log": (np.log, 2.0),
    "log10": (np.log10, 1.0),
    "log1p": (np.log1p, 1.0),
    "log2": (np.log2, 1.0),
    "rsqrt": (lambda x: 1.0 / np.sqrt(x), 2.0),
    "sin": (np.sin, 2.0),
    "sinh": (np.sinh, 1.0),
    "tan": (np.tan, 1.0),
    "tanh": (np.tanh, 2.0),
}
BINARY = {"atan2": (np.arctan2, 1.0), "powf": (np.power, 1.0)}

SPECIALS = [0.0, 1.0, 0.5, 2.0, 3.0, 4.0, 2.5, 1.5, 0.75, 1e-3, 7.0, 8.0, 9.0, 10.0, 100.0, 127.0, 128.0,
            149.0, 150.0, 16777216.0, 16777215.0, 8388607.5, 8388608.0, 4294967296.0, 1e-45, 1.1754942e-38,
            1.17549435e-38, 3.4028235e38, math.inf, 0.99999994, 1.0000001, math.pi, math.pi / 2,
            math.pi / 4, 88.72284, 88.72283, 103.97208, 103.97209, 87.33655, 0.34657359, 0.6, 0.925, 3.95,
            10.0, 10.2, 0.70710677, 0.70710683, 1.4142135, 1.4142137]

KERNEL = """
func.func @test_{name}({pointers}, %out: memref<?xf32>) attributes {{llvm.emit_c_interface}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = memref.dim %out, %zero : memref<?xf32>
  scf.for %i = %zero to %size step %one {{
    {loads}
    %r = math.{name} {values} : f32
    memref.store %r, %out[%i] : memref<?xf32>
  }}
  return
}}
"""

PIPELINE = ("builtin.module(dlc-expand-math,convert-scf-to-cf,convert-to-llvm,"
            "reconcile-unrealized-casts)")


class Memref(ctypes.Structure):
    """The descriptor of a memref<?xf32>."""
    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                ("offset", ctypes.c_int64), ("size", ctypes.c_int64), ("stride", ctypes.c_int64)]

    @classmethod
    def of(cls, array):
        return cls(array.ctypes.data, array.ctypes.data, 0, array.size, 1)


def kernel_text(name, operands):
    names = "ab"[:operands]
    return KERNEL.format(
        name=name, pointers=", ".join(f"%{n}: memref<?xf32>" for n in names),
        loads="\n    ".join(f"%x{n} = memref.load %{n}[%i] : memref<?xf32>" for n in names),
        values=", ".join(f"%x{n}" for n in names))


def compile_kernels(names, bin_dir, llvm_bin, folder):
    """The functions of `names` as one shared library."""
    source = folder / "kernels.mlir"
    source.write_text("".join(kernel_text(n, 2 if n in BINARY else 1) for n in names))
    lowered = subprocess.run([f"{bin_dir}/dlc-opt", f"--pass-pipeline={PIPELINE}", str(source)],
                             check=True, capture_output=True).stdout
    ir = subprocess.run([f"{llvm_bin}/mlir-translate", "--mlir-to-llvmir"], input=lowered, check=True,
                        capture_output=True).stdout
    (folder / "kernels.ll").write_bytes(ir)
    subprocess.run([f"{llvm_bin}/clang", "-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC",
                    "-Wno-override-module", "-o", str(folder / "kernels.so"), str(folder / "kernels.ll"),
                    "-lm"], check=True)
    return ctypes.CDLL(str(folder / "kernels.so"))


def run(library, name, *operands):
    out = np.empty_like(operands[0])
    memrefs = [Memref.of(a) for a in (*operands, out)]
    getattr(library, f"_mlir_ciface_test_{name}")(*(ctypes.byref(m) for m in memrefs))
    return out


def errors_in_ulp(result, exact):
    """|result - exact| in units of the last place of exact as f32; 0 where both
    are the same NaN, Inf or zero; Inf where the class or a zero's sign differs."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        exponent = np.maximum(np.frexp(exact)[1].astype(np.int64) - 1, -126)
        error = np.abs(result.astype(np.float64) - exact) / np.ldexp(1.0, (exponent - 23).astype(np.int32))
        error = np.where(np.isnan(result) & np.isnan(exact), 0, error)
        # Beyond the largest f32, Inf and the largest are both within an ULP
        # only if exact rounds to them.
        overflow = np.isinf(rounded) | np.isinf(result)
        error = np.where(overflow, np.where(result == rounded, 0, np.inf), error)
        near_limit = overflow & np.isfinite(exact) & (np.abs(exact) < 2.0 ** 128 * (1 + 2.0 ** -23)) \
            & (np.sign(result) == np.sign(rounded)) \
            & (np.abs(result) >= np.float32(3.4028233e38)) & (np.abs(exact) > 3.4028233e38)
        error = np.where(near_limit, np.minimum(error, 1.0), error)
        # A zero keeps its sign, also one that underflowed.
        wrong_sign = (result == 0) & (exact != 0) & (np.signbit(result) != np.signbit(exact))
        wrong_sign |= (exact == 0) & (np.signbit(result) != np.signbit(exact))
        error = np.where(wrong_sign, np.inf, error)
        return np.where(np.isnan(error), np.inf, error)


def unary_sample(generator, per_exponent):
    """Every exponent (denormals and NaN included), both signs, with random and
    extreme mantissas; numbers near the special ones; a dense grid near 0."""
    mantissas = generator.integers(0, 1 << 23, (256, per_exponent), dtype=np.uint32)
    mantissas[:, :4] = [0, 1, (1 << 23) - 1, 1 << 22]
    exponents = np.arange(256, dtype=np.uint32)[:, None] << 23
    bits = (exponents | mantissas).ravel()
    near = np.array(SPECIALS, np.float32).view(np.uint32)[:, None] + np.arange(-8, 9)
    bits = np.concatenate([bits, near.ravel().astype(np.uint32)])
    grid = generator.uniform(0, 110, per_exponent * 64).astype(np.float32)
    positive = np.concatenate([bits.view(np.float32), grid])
    return np.concatenate([positive, -positive])


def binary_sample(generator, name, count):
    specials = np.array(SPECIALS + [math.nan], np.float32)
    specials = np.concatenate([specials, -specials])
    left, right = (m.ravel() for m in np.meshgrid(specials, specials))
    bits = generator.integers(0, 1 << 32, (2, count), dtype=np.uint64).astype(np.uint32).view(np.float32)
    parts = [(left, right), tuple(bits)]
    base = np.exp(generator.uniform(-20, 20, count)).astype(np.float32)
    if name == "powf":  # results over the whole range, also denormal ones
        power = (generator.uniform(-104.5, 89, count) / np.log(base.astype(np.float64))).astype(np.float32)
        near_one = (1 + generator.uniform(-1e-3, 1e-3, count)).astype(np.float32)
        large = (generator.uniform(-104, 89, count) / np.log1p(near_one.astype(np.float64) - 1 + 1e-12))
        integers = generator.integers(-40, 40, count).astype(np.float32)
        parts += [(base, power), (near_one, large.astype(np.float32)), (-base, integers)]
    else:
        other = np.exp(generator.uniform(-20, 20, count)).astype(np.float32)
        signs = np.where(generator.integers(0, 2, (2, count)) == 1, 1, -1).astype(np.float32)
        parts += [(base * signs[0], other * signs[1]), (base * signs[1], (base * 1.0001 * signs[0]))]
    return (np.concatenate([p[0] for p in parts]).astype(np.float32),
            np.concatenate([p[1] for p in parts]).astype(np.float32))


def measure(library, name, operands):
    """(largest error, its operands, how many results are correctly rounded)."""
    reference = (BINARY if name in BINARY else UNARY)[name][0]
    worst, where, exact_count, total = -1.0, None, 0, operands[0].size
    step = 1 << 22
    for start in range(0, total, step):
        chunk = [np.ascontiguousarray(o[start:start + step]) for o in operands]
        with np.errstate(all="ignore"):
            exact = reference(*(o.astype(np.float64) for o in chunk))
        result = run(library, name, *chunk)
        error = errors_in_ulp(result, exact)
        exact_count += int(np.sum(error <= 0.5))
        index = int(np.argmax(error))
        if error[index] > worst:
            worst = float(error[index])
            where = [float(o[index]) for o in chunk] + [float(result[index])]
    return worst, where, exact_count / total


def exhaustive_operands():
    for start in range(0, 1 << 32, 1 << 24):
        yield np.arange(start, start + (1 << 24), dtype=np.uint64).astype(np.uint32).view(np.float32)


def measure_all(library, name, arguments, generator):
    if name in BINARY:
        operands = binary_sample(generator, name, arguments.count * 64)
        return measure(library, name, operands), operands[0].size
    if not arguments.exhaustive:
        operands = unary_sample(generator, arguments.count)
        return measure(library, name, (operands,)), operands.size
    worst = (-1.0, None, 0.0)
    share = 0.0
    for chunk in exhaustive_operands():
        result = measure(library, name, (chunk,))
        share += result[2] / 256
        worst = max(worst, result, key=lambda r: r[0])
    return (worst[0], worst[1], share), 1 << 32


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("functions", nargs="*", help="math ops; all by default")
    parser.add_argument("--bin", default="build/bin", help="folder of dlc-opt")
    parser.add_argument("--llvm-bin", default="/usr/lib/llvm-22/bin", help="folder of LLVM's tools")
    parser.add_argument("--count", type=int, default=4096, help="random mantissas per exponent and sign")
    parser.add_argument("--exhaustive", action="store_true", help="all 2^32 arguments of unary functions")
    parser.add_argument("--check", action="store_true", help="fail where a bound is exceeded")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    names = arguments.functions or sorted([*UNARY, *BINARY])
    generator = np.random.default_rng(arguments.seed)
    failures = []
    print("# Numerics of the elementary functions\n")
    print("Written by `python scripts/numerics.py`, which states sample and reference. Errors are in units")
    print("of the last place (ULP) of the exact result; 0.5 is correct rounding. f16, bf16 and f8 compute")
    print("in f32 and round once; f64 is the C library's.\n")
    print("| op | dtype | arguments | largest error | bound | at | correctly rounded |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        library = compile_kernels(names, arguments.bin, arguments.llvm_bin, pathlib.Path(folder))
        for name in names:
            (worst, where, share), size = measure_all(library, name, arguments, generator)
            bound = (BINARY if name in BINARY else UNARY)[name][1]
            at = ", ".join(f"{v:.9g}" for v in where[:-1])
            print(f"| {name} | f32 | {size:,} | {worst:.3f} | {bound} | {at} | {share:.2%} |", flush=True)
            if not worst <= bound:
                failures.append(f"{name}({at}) = {where[-1]:.9g}: {worst:.3f} ULP, bound {bound}")
    if arguments.check and failures:
        sys.exit("\n".join(["expected every error within its bound, but got", *failures]))


if __name__ == "__main__":
    main()
