"""The exceptions of the package. All derive from `dlc.Error`."""

from __future__ import annotations

from dataclasses import dataclass


class Error(Exception):
    """Base class of every error that dlc raises on purpose."""


class CompileError(Error):
    """The compiler refused a program.

    `diagnostics` is a list of dicts with the keys `severity`, `message`,
    `location`, `node` (the front end's name of the node) and `notes`.
    """

    def __init__(self, message: str, diagnostics: list | None = None):
        super().__init__(message)
        self.message = message
        self.diagnostics = list(diagnostics or [])

    def __str__(self) -> str:
        lines = [self.message]
        for entry in self.diagnostics:
            if entry["severity"] not in ("error", "warning"):
                continue
            if entry["message"] not in self.message:
                lines.append(f"  {entry['severity']}: {entry['message']}")
            if entry["location"] not in ("loc(unknown)", ""):
                lines.append(f"  at {entry['location']}")
            lines += [f"  note: {note}" for note in entry["notes"]]
        return "\n".join(lines)


class ModelError(Error):
    """A model file is missing, damaged or not valid ONNX."""


class InputError(Error, ValueError):
    """An input of a call has the wrong count, name, element type or shape."""


class RunError(Error):
    """A compiled program stopped with an error, or reported one."""


@dataclass(frozen=True)
class Issue:
    """One thing in a model that dlc does not support."""

    code: str
    op: str
    node: str
    detail: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.code} {self.op} (node '{self.node}'): {self.detail}"
        return f"{text}; {self.hint}" if self.hint else text


# The stable codes of `Issue`. docs/python.md explains each.
UNKNOWN_OP = "DLC-E001"
ELEMENT_TYPE = "DLC-E002"
ATTRIBUTE = "DLC-E003"
UNKNOWN_RANK = "DLC-E004"
NON_TENSOR = "DLC-E005"
OPSET = "DLC-E006"
DYNAMIC = "DLC-E007"
NOT_VALID = "DLC-E008"


class UnsupportedError(Error):
    """The model needs something that dlc lacks; `issues` lists all of it."""

    def __init__(self, issues: list[Issue]):
        self.issues = list(issues)
        count = len(self.issues)
        head = f"the model needs {count} thing{'s' if count != 1 else ''} that dlc does not support:"
        super().__init__("\n".join([head] + [f"  {issue}" for issue in self.issues]))
