"""The archive of recorded words: what a large language model wrote once, kept as data.

An archive is a zip file of two members. ``words.jsonl`` has one line for each text, sorted by its
key. A line also has the digest of the request that the text answered. The requests are not in it,
because a run renders them again. ``manifest.json`` says who wrote the words, when and how, and
holds the SHA-256 of the other member. The same words give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pytest_compaction.conversation import canonical_json
from pytest_compaction.models.place import Place
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE

RECORDED_WORDS: Final = "recorded"
"""The name of the model; no endpoint is asked for it."""
STALE: Final = "stale"
"""The flaw of a summary that answers another request than the one that would be sent now."""
FORMAT: Final = 3
WORDS_FILE: Final = "words.zip"
"""The name of an archive; it lies in the folder of the case files or in one above."""
MANIFEST: Final = "manifest.json"
WORDS: Final = "words.jsonl"
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_DAMAGES: Final = (
    *(OSError, RuntimeError, LookupError, TypeError, ValueError, AttributeError, EOFError),
    *(zipfile.BadZipFile, zlib.error),
)
_T = TypeVar("_T")


class ArchiveError(Exception):
    """An archive of words cannot be used; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class RecordedPrompt:
    """The prompt that the words of a strategy answered: its digest, and the days of recording."""

    digest: str
    date: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds, and the source of its words.

    ``model`` says which kind of model wrote the words, ``dates`` when, ``sampling`` with which
    temperature and seed, and ``provenance`` how. ``cases`` are digests by id. ``silent`` are the
    cases in which a strategy asks no model at their own points and budgets, by strategy, with
    their digests. ``replies`` and ``sha256`` are of the other member; :func:`write` fills them in.
    """

    model: str
    dates: str
    sampling: str
    provenance: tuple[str, ...]
    licence: str
    cases: Mapping[str, str]
    strategies: Mapping[str, RecordedPrompt]
    silent: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    replies: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A text that a model wrote once, with its key and the digest of the request.

    ``strategy`` is the canonical text of its spec. ``point`` is the compaction point that a summary
    was written at, or after which ``probe`` was asked; a summary has no probe. ``number`` counts
    from 1 what has the rest of its key in common: a second request at the same point, a second
    judgement. ``budget`` is the number of tokens that the view may take at the point. ``covers``
    are the first and the last message of those that a summary was written from. ``finish`` is why
    the model stopped, as an endpoint says it: ``length`` for a text that was cut. ``flaws`` are
    those of the summary: cut, empty, misformed or refused.
    """

    role: Literal["summary", "answer", "verdict"]
    case: str
    strategy: str
    point: str
    trial: int
    probe: str
    number: int
    digest: str
    words: str = field(repr=False)
    covers: tuple[str, ...] = ()
    budget: int = 0
    trigger: str = "case"
    finish: str = "stop"
    flaws: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str, int, str, int, int, str]:
        """The unique key of these words, which does not depend on what was sent."""
        return (
            *(self.case, self.strategy, self.role, self.point, self.trial, self.probe),
            *(self.number, self.budget, self.trigger),
        )

    @property
    def reply(self) -> CallReply:
        """The words as the reply to a call."""
        message = {"role": "assistant", "content": self.words}
        choice = {"finish_reason": self.finish, "index": 0, "message": message}
        return CallReply({"object": "chat.completion", "choices": [choice]}, Usage(calls=1))

    def answer(self, call: Call, place: Place) -> bool:
        """Whether the words answer this call, and no other prompt, log or budget."""
        return self.digest == words_digest(call) and self.budget == place.budget


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What the words of a verdict say of an answer.

    ``stated`` are the facts of the probe that it states, and ``stale`` the traps that it hits, by
    number from 1. ``dimensions`` are whole scores from 0 to 5.
    """

    stated: tuple[int, ...]
    stale: tuple[int, ...]
    dimensions: Mapping[str, int]

    @classmethod
    def read(cls, words: str) -> RecordedVerdict:
        """The verdict in words; raises :class:`ValueError` with what is wrong with them."""
        said = json.loads(words)
        if not isinstance(said, dict) or said.keys() != {"stated", "stale", *DIMENSIONS}:
            raise ValueError(f"it has other members than stated, stale, {', '.join(DIMENSIONS)}")
        for name in ("stated", "stale"):
            if not isinstance(said[name], list) or not all(type(n) is int for n in said[name]):
                raise ValueError(f"{name} is {said[name]!r}, and no list of numbers")
        for name in DIMENSIONS:
            if type(said[name]) is not int or not 0 <= said[name] <= MAX_SCORE:
                raise ValueError(f"{name} is {said[name]!r}, and no whole number from 0 to 5")
        scores = {name: said[name] for name in DIMENSIONS}
        return cls(tuple(said["stated"]), tuple(said["stale"]), scores)


def words_digest(call: Call) -> str:
    """SHA-256 of all that is sent and does not depend on the model: what words are compared by.

    That leaves out the name of the model and its room to think.
    """
    from pytest_compaction.models.chat.model import without_room_to_think  # takes long to import

    sent = without_room_to_think(call.body)
    body = {name: value for name, value in sent.items() if name != "model"}
    text = canonical_json({"operation": call.operation, "body": body})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Archive:
    """An archive of words, opened when it is first needed. Any thread may read it.

    A damaged file raises :class:`ArchiveError`; a zip file has a checksum of each member.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest."""

        def made(data: bytes) -> Manifest:
            found = json.loads(data)
            if found.pop("format") != FORMAT:
                raise ValueError(f"it is not of format {FORMAT}")
            prompts = {name: RecordedPrompt(**of) for name, of in found["strategies"].items()}
            provenance = tuple(found["provenance"])
            silent = {name: dict(cases) for name, cases in found.get("silent", {}).items()}
            made = {"strategies": prompts, "provenance": provenance, "silent": silent}
            return Manifest(**{**found, **made})

        return self._read(MANIFEST, made)

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """All words, by key."""

        def made(data: bytes) -> tuple[Words, ...]:
            if hashlib.sha256(data).hexdigest() != self.manifest.sha256:
                raise ValueError(f"its SHA-256 is not that of {MANIFEST}")
            rows = map(json.loads, data.splitlines())
            lists = ("covers", "flaws")
            return tuple(
                Words(**{**row, **{name: tuple(row.get(name, ())) for name in lists}})
                for row in rows
            )

        return self._read(WORDS, made)

    def at(self, place: Place, number: int) -> Words | None:
        """The summary of a place; with its budget, or else the first with another one."""
        there = self._summaries.get((place.case, place.strategy, place.point, place.trial), ())
        rows = [row for row in there if (row.number, row.trigger) == (number, place.trigger)]
        return next((row for row in rows if row.budget == place.budget), rows[0] if rows else None)

    def date_of(self, strategy: str) -> str:
        """The date of the prompt that the words of a strategy answer."""
        prompt = self.manifest.strategies.get(strategy)
        return prompt.date if prompt else self.manifest.dates

    @cached_property
    def _summaries(self) -> Mapping[tuple[str, str, str, int], Sequence[Words]]:
        found: dict[tuple[str, str, str, int], list[Words]] = {}
        for row in self.words:
            if row.role == "summary":
                key = row.case, row.strategy, row.point, row.trial
                found.setdefault(key, []).append(row)
        return found

    def _read(self, name: str, made: Callable[[bytes], _T]) -> _T:
        """What is made of the content of a member."""
        try:
            with zipfile.ZipFile(self.path) as file:
                return made(file.read(name))
        except _DAMAGES as error:
            raise ArchiveError(
                f"the recorded words {self.path} cannot be used: {name}: {type(error).__name__} "
                f"({error}); put the file of your last commit back, or for that of the package "
                "install it again"
            ) from None


@dataclass(frozen=True)
class RecordedWords:
    """The archives of the cases of a run, by case.

    A ``strict`` run has a threshold or a baseline: it takes no words for another request.
    """

    archives: Mapping[str, Archive] = field(default_factory=dict)
    strict: bool = False


def record_command(strategy: str) -> str:
    """How the words of a strategy are recorded, as the end of a sentence."""
    return f"record them: pytest-compaction words record --compactor={strategy} --model=NAME"


def write(path: Path, manifest: Manifest, words: Iterable[Words]) -> None:
    """Write an archive of these words, which replaces one that is there."""
    rows = sorted(words, key=lambda row: row.key)
    data = b"".join(_line({k: v for k, v in asdict(row).items() if v != ()}) for row in rows)
    told = {"replies": len(rows), "sha256": hashlib.sha256(data).hexdigest()}
    members = {MANIFEST: _line({"format": FORMAT, **asdict(manifest), **told}), WORDS: data}
    part = path.with_name(f"{path.name}.part")
    with zipfile.ZipFile(part, "w") as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED, 9)
    part.replace(path)


def _line(data: Mapping[str, Any]) -> bytes:
    """A line of JSON; ASCII, since half a surrogate pair has no UTF-8 form."""
    return json.dumps(data).encode() + b"\n"


def archive_for(case: Path, root: Path) -> Archive | None:
    """The archive nearest to a case file, in its folder or in one above up to ``root``."""
    for folder in case.parents:
        path = folder / WORDS_FILE
        try:
            found = path.stat()
        except OSError:
            if folder == root:
                return None
            continue
        return _opened(path, found.st_mtime_ns, found.st_size)
    return None


@lru_cache(maxsize=8)
def _opened(path: Path, _changed: int, _size: int) -> Archive:
    return Archive(path)
