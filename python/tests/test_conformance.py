"""A fixed part of the ONNX node tests: every twelfth of those that the baseline lists as passing.

The whole suite is `scripts/test --full`, or `python -m conformance` in this folder.
"""

import pytest
from conformance import __main__ as main
from conformance import cases, runner

SUBSET = sorted(main.read_baseline())[::12]


def test_the_baseline_is_there():
    assert len(SUBSET) > 250


@pytest.mark.parametrize("mode, name", SUBSET)
def test_node(mode, name):
    known = cases.collect()
    if name not in known:
        pytest.skip(f"this onnx package has no test {name}")
    assert runner.run_case(known[name], mode, "cpu") == ("pass", "")
