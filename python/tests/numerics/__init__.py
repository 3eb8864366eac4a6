"""How far the results of floating-point operations are from the exact ones.

    python -m numerics > docs/numerics.md      (in python/tests, dlc importable)
"""
