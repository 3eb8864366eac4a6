"""Finds the large tensors of an ONNX file without parsing them.

Walks the protobuf wire format down to the initializers and Constant nodes of the main graph and
leaves out their `raw_data`, whose place in the file is returned instead.
"""

from __future__ import annotations

_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER = 1, 5
_NODE_ATTRIBUTE, _ATTRIBUTE_TENSOR, _TENSOR_RAW = 5, 5, 9


def strip_raw_data(data, limit: int):
    """The file without `raw_data` of more than `limit` bytes, and where those bytes are.

    The places are keyed ("initializer", i) and ("constant", i), i counting the initializers and
    nodes; values are (offset, length). Raises ValueError where the file is not valid protobuf.
    """
    places: dict = {}
    view = memoryview(data)
    parts: list = []
    for field, start, begin, end in _fields(view, 0, len(view)):
        if field == _MODEL_GRAPH:
            body = _strip_graph(view, begin, end, limit, places)
            parts += [_key(_MODEL_GRAPH), _varint(sum(map(len, body))), *body]
        else:
            parts.append(view[start:end])
    return b"".join(parts), places


def _strip_graph(view, begin, end, limit, places) -> list:
    parts, counts = [], {_GRAPH_NODE: 0, _GRAPH_INITIALIZER: 0}
    for field, start, low, high in _fields(view, begin, end):
        if field not in counts:
            parts.append(view[start:high])
            continue
        index, counts[field] = counts[field], counts[field] + 1
        if high - low <= limit:
            parts.append(view[start:high])
            continue
        if field == _GRAPH_INITIALIZER:
            path, place = [], ("initializer", index)
        else:
            path, place = [_NODE_ATTRIBUTE, _ATTRIBUTE_TENSOR], ("constant", index)
        body, found = _strip(view, low, high, path, limit)
        if found is None:
            parts.append(view[start:high])
            continue
        places[place] = found
        parts += [_key(field), _varint(sum(map(len, body))), *body]
    return parts


def _strip(view, begin, end, path, limit):
    """The message without the raw data at `path`, and the data's place."""
    parts, found = [], None
    wanted = path[0] if path else _TENSOR_RAW
    for field, start, low, high in _fields(view, begin, end):
        if field != wanted or low is None or high - low <= limit or found is not None:
            parts.append(view[start:high])
        elif path:
            body, found = _strip(view, low, high, path[1:], limit)
            parts += [_key(field), _varint(sum(map(len, body))), *body]
        else:
            found = (low, high - low)
    return parts, found


def _fields(view, position, end):
    """Yields (number, start of the key, start of the content, end) of each field."""
    while position < end:
        start = position
        key, position = _read_varint(view, position, end)
        kind = key & 7
        if kind == 0:
            _, position = _read_varint(view, position, end)
            content = None
        elif kind == 2:
            length, content = _read_varint(view, position, end)
            position = content + length
        elif kind in (1, 5):
            content, position = None, position + (8 if kind == 1 else 4)
        else:
            raise ValueError(f"a field of unknown kind {kind} at byte {start}")
        if position > end:
            raise ValueError(f"the field at byte {start} goes past the end: the file is truncated")
        yield key >> 3, start, content, position


def _read_varint(view, position, end):
    result = shift = 0
    while True:
        if position >= end or shift > 63:
            raise ValueError(f"a malformed number at byte {position}: the file is truncated")
        byte = view[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, position
        shift += 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _key(field: int) -> bytes:
    return _varint(field << 3 | 2)
