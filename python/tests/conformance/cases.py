"""The ONNX backend node tests, and the three forms in which each is run.

A case is made by the `onnx` package itself (version 1.23 or newer makes them at run time); nothing of
it is stored here.
"""

import dataclasses
import functools
import warnings

import numpy as np
import onnx

MODES = ("static", "dynamic", "constant")


@dataclasses.dataclass(frozen=True)
class Case:
    """One node test: its model, and lists of (inputs, expected outputs)."""

    name: str
    model: onnx.ModelProto
    data_sets: list
    rtol: float
    atol: float

    @property
    def op_type(self) -> str:
        """The operator under test: the first node's, or the function's an "-expanded" case spells out."""
        return self.model.graph.node[0].op_type if self.model.graph.node else "?"

    @property
    def dtype(self) -> str:
        """The element type of the first input (or output, for ops without inputs), in ONNX's name."""
        for value in [*self.model.graph.input, *self.model.graph.output]:
            if value.type.HasField("tensor_type"):
                return onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type).lower()
        return "other"


@functools.cache
def collect() -> dict[str, Case]:
    """All node tests of the ai.onnx domain's suite, by name, in the suite's order."""
    from onnx.backend.test.case.node import collect_testcases

    # Some generators divide by zero or overflow on purpose.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    return {
        c.name: Case(c.name, c.model, c.data_sets, c.rtol, c.atol) for c in cases if c.kind == "node"
    }


def make_dynamic(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy in which no input or output promises a size: every dimension has a name of its own."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for value in [*result.graph.input, *result.graph.output]:
        if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
            continue
        for index, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{index}"
    del result.graph.value_info[:]
    return result


def make_constant(model: onnx.ModelProto, inputs: list) -> tuple[onnx.ModelProto, list]:
    """A copy in which all inputs but the first tensor are initializers, and the inputs that are left.

    Inputs that are no tensors stay inputs.
    """
    result = onnx.ModelProto()
    result.CopyFrom(model)
    left_values, left_inputs = [], []
    for value, data in zip(list(result.graph.input), inputs):
        if left_values and isinstance(data, np.ndarray):
            result.graph.initializer.append(onnx.numpy_helper.from_array(data, value.name))
        else:
            left_values.append(value)
            left_inputs.append(data)
    del result.graph.input[:]
    result.graph.input.extend(left_values)
    return result, left_inputs


def _to_array(value):
    """Types that NumPy lacks come as TensorProto."""
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return value


def instances(case: Case, mode: str):
    """Yields (model, inputs, expected outputs) of `case` in `mode`, one per data set."""
    for inputs, outputs in case.data_sets:
        inputs, outputs = [_to_array(v) for v in inputs], [_to_array(v) for v in outputs]
        if mode == "dynamic":
            yield make_dynamic(case.model), inputs, outputs
        elif mode == "constant":
            model, left = make_constant(case.model, inputs)
            yield model, left, outputs
        else:
            yield case.model, inputs, outputs
