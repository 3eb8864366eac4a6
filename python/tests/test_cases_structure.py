"""Cases from the field: convolution, pooling, layout, indexing, aliasing, large constants."""

import time

import numpy as np
import pytest
from conftest import make_model, run_node
from onnx import TensorProto, helper

import dlc
import dlc.onnx

F, I64, I32 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32
f32, i32 = np.float32, np.int32


class TestC21OddSizes:
    @pytest.mark.parametrize("n", [1, 3, 17, 31, 1023, 1024])
    def test_elementwise(self, n):
        nodes = [helper.make_node("Add", ["a", "b"], ["c"]), helper.make_node("Mul", ["c", "t"], ["d"]),
                 helper.make_node("Add", ["d", "a"], ["e"])]
        a = np.arange(n, dtype=f32)
        model = make_model(nodes, {"a": a, "b": a}, {"e": F}, {"t": np.array(2, f32)})
        for item in model.graph.input:
            item.type.tensor_type.shape.dim[0].dim_param = "n"
        (e,) = dlc.onnx.load(model).compile(threads=2)(a, a)
        np.testing.assert_array_equal(e, 5 * a)

    @pytest.mark.parametrize("m", [1, 3, 17, 64])
    @pytest.mark.parametrize("k", [1, 17, 64, 1023])
    @pytest.mark.parametrize("n", [1, 3, 17, 64])
    def test_matmul_of_ones(self, m, k, n):
        y = matmul()(np.ones((m, k), f32), np.ones((k, n), f32))[0]
        np.testing.assert_array_equal(y, np.full((m, n), k, f32))

    @pytest.mark.parametrize("m, k, n", [(64, 16, 64), (1023, 3, 17), (3, 1023, 1023)])
    def test_matmul_static(self, m, k, n):
        (y,) = run_node("MatMul", [np.ones((m, k), f32), np.ones((k, n), f32)], [F])
        np.testing.assert_array_equal(y, np.full((m, n), k, f32))


_MATMUL = []


def matmul():
    """One artefact for every size."""
    if not _MATMUL:
        a = np.zeros((1, 1), f32)
        model = make_model([helper.make_node("MatMul", ["a", "b"], ["y"])], {"a": a, "b": a},
                           {"y": F}, dynamic=("a", "b"))
        _MATMUL.append(dlc.onnx.load(model).compile(threads=2))
    return _MATMUL[0]


class TestC23Convolution:
    def test_depthwise_stride_2(self, mode):
        x = np.arange(32, dtype=f32).reshape(1, 2, 4, 4)
        w = np.stack([np.ones((3, 3)), np.arange(9).reshape(3, 3)]).astype(f32).reshape(2, 1, 3, 3)
        y = run_conv("Conv", x, w, mode, group=2, strides=[2, 2], pads=[1, 1, 1, 1])
        np.testing.assert_array_equal(y, [[[[10, 24], [51, 90]], [[457, 682], [711, 1014]]]])

    def test_depthwise_of_unit_height(self, mode):
        x = np.arange(1, 11, dtype=f32).reshape(1, 2, 1, 5)
        w = np.array([[1, 2, 3], [-1, 0, 1]], f32).reshape(2, 1, 1, 3)
        y = run_conv("Conv", x, w, mode, group=2, pads=[0, 1, 0, 1])
        np.testing.assert_array_equal(y, [[[[8, 14, 20, 26, 14]], [[7, 2, 2, 2, -9]]]])

    @pytest.mark.parametrize("attrs, want", [
        ({"pads": [1] * 4, "output_padding": [1, 1]},
         [[0, 1, 1, 1], [2, 6, 4, 4], [2, 5, 3, 3], [2, 5, 3, 3]]),
        ({"auto_pad": "SAME_UPPER"}, [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 6, 4], [2, 2, 5, 3]]),
        ({"auto_pad": "SAME_LOWER"}, [[0, 1, 1, 1], [2, 6, 4, 4], [2, 5, 3, 3], [2, 5, 3, 3]]),
    ], ids=["output_padding", "same_upper", "same_lower"])
    def test_transpose(self, attrs, want, mode):
        x, w = np.arange(4, dtype=f32).reshape(1, 1, 2, 2), np.ones((1, 1, 3, 3), f32)
        y = run_conv("ConvTranspose", x, w, mode, strides=[2, 2], **attrs)
        np.testing.assert_array_equal(y, [[want]])


