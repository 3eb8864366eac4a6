"""The conformance table: totals, one row per operator and element type, and every test that does not pass."""

import collections
import re
import xml.etree.ElementTree as ET

from . import cases

OUTCOMES = ("pass", "wrong", "unsupported", "error", "crash", "timeout")


def _clean(reason: str) -> str:
    line = " ".join(reason.split())
    return re.sub(r"\|", "/", line if len(line) <= 160 else line[:157] + "...")


def totals(results) -> dict[str, collections.Counter]:
    """Counts of outcomes per mode."""
    counts = {}
    for r in results:
        counts.setdefault(r.mode, collections.Counter())[r.outcome] += 1
    return counts


def to_markdown(results, target: str, onnx_version: str) -> str:
    """The page `docs/conformance.md`."""
    known = cases.collect()
    lines = [
        "# ONNX conformance",
        "",
        f"The backend node tests of onnx {onnx_version} ({len(known)} tests, ai.onnx and what else the suite holds),",
        f"target `{target}`. Written by `python -m conformance` in `python/tests`. An unsupported test is not a pass.",
        "",
        "| run | " + " | ".join(OUTCOMES) + " | passing |",
        "|---|" + "---:|" * (len(OUTCOMES) + 1),
    ]
    for mode, count in totals(results).items():
        share = 100.0 * count["pass"] / max(1, sum(count.values()))
        lines.append(f"| {mode} | " + " | ".join(str(count[o]) for o in OUTCOMES) + f" | {share:.1f} % |")
    lines += ["", "## By operator and element type (pass / wrong / unsupported / other)", ""]
    modes = list(totals(results))
    lines += ["| operator | type | " + " | ".join(modes) + " |", "|---|---|" + "---|" * len(modes)]
    rows = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for r in results:
        rows[known[r.name].op_type, known[r.name].dtype][r.mode][r.outcome] += 1
    for (op, dtype), by_mode in sorted(rows.items()):
        cells = []
        for mode in modes:
            c = by_mode[mode]
            cells.append(f"{c['pass']} / {c['wrong']} / {c['unsupported']} / {c['error'] + c['crash'] + c['timeout']}")
        lines.append(f"| {op} | {dtype} | " + " | ".join(cells) + " |")
    lines += ["", "## Tests that do not pass", "", "| test | run | outcome | reason |", "|---|---|---|---|"]
    for r in sorted(results, key=lambda r: (r.outcome, r.name, r.mode)):
        if r.outcome != "pass":
            lines.append(f"| {r.name} | {r.mode} | {r.outcome} | {_clean(r.reason)} |")
    return "\n".join(lines) + "\n"


def to_junit(results, baseline: set[tuple[str, str]]) -> bytes:
    """A JUnit report: what the baseline lists has to pass; what never passed is skipped."""
    suite = ET.Element("testsuite", name="conformance")
    for r in results:
        case = ET.SubElement(suite, "testcase", classname=f"conformance.{r.mode}", name=r.name,
                             time=f"{r.seconds:.3f}")
        if r.outcome == "pass":
            continue
        kind = "failure" if (r.mode, r.name) in baseline else "skipped"
        ET.SubElement(case, kind, message=f"{r.outcome}: {_clean(r.reason)}")
    return ET.tostring(suite)
