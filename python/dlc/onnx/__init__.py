"""Import of ONNX models.

    model = dlc.onnx.load("model.onnx")
    exe = model.compile(target="cpu", threads=2)
"""

from __future__ import annotations

from dlc.errors import ModelError, UnsupportedError  # noqa: F401
from dlc.onnx import control, elementwise, indexing, movement, nn, quant, reduction  # noqa: F401
from dlc.onnx import importer, loader


class Model:
    """An imported model: a dlc graph with the names of its inputs and outputs."""

    def __init__(self, graph, proto, path):
        self.graph = graph
        self.proto = proto
        self.path = path

    @property
    def input_names(self) -> list[str]:
        return [t.name for t in self.proto.graph.input if t.name not in self._constants()]

    @property
    def output_names(self) -> list[str]:
        return [t.name for t in self.proto.graph.output]

    def _constants(self):
        return self.graph.constant_names

    def mlir(self, locations: bool = False) -> str:
        """The dlc program as text, weights elided."""
        return self.graph.mlir(locations)

    def compile(self, target: str = "cpu", **options):
        """Compiles to a `dlc.Executable`; see `dlc.compile`."""
        return self.graph.compile(target, **options)


def load(source) -> Model:
    """Imports a model from a path, bytes or a ModelProto.

    Raises ModelError when the file is missing or damaged, UnsupportedError with every operator,
    element type and form that dlc lacks.
    """
    proto, weights, path = loader.read(source)
    loader.check(proto, path)
    proto = loader.prepare(proto, path, importer.HANDLERS)
    graph = importer.Importer(proto, weights, path).run()
    graph.constant_names = set(weights) | {t.name for t in proto.graph.initializer}
    return Model(graph, proto, path)
