"""Damaged, incomplete and unsupported models: one clear error, never a crash."""

import os
import random
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
import dlc.onnx
from conftest import make_model

F = TensorProto.FLOAT


def small_model(external=None, weight=None):
    """y = relu(x + w) with a weight of more than a kilobyte."""
    weight = np.arange(1024, dtype=np.float32) if weight is None else weight
    tensor = numpy_helper.from_array(weight, "w")
    nodes = [helper.make_node("Add", ["x", "w"], ["s"], name="add"),
             helper.make_node("Relu", ["s"], ["y"], name="relu")]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", F, ["N", 1024])],
        [helper.make_tensor_value_info("y", F, ["N", 1024])], [tensor],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if external:
        onnx.external_data_helper.set_external_data(model.graph.initializer[0], external)
    return model


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.onnx"
    file.write_bytes(small_model().SerializeToString())
    return file


def test_good_model(path):
    (y,) = dlc.onnx.load(path).compile(threads=1)(np.full((2, 1024), -10, np.float32))
    np.testing.assert_array_equal(y, np.broadcast_to(np.maximum(np.arange(1024) - 10, 0), (2, 1024)))


def test_missing_file(tmp_path):
    with pytest.raises(dlc.ModelError, match="No such file"):
        dlc.onnx.load(tmp_path / "none.onnx")


def test_folder(tmp_path):
    with pytest.raises(dlc.ModelError, match="directory"):
        dlc.onnx.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\0", b"hello world, this is text", b"\x08" * 100])
def test_not_a_model(tmp_path, content):
    file = tmp_path / "model.onnx"
    file.write_bytes(content)
    with pytest.raises(dlc.ModelError):
        dlc.onnx.load(file)


@pytest.mark.parametrize("source", [b"", b"garbage"])
def test_not_a_model_as_bytes(source):
    with pytest.raises(dlc.ModelError):
        dlc.onnx.load(source)


def test_truncated_everywhere(path):
    """Every prefix of the file is refused, or is a model that differs in nothing but metadata."""
    data = path.read_bytes()
    for length in [*range(0, 80), *range(80, len(data), 97), *range(len(data) - 80, len(data))]:
        path.write_bytes(data[:length])
        try:
            dlc.onnx.load(path)
        except dlc.Error:
            continue


def test_mutations(path):
    """Seeded byte changes: an error of dlc, or a model that imports."""
    data = path.read_bytes()
    header = [i for i in range(len(data)) if i < 60 or i > len(data) - 200]
    rng = random.Random(20)
    outcomes = {"error": 0, "model": 0}
    for _ in range(600):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 8])):
            changed[rng.choice(header)] = rng.randrange(256)
        path.write_bytes(changed)
        try:
            dlc.onnx.load(path)
            outcomes["model"] += 1
        except dlc.Error as error:
            assert str(error)
            outcomes["error"] += 1
    assert outcomes["error"] > 100


def test_damaged_weight_size(path):
    model = small_model()
    model.graph.initializer[0].dims[0] = 1000
    path.write_bytes(model.SerializeToString())
    with pytest.raises(dlc.ModelError, match="4096 bytes of data, but its type needs 4000"):
        dlc.onnx.load(path)


# --- External data ----------------------------------------------------------------


def write_external(folder, size, location="w.bin", dims=(1024,), **entries):
    model = small_model()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    del tensor.dims[:]
    tensor.dims.extend(dims)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    if size is not None:
        (folder / "w.bin").write_bytes(np.arange(size // 4, dtype=np.float32).tobytes())
    return folder / "model.onnx"


def test_external_data(tmp_path):
    exe = dlc.onnx.load(write_external(tmp_path, 4096)).compile(threads=1)
    np.testing.assert_array_equal(exe(np.zeros((1, 1024), np.float32))[0][0], np.arange(1024))


def test_external_data_with_offset(tmp_path):
    exe = dlc.onnx.load(write_external(tmp_path, 8192, offset=4096, length=4096)).compile(threads=1)
    np.testing.assert_array_equal(exe(np.zeros((1, 1024), np.float32))[0][0],
                                  np.arange(1024, 2048))


@pytest.mark.parametrize("size, entries, message", [
    (None, {}, "w.bin' of tensor 'w' cannot be read: No such file"),
    (100, {}, "has 100 bytes of data"),
    (4096, {"offset": 4096, "length": 4096}, "needs the bytes 4096 to 8192 of"),
    (4096, {"offset": -4}, "needs the bytes"),
    (4096, {"offset": "many"}, "malformed offset"),
    (4096, {"location": "../w.bin"}, "not inside the model's folder"),
    (4096, {"location": "/etc/hostname"}, "not inside the model's folder"),
    (4096, {"location": ""}, "not inside the model's folder"),
])
def test_bad_external_data(tmp_path, size, entries, message):
    with pytest.raises(dlc.ModelError, match=message):
        dlc.onnx.load(write_external(tmp_path, size, **entries))


def test_two_gigabytes_are_not_read(tmp_path):
    """A sparse file of 2 GB: importing it reads none of it."""
    resource = pytest.importorskip("resource")
    nodes = [helper.make_node("Gather", ["w", "i"], ["y"])]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("i", TensorProto.INT64, ["N"])],
        [helper.make_tensor_value_info("y", F, ["N", 1024])],
    )
    tensor = TensorProto(name="w", data_type=F, dims=[524289, 1024],
                         data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="w.bin")
    graph.initializer.append(tensor)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    with open(tmp_path / "w.bin", "wb") as file:
        file.truncate(524289 * 4096)
        file.seek(524288 * 4096)
        file.write(np.ones(1024, np.float32).tobytes())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    exe = dlc.onnx.load(tmp_path / "model.onnx").compile(threads=1)
    (y,) = exe(np.array([0, 524288], np.int64))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    np.testing.assert_array_equal(y[:, 0], [0, 1])
    assert after - before < 400 * 1024


