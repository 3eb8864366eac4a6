"""Runs the ONNX node tests: `python -m conformance [--mode M] [--filter REGEX] [--output FILE]`.

Results are kept in a JSON-lines file, so that an interrupted run continues where it stopped; delete the
file, or pass --restart, to run everything again. Exits with 1 if a test that the baseline file lists as
passing does not pass.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import sys
import time

import onnx

from . import cases, report, runner

BASELINE = pathlib.Path(__file__).parent / "baseline.txt"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("--mode", action="append", choices=cases.MODES, help="default: all three")
    parser.add_argument("--filter", default="", help="run the tests whose name matches this expression")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("conformance.jsonl"))
    parser.add_argument("--restart", action="store_true", help="forget the results of an earlier run")
    parser.add_argument("--output", type=pathlib.Path, help="write the table here, as Markdown")
    parser.add_argument("--junit", type=pathlib.Path, help="write a JUnit report here")
    parser.add_argument("--update-baseline", action="store_true", help="record what passes now")
    return parser.parse_args()


def load_results(path: pathlib.Path):
    if not path.exists():
        return []
    return [runner.Result(**json.loads(line)) for line in path.read_text().splitlines()]


def read_baseline() -> set[tuple[str, str]]:
    if not BASELINE.exists():
        return set()
    lines = (line for line in BASELINE.read_text().splitlines() if line and not line.startswith("#"))
    return {(mode, name) for mode, name in (line.split() for line in lines)}


def main() -> int:
    arguments = parse_arguments()
    if arguments.restart:
        arguments.results.unlink(missing_ok=True)
    results = load_results(arguments.results)
    done = {(r.name, r.mode) for r in results}
    tasks = [
        (name, mode)
        for mode in arguments.mode or cases.MODES
        for name in cases.collect()
        if re.search(arguments.filter, name) and (name, mode) not in done
    ]
    start = time.monotonic()
    with arguments.results.open("a") as log:
        for count, result in enumerate(runner.run(tasks, arguments.jobs, arguments.target), 1):
            results.append(result)
            log.write(json.dumps(dataclasses.asdict(result)) + "\n")
            log.flush()
            if count % 100 == 0 or count == len(tasks):
                print(f"{count}/{len(tasks)} in {time.monotonic() - start:.0f} s", flush=True)
    for mode, count in report.totals(results).items():
        print(mode + ": " + ", ".join(f"{count[o]} {o}" for o in report.OUTCOMES if count[o]))
    if arguments.output:
        text = report.to_markdown(results, arguments.target, onnx.__version__)
        arguments.output.write_text(text)
    if arguments.junit:
        arguments.junit.write_bytes(report.to_junit(results, read_baseline()))
    passed = {(r.mode, r.name) for r in results if r.outcome == "pass"}
    ran = {(r.mode, r.name) for r in results}
    lost = sorted((read_baseline() & ran) - passed)
    for mode, name in lost:
        print(f"no longer passes: {name} ({mode})")
    if arguments.update_baseline:
        kept = sorted((read_baseline() - ran) | passed)
        header = "# Node tests that pass: mode and name. Written by --update-baseline.\n"
        BASELINE.write_text(header + "".join(f"{mode} {name}\n" for mode, name in kept))
        return 0
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
