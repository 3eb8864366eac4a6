"""Calling an executable: what it takes and the exact errors for what it does not."""

import threading

import numpy as np
import pytest

import dlc


@pytest.fixture(scope="module")
def exe():
    graph = dlc.Graph()
    a = graph.input("a", ["N", 3])
    b = graph.input("input b", ["N", 3])
    graph.output([a + b], ["sum"])
    return graph.compile(threads=1)


A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.full((2, 3), 10, np.float32)


def test_names(exe):
    assert exe.input_names == ["a", "input b"]
    assert exe.output_names == ["sum"]
    assert str(exe.inputs[0]) == "a: float32[N, 3]"


def test_by_position_and_name(exe):
    np.testing.assert_array_equal(exe(A, B)[0], A + B)
    np.testing.assert_array_equal(exe(**{"input b": B, "a": A})[0], A + B)
    np.testing.assert_array_equal(exe(A, **{"input b": B})[0], A + B)


@pytest.mark.parametrize("args, kwargs, message", [
    ([A], {}, "expected 2 inputs, but got 1: missing input b"),
    ([A, B, A], {}, r"expected 2 inputs \(a, input b\), but got 3"),
    ([A, B], {"c": A}, "there is no input 'c'; the inputs are: a, input b"),
    ([A, B], {"a": A}, "input 'a' is given twice"),
    ([A.astype(np.float64), B], {}, "'a' to have element type float32, but got float64"),
    ([A[0], B], {}, r"'a' to have rank 2, but got rank 1"),
    ([A[:, :2], B], {}, "dimension 1 of input 'a' to be 3, but got 2"),
    ([A[:1], B], {}, "dimension 0 of input 'input b' to be 1 like dimension 0 of input 'a'"),
    (["text", B], {}, "NumPy array or a DLPack object, but got str"),
    ([[["x"]], B], {}, "input 'a' is not a float32 array"),
])
def test_wrong_inputs(exe, args, kwargs, message):
    with pytest.raises(dlc.InputError, match=message):
        exe(*args, **kwargs)


@pytest.mark.parametrize("make", [
    np.asfortranarray,
    lambda a: a.astype(">f4"),
    lambda a: np.ascontiguousarray(a[::-1])[::-1],
    lambda a: np.repeat(a, 2, 1)[:, ::2],
    lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3),
    lambda a: a.tolist(),
], ids=["fortran", "big-endian", "reversed", "strided", "unaligned", "list"])
def test_layouts(exe, make):
    np.testing.assert_array_equal(exe(make(A), B)[0], A + B)


def test_zero_size(exe):
    (y,) = exe(A[:0], B[:0])
    assert y.shape == (0, 3)


def test_nan_payload_survives():
    graph = dlc.Graph()
    x = graph.input("x", [3])
    graph.output([x], ["y"])
    bits = np.array([0x7FC00001, 0x7F800001, 0xFFC12345], np.uint32)
    (y,) = graph.compile(threads=1)(bits.view(np.float32))
    np.testing.assert_array_equal(y.view(np.uint32), bits)


def test_inputs_are_not_written(exe):
    a = A.copy()
    a.flags.writeable = False
    exe(a, B)
    np.testing.assert_array_equal(a, A)


def test_outputs_are_owned(exe):
    (first,) = exe(A, B)
    (second,) = exe(A + 1, B)
    np.testing.assert_array_equal(first, A + B)
    np.testing.assert_array_equal(second, A + B + 1)


def test_output_outlives_the_executable():
    graph = dlc.Graph()
    x = graph.input("x", [1000])
    graph.output([x + x], ["y"])
    exe = graph.compile(threads=1)
    (y,) = exe(np.ones(1000, np.float32))
    del exe, graph
    np.testing.assert_array_equal(y, np.full(1000, 2, np.float32))


class Producer:
    """A DLPack producer that is not a NumPy array."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_in_and_out(exe):
    (y,) = exe(Producer(A), Producer(B))
    np.testing.assert_array_equal(np.from_dlpack(y), A + B)


def test_calls_from_many_threads(exe):
    failures = []

    def work(value):
        a = np.full((64, 3), value, np.float32)
        for _ in range(50):
            (y,) = exe(a, a)
            if not (y == 2 * value).all():
                failures.append(value)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
