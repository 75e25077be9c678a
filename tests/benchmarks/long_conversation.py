"""Conversations of a coding agent of any length, made from a seed, with facts to ask about.

A user asks, the agent looks for code, reads, edits and tests it, and says what it found. Files
are read again and again, and new ones come, so that the vocabulary grows with about the 0.6th
power of the length, as it does in logs of agents at work. Messages have the lengths of those
in ``../shared/data``: requests and replies of some sentences, results from a line to four hundred.
"""

import json
import random
from itertools import count

from pytest_compaction.conversation import Message, Text, TokenCounter, ToolCall, ToolResult

FACTS = 20
"""Facts that a conversation states, each once, spread evenly over it."""

_NOUNS = """account address amount audit batch budget buffer cache catalog channel client cluster
column commit config contract cursor customer deadline delivery digest document driver event
export field filter folder format gateway graph handle header index invoice item journal key
label ledger limit line lock log mapping market message metric model module month node offer
option order packet page parser partner path payment plan policy price queue quota range record
region report request result route rule sample schema scope segment session shard signal slot
source stage stock stream supplier table target tariff task tenant ticket token trace transfer
unit update user vendor version view voucher window worker zone""".split()
_VERBS = """add apply build check clear close collect compare compute copy count decode delete
drop encode expand fetch filter find flush format group join load lock make mark match merge move
normalise open parse pick plan print prune read refresh release render replace reset resolve round
save scan select send set shift sort split start store sum trim update validate write""".split()
_PLAIN = """the a of to in that which when because after before without with for from only still
again now here there this it we is was are should must can does not both each all next first last
same other more less wrong right missing empty broken slow clear simple old new""".split()


class _Words:
    """Names of a growing code base: mostly one used before, the common ones most, or a new one."""

    def __init__(self, rng):
        self._rng = rng
        self._known = []
        self._used = 0
        self._number = count(1)

    def name(self):
        """An identifier."""
        self._used += 1
        if self._rng.random() * self._used < 0.6 * self._used**0.6 + 2:
            self._known.append(self._new())
            return self._known[-1]
        return self._known[int(len(self._known) * self._rng.random() ** 2.5)]

    def _new(self):
        parts = [self._rng.choice(_VERBS), *self._rng.choices(_NOUNS, k=self._rng.randint(1, 2))]
        if len(self._known) > 500:
            parts.append(str(next(self._number)))
        return "_".join(parts)

    def sentence(self):
        """A sentence of plain words with some names."""
        words = [
            f"`{self.name()}`" if self._rng.random() < 0.06 else self._plain()
            for _ in range(self._rng.randint(7, 22))
        ]
        return " ".join(words).capitalize() + "."

    def _plain(self):
        return self._rng.choice(_PLAIN if self._rng.random() < 0.55 else _NOUNS)

    def prose(self, fewest, most):
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(self._rng.randint(fewest, most)))


