"""Values of the contraction and NN ops against NumPy and the ONNX reference evaluator."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from dlc import _dlc, dtypes
from dlc.runtime import compile_module

f32 = np.float32
_rng = np.random.default_rng(7)


def random(*shape, dtype=f32):
    if np.dtype(dtype).kind in "iu":
        return _rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return _rng.standard_normal(shape).astype(dtype)


def mlir_type(array, dynamic):
    name = dtypes.mlir_name(dtypes.from_numpy(array.dtype))
    return "tensor<" + "".join(("?" if dynamic else str(d)) + "x" for d in array.shape) + name + ">"


def run(op, arrays, result, dynamic=False, suffix=None):
    """Runs one `dlc.<op>`: `{}` stands for the operands; `result` is the result
    type, (shape, element type), or a tuple of those."""
    types = [mlir_type(a, dynamic) for a in arrays]
    results = [result] if isinstance(result[1], str) else list(result)
    texts = []
    for shape, element in results:
        texts.append("tensor<" + "".join(("?" if dynamic else str(d)) + "x" for d in shape) + element + ">")
    names = [f"%a{i}" for i in range(len(arrays))]
    unsigned = lambda a: " {dlc.unsigned}" if a.dtype.kind == "u" else ""
    arguments = ", ".join(f"{n}: {t}{unsigned(a)}" for n, t, a in zip(names, types, arrays))
    outputs = ", ".join(texts)
    values = ", ".join(f"%r#{i}" for i in range(len(texts)))
    body = op.replace("{}", ", ".join(names))
    tail = suffix or f"({', '.join(types)}) -> ({outputs})"
    text = f"""
    func.func @main({arguments}) -> ({outputs}) {{
      %r:{len(texts)} = dlc.{body} : {tail}
      return {values} : {outputs}
    }}"""
    executable = compile_module(_dlc.parse_module(text), "main", threads=1)
    outs = executable(*arrays)
    for out, (shape, _) in zip(outs, results):
        assert out.shape == tuple(shape)
    return outs if len(outs) > 1 else outs[0]


def reference(op_type, arrays, opset=22, outputs=1, **attributes):
    arrays = [None if a is None else np.asarray(a) for a in arrays]
    names = ["" if a is None else f"i{k}" for k, a in enumerate(arrays)]
    outs = [f"o{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, outs, **attributes)
    element = lambda a: helper.np_dtype_to_tensor_dtype(a.dtype)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, element(a), a.shape) for n, a in zip(names, arrays) if n],
        [helper.make_tensor_value_info(o, TensorProto.UNDEFINED, None) for o in outs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    got = ReferenceEvaluator(model).run(None, {n: a for n, a in zip(names, arrays) if n})
    return got if outputs > 1 else got[0]


def close(got, want, rtol=1e-5, atol=1e-5):
    np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(want, np.float64), rtol, atol)


both = pytest.mark.parametrize("dynamic", [False, True])


class TestMatmul:
    @both
    @pytest.mark.parametrize("a, b", [((3, 5), (5, 7)), ((33, 65), (65, 17)), ((2, 3, 4, 5), (5, 6)),
                                      ((5,), (5, 6)), ((4, 5), (5,)), ((5,), (5,)), ((3, 0), (0, 2)),
                                      ((0, 3), (3, 2)), ((2, 4, 5), (2, 5, 1)), ((4, 5), (3, 5, 2))])
    def test_shapes(self, a, b, dynamic):
        x, y = random(*a), random(*b)
        want = np.matmul(x, y)
        close(run("matmul {}", [x, y], (want.shape, "f32"), dynamic), want)

    def test_batch_broadcast(self):
        x, y = random(2, 1, 3, 4), random(5, 4, 6)
        close(run("matmul {}", [x, y], ((2, 5, 3, 6), "f32")), np.matmul(x, y))

    @both
    @pytest.mark.parametrize("ta, tb", itertools.product([False, True], repeat=2))
    def test_transposed(self, ta, tb, dynamic):
        x, y = random(*((5, 3) if ta else (3, 5))), random(*((7, 5) if tb else (5, 7)))
        want = (x.T if ta else x) @ (y.T if tb else y)
        flags = f"{{transpose_a = {str(ta).lower()}, transpose_b = {str(tb).lower()}}}"
        close(run("matmul {} " + flags, [x, y], ((3, 7), "f32"), dynamic), want)

    @pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
    def test_half_accumulates_in_f32(self, dtype):
        # C13 (f)
        ones = np.ones((1, 4096), dtype)
        name = dtypes.mlir_name(dtypes.from_numpy(np.dtype(dtype)))
        assert float(run("matmul {}", [ones, ones.T.copy()], ((1, 1), name))[0, 0]) == 4096

    def test_f64(self):
        x, y = random(5, 9, dtype=np.float64), random(9, 3, dtype=np.float64)
        close(run("matmul {}", [x, y], ((5, 3), "f64")), x @ y, 1e-13, 1e-13)

    @pytest.mark.parametrize("ua, ub", itertools.product([False, True], repeat=2))
    def test_i8(self, ua, ub):
        x = random(5, 33, dtype=np.uint8 if ua else np.int8)
        y = random(33, 7, dtype=np.uint8 if ub else np.int8)
        flags = " {" + ", ".join(["unsigned_a"] * ua + ["unsigned_b"] * ub) + "}" if ua or ub else ""
        got = run("matmul {}" + flags, [x, y], ((5, 7), "i32"))
        np.testing.assert_array_equal(got, x.astype(np.int32) @ y.astype(np.int32))

    @both
    def test_dot_general(self, dynamic):
        x, y = random(4, 3, 2, 5), random(5, 2, 6, 3)
        got = run("dot_general {} batch = [2] x [1] contract = [3, 1] x [0, 3]", [x, y],
                  ((2, 4, 6), "f32"), dynamic)
        close(got, np.einsum("mkbc,cbnk->bmn", x, y))

    def test_outer_product(self):
        x, y = random(3), random(4)
        close(run("dot_general {}", [x, y], ((3, 4), "f32")), np.outer(x, y))


def attribute_text(name, value):
    return f" {name} = {list(value)}" if value else ""


class TestConv:
    CASES = [
        # x, w, strides, pads, dilations, groups
        ((2, 3, 8, 9), (4, 3, 3, 3), [1, 1], [1, 1, 1, 1], None, 1),
        ((1, 4, 9, 7), (6, 2, 3, 2), [2, 1], [0, 1, 2, 0], [2, 1], 2),
        ((1, 8, 6, 6), (8, 1, 3, 3), [2, 2], [1, 1, 1, 1], None, 8),
        ((1, 4, 6, 6), (8, 1, 3, 3), None, None, None, 4),
        ((2, 6, 5, 5), (2, 3, 1, 1), None, None, None, 2),
        ((2, 3, 17), (5, 3, 4), [3], [2, 1], [2], 1),
        ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), [1, 2, 1], [1, 0, 1, 0, 1, 0], None, 1),
        ((0, 3, 8, 8), (4, 3, 3, 3), None, None, None, 1),
        ((1, 3, 2, 8), (4, 3, 3, 3), None, None, None, 1),
        ((1, 3, 1, 1), (16, 3, 1, 1), None, None, None, 1),
        ((1, 1, 4, 3, 3, 3), (2, 1, 2, 2, 2, 2), None, None, None, 1),
    ]

    def naive(self, x, w, strides, pads, dilations, groups):
        n = x.ndim - 2
        s, d = strides or [1] * n, dilations or [1] * n
        p = pads or [0] * 2 * n
        x = np.pad(x.astype(np.float64), [(0, 0)] * 2 + [(p[i], p[n + i]) for i in range(n)])
        size = [max((x.shape[i + 2] - (w.shape[i + 2] - 1) * d[i] - 1) // s[i] + 1, 0) for i in range(n)]
        y = np.zeros([x.shape[0], w.shape[0], *size])
        per, out = w.shape[1], w.shape[0] // groups
        for k in np.ndindex(*w.shape[2:]):
            window = x[(slice(None), slice(None), *[
                slice(k[i] * d[i], k[i] * d[i] + s[i] * (size[i] - 1) + 1 if size[i] else k[i] * d[i], s[i])
                for i in range(n)])]
            for g in range(groups):
                y[:, g * out:(g + 1) * out] += np.einsum(
                    "nc...,oc->no...", window[:, g * per:(g + 1) * per],
                    w[(slice(g * out, (g + 1) * out), slice(None), *k)].astype(np.float64))
        return y

    @both
    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_conv(self, case, dynamic):
        x, w, strides, pads, dilations, groups = case
        x, w = random(*x), random(*w)
        want = self.naive(x, w, strides, pads, dilations, groups)
        text = "conv {}" + attribute_text("strides", strides) + attribute_text("pads", pads)
        text += attribute_text("dilations", dilations) + f" {{groups = {groups}}}"
        close(run(text, [x, w], (want.shape, "f32"), dynamic), want, 1e-4, 1e-4)

    @both
    @pytest.mark.parametrize("groups", [1, 2, 4])
    def test_channels_last(self, groups, dynamic):
        x, w = random(2, 4, 7, 6), random(8, 4 // groups, 3, 2)
        want = self.naive(x, w, [2, 1], [1, 1, 0, 1], None, groups)
        text = f"conv {{}} strides = [2, 1] pads = [1, 1, 0, 1] {{groups = {groups}, channels_last = true}}"
        got = run(text, [np.ascontiguousarray(np.moveaxis(x, 1, -1)),
                         np.ascontiguousarray(w.transpose(2, 3, 1, 0))],
                  (np.moveaxis(want, 1, -1).shape, "f32"), dynamic)
        close(np.moveaxis(got, -1, 1), want, 1e-4, 1e-4)

    @both
    def test_input_dilation(self, dynamic):
        x, w = random(1, 2, 4, 3), random(3, 2, 2, 2)
        wide = np.zeros((1, 2, 7, 7), f32)
        wide[:, :, ::2, ::3] = x
        want = self.naive(wide, w, None, [1, 0, 0, 2], None, 1)
        text = "conv {} pads = [1, 0, 0, 2] input_dilations = [2, 3]"
        close(run(text, [x, w], (want.shape, "f32"), dynamic), want, 1e-4, 1e-4)

    def test_integers(self):
        x, w = random(1, 3, 6, 6, dtype=np.uint8), random(4, 3, 3, 3, dtype=np.int8)
        want = self.naive(x, w, None, None, None, 1)
        got = run("conv {} {unsigned_a}", [x, w], (want.shape, "i32"))
        np.testing.assert_array_equal(got, want.astype(np.int32))

    def test_c23_depthwise(self):
        x = np.arange(32, dtype=f32).reshape(1, 2, 4, 4)
        w = np.stack([np.ones((3, 3), f32), np.arange(9, dtype=f32).reshape(3, 3)])[:, None]
        got = run("conv {} strides = [2, 2] pads = [1, 1, 1, 1] {groups = 2}", [x, w], ((1, 2, 2, 2), "f32"))
        close(got, [[[[10, 24], [51, 90]], [[457, 682], [711, 1014]]]])

    def test_c23_unit_height(self):
        x = np.arange(1, 11, dtype=f32).reshape(1, 2, 1, 5)
        w = np.array([[1, 2, 3], [-1, 0, 1]], f32).reshape(2, 1, 1, 3)
        got = run("conv {} pads = [0, 1, 0, 1] {groups = 2}", [x, w], ((1, 2, 1, 5), "f32"))
        close(got.reshape(2, 5), [[8, 14, 20, 26, 14], [7, 2, 2, 2, -9]])

    def test_c23_transposed(self):
        x, w = np.arange(4, dtype=f32).reshape(1, 1, 2, 2), np.ones((1, 1, 3, 3), f32)
        text = "conv_transpose {} strides = [2, 2] pads = [1, 1, 1, 1] output_padding = [1, 1]"
        got = run(text, [x, w], ((1, 1, 4, 4), "f32"))
        close(got[0, 0], [[0, 1, 1, 1], [2, 6, 4, 4], [2, 5, 3, 3], [2, 5, 3, 3]])

    @both
    @pytest.mark.parametrize("case", [
        ((1, 2, 3, 4), (2, 3, 3, 3), [1, 1], [0, 0, 0, 0], [1, 1], [0, 0], 1),
        ((2, 4, 5, 3), (4, 3, 2, 3), [3, 2], [1, 0, 0, 1], [2, 1], [2, 1], 2),
        ((1, 2, 6), (2, 1, 3), [2], [3, 3], [1], [0], 2),
        ((1, 2, 6), (2, 4, 1), [2], [0, 1], [1], [1], 1),
        ((1, 2, 3, 3, 3), (2, 2, 2, 2, 2), [2, 2, 2], [0] * 6, [1, 1, 1], [0, 0, 1], 1),
    ], ids=str)
    def test_conv_transpose(self, case, dynamic):
        x, w, strides, pads, dilations, output_padding, groups = case
        x, w = random(*x), random(*w)
        n = x.ndim - 2
        want = reference_transposed(x, w, strides, pads, dilations, output_padding, groups)
        text = "conv_transpose {}" + attribute_text("strides", strides) + attribute_text("pads", pads)
        text += attribute_text("dilations", dilations) + attribute_text("output_padding", output_padding)
        got = run(text + f" {{groups = {groups}}}", [x, w], (want.shape, "f32"), dynamic)
        close(got, want, 1e-4, 1e-4)


def reference_transposed(x, w, strides, pads, dilations, output_padding, groups):
    """Scatters x * w into the full result and crops it."""
    n = x.ndim - 2
    per_in, per_out = x.shape[1] // groups, w.shape[1]
    full = [(x.shape[i + 2] - 1) * strides[i] + (w.shape[i + 2] - 1) * dilations[i] + 1 + output_padding[i]
            for i in range(n)]
    y = np.zeros([x.shape[0], per_out * groups, *full])
    for k in np.ndindex(*w.shape[2:]):
        at = tuple(slice(k[i] * dilations[i], k[i] * dilations[i] + (x.shape[i + 2] - 1) * strides[i] + 1,
                         strides[i]) for i in range(n))
        for g in range(groups):
            y[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)] += np.einsum(
                "nc...,co->no...", x[:, g * per_in:(g + 1) * per_in],
                w[(slice(g * per_in, (g + 1) * per_in), slice(None), *k)])
    return y[(slice(None), slice(None), *[slice(pads[i], full[i] - pads[n + i]) for i in range(n)])]


class TestPooling:
    @pytest.mark.parametrize("include, want", [
        (False, [[4.5, 6, 8, 9], [13.5, 15, 17, 18], [25.5, 27, 29, 30], [31.5, 33, 35, 36]]),
        (True, [[2, 4, 5.3333335, 3], [9, 15, 17, 9], [17, 27, 29, 15], [10.5, 16.5, 17.5, 9]])])
    @both
    def test_c25(self, include, want, dynamic):
        x = np.arange(1, 37, dtype=f32).reshape(1, 1, 6, 6)
        text = ("reduce_window mean {} window = [3, 3] strides = [2, 2] pads = [1, 1, 1, 1] "
                f"{{ceil_mode = true, count_include_pad = {str(include).lower()}}}")
        close(run(text, [x], ((1, 1, 4, 4), "f32"), dynamic)[0, 0], want)

    @both
    @pytest.mark.parametrize("kind, onnx", [("max", "MaxPool"), ("mean", "AveragePool")])
    @pytest.mark.parametrize("shape, window, strides, pads, dilations, ceil", [
        ((2, 3, 8, 9), [3, 2], [2, 1], [1, 0, 0, 1], None, 0),
        ((1, 2, 10), [3], [2], [1, 1], [2], 1),
        ((1, 1, 5, 6, 7), [2, 2, 3], [2, 2, 2], [0, 1, 1, 0, 0, 1], None, 1),
        ((1, 3, 7, 7), [7, 7], None, None, None, 0),
    ])
    def test_against_reference(self, kind, onnx, shape, window, strides, pads, dilations, ceil, dynamic):
        x = random(*shape)
        attributes = {k: v for k, v in dict(kernel_shape=window, strides=strides, pads=pads,
                                            dilations=dilations, ceil_mode=ceil).items() if v is not None}
        want = reference(onnx, [x], **attributes)
        text = f"reduce_window {kind} {{}} window = {window}" + attribute_text("strides", strides)
        text += attribute_text("pads", pads) + attribute_text("dilations", dilations)
        text += f" {{ceil_mode = {str(bool(ceil)).lower()}}}"
        close(run(text, [x], (want.shape, "f32"), dynamic), want)

    def test_max_keeps_nan_and_lowest(self):
        x = np.array([[[np.nan, 1, 2, -np.inf, -np.inf, 5]]], f32)
        got = run("reduce_window max {} window = [2] strides = [2]", [x], ((1, 1, 3), "f32"))
        np.testing.assert_array_equal(got, [[[np.nan, 2, 5]]])

    def test_integers(self):
        x = random(1, 2, 6, 6, dtype=np.uint8)
        text = "reduce_window {} {{}} window = [2, 2] strides = [2, 2] pads = [1, 1, 1, 1] {{is_unsigned}}"
        padded = lambda v: np.pad(x, [(0, 0)] * 2 + [(1, 1)] * 2, constant_values=v).reshape(1, 2, 4, 2, 4, 2)
        got = run(text.format("max"), [x], ((1, 2, 4, 4), "i8"))
        np.testing.assert_array_equal(got.view(np.uint8), padded(0).max((3, 5)))
        got = run(text.format("min"), [x], ((1, 2, 4, 4), "i8"))
        np.testing.assert_array_equal(got.view(np.uint8), padded(255).min((3, 5)))

    def test_half_sum(self):
        x = np.ones((1, 1, 64, 64), np.float16)
        assert run("reduce_window mean {} window = [64, 64]", [x], ((1, 1, 1, 1), "f16")).item() == 1.0
        assert run("reduce_window sum {} window = [64, 64]", [x], ((1, 1, 1, 1), "f16")).item() == 4096

    @both
    @pytest.mark.parametrize("column", [False, True])
    @pytest.mark.parametrize("ceil", [False, True])
    def test_arg_max(self, column, ceil, dynamic):
        x = _rng.permutation(2 * 3 * 7 * 5).reshape(2, 3, 7, 5).astype(f32)
        import onnxruntime
        node = helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[3, 2], strides=[2, 2],
                                pads=[1, 0, 1, 1], ceil_mode=int(ceil), storage_order=int(column))
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", 1, x.shape)],
                                  [helper.make_tensor_value_info("y", 1, None),
                                   helper.make_tensor_value_info("i", 7, None)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
        want = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})
        text = ("window_arg_max {} window = [3, 2] strides = [2, 2] pads = [1, 0, 1, 1] "
                f"{{ceil_mode = {str(ceil).lower()}, column_major = {str(column).lower()}}}")
        values, indices = run(text, [x], ((want[0].shape, "f32"), (want[1].shape, "i64")), dynamic)
        np.testing.assert_array_equal(values, want[0])
        np.testing.assert_array_equal(indices, want[1])

    def test_arg_max_nan(self):
        x = np.array([[[1, np.nan, 3, np.nan]]], f32)
        values, indices = run("window_arg_max {} window = [4]", [x], (((1, 1, 1), "f32"), ((1, 1, 1), "i64")))
        assert np.isnan(values.item()) and indices.item() == 1


def softmax(x, axis):
    x = np.asarray(x, np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


class TestSoftmax:
    @both
    @pytest.mark.parametrize("shape, axis", [((3, 5), -1), ((3, 5), 0), ((2, 3, 17), 1), ((4,), 0), ((2, 0), 1),
                                             ((0, 3), 1)])
    def test_values(self, shape, axis, dynamic):
        x = random(*shape) * 4
        attr = f" {{axis = {axis}}}"
        want = softmax(x, axis) if x.size else x
        close(run("softmax {}" + attr, [x], (shape, "f32"), dynamic), want, 1e-5, 1e-7)
        close(run("log_softmax {}" + attr, [x], (shape, "f32"), dynamic), np.log(want), 1e-5, 1e-5)

    def test_extremes(self):
        x = np.array([[1e30, -1e30], [-np.inf, -np.inf], [np.nan, 0], [-np.inf, 0]], f32)
        got = run("softmax {} {axis = 1}", [x], ((4, 2), "f32"))
        np.testing.assert_array_equal(got, [[1, 0], [np.nan] * 2, [np.nan] * 2, [0, 1]])
        got = run("log_softmax {} {axis = 1}", [x[:1]], ((1, 2), "f32"))
        close(got, [[0, -2e30]])

    def test_half(self):
        # C13 (d), (e)
        x = np.zeros((1, 4096), np.float16)
        assert run("softmax {} {axis = 1}", [x], ((1, 4096), "f16")).astype(f32).sum() == 1.0
        x = np.zeros((1, 512), ml_dtypes.bfloat16)
        got = run("softmax {} {axis = 1}", [x], ((1, 512), "bf16"))
        assert (got.astype(f32) == 1 / 512).all()


def normalized(x, axes, epsilon=1e-5):
    x = np.asarray(x, np.float64)
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


class TestNorms:
    @both
    @pytest.mark.parametrize("shape, axis", [((4, 33), -1), ((2, 3, 4, 5), 2), ((2, 3, 5), 0), ((0, 4), 1)])
    def test_layer_norm(self, shape, axis, dynamic):
        x, tail = random(*shape), shape[axis:]
        scale, bias = random(*tail), random(*tail)
        axes = tuple(range(axis % len(shape), len(shape)))
        want = normalized(x, axes) if x.size else x
        attr = f" {{axis = {axis}}}"
        close(run("layer_norm {}" + attr, [x], (shape, "f32"), dynamic), want, 1e-4, 1e-4)
        close(run("layer_norm {}" + attr, [x, scale], (shape, "f32"), dynamic), want * scale, 1e-4, 1e-4)
        close(run("layer_norm {}" + attr, [x, scale, bias], (shape, "f32"), dynamic), want * scale + bias,
              1e-4, 1e-4)
        rms = x / np.sqrt((x.astype(np.float64) ** 2).mean(axes, keepdims=True) + 1e-5) if x.size else x
        close(run("rms_norm {}" + attr, [x, scale], (shape, "f32"), dynamic), rms * scale, 1e-4, 1e-4)

    def test_c15(self):
        x = np.array([[40000, 40001, 40002, 40003]], f32)
        close(run("layer_norm {}", [x], ((1, 4), "f32")), [[-1.3416354, -0.4472118, 0.4472118, 1.3416354]])
        x = np.full((1, 256), 1234, f32)
        np.testing.assert_array_equal(run("layer_norm {}", [x], ((1, 256), "f32")), 0)
        x = np.full((1, 10240), 256, f32)
        x[0, -1] = 255
        got = run("layer_norm {}", [x], ((1, 10240), "f32"))
        close(got[0, :-1], 0.0094124, 0, 5e-3)
        close(got[0, -1], -96.3734, 2e-3)

    def test_half(self):
        x = np.full((1, 8), 60000, np.float16)
        x[0, 0] = 59968
        got = run("layer_norm {}", [x], ((1, 8), "f16"))
        close(got, normalized(x, -1), 1e-3, 1e-3)

    @both
    @pytest.mark.parametrize("shape, groups", [((2, 6, 5), 3), ((2, 4), 2), ((1, 8, 3, 4), 8), ((1, 4, 2, 2), 1)])
    def test_group_norm(self, shape, groups, dynamic):
        x, scale, bias = random(*shape), random(shape[1]), random(shape[1])
        split = x.reshape(shape[0], groups, shape[1] // groups, *shape[2:])
        want = normalized(split, tuple(range(2, split.ndim))).reshape(shape)
        column = (-1, *[1] * (len(shape) - 2))
        got = run(f"group_norm {{}} {{num_groups = {groups}}}", [x, scale, bias], (shape, "f32"), dynamic)
        close(got, want * scale.reshape(column) + bias.reshape(column), 1e-4, 1e-4)

    @both
    def test_instance_norm(self, dynamic):
        x, scale, bias = random(2, 3, 4, 5), random(3), random(3)
        want = normalized(x, (2, 3)) * scale[:, None, None] + bias[:, None, None]
        close(run("instance_norm {}", [x, scale, bias], (x.shape, "f32"), dynamic), want, 1e-4, 1e-4)

    @both
    @pytest.mark.parametrize("axis", [1, -1])
    def test_batch_norm(self, axis, dynamic):
        x = random(2, 3, 4, 3)
        scale, bias, mean, variance = random(3), random(3), random(3), random(3) ** 2
        view = (3, 1, 1) if axis == 1 else (3,)
        s, b, m, v = (t.reshape(view) for t in (scale, bias, mean, variance))
        want = (x - m) / np.sqrt(v + 1e-3) * s + b
        got = run(f"batch_norm {{}} {{axis = {axis}, epsilon = 1.0e-3}}", [x, scale, bias, mean, variance],
                  (x.shape, "f32"), dynamic)
        close(got, want, 1e-4, 1e-4)


def attention(q, k, v, mask=None, scale=None, causal=False, cap=0.0):
    q, k, v = (np.asarray(t, np.float64) for t in (q, k, v))
    repeat = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, repeat, 1), np.repeat(v, repeat, 1)
    s = q @ k.swapaxes(2, 3) * (scale or 1 / np.sqrt(q.shape[3]))
    if cap:
        s = cap * np.tanh(s / cap)
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask
    if causal:
        s = np.where(np.tril(np.ones(s.shape[2:], bool)), s, -np.inf)
    top = s.max(-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return np.where(total == 0, 0, e @ v / np.where(total == 0, 1, total))


class TestAttention:
    def test_c07(self):
        q = np.array([[1, 0], [1, 0]], f32).reshape(1, 1, 2, 2)
        k = np.array([[1, 0], [0, 1]], f32).reshape(1, 1, 2, 2)
        v = np.array([[1, 2], [3, 4]], f32).reshape(1, 1, 2, 2)
        mask = np.array([[-np.inf, -np.inf], [0, -np.inf]], f32)
        got = run("attention {} {scale = 1.0}", [q, k, v, mask], ((1, 1, 2, 2), "f32"))
        np.testing.assert_array_equal(got[0, 0], [[0, 0], [1, 2]])

    @both
    @pytest.mark.parametrize("heads, groups, s, t, d, e", [(4, 4, 5, 7, 8, 8), (4, 2, 7, 7, 16, 5), (6, 1, 3, 9, 4, 4),
                                                           (2, 2, 0, 3, 4, 4), (2, 1, 3, 0, 4, 4)])
    def test_values(self, heads, groups, s, t, d, e, dynamic):
        q, k, v = random(2, heads, s, d), random(2, groups, t, d), random(2, groups, t, e)
        shape = (2, heads, s, e)
        close(run("attention {}", [q, k, v], (shape, "f32"), dynamic), attention(q, k, v), 1e-4, 1e-5)
        got = run("attention {} {is_causal = true, softcap = 0.7, scale = 0.3}", [q, k, v], (shape, "f32"), dynamic)
        close(got, attention(q, k, v, None, 0.3, True, 0.7), 1e-4, 1e-5)

    @pytest.mark.parametrize("shape", [(5, 7), (4, 5, 7), (2, 1, 5, 7), (2, 4, 1, 7), (7,), (1, 1, 1, 1)])
    @pytest.mark.parametrize("boolean", [False, True])
    @pytest.mark.parametrize("groups", [4, 2])
    def test_masks(self, shape, boolean, groups):
        q, k, v = random(2, 4, 5, 8), random(2, groups, 7, 8), random(2, groups, 7, 8)
        mask = random(*shape)
        mask = mask > 0 if boolean else mask
        got = run("attention {}", [q, k, v, mask], ((2, 4, 5, 8), "f32"))
        close(got, attention(q, k, v, mask), 1e-4, 1e-5)

    def test_half(self):
        q, k, v = (random(1, 2, 5, 8, dtype=np.float16) for _ in range(3))
        close(run("attention {}", [q, k, v], ((1, 2, 5, 8), "f16")), attention(q, k, v), 2e-3, 2e-3)


def resize(x, mode, sizes, scales=None, extra="", dynamic=False, attributes="", dtype="f32"):
    types = mlir_type(x, dynamic)
    out = "tensor<" + "".join(f"{d}x" for d in sizes) + dtype + ">"
    constants = "".join(f"%s{i} = arith.constant {float(s):.9e} : f32\n" for i, s in enumerate(scales or []))
    names = ", ".join(f"%s{i}" for i in range(len(scales or [])))
    unsigned = " {dlc.unsigned}" if x.dtype.kind == "u" else ""
    text = f"""
    func.func @main(%x: {types}{unsigned}) -> {out} {{
      {constants}
      %r = dlc.resize {mode} %x {"scales(" + names + ")" if scales else ""} to {list(sizes)} {extra} {attributes}
         : {types} -> {out}
      return %r : {out}
    }}"""
    return compile_module(_dlc.parse_module(text), "main", threads=1)(x)[0]


class TestResize:
    @pytest.mark.parametrize("rounding, want", [
        ("round_prefer_floor", [[0, 0, 1, 2], [0, 0, 1, 2], [3, 3, 4, 5], [6, 6, 7, 8]]),
        ("round_prefer_ceil", [[0, 1, 1, 2], [3, 4, 4, 5], [3, 4, 4, 5], [6, 7, 7, 8]]),
        ("floor", [[0, 0, 1, 1], [0, 0, 1, 1], [3, 3, 4, 4], [3, 3, 4, 4]]),
        ("ceil", [[0, 1, 2, 2], [3, 4, 5, 5], [6, 7, 8, 8], [6, 7, 8, 8]])])
    @both
    def test_c31(self, rounding, want, dynamic):
        x = np.arange(9, dtype=f32).reshape(1, 1, 3, 3)
        got = resize(x, "nearest", (1, 1, 4, 4), [1, 1, 1.5, 1.5], f"rounding {rounding}", dynamic)
        np.testing.assert_array_equal(got[0, 0], want)

    def test_c31_linear(self):
        x = np.arange(4, dtype=f32).reshape(1, 1, 1, 4)
        got = resize(x, "linear", (1, 1, 1, 8), [1, 1, 1, 2])
        np.testing.assert_array_equal(got.reshape(-1), [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3])

    @pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
    @pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                             "half_pixel_symmetric", "tf_crop_and_resize"])
    @pytest.mark.parametrize("scales", [[1, 1, 2, 3], [1, 1, 0.6, 0.75], [1, 1, 1.7, 0.5], [1, 1, 0.45, 2.25]])
    @pytest.mark.parametrize("exclude", [False, True])
    @both
    def test_against_reference(self, mode, coordinates, scales, exclude, dynamic):
        if exclude and (mode != "cubic" or coordinates == "tf_crop_and_resize"):
            pytest.skip("not a case of its own")
        x = random(2, 2, 5, 8)
        roi = [0, 0, -0.1, 0.2, 1, 1, 0.7, 1.3] if coordinates == "tf_crop_and_resize" else None
        # ONNX reads f32 scales.
        scales = [float(f32(s)) for s in scales]
        want = reference("Resize", [x, None if roi is None else f32(roi), f32(scales)],
                         mode=mode, coordinate_transformation_mode=coordinates,
                         exclude_outside=int(exclude), extrapolation_value=2.5)
        extra = f"coordinates {coordinates}" + (f" roi {[float(r) for r in roi]}" if roi else "")
        attributes = f"{{exclude_outside = {str(exclude).lower()}, extrapolation_value = 2.5}}"
        got = resize(x, mode, want.shape, scales, extra, dynamic, attributes)
        close(got, want, 1e-4, 1e-4)

    @pytest.mark.parametrize("mode", ["linear", "cubic"])
    @pytest.mark.parametrize("scales", [[1, 1, 0.6, 0.4], [1, 1, 2, 0.3]])
    @both
    def test_antialias(self, mode, scales, dynamic):
        x, scales = random(1, 2, 9, 10), [float(f32(s)) for s in scales]
        want = reference("Resize", [x, None, f32(scales)], mode=mode, antialias=1)
        got = resize(x, mode, want.shape, scales, "", dynamic, "{antialias = true}")
        close(got, want, 1e-4, 1e-4)

    def test_without_scales(self):
        x = random(1, 3, 4)
        want = reference("Resize", [x, None, None, np.array([1, 5, 6])], mode="linear")
        close(resize(x, "linear", (1, 5, 6)), want)

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
    def test_integers(self, dtype):
        x = random(1, 1, 4, 4, dtype=dtype)
        name = f"i{np.dtype(dtype).itemsize * 8}"
        got = resize(x, "nearest", (1, 1, 8, 8), [1, 1, 2, 2], dtype=name)
        np.testing.assert_array_equal(got.view(dtype), x.repeat(2, 2).repeat(2, 3))
        if np.dtype(dtype).itemsize > 1:
            return
        flag = "{is_unsigned}" if dtype == np.uint8 else ""
        got = resize(x, "linear", (1, 1, 8, 8), [1, 1, 2, 2], attributes=flag, dtype=name)
        want = reference("Resize", [x.astype(np.float64), None, f32([1, 1, 2, 2])], mode="linear")
        assert np.abs(got.view(dtype).astype(float) - want).max() <= 0.5