# --- Unsupported -------------------------------------------------------------------


def test_everything_unsupported_is_listed():
    nodes = [
        helper.make_node("StringNormalizer", ["x"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="skipped"),
        helper.make_node("Custom", ["x"], ["c"], name="second", domain="com.example"),
        helper.make_node("Mod", ["x", "x"], ["d"], name="third", fmod=0),
        helper.make_node("Add", ["d", "b"], ["y"], name="last"),
    ]
    model = make_model(nodes, {"x": np.zeros(2, np.float32)}, {"y": F})
    model.opset_import.add(domain="com.example", version=1)
    with pytest.raises(dlc.UnsupportedError) as info:
        dlc.onnx.load(model)
    found = [(issue.code, issue.op, issue.node) for issue in info.value.issues]
    assert ("DLC-E001", "StringNormalizer", "first") in found
    assert ("DLC-E001", "com.example:Custom", "second") in found
    assert ("DLC-E003", "Mod", "third") in found
    assert len(found) == 3
    assert "3 things" in str(info.value)


def test_input_without_rank():
    model = make_model([helper.make_node("Relu", ["x"], ["y"])], {"x": np.zeros(2, np.float32)},
                       {"y": F})
    model.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(dlc.UnsupportedError, match="DLC-E004.*has no shape"):
        dlc.onnx.load(model)


def test_string_input():
    model = make_model([helper.make_node("Identity", ["x"], ["y"])],
                       {"x": np.zeros(2, np.float32)}, {"y": TensorProto.STRING})
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.STRING
    with pytest.raises(dlc.UnsupportedError, match="DLC-E002.*STRING"):
        dlc.onnx.load(model)


def test_shapes_that_contradict():
    model = make_model([helper.make_node("Add", ["x", "z"], ["y"], name="sum")],
                       {"x": np.zeros(2, np.float32), "z": np.zeros(3, np.float32)}, {"y": F})
    with pytest.raises(dlc.UnsupportedError, match="DLC-E008 Add .node 'sum'.*broadcast"):
        dlc.onnx.load(model)


# --- Command line ------------------------------------------------------------------


def run(*args):
    return subprocess.run([sys.executable, "-m", "dlc", *map(str, args)], capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


@pytest.fixture
def x_file(tmp_path):
    np.save(tmp_path / "x.npy", np.full((2, 1024), -10, np.float32))
    return tmp_path / "x.npy"


def test_cli_run(path, x_file, tmp_path):
    result = run("run", path, "--input", f"x={x_file}", "--output-dir", tmp_path / "out",
                 "--expect-onnxruntime")
    assert result.returncode == 0, result.stderr
    assert "largest difference from ONNX Runtime 0" in result.stdout
    y = np.load(tmp_path / "out" / "y.npy")
    assert y.shape == (2, 1024)


def test_cli_inspect_and_compile(path):
    assert "input  x: float32[N, 1024]" in run("inspect", path).stdout
    result = run("compile", path)
    assert result.returncode == 0 and "compiled in" in result.stdout


@pytest.mark.parametrize("name, content", [
    ("x.npy", b"not numpy"), ("x.npy", b""), ("x.npy", None),
])
def test_cli_bad_npy(path, tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = run("run", path, "--input", f"x={tmp_path / name}")
    assert result.returncode == 4
    assert result.stderr.startswith("dlc: error:") and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("order, dtype", [("F", "<f4"), ("C", ">f4"), ("F", ">f4")])
def test_cli_npy_layouts(path, tmp_path, order, dtype):
    array = np.arange(2048).reshape(2, 1024).astype(dtype, order=order)
    np.save(tmp_path / "x.npy", array)
    result = run("run", path, "--input", tmp_path / "x.npy", "--output-dir", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"),
                                  array.astype(np.float32) + np.arange(1024, dtype=np.float32))


def test_cli_exit_codes(path, x_file, tmp_path):
    assert run("run", tmp_path / "none.onnx").returncode == 3
    assert run("run", path, "--input", f"z={x_file}").returncode == 4
    assert run("run", path).returncode == 4
    assert run("nonsense").returncode == 2
    (tmp_path / "file").write_text("")
    result = run("run", path, "--input", f"x={x_file}", "--output-dir", tmp_path / "file" / "out")
    assert result.returncode == 6
    np.save(tmp_path / "bad.npy", np.zeros((2, 3), np.float32))
    result = run("run", path, "--input", f"x={tmp_path / 'bad.npy'}", "--output-dir",
                 tmp_path / "out")
    assert result.returncode == 4
    assert os.listdir(tmp_path / "out") == []
