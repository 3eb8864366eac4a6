"""Runs node tests in DLC, in worker processes that may crash or hang without harm.

Outcomes: `pass`; `wrong` (a value, shape or type differs); `unsupported` (refused by DLC with a
support code: never a pass); `error` (any other exception); `crash`; `timeout`.
"""

import dataclasses
import multiprocessing
import time

import numpy as np

from . import cases

TIMEOUT_SECONDS = 60.0


@dataclasses.dataclass
class Result:
    """What happened to one case in one mode."""

    name: str
    mode: str
    outcome: str
    reason: str = ""
    seconds: float = 0.0


def compare(actual, expected, rtol: float, atol: float) -> str:
    """An empty string if `actual` agrees with `expected`, else what differs first."""
    if isinstance(expected, (list, tuple)):
        if not isinstance(actual, (list, tuple)) or len(actual) != len(expected):
            return f"expected a sequence of {len(expected)}, got {type(actual).__name__}"
        for a, e in zip(actual, expected):
            if difference := compare(a, e, rtol, atol):
                return difference
        return ""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype != expected.dtype:
        return f"expected dtype {expected.dtype}, got {actual.dtype}"
    if actual.shape != expected.shape:
        return f"expected shape {expected.shape}, got {actual.shape}"
    # ml_dtypes' small floats have no isclose of their own.
    wide = np.float64 if expected.dtype.kind not in "biu" else None
    a, e = (actual.astype(wide), expected.astype(wide)) if wide else (actual, expected)
    close = np.isclose(a, e, rtol=rtol, atol=atol, equal_nan=True) if wide else a == e
    if np.all(close):
        return ""
    index = tuple(int(i) for i in np.argwhere(~np.atleast_1d(close))[0])
    return (
        f"{int(np.sum(~close))} of {close.size} elements differ, first at {index}: "
        f"expected {np.atleast_1d(expected)[index]}, got {np.atleast_1d(actual)[index]}"
    )


# The values of these ops are the implementation's choice; the suite's own runner checks them no
# further than this either.
_RANDOM_OPS = {
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli",
}


def run_case(case: cases.Case, mode: str, target: str) -> tuple[str, str]:
    """Compiles and runs `case`; returns (outcome, reason)."""
    import dlc

    try:
        for model, inputs, expected in cases.instances(case, mode):
            executable = dlc.onnx.load(model).compile(target=target, threads=1)
            actual = executable(*inputs)
            actual = list(actual) if isinstance(actual, (list, tuple)) else [actual]
            if len(actual) != len(expected):
                return "wrong", f"expected {len(expected)} outputs, got {len(actual)}"
            if any(node.op_type in _RANDOM_OPS for node in case.model.graph.node):
                expected = [
                    a if a.shape == np.shape(e) and a.dtype == np.asarray(e).dtype else e
                    for a, e in zip(actual, expected)
                ]
            for name, a, e in zip(executable.output_names, actual, expected):
                if difference := compare(a, e, case.rtol, case.atol):
                    return "wrong", f"output {name}: {difference}"
        return "pass", ""
    except dlc.UnsupportedError as error:
        return "unsupported", str(error).strip()
    except Exception as error:  # pylint: disable=broad-except
        return "error", f"{type(error).__name__}: {error}".strip()


def _worker(connection, target: str):
    known = cases.collect()
    while (task := connection.recv()) is not None:
        name, mode = task
        start = time.monotonic()
        outcome, reason = run_case(known[name], mode, target)
        connection.send(Result(name, mode, outcome, reason, time.monotonic() - start))


class _Process:
    """One worker process and the task that it is on."""

    def __init__(self, context, target):
        self.connection, child = context.Pipe()
        self.process = context.Process(target=_worker, args=(child, target), daemon=True)
        self.process.start()
        child.close()
        self.task = None
        self.started = 0.0

    def give(self, task):
        self.task, self.started = task, time.monotonic()
        self.connection.send(task)

    def take(self):
        """The result of the current task, or None while it is still running."""
        seconds = time.monotonic() - self.started
        try:
            if self.connection.poll(0.0):
                result, self.task = self.connection.recv(), None
                return result
        except EOFError:
            self.process.join()
            return Result(*self.task, "crash", f"exit code {self.process.exitcode}", seconds)
        if seconds > TIMEOUT_SECONDS:
            self.process.kill()
            return Result(*self.task, "timeout", f"no answer in {TIMEOUT_SECONDS:.0f} s", seconds)
        return None


def run(tasks, jobs: int, target: str = "cpu"):
    """Yields a `Result` for each (name, mode) of `tasks`, in the order of completion."""
    tasks = list(tasks)[::-1]
    # Not fork: the compiler's threads do not survive it.
    context = multiprocessing.get_context("spawn")
    workers = [_Process(context, target) for _ in range(min(jobs, len(tasks)))]
    try:
        while tasks or any(w.task for w in workers):
            waiting = [w for w in workers if w.task]
            multiprocessing.connection.wait([w.connection for w in waiting], timeout=0.5)
            for i, worker in enumerate(workers):
                if worker.task and (result := worker.take()):
                    yield result
                    if result.outcome in ("crash", "timeout"):
                        workers[i] = worker = _Process(context, target)
                if not worker.task and tasks:
                    worker.give(tasks.pop())
    finally:
        for worker in workers:
            worker.process.kill()