def run_conv(op, x, w, mode, **attrs):
    """The weights are constant, as they always are; the data as `mode` says."""
    constant = mode == "constant"
    model = make_model([helper.make_node(op, ["x", "w"], ["y"], **attrs)],
                       {} if constant else {"x": x}, {"y": F},
                       {"w": w, **({"x": x} if constant else {})}, 17,
                       ("x",) if mode == "dynamic" else ())
    if mode == "dynamic":
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = x.shape[1]
    return dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"x": x}))[0]


class TestC25Pooling:
    @pytest.mark.parametrize("count_include_pad, want", [
        (0, [[4.5, 6, 8, 9], [13.5, 15, 17, 18], [25.5, 27, 29, 30], [31.5, 33, 35, 36]]),
        (1, [[2, 4, 5.3333335, 3], [9, 15, 17, 9], [17, 27, 29, 15], [10.5, 16.5, 17.5, 9]]),
    ])
    def test_average(self, count_include_pad, want, mode):
        x = np.arange(1, 37, dtype=f32).reshape(1, 1, 6, 6)
        (y,) = run_node("AveragePool", [x], [F], opset=19, mode=mode, kernel_shape=[3, 3],
                        strides=[2, 2], pads=[1] * 4, ceil_mode=1,
                        count_include_pad=count_include_pad)
        np.testing.assert_allclose(y, [[want]], rtol=1e-6)


class TestC27Layout:
    X = ((np.arange(48) % 5) - 2).astype(f32).reshape(1, 3, 4, 4)
    W = ((np.arange(12) % 5) - 2).astype(f32).reshape(4, 3, 1, 1)
    CONV = np.array([[[5, -4], [-1, 5]], [[-4, 9], [-2, -4]], [[2, -3], [2, 2]],
                     [[-2, 0], [-4, -2]]], f32)[None]

    def run(self, nodes, outputs, constants=None):
        conv = helper.make_node("Conv", ["x", "w"], ["c"], strides=[3, 3])
        model = make_model([conv, *nodes], {"x": self.X}, outputs,
                           {"w": self.W, **(constants or {})}, 13)
        return dlc.onnx.load(model).compile(threads=1)(self.X)

    def test_axes(self):
        nodes = [helper.make_node("ArgMin", ["c"], ["a"], axis=1, keepdims=0),
                 helper.make_node("ReduceMean", ["c"], ["m"], axes=[1, 2, 3], keepdims=0),
                 helper.make_node("ReduceSum", ["c", "last"], ["s"], keepdims=0)]
        c, a, m, s = self.run(nodes, {"c": F, "a": I64, "m": F, "s": F},
                              {"last": np.array([-1], np.int64)})
        np.testing.assert_array_equal(c, self.CONV)
        np.testing.assert_array_equal(a, [[[1, 0], [3, 1]]])
        np.testing.assert_array_equal(m, [-0.0625])
        np.testing.assert_array_equal(s, [[[1, 4], [5, -6], [-1, 4], [-2, -6]]])

    @pytest.mark.parametrize("shape", [(1,), (1, 1, 2, 2), (2,)])
    def test_small_operands(self, shape):
        small = (np.arange(np.prod(shape)) + 2).astype(f32).reshape(shape)
        bias = np.arange(4, dtype=f32).reshape(4, 1, 1)
        op = "Mul" if shape == (1,) else "Add"
        nodes = [helper.make_node("Add", ["c", "b"], ["d"]), helper.make_node("Relu", ["d"], ["e"]),
                 helper.make_node(op, ["e", "k"], ["y"])]
        (y,) = self.run(nodes, {"y": F}, {"b": bias, "k": small})
        act = np.maximum(self.CONV + bias, 0)
        np.testing.assert_array_equal(y, act * small if op == "Mul" else act + small)


