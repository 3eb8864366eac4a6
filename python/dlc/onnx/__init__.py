"""Import of ONNX models.

    model = dlc.onnx.load("model.onnx")
    exe = model.compile(target="cpu", threads=2)
"""

from __future__ import annotations

import numpy as np
from onnx import helper

from dlc.errors import ModelError, UnsupportedError  # noqa: F401
from dlc.onnx import (  # noqa: F401
    control,
    elementwise,
    indexing,
    matmul,
    movement,
    nn,
    quant,
    reduction,
    resize,
    slicing,
)
from dlc.onnx import importer, loader
from dlc.runtime import TensorInfo


class Model:
    """An imported model: a dlc graph with the names of its inputs and outputs."""

    def __init__(self, graph, proto, path):
        self.graph = graph
        self.proto = proto
        self.path = path

    @property
    def inputs(self) -> list[TensorInfo]:
        return [_info(item) for item in self.proto.graph.input
                if item.name not in self.graph.constant_names]

    @property
    def outputs(self) -> list[TensorInfo]:
        return [_info(item) for item in self.proto.graph.output]

    @property
    def input_names(self) -> list[str]:
        return [info.name for info in self.inputs]

    @property
    def output_names(self) -> list[str]:
        return [info.name for info in self.outputs]

    def input_dtype(self, name: str):
        """NumPy's type of an input."""
        return next(np.dtype(info.dtype) for info in self.inputs if info.name == name)

    def mlir(self, locations: bool = False) -> str:
        """The dlc program as text, weights elided."""
        return self.graph.mlir(locations)

    def compile(self, target: str = "cpu", **options):
        """Compiles to a `dlc.Executable`; see `dlc.compile`."""
        return self.graph.compile(target, **options)


def _info(item) -> TensorInfo:
    proto = item.type.tensor_type
    dims = [d.dim_param for d in proto.shape.dim]
    shape = [d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None
             for d in proto.shape.dim]
    name = helper.tensor_dtype_to_np_dtype(proto.elem_type).name if proto.elem_type else "?"
    return TensorInfo(item.name, name, tuple(shape), tuple(dims))


def load(source) -> Model:
    """Imports a model from a path, bytes or a ModelProto.

    Raises ModelError when the file is missing or damaged, UnsupportedError with every operator,
    element type and form that dlc lacks.
    """
    try:
        proto, weights, path = loader.read(source)
        loader.check(proto, path)
        proto = loader.prepare(proto, path, importer.HANDLERS)
        graph = importer.Importer(proto, weights, path).run()
    except importer.MODEL_FAULTS as error:
        # Names that are not UTF-8, references to nothing: what the checker lets pass.
        raise ModelError(f"the model is damaged ({type(error).__name__}: {error})") from error
    graph.constant_names = set(weights) | {t.name for t in proto.graph.initializer}
    return Model(graph, proto, path)
