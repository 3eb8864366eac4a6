"""Element types: MLIR's names, NumPy's types, and which of them are unsigned."""

from __future__ import annotations

import numpy as np

try:
    import ml_dtypes
except ImportError:  # Only needed for the types that NumPy lacks.
    ml_dtypes = None

# Name in dlc -> (name in MLIR, unsigned, NumPy name).
_TABLE = {
    "f64": ("f64", False, "float64"),
    "f32": ("f32", False, "float32"),
    "f16": ("f16", False, "float16"),
    "bf16": ("bf16", False, "bfloat16"),
    "f8E4M3FN": ("f8E4M3FN", False, "float8_e4m3fn"),
    "f8E5M2": ("f8E5M2", False, "float8_e5m2"),
    "f8E4M3FNUZ": ("f8E4M3FNUZ", False, "float8_e4m3fnuz"),
    "f8E5M2FNUZ": ("f8E5M2FNUZ", False, "float8_e5m2fnuz"),
    "f8E8M0FNU": ("f8E8M0FNU", False, "float8_e8m0fnu"),
    "f4E2M1FN": ("f4E2M1FN", False, "float4_e2m1fn"),
    "i64": ("i64", False, "int64"),
    "i32": ("i32", False, "int32"),
    "i16": ("i16", False, "int16"),
    "i8": ("i8", False, "int8"),
    "i4": ("i4", False, "int4"),
    "i2": ("i2", False, "int2"),
    "ui64": ("i64", True, "uint64"),
    "ui32": ("i32", True, "uint32"),
    "ui16": ("i16", True, "uint16"),
    "ui8": ("i8", True, "uint8"),
    "ui4": ("i4", True, "uint4"),
    "ui2": ("i2", True, "uint2"),
    "i1": ("i1", False, "bool"),
    "index": ("index", False, "int64"),
}
_BY_NUMPY = {numpy: name for name, (_, _, numpy) in _TABLE.items() if name != "index"}


def is_known(dtype: str) -> bool:
    return dtype in _TABLE


def mlir_name(dtype: str) -> str:
    """The element type of MLIR, which is signless."""
    return _TABLE[dtype][0]


def is_unsigned(dtype: str) -> bool:
    return _TABLE[dtype][1]


def from_mlir(name: str, unsigned: bool) -> str:
    return "u" + name if unsigned and name not in ("i1", "index") else name


def is_float(dtype: str) -> bool:
    return dtype[0] in "bf"


def is_int(dtype: str) -> bool:
    return dtype[0] in "iu" and dtype not in ("i1", "index")


def to_numpy(dtype: str) -> np.dtype:
    name = _TABLE[dtype][2]
    if hasattr(np, name) or name == "bool":
        return np.dtype(name)
    if ml_dtypes is None:
        raise ImportError(f"element type {dtype} needs the package ml_dtypes")
    return np.dtype(getattr(ml_dtypes, name))


def from_numpy(dtype) -> str:
    """The dlc name; raises TypeError for a type without one (objects, complex)."""
    name = np.dtype(dtype).name
    if name not in _BY_NUMPY:
        raise TypeError(f"expected a numeric element type, but got {name}")
    return _BY_NUMPY[name]


def tensor_type(dtype: str, shape) -> str:
    """MLIR text of a tensor type; None or any non-integer is a dynamic dimension."""
    dims = "".join(f"{d}x" if isinstance(d, (int, np.integer)) else "?x" for d in shape)
    return f"tensor<{dims}{mlir_name(dtype)}>"