class TestC35Aliasing:
    @pytest.mark.parametrize("shape", [(8, 1), (1024, 1024)])
    def test_sum_with_reverse(self, shape):
        graph = dlc.Graph()
        x = graph.input("x", shape)
        graph.output([x + graph.add_op("reverse", [x], {"axes": [0]})], ["y"])
        exe = graph.compile(threads=2)
        data = np.arange(np.prod(shape), dtype=f32).reshape(shape)
        for _ in range(20):
            (y,) = exe(data)
            np.testing.assert_array_equal(y, data + data[::-1])

    def test_argument_is_not_written(self):
        nodes = [helper.make_node("Add", ["x", "x"], ["a"]), helper.make_node("Add", ["a", "x"], ["b"])]
        x = np.arange(9, dtype=f32).reshape(3, 3)
        (b,) = dlc.onnx.load(make_model(nodes, {"x": x}, {"b": F})).compile(threads=1)(x)
        np.testing.assert_array_equal(b, 3 * np.arange(9).reshape(3, 3))
        np.testing.assert_array_equal(x, np.arange(9).reshape(3, 3))

    def test_shift(self, mode):
        x = np.arange(9, dtype=f32)
        c = {"0": [0], "1": [1], "-1": [-1]}
        nodes = [helper.make_node("Slice", ["x", "0", "1"], ["head"]),
                 helper.make_node("Slice", ["x", "0", "-1"], ["rest"]),
                 helper.make_node("Concat", ["head", "rest"], ["z"], axis=0)]
        consts = {k: np.array(v, np.int64) for k, v in c.items()}
        constant = mode == "constant"
        model = make_model(nodes, {} if constant else {"x": x}, {"z": F},
                           {**consts, **({"x": x} if constant else {})}, 17,
                           ("x",) if mode == "dynamic" else ())
        (z,) = dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"x": x}))
        np.testing.assert_array_equal(z, [0, 0, 1, 2, 3, 4, 5, 6, 7])

    @pytest.mark.parametrize("dims", [("N", "", "", "W"), ("N", "", "H", "W"), ("", "", "", "")])
    def test_value_computed_into_a_concat_and_read_by_a_kernel(self, dims):
        """The pool's result lives in the concat's buffer with strides; the conv reads it."""
        rng = np.random.default_rng(0)
        x = rng.integers(-4, 5, (3, 4, 3, 8)).astype(f32)
        w = rng.integers(-4, 5, (5, 4, 1, 3)).astype(f32)
        nodes = [helper.make_node("MaxPool", ["x"], ["m"], kernel_shape=[3, 2], strides=[3, 2]),
                 helper.make_node("Neg", ["m"], ["p"]),
                 helper.make_node("Conv", ["p", "w"], ["c"], pads=[0, 1, 0, 1]),
                 helper.make_node("Concat", ["p", "c"], ["k"], axis=1)]
        model = make_model(nodes, {"x": x}, {"k": F}, {"w": w})
        for dim, name in zip(model.graph.input[0].type.tensor_type.shape.dim, dims):
            if name:
                dim.dim_param = name
        (k,) = dlc.onnx.load(model).compile(threads=1)(x)
        pool = -x[:, :, 0:3].max(2, keepdims=True).reshape(3, 4, 1, 4, 2).max(-1)
        padded = np.pad(pool, ((0, 0), (0, 0), (0, 0), (1, 1)))
        conv = sum(np.einsum("nchw,oc->nohw", padded[..., i:i + 4], w[:, :, 0, i]) for i in range(3))
        np.testing.assert_array_equal(k, np.concatenate([pool, conv], 1))

    def test_result_that_is_an_input(self):
        model = make_model([helper.make_node("Identity", ["x"], ["y"])], {"x": np.zeros(3, f32)},
                           {"y": F})
        x = np.arange(3, dtype=f32)
        (y,) = dlc.onnx.load(model).compile(threads=1)(x)
        y[0] = 9
        np.testing.assert_array_equal(x, [0, 1, 2])


