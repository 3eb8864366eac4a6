"""Small models as exporters write them, at every opset from 9 to 24."""

import numpy as np
import pytest
from conftest import onnxruntime_outputs
from onnx import TensorProto, helper, numpy_helper

import dlc.onnx

F = TensorProto.FLOAT
OPSETS = list(range(9, 25))


class Builder:
    """Adds nodes and spells each operator as its opset wants it."""

    def __init__(self, opset, seed=0):
        self.opset, self.nodes, self.constants = opset, [], []
        self.random = np.random.default_rng(seed)

    def weight(self, *shape, scale=0.2):
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def op(self, kind, *inputs, **attrs):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attrs))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def axes_op(self, kind, x, axes, since, **attrs):
        """An operator whose axes became an input in opset `since`."""
        if self.opset >= since:
            return self.op(kind, x, self.ints(*axes), **attrs)
        return self.op(kind, x, axes=list(axes), **attrs)

    def size(self, x, axis):
        """A dimension as a tensor of shape [1], the way exporters read it."""
        whole = self.op("Shape", x)
        scalar = self.op("Gather", whole, self.constant(np.array(axis, np.int64)), axis=0)
        return self.axes_op("Unsqueeze", scalar, [0], 13)

    def layer_norm(self, x, width):
        scale, bias = self.weight(width, scale=1), self.weight(width)
        if self.opset >= 17:
            return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)
        mean = self.axes_op("ReduceMean", x, [-1], 18)
        centered = self.op("Sub", x, mean)
        square = self.op("Pow", centered, self.constant(np.array(2, np.float32)))
        variance = self.axes_op("ReduceMean", square, [-1], 18)
        shifted = self.op("Add", variance, self.constant(np.array(1e-5, np.float32)))
        normal = self.op("Div", centered, self.op("Sqrt", shifted))
        return self.op("Add", self.op("Mul", normal, scale), bias)

    def gelu(self, x):
        if self.opset >= 20:
            return self.op("Gelu", x)
        inner = self.op("Div", x, self.constant(np.array(2**0.5, np.float32)))
        outer = self.op("Add", self.op("Erf", inner), self.constant(np.array(1, np.float32)))
        return self.op("Mul", self.op("Mul", x, outer), self.constant(np.array(0.5, np.float32)))

    def dense(self, x, rows, columns):
        return self.op("Add", self.op("MatMul", x, self.weight(rows, columns)),
                       self.weight(columns))

    def model(self, inputs, output):
        self.nodes[-1].output[0] = output
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info(n, F, s) for n, s in inputs.items()],
            [helper.make_tensor_value_info(output, F, None)], self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 10 if self.opset > 20 else 8
        return model


def transformer(opset):
    """One block: self-attention over [batch, time, 32] with 4 heads and a 64-wide MLP."""
    b = Builder(opset)
    batch, time = b.size("x", 0), b.size("x", 1)

    def heads(x):
        shape = b.op("Concat", batch, time, b.ints(4), b.ints(8), axis=0)
        return b.op("Transpose", b.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    h = b.layer_norm("x", 32)
    q, k, v = (heads(b.dense(h, 32, 32)) for _ in range(3))
    scores = b.op("MatMul", q, b.op("Transpose", k, perm=[0, 1, 3, 2]))
    scores = b.op("Div", scores, b.constant(np.array(8**0.5, np.float32)))
    mixed = b.op("MatMul", b.op("Softmax", scores, axis=3), v)
    mixed = b.op("Transpose", mixed, perm=[0, 2, 1, 3])
    joined = b.op("Reshape", mixed, b.op("Concat", batch, time, b.ints(-1), axis=0))
    x = b.op("Add", "x", b.dense(joined, 32, 32))
    x = b.op("Add", x, b.dense(b.gelu(b.dense(b.layer_norm(x, 32), 32, 64)), 64, 32))
    return b.model({"x": ["batch", "time", 32]}, "y")


def audio_cnn(opset):
    """Strided 1-D convolutions over [batch, 1, samples] and a mean over time."""
    b = Builder(opset, 1)
    x = "x"
    for channels, width, stride, before in ((8, 9, 4, 1), (16, 5, 2, 8), (16, 3, 2, 16)):
        x = b.op("Conv", x, b.weight(channels, before, width), b.weight(channels),
                 strides=[stride], pads=[width // 2, width // 2], kernel_shape=[width])
        scale, bias = b.weight(channels, scale=1), b.weight(channels)
        mean, variance = b.weight(channels), b.constant(np.full(channels, 0.5, np.float32))
        x = b.op("BatchNormalization", x, scale, bias, mean, variance)
        x = b.op("LeakyRelu", x, alpha=0.1)
    x = b.op("MaxPool", x, kernel_shape=[2], strides=[2])
    x = b.axes_op("ReduceMean", x, [2], 18, keepdims=0)
    x = b.op("Gemm", x, b.weight(10, 16), b.weight(10), transB=1)
    b.op("LogSoftmax", x, axis=1)
    return b.model({"x": ["batch", 1, "samples"]}, "y")


@pytest.mark.parametrize("opset", OPSETS)
def test_transformer_block(opset):
    model = transformer(opset)
    exe = dlc.onnx.load(model).compile(threads=2)
    for batch, time in ((1, 16), (3, 7), (2, 1)):
        x = np.random.default_rng(time).standard_normal((batch, time, 32)).astype(np.float32)
        (want,) = onnxruntime_outputs(model, {"x": x})
        np.testing.assert_allclose(exe(x)[0], want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("opset", OPSETS)
def test_audio_cnn(opset):
    model = audio_cnn(opset)
    exe = dlc.onnx.load(model).compile(threads=2)
    for batch, samples in ((1, 400), (3, 401), (2, 97)):
        x = np.random.default_rng(samples).standard_normal((batch, 1, samples)).astype(np.float32)
        (want,) = onnxruntime_outputs(model, {"x": x})
        np.testing.assert_allclose(exe(x)[0], want, rtol=1e-4, atol=1e-5)
        assert exe(x)[0].argmax() == want.argmax()
