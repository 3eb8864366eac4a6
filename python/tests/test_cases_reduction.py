"""Cases from the field: reductions, precision, scans."""

import ml_dtypes
import numpy as np
import pytest
from conftest import make_model, run_node
from onnx import TensorProto, helper

import dlc
import dlc.onnx

F, I64, I32 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32
F16, BF16 = TensorProto.FLOAT16, TensorProto.BFLOAT16
f32, i32, bf16 = np.float32, np.int32, ml_dtypes.bfloat16
INF = np.inf


class TestC03ZeroSize:
    @pytest.mark.parametrize("op, want", [
        ("ReduceSum", 0), ("ReduceProd", 1), ("ReduceL2", 0), ("ReduceLogSumExp", -INF),
        ("ReduceMax", -INF), ("ReduceMin", INF), ("ReduceMean", np.nan),
    ])
    @pytest.mark.parametrize("keepdims", [0, 1])
    def test_float(self, op, want, keepdims, mode):
        x, axes = np.zeros((2, 0, 3), f32), np.array([1], np.int64)
        (y,) = run_reduce(op, x, axes, F, mode, keepdims)
        np.testing.assert_array_equal(y, np.full((2, 1, 3) if keepdims else (2, 3), want, f32))

    @pytest.mark.parametrize("op, want", [
        ("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -2**31), ("ReduceMin", 2**31 - 1),
    ])
    def test_int(self, op, want, mode):
        (y,) = run_reduce(op, np.zeros((2, 0, 3), i32), np.array([1], np.int64), I32, mode, 0)
        np.testing.assert_array_equal(y, np.full((2, 3), want, i32))

    @pytest.mark.parametrize("keepdims", [0, 1])
    def test_one_by_zero(self, keepdims, mode):
        (y,) = run_reduce("ReduceSum", np.zeros((1, 0), f32), np.array([1], np.int64), F, mode,
                          keepdims)
        np.testing.assert_array_equal(y, np.zeros((1, 1) if keepdims else (1,), f32))


def run_reduce(op, x, axes, out, mode, keepdims=0):
    """The axes are a constant, the data as `mode` says."""
    node = helper.make_node(op, ["x", "axes"], ["y"], keepdims=keepdims)
    constant = mode == "constant"
    model = make_model([node], {} if constant else {"x": x}, {"y": out},
                       {"axes": axes, **({"x": x} if constant else {})}, 18,
                       ("x",) if mode == "dynamic" else ())
    return dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"x": x}))


class TestC13HalfPrecision:
    @pytest.mark.parametrize("op, x, want", [
        ("ReduceSum", np.ones(4096, np.float16), 4096),
        ("ReduceMean", np.ones(4096, np.float16), 1),
        ("ReduceSum", np.array([32000] * 4 + [-32000] * 4, np.float16), 0),
        ("ReduceMean", np.array([60000] * 8, np.float16), 60000),
    ])
    def test_f16(self, op, x, want, mode):
        (y,) = run_reduce(op, x, np.array([0], np.int64), F16, mode)
        assert y == np.float16(want)

    def test_softmax_sums_to_one(self):
        (y,) = run_node("Softmax", [np.zeros((1, 4096), np.float16)], [F16])
        assert y.astype(np.float64).sum() == 1.0

    def test_bf16(self, mode):
        axes = np.array([0], np.int64)
        assert float(run_reduce("ReduceSum", np.ones(70000, bf16), axes, BF16, mode)[0]) == 70144
        assert float(run_reduce("ReduceMean", np.ones(70000, bf16), axes, BF16, mode)[0]) == 1
        (y,) = run_node("Softmax", [np.zeros((1, 512), bf16)], [BF16], mode=mode)
        assert (y.astype(f32) == 0.001953125).all()

    def test_pool_and_matmul(self, mode):
        x = np.ones((1, 1, 64, 64), np.float16)
        assert run_node("GlobalAveragePool", [x], [F16], mode=mode)[0].item() == 1
        a, b = np.ones((1, 4096), np.float16), np.ones((4096, 1), np.float16)
        assert run_node("MatMul", [a, b], [F16], mode=mode)[0].item() == 4096


