"""Cases from the field: element-wise arithmetic, integers, NaN and signed zero."""

import numpy as np
import pytest
from conftest import make_model, run_node
from onnx import TensorProto, helper

import dlc
import dlc.onnx

F, I64, I32, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL
f32, i32 = np.float32, np.int32
NAN, INF = np.nan, np.inf


def check(got, want):
    """Equal with NaN and the sign of zero."""
    want = np.asarray(want, got.dtype)
    np.testing.assert_array_equal(got, want)
    if got.dtype.kind == "f":
        zeros = want == 0
        np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(want[zeros]))


class TestC01RepeatedOperands:
    P = np.array([[4.9334, 5.5571]], f32)

    @pytest.mark.parametrize("constant", [True, False])
    def test_concat_with_itself(self, constant):
        nodes = [helper.make_node("Concat", ["p", "p"], ["v"], axis=0),
                 helper.make_node("Mul", ["v", "v"], ["y"])]
        arrays = {"p": self.P}
        model = make_model(nodes, {} if constant else arrays, {"v": F, "y": F},
                           arrays if constant else {})
        v, y = dlc.onnx.load(model).compile(threads=1)(**({} if constant else arrays))
        want = np.concatenate([self.P, self.P])
        np.testing.assert_array_equal(v, want)
        np.testing.assert_allclose(y, want * want, rtol=1e-6)

    def test_sum_of_one_operand(self, mode):
        x = np.array([-0.75, 2], f32)
        nodes = [helper.make_node("Sum", ["x"] * 5, ["y"])]
        const = mode == "constant"
        model = make_model(nodes, {} if const else {"x": x}, {"y": F}, {"x": x} if const else {},
                           dynamic=("x",) if mode == "dynamic" else ())
        (y,) = dlc.onnx.load(model).compile(threads=1)(**({} if const else {"x": x}))
        np.testing.assert_array_equal(y, [-3.75, 10])

    def test_concat_of_one(self, mode):
        x = np.array([[6], [5]], np.int64)
        check(run_node("Concat", [x], [I64], axis=1, mode=mode)[0], x)


class TestC05NaN:
    A = np.array([NAN, 1, NAN, 0, -1], f32)
    B = np.array([1, NAN, NAN, -0.0, 2], f32)

    def test_max_min(self, mode):
        a, b = self.A, self.B
        np.testing.assert_array_equal(run_node("Max", [a, b], [F], mode=mode)[0],
                                      [NAN, NAN, NAN, 0, 2])
        np.testing.assert_array_equal(run_node("Min", [a, b], [F], mode=mode)[0],
                                      [NAN, NAN, NAN, 0, -1])

    def test_relu_clip(self, mode):
        np.testing.assert_array_equal(run_node("Relu", [self.A], [F], mode=mode)[0],
                                      [NAN, 1, NAN, 0, 0])
        bounds = [f32(0), f32(0.5)]
        bounds = [np.array(b, f32) for b in bounds]
        np.testing.assert_array_equal(run_node("Clip", [self.A, *bounds], [F], mode=mode)[0],
                                      [NAN, 0.5, NAN, 0, 0])

    @pytest.mark.parametrize("length", [1, 3, 5, 17, 1023])
    @pytest.mark.parametrize("place", [0, -1, "tail"])
    def test_lanes(self, length, place):
        where = length // 16 * 16 - 1 if place == "tail" else place
        x = np.arange(length, dtype=f32) - 2
        x[where] = NAN
        zero = np.zeros(length, f32)
        for op, want in (("Max", np.maximum(x, 0)), ("Min", np.minimum(x, 0))):
            for operands in ([x, zero], [zero, x]):
                (y,) = run_node(op, operands, [F])
                np.testing.assert_array_equal(y, want)

    @pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
    @pytest.mark.parametrize("x", [[NAN, 1], [2, NAN]])
    def test_reduce(self, op, x, mode):
        (y,) = run_node(op, [np.array(x, f32)], [F], mode=mode, keepdims=0)
        assert np.isnan(y)


