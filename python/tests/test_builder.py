"""The graph builder: building, errors, passes."""

import numpy as np
import pytest

import dlc


def two_layer():
    graph = dlc.Graph()
    x = graph.input("x", ["N", 4])
    bias = graph.constant(np.arange(4, dtype=np.float32))
    y = graph.add_op("add", [x, bias])
    graph.output([y], ["y"])
    return graph


def test_types_are_inferred():
    graph = dlc.Graph()
    x = graph.input("x", [None, 4])
    y = x + graph.constant(np.ones((3, 4), np.float32))
    assert y.shape == (3, 4)
    assert y.dtype == "f32"


def test_names_and_dims_are_kept():
    text = two_layer().mlir()
    assert 'dlc.name = "x"' in text and 'dlc.dims = ["N", "4"]' in text


def test_run():
    x = np.ones((3, 4), np.float32)
    (y,) = two_layer().compile(threads=1)(x)
    np.testing.assert_array_equal(y, x + np.arange(4, dtype=np.float32))


def test_shape_mismatch_names_the_op():
    graph = dlc.Graph()
    x = graph.input("x", [3, 4])
    with pytest.raises(dlc.CompileError, match="'dlc.add' op expected"):
        graph.add_op("add", [x, graph.constant(np.ones(5, np.float32))])


def test_location_is_in_the_error():
    graph = dlc.Graph()
    x = graph.input("x", [3, 4])
    graph.locate("model.onnx", "layer1/add", 7)
    with pytest.raises(dlc.CompileError, match="node 'layer1/add'") as info:
        graph.add_op("add", [x, graph.constant(np.ones(5, np.float32))])
    assert info.value.diagnostics[0]["node"] == "layer1/add"
    assert "model.onnx" in info.value.diagnostics[0]["location"]


@pytest.mark.parametrize("name", ["nonsense", "arith.nonsense"])
def test_unknown_op(name):
    graph = dlc.Graph()
    with pytest.raises(dlc.CompileError, match="known op"):
        graph.add_op(name, [])


def test_missing_operand():
    graph = dlc.Graph()
    with pytest.raises(dlc.CompileError, match="expected 2 operands"):
        graph.add_op("add", [graph.input("x", [2])])


def test_unknown_attribute():
    graph = dlc.Graph()
    x = graph.input("x", [2])
    with pytest.raises(dlc.CompileError, match="no attribute 'axes'"):
        graph.add_op("add", [x, x], {"axes": [1]})


def test_operand_of_wrong_kind():
    graph = dlc.Graph()
    with pytest.raises(TypeError, match="to be a Tensor"):
        graph.add_op("add", [graph.input("x", [2]), 3.0])


def test_compile_without_output():
    graph = dlc.Graph()
    graph.input("x", [2])
    with pytest.raises(dlc.CompileError, match="outputs"):
        graph.compile()


def test_large_constant_is_a_weight_and_never_printed():
    graph = dlc.Graph()
    w = graph.constant(np.arange(100000, dtype=np.float32))
    graph.output([w], ["w"])
    text = graph.mlir()
    assert "ml_program.global private" in text
    assert len(text) < 2000


def test_splat_takes_no_memory():
    graph = dlc.Graph()
    w = graph.constant(np.broadcast_to(np.float32(2), (100000, 100000)))
    assert w.shape == (100000, 100000)
    assert len(str(graph)) < 2000


def test_weights_borrow_memory():
    array = np.arange(4096, dtype=np.float32)
    graph = dlc.Graph()
    x = graph.input("x", [4096])
    graph.output([x + graph.constant(array)], ["y"])
    del array
    (y,) = graph.compile(threads=1)(np.zeros(4096, np.float32))
    np.testing.assert_array_equal(y, np.arange(4096))


def test_pipeline_pass():
    graph = dlc.Graph()
    x = graph.input("x", [4])
    a, _ = x + x, x + x
    graph.output([a], ["y"])
    graph.optimize(["canonicalize,cse"])
    assert [op.name for op in graph.operations].count("dlc.add") == 1


def test_python_pass():
    graph = dlc.Graph()
    x = graph.input("x", [4])
    y = x + x
    graph.output([y], ["y"])

    def add_to_sub(g):
        for op in g.operations:
            if op.name == "dlc.add":
                g.set_insertion_point(op)
                zero = g.constant(np.zeros(4, np.float32))
                op.results[0].replace_all_uses_with(g.add_op("add", [op.operands[0], zero]))
                op.erase()

    graph.optimize([add_to_sub])
    (y,) = graph.compile(threads=1)(np.arange(4, dtype=np.float32))
    np.testing.assert_array_equal(y, np.arange(4))


def test_bad_pipeline():
    with pytest.raises(dlc.CompileError, match="does not refer to a registered pass"):
        two_layer().optimize(["nonsense"])


def test_old_handle_is_refused():
    graph = two_layer()
    op = graph.operations[0]
    graph.optimize(["canonicalize"])
    with pytest.raises(ValueError, match="before a pass pipeline"):
        op.name


def test_graph_compiles_twice():
    graph = two_layer()
    first, second = graph.compile(threads=1), graph.compile(threads=2)
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(first(x)[0], second(x)[0])


@pytest.mark.parametrize("target", ["gpu", ""])
def test_unknown_target(target):
    with pytest.raises(dlc.CompileError, match="target"):
        two_layer().compile(target)


@pytest.mark.parametrize("threads", [0, -1, "two"])
def test_bad_threads(threads):
    with pytest.raises(dlc.CompileError, match="threads"):
        two_layer().compile(threads=threads)