class TestC15Variance:
    @pytest.mark.parametrize("x, want, tolerance", [
        (np.array([[40000, 40001, 40002, 40003]], f32),
         [[-1.3416354, -0.4472118, 0.4472118, 1.3416354]], 1e-5),
        (np.full((1, 256), 1234, f32), np.zeros((1, 256)), 0),
    ])
    def test_layer_norm(self, x, want, tolerance, mode):
        scale, bias = np.ones(x.shape[-1], f32), np.zeros(x.shape[-1], f32)
        (y,) = run_node("LayerNormalization", [x, scale, bias], [F], mode=mode, epsilon=1e-5)
        np.testing.assert_allclose(y, want, rtol=tolerance, atol=tolerance)

    def test_long_row(self, mode):
        x = np.full((1, 10240), 256, f32)
        x[0, -1] = 255
        scale, bias = np.ones(10240, f32), np.zeros(10240, f32)
        (y,) = run_node("LayerNormalization", [x, scale, bias], [F], mode=mode, epsilon=1e-5)
        np.testing.assert_allclose(y[0, :-1], 0.0094124, atol=5e-3)
        np.testing.assert_allclose(y[0, -1], -96.3734, rtol=2e-3)


class TestC19DynamicBatch:
    def test_one_artefact_for_every_size(self):
        nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]),
                 helper.make_node("Add", ["m", "b"], ["a"]),
                 helper.make_node("Relu", ["a"], ["y"]),
                 helper.make_node("ReduceSum", ["y", "axes"], ["s"], keepdims=0)]
        model = make_model(nodes, {"x": np.zeros((2, 3), f32)}, {"y": F, "s": F},
                           {"w": np.ones((3, 4), f32), "b": np.ones(4, f32),
                            "axes": np.array([0], np.int64)})
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
        exe = dlc.onnx.load(model).compile(threads=2)
        for n in (0, 1, 2, 7, 0, 1000):
            x = np.arange(n * 3, dtype=f32).reshape(n, 3)
            want = np.maximum(x @ np.ones((3, 4), f32) + 1, 0)
            y, s = exe(x)
            assert y.shape == (n, 4)
            np.testing.assert_allclose(y, want, rtol=1e-6)
            np.testing.assert_allclose(s, want.sum(0), rtol=1e-5)

    def test_empty_contraction(self, mode):
        nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]),
                 helper.make_node("Add", ["m", "b"], ["y"])]
        x, w, b = np.zeros((2, 0), f32), np.zeros((0, 3), f32), np.array([1, 2, 3], f32)
        constant = mode == "constant"
        model = make_model(nodes, {} if constant else {"x": x, "w": w}, {"y": F},
                           {"b": b, **({"x": x, "w": w} if constant else {})}, 17,
                           ("x", "w") if mode == "dynamic" else ())
        (y,) = dlc.onnx.load(model).compile(threads=1)(
            **({} if constant else {"x": x, "w": w}))
        np.testing.assert_array_equal(y, [[1, 2, 3], [1, 2, 3]])


class TestC33Scan:
    @pytest.mark.parametrize("exclusive, reverse, want", [
        (0, 0, [1, 3, 6, 10, 15]), (0, 1, [15, 14, 12, 9, 5]),
        (1, 0, [0, 1, 3, 6, 10]), (1, 1, [14, 12, 9, 5, 0]),
    ])
    def test_directions(self, exclusive, reverse, want):
        y = cumsum(np.arange(1, 6, dtype=f32), F, exclusive=exclusive, reverse=reverse)
        np.testing.assert_array_equal(y, want)

    def test_exclusive_with_infinity(self):
        np.testing.assert_array_equal(cumsum(np.array([INF, 1, 2], f32), F, exclusive=1),
                                      [0, INF, INF])

    def test_wraps(self):
        np.testing.assert_array_equal(cumsum(np.array([2147483647, 1, 1], i32), I32),
                                      [2147483647, -2147483648, -2147483647])

    @pytest.mark.parametrize("axis", [0, -1])
    def test_bf16(self, axis):
        x = np.ones((8, 9), bf16)
        np.testing.assert_array_equal(cumsum(x, BF16, axis).astype(f32),
                                      np.cumsum(np.ones((8, 9)), axis))

    @pytest.mark.parametrize("length", [0, 1])
    def test_short(self, length):
        np.testing.assert_array_equal(cumsum(np.ones(length, f32), F), np.ones(length))


def cumsum(x, out, axis=0, **attrs):
    node = helper.make_node("CumSum", ["x", "axis"], ["y"], **attrs)
    model = make_model([node], {"x": x}, {"y": out}, {"axis": np.array(axis, np.int64)})
    return dlc.onnx.load(model).compile(threads=1)(x)[0]