class TestC09Integers:
    A = np.array([-8, -7, -1, 0, 1, 7, 8], i32)

    @pytest.mark.parametrize("b, div, mod", [
        (3, [-2, -2, 0, 0, 0, 2, 2], [1, 2, 2, 0, 1, 1, 2]),
        (-3, [2, 2, 0, 0, 0, -2, -2], [-2, -1, -1, 0, -2, -2, -1]),
    ])
    def test_div_and_mod(self, b, div, mod, mode):
        b = np.array(b, i32)
        check(run_node("Div", [self.A, b], [I32], mode=mode)[0], div)
        check(run_node("Mod", [self.A, b], [I32], mode=mode)[0], mod)
        check(run_node("Mod", [self.A, b], [I32], mode=mode, fmod=1)[0],
              [-2, -1, -1, 0, 1, 1, 2])

    @pytest.mark.parametrize("constant", [True, False])
    def test_floor_div(self, constant):
        for a, b in ((self.A, 3), (self.A, -3), (np.arange(16, dtype=i32), -2)):
            graph = dlc.Graph()
            x = graph.constant(a) if constant else graph.input("x", [None], "i32")
            y = graph.add_op("floor_div", [x, graph.constant(np.array(b, i32))])
            graph.output([y], ["y"])
            exe = graph.compile(threads=1)
            (got,) = exe() if constant else exe(a)
            check(got, a // b)

    @pytest.mark.parametrize("op, attrs", [("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})])
    def test_no_trap_and_one_answer(self, op, attrs):
        """INT_MIN / -1 and division by zero: the same value constant and at run time."""
        a = np.array([-2**31, -2**31, 5, 0, -5], i32)
        b = np.array([-1, 0, 0, 0, 0], i32)
        results = [run_node(op, [a, b], [I32], mode=m, **attrs)[0]
                   for m in ("static", "dynamic", "constant")]
        np.testing.assert_array_equal(results[0], results[1])
        np.testing.assert_array_equal(results[0], results[2])


class TestC11SignedZero:
    X = np.array([-0.0, 0.0, -1, INF], f32)

    def test_identities(self, mode):
        zero, one = np.array(0, f32), np.array(1, f32)
        check(run_node("Add", [self.X, zero], [F], mode=mode)[0], [0.0, 0.0, -1, INF])
        check(run_node("Sub", [self.X, zero], [F], mode=mode)[0], self.X)
        check(run_node("Mul", [self.X, one], [F], mode=mode)[0], self.X)

    @pytest.mark.parametrize("op, want", [("Add", [INF, INF, -1, 0.0]),
                                          ("Sub", [-INF, INF, -1, 0.0])])
    @pytest.mark.parametrize("constant", [True, False])
    def test_reciprocal(self, op, want, constant):
        nodes = [helper.make_node(op, ["x", "z"], ["s"]),
                 helper.make_node("Div", ["o", "s"], ["y"])]
        consts = {"z": np.array(0, f32), "o": np.array(1, f32)}
        model = make_model(nodes, {} if constant else {"x": self.X}, {"y": F},
                           {**consts, **({"x": self.X} if constant else {})})
        (y,) = dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"x": self.X}))
        check(y, want)

    def test_product_with_minus_zero(self, mode):
        check(run_node("Mul", [np.array([123.45], f32), np.array([-0.0], f32)], [F], mode=mode)[0],
              [-0.0])

    @pytest.mark.parametrize("constant", [True, False])
    def test_sqrt_squared(self, constant):
        x = np.array([-0.0], f32)
        nodes = [helper.make_node("Sqrt", ["x"], ["s"]), helper.make_node("Mul", ["s", "s"], ["y"])]
        model = make_model(nodes, {} if constant else {"x": x}, {"y": F},
                           {"x": x} if constant else {})
        check(dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"x": x}))[0], [0.0])

    def test_xor_with_itself(self):
        a = np.arange(5, dtype=i32)
        nodes = [helper.make_node("Cast", ["a"], ["b"], to=BOOL),
                 helper.make_node("Xor", ["b", "b"], ["x"]),
                 helper.make_node("Cast", ["x"], ["e"], to=F)]
        model = make_model(nodes, {"a": a}, {"e": F})
        check(dlc.onnx.load(model).compile(threads=1)(a)[0], np.zeros(5, f32))

    @pytest.mark.parametrize("constant", [True, False])
    def test_atan2(self, constant):
        y, x = np.array([0, 0, -0.0], f32), np.array([0, -0.0, -0.0], f32)
        graph = dlc.Graph()
        values = [graph.constant(a) if constant else graph.input(n, [3])
                  for n, a in (("y", y), ("x", x))]
        graph.output([graph.add_op("atan2", values)], ["r"])
        exe = graph.compile(threads=1)
        (r,) = exe() if constant else exe(y, x)
        np.testing.assert_allclose(r, [0, np.pi, -np.pi], rtol=1e-6)


class TestC17Quantization:
    X = np.array([-129, -128.5, -127.5, -126.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 126.5, 127.5, 128],
                 f32)

    def test_int8(self, mode):
        (y,) = run_node("QuantizeLinear", [self.X, np.array(1, f32), np.array(0, np.int8)],
                        [TensorProto.INT8], mode=mode)
        check(y, [-128, -128, -128, -126, -2, -2, 0, 0, 2, 2, 126, 127, 127])

    def test_uint8(self, mode):
        (y,) = run_node("QuantizeLinear", [self.X, np.array(1, f32), np.array(3, np.uint8)],
                        [TensorProto.UINT8], mode=mode)
        check(y, [0, 0, 0, 0, 1, 1, 3, 3, 5, 5, 129, 131, 131])

    def test_not_finite(self):
        x = np.array([NAN, INF, -INF], f32)
        results = [run_node("QuantizeLinear", [x, np.array(1, f32), np.array(0, np.int8)],
                            [TensorProto.INT8], mode=m)[0] for m in ("static", "constant")]
        np.testing.assert_array_equal(results[0], results[1])
        check(results[0][1:], [127, -128])
