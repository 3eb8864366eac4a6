"""Compiling a module and calling the result."""

from __future__ import annotations

from dlc.errors import CompileError


class Executable:
    """A compiled program."""


def compile_module(module, entry: str, target: str, **options) -> Executable:
    raise CompileError("not available in this build")


def compile(model, target: str = "cpu", **options) -> Executable:
    """Compiles a Graph or an imported model."""
    return model.compile(target=target, **options)
