"""Search for the secrets of an imported transcript: keys by their shape, passwords by name.

Besides the keys of the table: values that an element, an option or a sentence calls a key, random
words, and keys that were broken over lines. Entropy alone says little; hashes and ids are facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from pytest_compaction.secrets.disguises import Span, windows
from pytest_compaction.secrets.formatted import (
    ENCODED,
    decoded,
    find_in_piece,
    is_head,
    without_gaps,
)
from pytest_compaction.secrets.known import environment_secrets, find_known
from pytest_compaction.secrets.named import HEX, WORDS, find_named, is_mixed
from pytest_compaction.secrets.shapes import STAND_IN, find_written

_SHORTEST: Final = 6
_TEMPLATE: Final = re.compile(r":(?:\$|\{|<|%|\*+$)")
# A JSON Web Token looks like a member of a member of an object, but its names are long.
_SHORT_MEMBER: Final = re.compile(r"[A-Za-z_$][\w$]{0,15}(?:\??\.[A-Za-z_$][\w$]{0,15})+")


def secrets_in(text: str) -> Iterator[str]:
    """Every secret of a text that can be searched for everywhere, some several times; linear.

    Values that are secrets only where something names them are left out; see
    :func:`~pytest_compaction.secrets.named.find_named`.
    """
    keys = [*find_known(text, environment_secrets()), *_by_look(text)]
    for read in windows(text):
        keys += (read.span(*span) for span in _by_look(read.text))
    found = [text[start:stop] for start, stop in keys]
    passwords = (key.rpartition(":")[2] for key in found)
    named = (text[start:stop] for (start, stop), distinctive in find_named(text) if distinctive)
    broken = find_broken(text, keys)
    for secret in chain(found, filter(is_mixed, passwords), named, broken):
        plain = _TEMPLATE.search(secret) or _SHORT_MEMBER.fullmatch(secret)
        if STAND_IN not in secret and len(secret) >= _SHORTEST and not plain:
            yield secret


def _by_look(text: str) -> Iterator[Span]:
    yield from find_written(text)
    yield from find_stated(text)
    yield from find_random(text)


# --- stated: what stands there need not look like a key. A sentence or an option names many other
# things a key or a token, so a value must look like one: as a hash does, as a UUID, or random. ---

_OPAQUE: Final = (
    r"(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=[A-Za-z_\-+/.~]{0,80}[0-9])[A-Za-z0-9_\-+/.~]{20,200}={0,2})(?![\w\-+/(\[])"
)
"""A UUID, a hash, or any word of that length with a digit."""


_FORMS: Final = (
    # <token>…</token>, --token …, "the API key is …"
    (
        ("token>", "key>", "secret>"),
        re.compile(
            rf"(?i)<[\w.:\-]{{0,30}}(?:token|secret|api_?-?key|access_?-?key)>(?P<secret>{_OPAQUE})</"
        ),
    ),
    (
        ("--",),
        re.compile(
            r"(?i)(?<!\S)--[a-z\-]{0,30}(?:token|secret|api-?key|access-?key|private-?key|auth)"
            rf"[ \t]{{1,3}}[\"']?(?P<secret>{_OPAQUE})"
        ),
    ),
    (
        (" is ", " was ", ": ", " to "),
        re.compile(
            r"(?i)\b(?:key|token|secret|credential|password)s?(?:[ ]value|[ ]for[ ][\w.\-]{1,30})?"
            rf"(?:[ ](?:is|was|to)(?:[ ]now)?:?|:)[ ][\"'`*]{{0,3}}(?P<secret>{_OPAQUE})"
        ),
    ),
)
"""Signs of which one is in every match, and the pattern with the value."""
_OTHER_KEYS: Final = re.compile(
    r"(?i)(?:cache|hash|primary|foreign|sort|public|idempotency|dedup\w*|partition|row|object|query"
    r"|map|dict|storage|routing|license|next|page|continuation)[_ \-]?\Z"
)
"""What else is called a key or a token, in the words before."""


def find_stated(text: str) -> Iterator[Span]:
    """Where secrets stand that the form of an element, a command or a sentence shows; linear."""
    plain = without_gaps(text)
    for signs, pattern in _FORMS:
        if any(sign in plain for sign in signs):
            for match in pattern.finditer(plain):
                start = match.start()
                other = _OTHER_KEYS.search(plain, max(0, start - 24), start)
                secret = match["secret"]
                if not (other or WORDS.fullmatch(secret.rstrip(".")) or secret[0] == "/"):
                    yield match.span("secret")


# --- random words: keys without a format, such as those of AWS, that nothing else in a text is
# like. Hashes and ids are random as well, and they are facts. They have one case of letters, a
# head that says what they are, or stand in an address; such words are not found here. ---

_RUN: Final = re.compile(
    r"(?<![A-Za-z0-9+/_\-=~@#%$&.?:])(?P<word>[A-Za-z0-9+/_\-]{24,96}={0,2})(?![A-Za-z0-9+/_\-=~@%])"
)
_MIXED: Final = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])[^a-z]*[a-z]")
_TURN: Final = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]|[+/_\-]")
_LEAST_TAIL: Final = 22
"""Fewest characters of a key of no known service behind a word, as in ``abc_…``."""
_LEAST_TURNS: Final = 0.4
"""Least share of characters of another class than the one before; random words have 0.6 of
62 letters and digits, words that are joined like names 0.3."""
_ID: Final = re.compile(
    r"(?:acct|action|app|asst|batch|block|build|call|ch|chatcmpl|chunk|cmpl|conv|ctc|cus|doc|dpl|edit"
    r"|evt|exec|fc|file|gen|id|image|img|in|inst|item|job|msg|node|obj|org|page|part|pi|prj|price|prod"
    r"|proj|req|resp|rs|run|sess|session|span|srv|srvtoolu|step|sub|task|team|thread|tool|toolu"
    r"|tooluse|trace|tx|user|usr|vs|wf|ws)[_\-]|.{0,60}[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-"
)
"""An id says what it is of, ``msg_…``, ``toolu_…``, or has the groups of a UUID."""
_HEAD_WORD: Final = re.compile(r"[a-z]{2,14}[_\-]")
_FACT: Final = re.compile(
    r"(?i)(?:sha\d{1,3}|md5|h1|base64|integrity|digest|hash|etag|fingerprint|revision|id"
    r"|(?:next|continuation|page|client)_?token)[\"']?\W{1,4}\Z"
)
"""Before a digest, an id or a mark of a page."""
_LOOK_BACK: Final = 26
_ROWS: Final = frozenset({60, 64, 70, 72, 76})
"""Characters of the lines of certificates and other data in base64."""
_HUMPS: Final = re.compile(r"[A-Z]?[a-z]{2,}")
_MOST_HUMPS: Final = 0.7
"""Share of characters in humps above which a word is a name in code; random words have 0.4."""
_LONG_WORDS: Final = re.compile(r"(?:^|[+/_\-])[a-z]{4,}(?=[+/_\-]|$)|[A-Z]?[a-z]{5,}")
"""A piece that random words do not have."""


def find_random(text: str) -> Iterator[Span]:
    """Where random words stand that may be keys; linear."""
    plain = without_gaps(text)
    for match in _RUN.finditer(plain):
        start, stop = match.span("word")
        if is_random_word(match["word"]) and not (
            _FACT.search(plain, max(0, start - _LOOK_BACK), start)
            or (stop - start in _ROWS and plain[stop : stop + 1] in ("\n", "\r", " "))
        ):
            yield start, stop


def is_random_word(word: str) -> bool:
    """Whether a word has the classes of characters in an order as only chance makes it."""
    if not _MIXED.match(word) or _ID.match(word):
        return False
    core = word.rstrip("=")
    head = _HEAD_WORD.match(core)
    if head and len(core) - head.end() < _LEAST_TAIL:
        return False
    if len(_TURN.findall(core)) < _LEAST_TURNS * len(core) or len(_LONG_WORDS.findall(core)) > 1:
        return False
    if sum(map(len, _HUMPS.findall(core))) > _MOST_HUMPS * len(core):
        return False
    return not (ENCODED.fullmatch(word) and decoded(word) is not None)


# --- broken by a terminal or a model over lines: both parts are secrets, as is the whole ---

_SHORTEST_BROKEN: Final = 16
"""Fewest characters of a key for its line to have been broken within it."""
_TAIL: Final = 8
_LEAST: Final = 4
"""Fewest characters of a key at the end of a line."""
_BREAK: Final = r"(?:(?:[ \t]{0,4}\\?\r?\n|\\{1,2}n)[ \t]{0,40}(?:(?:[>|+#*]|//)[ \t]{1,2})?)"
"""The end of a line and what stands before the next in mails and comments."""
_REST: Final = re.compile(rf"{_BREAK}(?P<rest>[A-Za-z0-9_\-+/.=]{{8,400}})(?=[\s\"'`,;)\]}}\\]|\Z)")
_SIGN: Final = r"[\w\-+/.:=~$@!,]"
_LAST_WORD: Final = re.compile(rf"(?a)(?<!{_SIGN}){_SIGN}{{5,300}}+(?={_BREAK}{_SIGN}{{4}})")
"""The last word of a line, where the next line begins with one."""
_NEXT_WORD: Final = re.compile(rf"(?a){_BREAK}(?P<word>{_SIGN}{{4,300}}+)")
_DIGIT: Final = re.compile("[0-9]")
_LONGEST_BROKEN: Final = 300
"""Most characters of a key that is looked for with a break at any place."""
_LINES: Final = 3
"""Most lines that a key goes on for after the first."""


def find_broken(text: str, keys: Iterable[Span]) -> Iterator[str]:
    """Keys that are broken over lines, put together; linear.

    A key that is too long to be looked for with a break at any place is given with its breaks.
    ``keys`` are those that are known already, of which more may follow on the next line.
    """
    for first in _LAST_WORD.finditer(text):
        yield from _joined(text, first)
    for start, stop in keys:
        key, match = text[start:stop], _REST.match(text, stop)
        if match is None or len(key) < _SHORTEST_BROKEN or "\n" in key:
            continue
        rest = match["rest"]
        # A word, a hash or a name is no rest.
        hash_after_key = HEX.fullmatch(rest) and not HEX.fullmatch(key[-_TAIL:])
        if is_mixed(rest) and not (hash_after_key or WORDS.fullmatch(rest)):
            yield _looked_for(key + rest, text[start : match.end()])


def _joined(text: str, first: re.Match[str]) -> Iterator[str]:
    """The key that is none before the last word of a line is joined to the next lines."""
    word = first[0]
    if not (_DIGIT.search(word) or is_head(word)):
        return
    if any(stop == len(word) for _, stop in find_in_piece(word)):
        return
    parts, end = [word], first.end()
    while len(parts) <= _LINES and (following := _NEXT_WORD.match(text, end)):
        parts.append(following["word"])
        end = following.end("word")
        whole = "".join(parts)
        for start, stop in find_in_piece(whole):
            if start <= len(word) - _LEAST and stop > len(whole) - len(parts[-1]):
                broken = text[first.start() + start : end - len(whole) + stop]
                yield (
                    broken if len(word) - start < _TAIL else _looked_for(whole[start:stop], broken)
                )
                return


def _looked_for(whole: str, broken: str) -> str:
    return whole if len(whole) <= _LONGEST_BROKEN else broken