class TestC29Indices:
    D = np.arange(12, dtype=f32).reshape(3, 4)

    def test_gather(self, mode):
        for axis, indices in ((0, [-1, 0]), (1, [[-1, -4], [2, 3]])):
            indices = np.array(indices, np.int64)
            (y,) = run_node("Gather", [self.D, indices], [F], mode=mode, axis=axis)
            np.testing.assert_array_equal(y, np.take(self.D, indices, axis))

    def test_gather_elements(self, mode):
        indices = np.array([[-1, -2, 0, 1]], np.int64)
        (y,) = run_node("GatherElements", [self.D, indices], [F], mode=mode, axis=0)
        np.testing.assert_array_equal(y, np.take_along_axis(self.D, indices, 0))

    def test_gather_nd(self):
        indices = np.array([[-1, -1], [0, -4]], np.int64)
        (y,) = run_node("GatherND", [self.D, indices], [F])
        np.testing.assert_array_equal(y, [11, 0])

    def test_scatter(self, mode):
        indices = np.array([[-1, 0, 1, -2]], np.int64)
        updates = np.array([[100, 101, 102, 103]], f32)
        (y,) = run_node("ScatterElements", [self.D, indices, updates], [F], mode=mode, axis=0)
        want = self.D.copy()
        np.put_along_axis(want, indices % 3, updates, 0)
        np.testing.assert_array_equal(y, want)

    def test_scatter_nd(self):
        (y,) = run_node("ScatterND", [self.D, np.array([[-1]], np.int64), np.zeros((1, 4), f32)],
                        [F])
        want = self.D.copy()
        want[-1] = 0
        np.testing.assert_array_equal(y, want)

    def test_one_hot(self, mode):
        node = helper.make_node("OneHot", ["i", "d", "v"], ["y"])
        i = np.array([0, 2, 4, -1], np.int64)
        constant = mode == "constant"
        model = make_model([node], {} if constant else {"i": i}, {"y": F},
                           {"d": np.array(5, np.int64), "v": np.array([0, 1], f32),
                            **({"i": i} if constant else {})}, 17,
                           ("i",) if mode == "dynamic" else ())
        (y,) = dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"i": i}))
        np.testing.assert_array_equal(y, np.eye(5)[[0, 2, 4, 4]])

    @pytest.mark.parametrize("index", [3, -4, 2**31, -(2**62)])
    def test_out_of_range_is_an_error(self, index):
        with pytest.raises(dlc.RunError):
            run_node("Gather", [self.D, np.array([index], np.int64)], [F], axis=0)


class TestC31Resize:
    X = np.arange(9, dtype=f32).reshape(1, 1, 3, 3)

    @pytest.mark.parametrize("nearest_mode, want", [
        ("round_prefer_floor", [[0, 0, 1, 2], [0, 0, 1, 2], [3, 3, 4, 5], [6, 6, 7, 8]]),
        ("round_prefer_ceil", [[0, 1, 1, 2], [3, 4, 4, 5], [3, 4, 4, 5], [6, 7, 7, 8]]),
        ("floor", [[0, 0, 1, 1], [0, 0, 1, 1], [3, 3, 4, 4], [3, 3, 4, 4]]),
        ("ceil", [[0, 1, 2, 2], [3, 4, 5, 5], [6, 7, 8, 8], [6, 7, 8, 8]]),
    ])
    def test_nearest(self, nearest_mode, want, mode):
        y = resize(self.X, [1, 1, 1.5, 1.5], mode, mode="nearest", nearest_mode=nearest_mode,
                   coordinate_transformation_mode="half_pixel")
        np.testing.assert_array_equal(y, [[want]])

    def test_linear(self, mode):
        y = resize(np.arange(4, dtype=f32).reshape(1, 1, 1, 4), [1, 1, 1, 2], mode, mode="linear")
        np.testing.assert_allclose(y.ravel(), [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3])


