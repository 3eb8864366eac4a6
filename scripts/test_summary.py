"""One line over the JUnit reports of all test runners; exit code 1 unless tests ran and none failed."""

import sys
import xml.etree.ElementTree as ET


def count(path: str) -> tuple[int, int, int, list[str]]:
    """(passed, failed, skipped, names of the failed) of one report."""
    passed, skipped, failures = 0, 0, []
    for case in ET.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname', '')} {case.get('name', '')}".strip()
        # ctest marks what it could not start by status only.
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            failures.append(name)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, len(failures), skipped, failures


def main(paths: list[str]) -> int:
    passed = failed = skipped = 0
    broken = False
    for path in paths:
        try:
            p, f, s, failures = count(path)
        except (OSError, ET.ParseError) as error:
            print(f"error: cannot read the report {path}: {error}")
            broken = True
            continue
        passed, failed, skipped = passed + p, failed + f, skipped + s
        for name in failures:
            print(f"failed: {name}")
    # A runner that died without a report is a failure, not nothing.
    expected = {"lit", "pytest"} - {path.rsplit("/", 1)[-1].removesuffix(".xml") for path in paths}
    for name in sorted(expected):
        print(f"error: {name} left no report")
        broken = True
    failed += broken
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
