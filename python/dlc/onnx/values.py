"""ONNX values during import: tensors, constants, and shape values.

Models compute shapes with small integer tensors. Those never become tensors here: a shape value is a
NumPy array of objects whose elements are Python ints or `Dim`s, polynomials over the run-time sizes,
so that NumPy itself evaluates Gather, Slice, Concat and arithmetic on them, and so that two sizes
that are the same expression are known to be equal.
"""

from __future__ import annotations

import numpy as np

# Shape values and folded constants have at most this many elements.
SHAPE_VALUE_LIMIT = 1024


class Dim:
    """A run-time integer: a polynomial over atoms, in canonical form.

    `poly` is a sorted tuple of (monomial, coefficient), a monomial a sorted tuple of atom numbers.
    """

    __slots__ = ("ctx", "poly")

    def __init__(self, ctx: "DimContext", poly: tuple):
        self.ctx = ctx
        self.poly = poly

    @staticmethod
    def _make(ctx, terms: dict):
        poly = tuple(sorted((m, c) for m, c in terms.items() if c))
        if not poly:
            return 0
        if len(poly) == 1 and poly[0][0] == ():
            return poly[0][1]
        return Dim(ctx, poly)

    def _terms(self, other):
        if isinstance(other, Dim):
            return dict(other.poly)
        if isinstance(other, (int, np.integer)):
            return {(): int(other)}
        return None

    def _combine(self, other, sign):
        theirs = self._terms(other)
        if theirs is None:
            return NotImplemented
        terms = dict(self.poly)
        for monomial, factor in theirs.items():
            terms[monomial] = terms.get(monomial, 0) + sign * factor
        return Dim._make(self.ctx, terms)

    def __add__(self, other):
        return self._combine(other, 1)

    __radd__ = __add__

    def __sub__(self, other):
        return self._combine(other, -1)

    def __rsub__(self, other):
        return (self * -1) + other

    def __neg__(self):
        return self * -1

    def __mul__(self, other):
        theirs = self._terms(other)
        if theirs is None:
            return NotImplemented
        terms = {}
        for m1, c1 in self.poly:
            for m2, c2 in theirs.items():
                monomial = tuple(sorted(m1 + m2))
                terms[monomial] = terms.get(monomial, 0) + c1 * c2
        return Dim._make(self.ctx, terms)

    __rmul__ = __mul__

    def __eq__(self, other):
        if isinstance(other, Dim):
            return self.poly == other.poly
        return False

    def __hash__(self):
        return hash(self.poly)

    def __bool__(self):
        raise TypeError("the value of a run-time size is not known")

    def __repr__(self):
        return "Dim" + repr(self.poly)


