"""The command line of the package.

Exit codes: 0 success; 1 a comparison failed; 2 wrong use; 3 the model is missing, damaged or not
supported; 4 an input is wrong; 5 the run failed; 6 an output cannot be written.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time

import numpy as np

from dlc import errors

OK, DIFFERENT, USAGE, BAD_MODEL, BAD_INPUT, RUN_FAILED, NOT_WRITABLE = range(7)


class _Failure(Exception):
    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code


def main(argv=None) -> int:
    parser = _parser()
    args = parser.parse_args(argv)
    try:
        return args.function(args)
    except _Failure as error:
        print(f"dlc: error: {error}", file=sys.stderr)
        return error.code
    except errors.InputError as error:
        print(f"dlc: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except errors.RunError as error:
        print(f"dlc: error: {error}", file=sys.stderr)
        return RUN_FAILED
    except errors.Error as error:
        print(f"dlc: error: {error}", file=sys.stderr)
        return BAD_MODEL


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dlc", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="run|compile|inspect")
    run = commands.add_parser("run", help="compile a model and run it on .npy files")
    run.add_argument("model")
    run.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy",
                     help="an input; without a name when the model has one")
    run.add_argument("--random", metavar="NAME=2x3x224", action="append", default=[],
                     help="an input of this shape with random numbers, seed 0")
    run.add_argument("--output-dir", metavar="DIR", help="write each output as DIR/<name>.npy")
    run.add_argument("--threads", type=int, help="threads of one run (default: one per core)")
    run.add_argument("--expect-onnxruntime", action="store_true",
                     help="run ONNX Runtime too and print the largest difference")
    run.add_argument("--rtol", type=float, default=1e-3)
    run.add_argument("--atol", type=float, default=1e-4)
    run.add_argument("--benchmark", action="store_true", help="print times of repeated runs")
    run.set_defaults(function=_run)
    compile_ = commands.add_parser("compile", help="check that a model compiles; print the times")
    compile_.add_argument("model")
    compile_.add_argument("--mlir", metavar="FILE", help="write the dlc program, weights elided")
    compile_.set_defaults(function=_compile)
    inspect = commands.add_parser("inspect", help="print inputs, outputs and operators")
    inspect.add_argument("model")
    inspect.set_defaults(function=_inspect)
    return parser


def _load(path: str):
    import dlc.onnx

    return dlc.onnx.load(path)


def _run(args) -> int:
    if args.threads is not None and args.threads < 1:
        raise _Failure(USAGE, f"expected --threads to be positive, but got {args.threads}")
    _check_folder(args.output_dir)
    model = _load(args.model)
    inputs = _read_inputs(args, model)
    start = time.perf_counter()
    exe = model.compile(threads=args.threads)
    print(f"compiled in {time.perf_counter() - start:.2f} s")
    ordered = [inputs[name] for name in exe.input_names if name in inputs]
    missing = [str(i) for i in exe.inputs if i.name not in inputs]
    if missing:
        raise _Failure(BAD_INPUT, f"no value for: {'; '.join(missing)}")
    outputs = exe(*ordered)
    for name, value in zip(exe.output_names, outputs):
        print(f"{name}: {value.dtype}{list(value.shape)}{_summary(value)}")
    code = OK
    if args.expect_onnxruntime:
        code = _compare(args, exe, inputs, outputs)
    if args.benchmark:
        _benchmark(exe, ordered)
    if args.output_dir:
        _write_outputs(args.output_dir, exe.output_names, outputs)
    return code


def _summary(value) -> str:
    if value.size == 0 or value.dtype.kind not in "fiub":
        return ""
    return f" min {value.min():.6g} max {value.max():.6g} mean {value.mean():.6g}"


def _read_inputs(args, model) -> dict:
    names = model.input_names
    inputs = {}
    for option in args.input:
        name, path = _split(option, names)
        try:
            inputs[name] = np.load(path, allow_pickle=False)
        except OSError as error:
            raise _Failure(BAD_INPUT, f"cannot read '{path}': {error.strerror}") from None
        except (ValueError, EOFError) as error:
            raise _Failure(BAD_INPUT, f"'{path}' is not a .npy file: {error}") from None
        if not isinstance(inputs[name], np.ndarray):
            raise _Failure(BAD_INPUT, f"'{path}' holds several arrays; give one .npy file")
    random = np.random.default_rng(0)
    for option in args.random:
        name, text = _split(option, names)
        try:
            shape = [int(s) for s in text.split("x")] if text else []
        except ValueError:
            raise _Failure(USAGE, f"expected a shape such as 1x3x224, but got '{text}'") from None
        dtype = model.input_dtype(name)
        if dtype.kind in "iub":
            inputs[name] = random.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
        else:
            inputs[name] = random.standard_normal(shape).astype(dtype)
    return inputs


def _split(option: str, names: list[str]):
    """NAME=REST; the name may hold '=' and may be left out when there is one input."""
    for name in sorted(names, key=len, reverse=True):
        if option.startswith(name + "="):
            return name, option[len(name) + 1:]
    if len(names) == 1 and "=" not in option:
        return names[0], option
    raise _Failure(
        BAD_INPUT, f"'{option}' names no input; the inputs are: {', '.join(names) or 'none'}"
    )


def _compare(args, exe, inputs, outputs) -> int:
    try:
        import onnxruntime
    except ImportError:
        raise _Failure(USAGE, "--expect-onnxruntime needs the package onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(args.model, options, providers=["CPUExecutionProvider"])
    code = OK
    for name, got, want in zip(exe.output_names, outputs, session.run(None, inputs)):
        if got.shape != want.shape:
            print(f"{name}: shape {list(got.shape)}, ONNX Runtime has {list(want.shape)}")
            code = DIFFERENT
            continue
        if got.size == 0:
            print(f"{name}: both are empty")
            continue
        close = np.allclose(got, want, rtol=args.rtol, atol=args.atol, equal_nan=True)
        a, b = np.asarray(got, np.float64), np.asarray(want, np.float64)
        difference = np.nanmax(np.where(a == b, 0.0, np.abs(a - b)))
        print(f"{name}: largest difference from ONNX Runtime {difference:.3g}"
              f"{'' if close else ' (too large)'}")
        code = code if close else DIFFERENT
    return code


def _benchmark(exe, inputs) -> None:
    for _ in range(3):
        exe(*inputs)
    times, begin = [], time.perf_counter()
    while len(times) < 10 or (time.perf_counter() - begin < 2 and len(times) < 1000):
        start = time.perf_counter()
        exe(*inputs)
        times.append((time.perf_counter() - start) * 1e3)
    low, middle, high = np.percentile(times, [10, 50, 90])
    print(f"{len(times)} runs: median {middle:.3f} ms, 10th {low:.3f} ms, 90th {high:.3f} ms")


def _check_folder(folder) -> None:
    """Before the work is done, not after."""
    if folder is None:
        return
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _Failure(NOT_WRITABLE, f"cannot write to '{folder}': {error.strerror}") from None


def _file_name(name: str) -> str:
    return "".join(ch if ch.isalnum() or ch in "._-" else "_" for ch in name) or "output"


def _write_outputs(folder, names, outputs) -> None:
    """All outputs or none: temporary files are renamed when every one is complete."""
    pending = []
    try:
        for name, value in zip(names, outputs):
            target = os.path.join(folder, _file_name(name) + ".npy")
            handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
            pending.append((temporary, target))
            with os.fdopen(handle, "wb") as file:
                np.save(file, value)
        for temporary, target in pending:
            os.replace(temporary, target)
    except OSError as error:
        for temporary, _ in pending:
            if os.path.exists(temporary):
                os.unlink(temporary)
        raise _Failure(NOT_WRITABLE, f"cannot write to '{folder}': {error.strerror}") from None


def _compile(args) -> int:
    model = _load(args.model)
    if args.mlir:
        try:
            with open(args.mlir, "w") as file:
                file.write(model.mlir())
        except OSError as error:
            raise _Failure(
                NOT_WRITABLE, f"cannot write '{args.mlir}': {error.strerror}"
            ) from None
    exe = model.compile()
    times = exe.compile_times
    print(f"compiled in {sum(times.values()):.0f} ms: "
          + ", ".join(f"{name} {value:.0f}" for name, value in times.items()))
    return OK


def _inspect(args) -> int:
    import collections

    model = _load(args.model)
    for info in model.inputs:
        print(f"input  {info}")
    for info in model.outputs:
        print(f"output {info}")
    counts = collections.Counter(op.name for op in model.graph.operations)
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    return OK
