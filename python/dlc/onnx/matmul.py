"""Handlers of matrix products."""

from __future__ import annotations

import string

from dlc import errors
from dlc.onnx.importer import Unsupported, handler
from dlc.onnx.movement import transpose_to
from dlc.onnx.nn import minus_zero_point
from dlc.onnx.reduction import reduce
from dlc.onnx.values import Dim



def matmul_shape(c, a, b):
    """The result shape of NumPy's matmul, and the operands with equal batch dimensions."""
    if a.rank == 0 or b.rank == 0:
        raise Unsupported(errors.NOT_VALID, "a matrix product of a scalar")
    batch = []
    rank = max(a.rank, b.rank) - 2
    for axis in range(max(rank, 0)):
        size = 1
        for value in (a, b):
            position = axis - rank + value.rank - 2
            if value.rank > 2 and position >= 0:
                size = c.dims.broadcast(size, value.shape[position])
        batch.append(size)
    rows = [a.shape[-2]] if a.rank > 1 else []
    columns = [b.shape[-1]] if b.rank > 1 else []
    return batch, [*batch, *rows, *columns]


def matmul(c, a, b, dtype=None, attrs=None):
    batch, shape = matmul_shape(c, a, b)
    a, b = _expand_batch(c, a, batch), _expand_batch(c, b, batch)
    return c.explicit("matmul", [a, b], attrs or {}, shape=shape, dtype=dtype or a.dtype)


def _expand_batch(c, value, batch):
    """Dynamic batch dimensions that may be 1 at run time are broadcast explicitly."""
    target = list(value.shape)
    for axis in range(value.rank - 2):
        size = batch[len(batch) - (value.rank - 2) + axis]
        if isinstance(value.shape[axis], Dim) and not value.shape[axis] == size:
            target[axis] = size
    if all(isinstance(a, Dim) == isinstance(b, Dim) and a == b
           for a, b in zip(target, value.shape)):
        return value
    return c.op("broadcast", [value], mixed={"sizes": target}, shape=target)


@handler("MatMul")
def matmul_(c, n):
    return matmul(c, *n.inputs)


@handler("MatMulInteger")
def matmul_integer(c, n):
    a, b = n.inputs[:2]
    a = minus_zero_point(c, a, n.input(2), channel_axis=a.rank - 2)
    b = minus_zero_point(c, b, n.input(3), channel_axis=b.rank - 1)
    return matmul(c, a, b, "i32")


@handler("Gemm")
def gemm(c, n):
    a, b, bias = n.inputs[0], n.inputs[1], n.input(2)
    alpha, beta = n.attr("alpha", 1.0), n.attr("beta", 1.0)
    attrs = {}
    rows = a.shape[1] if n.attr("transA", 0) else a.shape[0]
    columns = b.shape[0] if n.attr("transB", 0) else b.shape[1]
    if n.attr("transA", 0):
        attrs["transpose_a"] = True
    if n.attr("transB", 0):
        attrs["transpose_b"] = True
    result = c.explicit("matmul", [a, b], attrs, shape=[rows, columns], dtype=a.dtype)
    if alpha != 1.0:
        result = c.elementwise("mul", [result, c.scalar(alpha, a.dtype)])
    if bias is None or beta == 0.0:
        return result
    if beta != 1.0:
        bias = c.elementwise("mul", [bias, c.scalar(beta, a.dtype)])
    return c.elementwise("add", [result, bias])


@handler("Einsum")
def einsum(c, n):
    """Contracts the operands from left to right with dot_general."""
    terms, result = _parse_einsum(n.attr("equation"), [v.rank for v in n.inputs])
    value, labels = _diagonal_free(n.inputs[0], terms[0]), terms[0]
    for position, (other, other_labels) in enumerate(zip(n.inputs[1:], terms[1:]), 1):
        later = set(result).union(*terms[position + 1:])
        other = _diagonal_free(other, other_labels)
        value, labels = _contract(c, value, labels, other, other_labels, later)
    gone = [i for i, label in enumerate(labels) if label not in result]
    value = reduce(c, value, "sum", gone)
    labels = [label for label in labels if label in result]
    return transpose_to(c, value, [labels.index(label) for label in result])


def _parse_einsum(equation, ranks):
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    raw = left.split(",")
    if len(raw) != len(ranks):
        raise Unsupported(errors.NOT_VALID, f"equation '{equation}' for {len(ranks)} operands")
    spare = [ch for ch in string.digits + string.punctuation if ch not in ".,->"]
    widest = max([r - len(t.replace("...", "")) for t, r in zip(raw, ranks) if "..." in t] or [0])
    hidden = spare[:widest]
    terms = []
    for term, rank in zip(raw, ranks):
        count = rank - len(term.replace("...", ""))
        terms.append(list(term.replace("...", "".join(hidden[widest - count:]))))
    if arrow:
        return terms, list(right.replace("...", "".join(hidden)))
    flat = [label for term in terms for label in term]
    once = sorted({label for label in flat if flat.count(label) == 1} - set(hidden))
    return terms, hidden + once


def _diagonal_free(value, labels):
    if len(set(labels)) != len(labels):
        raise Unsupported(errors.ATTRIBUTE, "a label twice in one operand of an Einsum")
    return value


def _contract(c, a, a_labels, b, b_labels, later):
    """One pairwise contraction; labels that no later term needs are summed."""
    a = reduce(c, a, "sum", [i for i, x in enumerate(a_labels)
                             if x not in later and x not in b_labels])
    a_labels = [x for x in a_labels if x in later or x in b_labels]
    b = reduce(c, b, "sum", [i for i, x in enumerate(b_labels)
                             if x not in later and x not in a_labels])
    b_labels = [x for x in b_labels if x in later or x in a_labels]
    shared = [x for x in a_labels if x in b_labels]
    batch = [x for x in shared if x in later]
    summed = [x for x in shared if x not in later]
    a, b = _expand_shared(c, a, a_labels, b, b_labels, shared)
    labels = batch + [x for x in a_labels if x not in shared] + [
        x for x in b_labels if x not in shared
    ]
    attrs = {
        "lhs_batch": [a_labels.index(x) for x in batch],
        "rhs_batch": [b_labels.index(x) for x in batch],
        "lhs_contract": [a_labels.index(x) for x in summed],
        "rhs_contract": [b_labels.index(x) for x in summed],
    }
    sizes = {**dict(zip(b_labels, b.shape)), **dict(zip(a_labels, a.shape))}
    shape = [sizes[x] for x in labels]
    return c.explicit("dot_general", [a, b], attrs, shape=shape, dtype=a.dtype), labels


def _expand_shared(c, a, a_labels, b, b_labels, shared):
    """Size-1 dimensions of shared labels broadcast, as NumPy's einsum does."""
    targets = [list(a.shape), list(b.shape)]
    for label in shared:
        i, j = a_labels.index(label), b_labels.index(label)
        size = c.dims.broadcast(a.shape[i], b.shape[j])
        targets[0][i] = targets[1][j] = size
    out = []
    for value, target in zip((a, b), targets):
        same = all(isinstance(x, Dim) == isinstance(y, Dim) and x == y
                   for x, y in zip(value.shape, target))
        out.append(value if same else
                   c.op("broadcast", [value], mixed={"sizes": target}, shape=target))
    return out