def resize(x, scales, kind, **attrs):
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], **attrs)
    constant = kind == "constant"
    model = make_model([node], {} if constant else {"x": x}, {"y": F},
                       {"s": np.array(scales, f32), **({"x": x} if constant else {})}, 17,
                       ("x",) if kind == "dynamic" else ())
    return dlc.onnx.load(model).compile(threads=1)(**({} if constant else {"x": x}))[0]


class TestC41CompileTime:
    @pytest.mark.parametrize("count, seconds", [
        (64, 10),
        pytest.param(514, 60, marks=pytest.mark.skip(
            reason="known defect: bufferization of the chain takes about count^3.6")),
    ])
    def test_chain_of_row_updates(self, count, seconds):
        start = time.perf_counter()
        graph = dlc.Graph()
        y = graph.input("x", [count, 8])
        for i in range(count):
            row = graph.constant(np.broadcast_to(f32(i), (1, 8)))
            y = graph.add_op(
                "update_slice", [y, row], mixed={"offsets": [i, 0], "strides": [1, 1]}
            )
        graph.output([y], ["y"])
        (got,) = graph.compile(threads=1)(np.zeros((count, 8), f32))
        np.testing.assert_array_equal(got, np.broadcast_to(np.arange(count)[:, None], (count, 8)))
        assert time.perf_counter() - start < seconds

    def test_long_chain(self):
        graph = dlc.Graph()
        x = graph.input("x", [16])
        y = x
        for _ in range(3000):
            y = y + x
        graph.output([y], ["y"])
        start = time.perf_counter()
        (got,) = graph.compile(threads=1)(np.ones(16, f32))
        assert time.perf_counter() - start < 120
        np.testing.assert_array_equal(got, np.full(16, 3001, f32))

    def test_splat_stays_a_splat(self):
        resource = pytest.importorskip("resource")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        graph = dlc.Graph()
        x = graph.input("x", [10000, 10000])
        graph.output([x + graph.constant(np.broadcast_to(f32(1), (10000, 10000)))], ["y"])
        graph.compile(threads=1)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024


class TestC51FrontEnd:
    def test_negative_axis(self):
        x, i = np.array([[1, 2], [3, 4]], f32), np.array([[0, 0], [1, 0]], np.int64)
        (y,) = run_node("GatherElements", [x, i], [F], axis=-1)
        np.testing.assert_array_equal(y, [[1, 1], [4, 3]])

    def test_identity_transpose(self, mode):
        a, b = np.array([[1, 2], [3, 4]], f32), np.array([[5, 6], [7, 8]], f32)
        y = self.transpose_matmul(a, b, np.array([10, 20], f32), mode)
        np.testing.assert_array_equal(y, [[29, 42], [53, 70]])

    def test_identity_transpose_of_other_shapes(self, mode):
        a = np.arange(12, dtype=f32).reshape(3, 4)
        b = np.arange(20, dtype=f32).reshape(4, 5)
        y = self.transpose_matmul(a, b, np.zeros(5, f32), mode)
        np.testing.assert_array_equal(y, a @ b)

    def transpose_matmul(self, a, b, bias, mode):
        nodes = [helper.make_node("Transpose", ["a"], ["t"], perm=[0, 1]),
                 helper.make_node("MatMul", ["t", "b"], ["m"]),
                 helper.make_node("Add", ["m", "c"], ["y"])]
        constant = mode == "constant"
        arrays = {"a": a, "b": b}
        model = make_model(nodes, {} if constant else arrays, {"y": F},
                           {"c": bias, **(arrays if constant else {})}, 17,
                           arrays if mode == "dynamic" else ())
        return dlc.onnx.load(model).compile(threads=1)(**({} if constant else arrays))[0]
