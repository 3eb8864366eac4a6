"""Compiling a module and calling the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dlc import _dlc, dtypes
from dlc.errors import CompileError, InputError


@dataclass(frozen=True)
class TensorInfo:
    """An input or output: `shape` has None and `dims` a name (or "") where a size is dynamic."""

    name: str
    dtype: str
    shape: tuple
    dims: tuple

    def __str__(self) -> str:
        labels = self.dims or ("",) * len(self.shape)
        sizes = [str(s) if s is not None else d or "?" for s, d in zip(self.shape, labels)]
        return f"{self.name}: {self.dtype}[{', '.join(sizes)}]"


class Executable:
    """A compiled program.

    Call it with the inputs in order or by name; it returns the outputs in order, as NumPy arrays
    that own their memory. Inputs may be NumPy arrays or anything with DLPack on the CPU; they are
    only read and, where contiguous, never copied. Any number of threads may call at once.
    """

    def __init__(self, handle, entry: str, threads: int | None):
        self._handle = handle
        self._entry = entry
        self.threads = threads
        self.inputs = [TensorInfo(*item) for item in handle.inputs(entry)]
        self.outputs = [TensorInfo(*item) for item in handle.outputs(entry)]

    @property
    def input_names(self) -> list[str]:
        return [info.name for info in self.inputs]

    @property
    def output_names(self) -> list[str]:
        return [info.name for info in self.outputs]

    @property
    def compile_times(self) -> dict:
        """Milliseconds of each part of the compilation."""
        return self._handle.compile_times

    def __call__(self, *args, **kwargs) -> list[np.ndarray]:
        values = self._bind(args, kwargs)
        views, holders = [], []
        sizes: dict = {}
        for info, value in zip(self.inputs, values):
            view, holder = _view(info, value)
            _check_shape(info, view[2], sizes)
            views.append(view)
            holders.append(holder)
        results = self._handle.run(self._entry, views, self.threads or 0)
        del holders
        return [_array(*result) for result in results]

    def _bind(self, args, kwargs) -> list:
        names = self.input_names
        if len(args) > len(names):
            raise InputError(f"expected {_count(len(names), 'input')} ({', '.join(names)}), "
                             f"but got {len(args)}")
        bound = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names:
                raise InputError(f"there is no input '{name}'; the inputs are: {', '.join(names)}")
            if name in bound:
                raise InputError(f"input '{name}' is given twice")
            bound[name] = value
        missing = [name for name in names if name not in bound]
        if missing:
            raise InputError(f"expected {_count(len(names), 'input')}, but got {len(bound)}: "
                             f"missing {', '.join(missing)}")
        return [bound[name] for name in names]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _view(info: TensorInfo, value):
    """(address, dtype, shape, strides in elements) of an input, and what keeps it alive."""
    if isinstance(value, (list, tuple, int, float)):
        value = _from_list(info, value)
    if not isinstance(value, (np.ndarray, np.generic)):
        return _view_dlpack(info, value)
    array = np.asarray(value)
    if array.dtype.name != info.dtype:
        raise InputError(
            f"expected input '{info.name}' to have element type {info.dtype}, "
            f"but got {array.dtype.name}"
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    item = array.itemsize
    if not array.flags.aligned or any(stride % item for stride in array.strides):
        array = np.ascontiguousarray(array).copy()
    strides = tuple(stride // item for stride in array.strides)
    return (array.__array_interface__["data"][0], info.dtype, array.shape, strides), array


def _from_list(info, value):
    try:
        return np.asarray(value, _numpy_dtype(info.dtype))
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"input '{info.name}' is not a {info.dtype} array: {error}") from None


def _view_dlpack(info, value):
    if not hasattr(value, "__dlpack__"):
        raise InputError(
            f"expected input '{info.name}' to be a NumPy array or a DLPack object, "
            f"but got {type(value).__name__}"
        )
    try:
        borrowed = _dlc.borrow(value)
    except TypeError:
        raise InputError(
            f"input '{info.name}' is not readable through DLPack on the CPU"
        ) from None
    address, dtype, shape, strides = borrowed.view
    if dtype != info.dtype:
        raise InputError(
            f"expected input '{info.name}' to have element type {info.dtype}, but got {dtype}"
        )
    return (address, dtype, shape, strides), borrowed


def _check_shape(info: TensorInfo, shape: tuple, sizes: dict) -> None:
    if len(shape) != len(info.shape):
        raise InputError(
            f"expected input '{info.name}' to have rank {len(info.shape)}, "
            f"but got rank {len(shape)} (shape {tuple(shape)})"
        )
    for axis, (got, want) in enumerate(zip(shape, info.shape)):
        if want is not None:
            if got != want:
                raise InputError(
                    f"expected dimension {axis} of input '{info.name}' to be {want}, but got {got}"
                )
            continue
        name = info.dims[axis] if axis < len(info.dims) else ""
        if not name:
            continue
        first = sizes.setdefault(name, (got, info.name, axis))
        if first[0] != got:
            raise InputError(
                f"expected dimension {axis} of input '{info.name}' to be {first[0]} like dimension "
                f"{first[2]} of input '{first[1]}' (both are '{name}'), but got {got}"
            )


def _numpy_dtype(name: str) -> np.dtype:
    if name == "bool" or hasattr(np, name):
        return np.dtype(name)
    return np.dtype(getattr(dtypes.ml_dtypes, name))


def _array(data, dtype: str, shape: tuple) -> np.ndarray:
    if data is None:
        return np.empty(shape, _numpy_dtype(dtype))
    return data.view(_numpy_dtype(dtype)).reshape(shape)


def compile_module(
    module,
    entry: str,
    target: str = "cpu",
    *,
    threads: int | None = None,
    cpu: str = "native",
    opt_level: int = 3,
    stage: str = "llvm",
) -> Executable:
    """Compiles function `entry` of a module.

    `threads` is the number of threads of one call, by default one per core; `cpu` an LLVM processor
    name, "native" or a level such as "x86-64-v3"; `stage` the last of dlc's own stages.
    """
    if target != "cpu":
        raise CompileError(f"expected target to be 'cpu', but got '{target}'")
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise CompileError(f"expected threads to be a positive integer, but got {threads!r}")
    return Executable(_dlc.compile(module, cpu, opt_level, stage), entry, threads)


def compile(model, target: str = "cpu", **options) -> Executable:
    """Compiles a Graph or an imported model; options as for `compile_module`."""
    return model.compile(target=target, **options)
