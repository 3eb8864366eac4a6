"""Every elementary function stays within its bound of ULP, with the right special values."""

import pytest

from numerics import functions
from numerics.measure import measure


@pytest.mark.parametrize("dtype", functions.DTYPES)
@pytest.mark.parametrize("function", functions.FUNCTIONS, ids=lambda f: f.name)
def test_error(function, dtype):
    result = measure(function, dtype, 128)
    assert result.worst <= function.bounds[dtype], (result.where, result.value)
