"""Element types of ONNX as those of dlc."""

from __future__ import annotations

from onnx import TensorProto

_TABLE = {
    TensorProto.FLOAT: "f32",
    TensorProto.UINT8: "ui8",
    TensorProto.INT8: "i8",
    TensorProto.UINT16: "ui16",
    TensorProto.INT16: "i16",
    TensorProto.INT32: "i32",
    TensorProto.INT64: "i64",
    TensorProto.BOOL: "i1",
    TensorProto.FLOAT16: "f16",
    TensorProto.DOUBLE: "f64",
    TensorProto.UINT32: "ui32",
    TensorProto.UINT64: "ui64",
    TensorProto.BFLOAT16: "bf16",
    TensorProto.FLOAT8E4M3FN: "f8E4M3FN",
    TensorProto.FLOAT8E4M3FNUZ: "f8E4M3FNUZ",
    TensorProto.FLOAT8E5M2: "f8E5M2",
    TensorProto.FLOAT8E5M2FNUZ: "f8E5M2FNUZ",
}


def from_onnx(elem_type: int) -> str | None:
    """dlc's element type; None for strings, complex numbers and types below 8 bits."""
    return _TABLE.get(elem_type)


def onnx_name(elem_type: int) -> str:
    try:
        return TensorProto.DataType.Name(elem_type)
    except ValueError:
        return f"type {elem_type}"