class _Session:
    """The agent at work: makes messages one after the other."""

    def __init__(self, seed):
        self._rng = random.Random(seed)
        self._words = _Words(self._rng)
        self._files = []
        self._calls = count(1)
        self._ids = count(0)

    def turn(self):
        """The messages of one turn of the user."""
        rng, words = self._rng, self._words
        yield self._message("user", Text(words.prose(2, 8)))
        for _ in range(rng.randint(3, 14)):
            deeds = rng.choices(
                (self._read, self._search, self._test, self._edit, self._list),
                (4, 2, 3, 3, 1),
                k=rng.choice((1, 1, 1, 2)),
            )
            done = [deed() for deed in deeds]
            said = [Text(words.prose(1, 3))] if rng.random() < 0.7 else []
            yield self._message("assistant", *said, *(call for call, _ in done))
            for call, text in done:
                yield self._message("tool", ToolResult(call.id, text))
        yield self._message("assistant", Text(words.prose(3, 10)))

    def say(self, role, text):
        """A message that says this."""
        return self._message(role, Text(text))

    def _message(self, role, *parts):
        return Message(f"m{next(self._ids):06d}", role, parts)

    def _call(self, name, **arguments):
        return ToolCall(f"call-{next(self._calls)}", name, json.dumps(arguments))

    def _file(self):
        rng, names = self._rng, self._words
        if len(self._files) < 5 or rng.random() < 0.12:
            folder = rng.choice(_NOUNS)
            self._files.append(f"src/{folder}/{names.name()}_{len(self._files)}.py")
        return self._files[-1 - int(len(self._files) * rng.random() ** 3)]

    def _line(self):
        rng, name = self._rng, self._words.name
        form = rng.randrange(8)
        if form == 0:
            return f"def {name()}({name()}, {name()}={rng.randrange(500)}):"
        if form == 1:
            return f"    if {name()} > {rng.randrange(100)}:"
        if form == 2:
            return f"        return {name()}({name()})"
        if form == 3:
            return f"    # {self._words.sentence()}"
        if form == 4:
            return ""
        return f"    {name()} = {name()}({name()}, {rng.choice(_NOUNS)!r})"

    def _code(self, fewest, most):
        return [self._line() for _ in range(self._rng.randint(fewest, most))]

    def _read(self):
        lines = self._code(30, self._rng.choice((80, 200, 400)))
        text = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, start=1))
        return self._call("read_file", path=self._file()), text

    def _search(self):
        name = self._words.name()
        found = [
            f"{self._file()}:{self._rng.randrange(1, 400)}:{self._line().strip()}"
            for _ in range(self._rng.randint(1, 40))
        ]
        return self._call("bash", command=f"grep -rn {name} src"), "\n".join(found)

    def _test(self):
        rng, name = self._rng, self._words.name
        file = f"tests/test_{rng.choice(_NOUNS)}.py"
        lines = [
            "============ test session starts ============",
            f"collected {rng.randint(5, 90)} items",
        ]
        failed = rng.randrange(3)
        for _ in range(failed):
            lines += [f"____________ test_{name()} ____________", *self._code(8, 25)]
            lines.append(
                f"E       AssertionError: assert {rng.randrange(900)} == {rng.randrange(900)}"
            )
            lines.append(f"{file}:{rng.randrange(1, 300)}: AssertionError")
        lines += [f"FAILED {file}::test_{name()} - AssertionError" for _ in range(failed)]
        lines.append(
            f"===== {failed} failed, {rng.randint(5, 90)} passed in {rng.random():.2f}s ====="
        )
        return self._call("bash", command=f"python -m pytest -q {file}"), "\n".join(lines)

    def _edit(self):
        file = self._file()
        old, new = "\n".join(self._code(2, 10)), "\n".join(self._code(3, 15))
        call = self._call("edit_file", path=file, old_string=old, new_string=new)
        return call, f"The file {file} has been edited."

    def _list(self):
        files = sorted({self._file() for _ in range(self._rng.randint(3, 30))})
        return self._call("bash", command="ls -R src"), "\n".join(files)


def conversation(tokens, seed=0, facts=True):
    """Messages of about so many tokens, the last turn complete, and the facts as JSON."""
    session = _Session(seed)
    counter = TokenCounter()
    messages = [session.say("system", "You are a coding agent in a checked-out repository.")]
    stated = []
    passed = 0
    while passed < tokens:
        if facts and len(stated) < FACTS and passed >= tokens * (len(stated) + 0.5) / (FACTS + 1):
            text, fact = _fact(len(stated))
            messages.append(session.say("user" if len(stated) % 2 else "assistant", text))
            stated.append({**fact, "evidence": [messages[-1].id]})
            passed += counter.message(messages[-1])
        for message in session.turn():
            messages.append(message)
            passed += counter.message(message)
    return tuple(messages), stated


def _fact(number):
    """A sentence that states a fact, and the fact: with keys, by its wording, of a decision."""
    port, name = 7100 + 13 * number, f"{_NOUNS[number]}_{_VERBS[number]}_pool"
    if number % 3 == 0:
        text = f"The service {name} listens on port {port} in staging."
        keys = [[name], [str(port)]]
        return text, {"text": f"{name} listens on port {port}", "type": "value", "keys": keys}
    if number % 3 == 1:
        text = f"Never let {name} retry more than {number + 2} times, whatever the supplier says."
        keys = [[name], [f"{number + 2} times"]]
        return text, {
            "text": f"{name} retries at most {number + 2} times",
            "type": "constraint",
            "keys": keys,
        }
    text = f"We decided to keep {name} on sqlite because postgres was too slow on cold starts."
    return text, {
        "text": f"{name} stays on sqlite because postgres was too slow",
        "type": "decision",
    }


def case_data(messages, facts, chat):
    """The JSON of a case of a conversation with a probe for each fact; ``chat`` are its messages.

    It is compacted at eight places, as an imported session of this length is.
    """
    tokens = sum(map(TokenCounter().message, messages))
    ends = [place for place, message in enumerate(messages) if message.role == "user"][1:]
    points = [ends[len(ends) * part // 8] - 1 for part in range(1, 8)] + [len(messages) - 1]
    return {
        "id": "length",
        "task": "debugging",
        "window": tokens,
        "budget": max(2000, tokens // 12),
        "messages": chat,
        "compaction_points": [
            {"id": f"p{number}", "after": messages[place].id}
            for number, place in enumerate(points, start=1)
        ],
        "probes": [
            {
                "id": f"probe-{number}",
                "kind": "recall",
                "question": f"What do you know about the {fact['text'].split()[0]}?",
                "facts": [fact],
            }
            for number, fact in enumerate(facts)
        ],
    }
