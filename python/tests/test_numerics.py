"""Every elementary function stays within its bound of ULP, with the right special values."""

import platform

import pytest

from numerics import functions
from numerics.measure import measure


@pytest.mark.parametrize("dtype", functions.DTYPES)
@pytest.mark.parametrize("function", functions.FUNCTIONS, ids=lambda f: f.name)
def test_error(function, dtype):
    result = measure(function, dtype, 128)
    assert result.worst <= function.bounds[dtype], (result.where, result.value)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names x86 processors")
@pytest.mark.parametrize("cpu", ["generic", "x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("dtype", functions.DTYPES)
@pytest.mark.parametrize("name", ["divf", "sqrt", "exp", "sin", "powf"])
def test_older_processor(name, dtype, cpu):
    function = functions.BY_NAME[name]
    result = measure(function, dtype, 32, cpu=cpu)
    assert result.worst <= function.bounds[dtype], (result.where, result.value)
