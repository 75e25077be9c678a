"""Seeded damage to files: to bytes, to lines, and to the values within JSON."""

import contextlib
import copy
import json

WRONG = [
    None,
    True,
    0,
    -1,
    3.5,
    1e308,
    10**30,
    "",
    " ",
    "x",
    "\x00\x1b[2J\u202e",
    "\ud800",
    "é" * 3000,
    "a" * 70_000,
    [],
    {},
    [None],
    [[]],
    {"type": "text"},
    {"id": None},
]
HUGE_NUMBERS = ["1" * 400, "1" * 5000, "1e999", "-1e400", "NaN", "Infinity", "00", "0x10"]


def mutated(text, rng):
    """The content of a damaged copy; ``rng`` is a ``random.Random``."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(TEXTUAL if rng.random() < 0.35 else (in_json,))(text, rng)
    return rng.choice(ENCODINGS)(text, rng)


def in_json(text, rng):
    """Change one value of the document or of one of its lines."""
    lines = text.split("\n")
    whole = lines[0].strip() in {"[", "{"} or not lines[0].startswith("{") or len(lines) < 3
    number = None if whole else rng.randrange(len(lines))
    try:
        value = json.loads(text if number is None else lines[number])
        changed = altered(value, rng)
    except (ValueError, RecursionError):
        return cut(text, rng)
    if number is None:
        return changed
    return "\n".join([*lines[:number], changed, *lines[number + 1 :]])


def altered(value, rng):
    """The JSON text of a value, changed in one place."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    if not places:
        return json.dumps(rng.choice(WRONG))
    holder, key = rng.choice(places)
    kind = rng.randrange(12)
    marker = "\u2603marker"
    if kind > 8:
        _reworded(places, rng)
    elif kind < 4:
        holder[key] = copy.deepcopy(rng.choice(WRONG))
    elif kind == 4:
        del holder[key]
    elif kind == 5:
        other, another = rng.choice(places)
        here, there = copy.deepcopy(holder[key]), copy.deepcopy(other[another])
        holder[key] = there
        with contextlib.suppress(IndexError, KeyError):
            other[another] = here
    elif kind == 6 and isinstance(holder, dict):
        text = json.dumps(value)
        name = json.dumps(key)
        return text.replace(f"{name}:", f"{name}: {json.dumps(rng.choice(WRONG))}, {name}:", 1)
    else:
        holder[key] = marker
        depth = rng.choice((50, 900, 5_000, 100_000))
        deep = rng.choice(("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth))
        text = json.dumps(value)
        return text.replace(json.dumps(marker), rng.choice((deep, rng.choice(HUGE_NUMBERS))), 1)
    _cycle(value, rng)
    return json.dumps(value)


def _reworded(places, rng):
    """Replace texts by other texts: the types stay right, so only the meaning is damaged."""
    texts = [(holder, key) for holder, key in places if isinstance(holder[key], str)]
    for holder, key in rng.sample(texts, min(len(texts), rng.randrange(1, 4))):
        text = holder[key]
        other = rng.choice(texts)
        start = rng.randrange(len(text) + 1)
        holder[key] = rng.choice(
            (text[start:], text[:start], other[0][other[1]], text + text, "\n")
        )


def _cycle(value, rng):
    """Make a line its own ancestor, half of the time."""
    if isinstance(value, dict) and "parentUuid" in value and rng.random() < 0.5:
        value["parentUuid"] = rng.choice((value.get("uuid"), f"u{rng.randrange(18)}"))


def _places(value):
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from _places(value[key])
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value, index
            yield from _places(value[index])


def cut(text, rng):
    return text[: rng.randrange(len(text) + 1)]


def without_beginning(text, rng):
    return text[rng.randrange(len(text) + 1) :]


def without_a_line(text, rng):
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def with_a_line_twice(text, rng):
    lines = text.split("\n")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return "\n".join(lines)


def in_another_order(text, rng):
    lines = text.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def with_other_signs(text, rng):
    signs = list(text)
    for _ in range(rng.randrange(1, 12)):
        if signs:
            signs[rng.randrange(len(signs))] = rng.choice('{}[]",:\\\x00\n\u2028é0#>`<=-')
    return "".join(signs)


def twice(text, rng):
    return text + rng.choice(("", "\n", "\r\n", ",")) + text


def nothing(text, rng):
    return rng.choice(("", "\n", "   ", "[]", "{}", "null", "\ufeff", "#", "####", ">"))


TEXTUAL = (
    cut,
    without_beginning,
    without_a_line,
    with_a_line_twice,
    in_another_order,
    with_other_signs,
    twice,
    nothing,
)


def as_utf8(text, rng):
    return text.encode("utf-8", "surrogatepass")


def as_something_else(text, rng):
    name = rng.choice(("utf-16", "utf-8-sig", "latin-1", "utf-32"))
    return text.encode(name, "replace")


def with_wrong_bytes(text, rng):
    data = bytearray(as_utf8(text, rng))
    for _ in range(rng.randrange(1, 9)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


ENCODINGS = (as_utf8,) * 12 + (as_something_else, with_wrong_bytes)
