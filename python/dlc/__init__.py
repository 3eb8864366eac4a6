"""DLC: a deep-learning compiler over MLIR.

    exe = dlc.onnx.load("model.onnx").compile(target="cpu", threads=2)
    outputs = exe(x)

`Graph` builds a program by hand; `onnx.load` imports a model; every error is a `dlc.Error`.
"""

from dlc import errors
from dlc.errors import (
    CompileError,
    Error,
    InputError,
    ModelError,
    RunError,
    UnsupportedError,
)
from dlc.graph import Graph, Operation, Tensor
from dlc.runtime import Executable, compile

__all__ = [
    "CompileError",
    "Error",
    "Executable",
    "Graph",
    "InputError",
    "ModelError",
    "Operation",
    "RunError",
    "Tensor",
    "UnsupportedError",
    "compile",
    "errors",
    "onnx",
]


def __getattr__(name):
    # The importer needs the onnx package; the rest of dlc does not.
    if name == "onnx":
        import importlib

        return importlib.import_module("dlc.onnx")
    raise AttributeError(f"module 'dlc' has no attribute {name!r}")
