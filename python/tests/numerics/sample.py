"""Arguments to measure at."""

import ml_dtypes
import numpy as np

NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
BITS = {"f32": np.uint32, "f64": np.uint64, "f16": np.uint16, "bf16": np.uint16}
# Bits of the mantissa as stored, and of the exponent.
MANTISSA = {"f32": 23, "f64": 52, "f16": 10, "bf16": 7}
EXPONENT = {"f32": 8, "f64": 11, "f16": 5, "bf16": 8}

# Where an implementation changes its formula, over- or underflows, or C99
# prescribes a value.
SPECIALS = [
    0.0, 1.0, 0.5, 2.0, 3.0, 4.0, 2.5, 1.5, 0.75, 1e-3, 7.0, 8.0, 9.0, 10.0, 100.0, 127.0, 128.0, 149.0,
    150.0, 16777216.0, 16777215.0, 8388607.5, 8388608.0, 4294967296.0, 2.0 ** 53, 1e-45, 2.0 ** -126,
    2.0 ** -149, 3.4028235e38, np.inf, np.nan, 1 - 2.0 ** -24, 1 + 2.0 ** -23, np.pi, np.pi / 2, np.pi / 4,
    88.72284, 88.02969, 103.97208, 87.33655, 0.34657359, 0.6, 0.925, 3.95, 10.2, 0.5 ** 0.5, 2.0 ** 0.5,
]


def one_operand(dtype, count, generator):
    """All arguments of a 16-bit type; else `count` random and the four extreme mantissas for every
    exponent and sign, the neighbours of the special arguments, and `count * 64` in (-110, 110)."""
    bits, mantissa, exponent = BITS[dtype], MANTISSA[dtype], EXPONENT[dtype]
    if bits is np.uint16:
        return np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(NUMPY[dtype])
    mantissas = generator.integers(0, 1 << mantissa, (1 << exponent, count), dtype=np.uint64)
    mantissas[:, :4] = [0, 1, (1 << mantissa) - 1, 1 << (mantissa - 1)]
    exponents = np.arange(1 << exponent, dtype=np.uint64)[:, None] << np.uint64(mantissa)
    with np.errstate(over="ignore"):
        near = np.array(SPECIALS).astype(NUMPY[dtype]).view(bits).astype(np.int64)[:, None]
    near = np.maximum(near + np.arange(-8, 9), 0)
    patterns = np.concatenate([(exponents | mantissas).ravel(), near.ravel().astype(np.uint64)])
    grid = generator.uniform(0, 110, count * 64).astype(NUMPY[dtype])
    positive = np.concatenate([patterns.astype(bits).view(NUMPY[dtype]), grid])
    return np.concatenate([positive, -positive])


def two_operands(name, dtype, count, generator):
    """All pairs of special arguments; random bits; for a power, results over the whole range."""
    element = NUMPY[dtype]
    specials = np.array(SPECIALS + [-s for s in SPECIALS])
    parts = [tuple(m.ravel() for m in np.meshgrid(specials, specials))]
    size = np.dtype(element).itemsize
    random = generator.integers(0, 256, 2 * count * size, dtype=np.uint8).view(element)
    parts.append((random[:count], random[count:]))
    base = np.exp(generator.uniform(-8, 8, count))
    if name == "powf":
        top = {"f32": 104, "f64": 745, "f16": 17, "bf16": 92}[dtype]
        near_one = 1 + generator.uniform(-1e-3, 1e-3, count)
        parts += [
            (base, generator.uniform(-top, top, count) / np.log(base)),
            (near_one, generator.uniform(-top, top, count) / np.log(near_one)),
            (-base, generator.integers(-40, 40, count)),
        ]
    else:
        signs = generator.choice([-1.0, 1.0], (3, count))
        parts += [(base * signs[0], np.exp(generator.uniform(-8, 8, count)) * signs[1]),
                  (base * signs[1], base * 1.0001 * signs[2])]
    with np.errstate(over="ignore"):
        return tuple(np.concatenate([np.asarray(p[k]).astype(element) for p in parts]) for k in (0, 1))


def every_f32():
    """All 2^32 arguments, 2^24 at a time."""
    for start in range(0, 1 << 32, 1 << 24):
        yield np.arange(start, start + (1 << 24), dtype=np.uint64).astype(np.uint32).view(np.float32)