class DimContext:
    """Atoms of the run-time sizes, and how each is computed in the program."""

    def __init__(self, importer):
        self.importer = importer
        self._numbers: dict = {}
        self._emitters: list = []

    def atom(self, key, emit) -> Dim:
        """The atom `key`; `emit()` gives its index tensor at the insertion point."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._emitters)
            self._emitters.append(emit)
        return Dim(self, (((number,), 1),))

    def of(self, tensor, axis: int) -> Dim:
        """The run-time size of an axis of a tensor."""

        def emit():
            index = self.importer.graph.scalar(axis)
            return self.importer.graph.add_op("tensor.dim", [tensor, index])

        return self.atom(("dim", tensor, axis), emit)

    def value(self, tensor) -> Dim:
        """A scalar index of the program as a Dim."""
        return self.atom(("value", tensor), lambda: tensor)

    # --- Arithmetic that polynomials lack ------------------------------------

    def div(self, a, b):
        """Integer division that truncates, as in ONNX."""
        if _is_int(a) and _is_int(b):
            return 0 if b == 0 else int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
        if _is_int(b) and b in (0, 1):
            return a if b else 0
        exact = self._divide_exactly(a, b)
        if exact is not None:
            return exact
        return self.atom(("div", a, b), lambda: self._arith("arith.divsi", a, b))

    def _divide_exactly(self, a, b):
        """a / b when b is one term that divides every term of a."""
        if isinstance(b, Dim):
            if len(b.poly) != 1:
                return 1 if a == b else None
            divisor, factor = b.poly[0]
        else:
            divisor, factor = (), b
        if not isinstance(a, Dim):
            return None
        terms = {}
        for monomial, coefficient in a.poly:
            rest = list(monomial)
            for atom in divisor:
                if atom not in rest:
                    return None
                rest.remove(atom)
            if coefficient % factor:
                return None
            terms[tuple(rest)] = coefficient // factor
        return Dim._make(self, terms)

    def mod(self, a, b):
        if _is_int(a) and _is_int(b):
            return int(a) % int(b) if b else 0
        return self.atom(("mod", a, b), lambda: self._arith("arith.remsi", a, b))

    def maximum(self, a, b):
        if _is_int(a) and _is_int(b):
            return max(a, b)
        return a if a == b else self.atom(("max", a, b), lambda: self._arith("arith.maxsi", a, b))

    def minimum(self, a, b):
        if _is_int(a) and _is_int(b):
            return min(a, b)
        return a if a == b else self.atom(("min", a, b), lambda: self._arith("arith.minsi", a, b))

    def select(self, predicate: int, a, b, on_true, on_false):
        """`on_true` when arith.cmpi predicate holds for a and b, else `on_false`."""
        if on_true == on_false and type(on_true) is type(on_false):
            return on_true

        def emit():
            graph = self.importer.graph
            condition = graph.add_op(
                "arith.cmpi", [self.index(a), self.index(b)], {"predicate": predicate}
            )
            return graph.add_op(
                "arith.select", [condition, self.index(on_true), self.index(on_false)]
            )

        return self.atom(("select", predicate, a, b, on_true, on_false), emit)

    def broadcast(self, a, b):
        """The size of two dimensions broadcast together."""
        if _is_int(a):
            a, b = b, a
        if _is_int(b):
            if b == 1 or (_is_int(a) and a != 1):
                return a
            return b
        return a if a == b else self.select(EQ, a, 1, b, a)

    # --- Emission -------------------------------------------------------------

    def index(self, size):
        """The index tensor of an int or Dim at the insertion point."""
        scopes = self.importer.scopes
        key = ("index", size if isinstance(size, Dim) else int(size))
        for scope in scopes:
            if key in scope:
                return scope[key]
        result = self._emit(size)
        scopes[-1][key] = result
        return result

    def mixed(self, sizes) -> list:
        """Sizes as ints and index tensors, for the mixed lists of ops."""
        return [int(s) if _is_int(s) else self.index(s) for s in sizes]

    def _atom_index(self, number):
        scopes = self.importer.scopes
        for scope in scopes:
            if ("atom", number) in scope:
                return scope[("atom", number)]
        result = self._emitters[number]()
        scopes[-1][("atom", number)] = result
        return result

    def _emit(self, size):
        graph = self.importer.graph
        if _is_int(size):
            return graph.scalar(int(size))
        total = None
        for monomial, coefficient in size.poly:
            product = None
            for number in monomial:
                factor = self._atom_index(number)
                product = factor if product is None else graph.add_op(
                    "arith.muli", [product, factor]
                )
            if product is None:
                product = self.index(coefficient)
            elif coefficient != 1:
                product = graph.add_op("arith.muli", [product, self.index(coefficient)])
            total = product if total is None else graph.add_op("arith.addi", [total, product])
        return total

    def _arith(self, name, a, b):
        return self.importer.graph.add_op(name, [self.index(a), self.index(b)])


# Predicates of arith.cmpi.
EQ, NE, SLT, SLE, SGT, SGE = range(6)


def _is_int(value) -> bool:
    return isinstance(value, (int, np.integer))


class Val:
    """A value of the ONNX graph.

    `data` is the constant as a NumPy array, or a shape value as an array of objects, or None;
    `dtype` is dlc's element type; `shape` a list of ints and Dims.
    """

    __slots__ = ("importer", "dtype", "data", "shape", "_tensor", "poison")

    def __init__(self, importer, dtype, shape, tensor=None, data=None, poison=False):
        self.importer = importer
        self.dtype = dtype
        self.shape = list(shape)
        self.data = data
        self._tensor = tensor
        self.poison = poison

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_constant(self) -> bool:
        return self.data is not None and self.data.dtype != object

    def objects(self) -> np.ndarray | None:
        """The value as an array of ints and Dims; None when it is not a shape value."""
        if self.data is None:
            return None
        if self.data.dtype == object:
            return self.data
        if self.data.dtype.kind not in "iub" or self.data.size > SHAPE_VALUE_LIMIT:
            return None
        return self.data.astype(object)

    def tensor(self):
        """The value as a Tensor of the program, made at its first use in a scope."""
        if self._tensor is not None:
            return self._tensor
        key = ("val", id(self))
        for scope in self.importer.scopes:
            if key in scope:
                return scope[key][0]
        result = self._materialise()
        # The value is kept with its tensor so that its id is not taken by another.
        self.importer.scopes[-1][key] = (result, self)
        return result

    def _materialise(self):
        graph = self.importer.graph
        if self.data.dtype != object:
            return graph.constant(self.data)
        return self.importer.from_objects(self.data, self.dtype)
