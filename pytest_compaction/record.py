"""The record of an item: what a run writes on a line, and what gate and reports are computed from.

``records/record.schema.json`` is the published form. A key that is not required may be absent in
records of older versions, of dialogues, or of items without a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Required, TypedDict, cast

RecordType = Literal["probe", "dialogue"]
Status = Literal["passed", "failed", "unscored", "skipped", "error"]
"""``failed``: below the pass score. ``unscored``: a model gave no answer or no score.
``skipped``: rules can judge none of its nuggets, or nothing but the next action is asked for.
``error``: the strategy or the test went wrong before there was a verdict. After one the
status stays, and the record has a key ``error``."""
Words = Literal["recorded", "rules", "live"]
"""Who wrote the summaries: a model once, kept as data; rules; or a model in this run."""


_Class = TypedDict("_Class", {"class": str}, total=False)


class FactRecord(_Class, total=False):
    """The outcome of one fact in the view and in the answer, and its place in the log.

    ``needed`` is absent from a fact that is stated only, and says else why it is asked. ``unasked``
    says whether the view without the question states it, and is absent where that is the same view.
    ``proved``: a search of an archive showed whether it is recoverable; else absent.
    """

    text: str
    type: str
    view: str
    answer: str
    survived: bool
    used: bool | None
    loss: str | None
    clause: str
    words: list[str]
    why: str
    evidence: list[str]
    keys: str
    stated_after: list[Any]
    recoverable: bool | None
    source: dict[str, Any] | None
    unasked: bool
    proved: bool
    needed: dict[str, Any]


class EventRecord(TypedDict, total=False):
    """One compaction; tokens that an endpoint alone knows are ``None``."""

    point: str
    status: str
    log: int
    before: int | None
    after: int | None
    prefix: int | None
    free: int | None
    until_next: int | None
    messages_left: int
    requests: int
    added: int
    sent: int
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    prompt_tokens: int
    placeholder: str
    flaws: dict[str, int]


class CompactionRecord(TypedDict, total=False):
    """The compactions before a probe: how they ended, and what each left."""

    steps: dict[str, int]
    errors: list[str]
    budget: int
    window: int
    messages: int
    events: list[EventRecord]
    continued: list[EventRecord]


class SearchRecord(TypedDict):
    """What a question brought into the view; ``apart``: not held against the budget."""

    tokens: int
    apart: bool


class TrapRecord(TypedDict):
    """A stale value or another false claim, and whether it was stated."""

    text: str
    hit: bool


class UnreadRecord(TypedDict):
    """A fact that was not read, by rules for want of a language or by a model, and why."""

    text: str
    why: str


class Record(TypedDict, total=False):
    """One item of a run as plain JSON that survives any transport."""

    item: Required[str]
    type: str
    case: Required[str]
    task: str
    probe: Required[str]
    kind: str
    compactor: Required[str]
    trial: Required[int]
    budget: int | Literal["recorded"] | None
    origin: str
    size: str
    project: str
    point: dict[str, Any]
    question: str
    words: Words
    reader: str
    status: Status
    reason: str
    overall: float | None
    dimensions: dict[str, float | None]
    criteria: list[dict[str, Any]]
    reading: str | None
    facts: list[FactRecord]
    traps: list[TrapRecord]
    unread: list[UnreadRecord]
    flags: list[str]
    response: str
    tokens: dict[str, int]
    search: SearchRecord
    usage: dict[str, dict[str, Any]]
    usd: dict[str, float | None]
    judges: list[dict[str, Any]]
    latency_s: dict[str, float]
    compaction: CompactionRecord
    nulls: dict[str, dict[str, Any]]
    answer: dict[str, Any]
    view: dict[str, Any]
    hashes: dict[str, Any]
    constraints: dict[str, Any]
    compliance: dict[str, Any]
    next_action: dict[str, Any]
    foreign: dict[str, Any]
    worded: dict[str, Any]
    listed: dict[str, int]
    tenths: list[int]
    score: float | None
    nuggets: list[dict[str, Any]]
    ordering: dict[str, float]
    error: dict[str, str]
    unpaid: bool
    stale: bool
    snapshot: str
    consistency: float | None
    retention: float | None
    savings: float | None
    history: str | None
    comparison: dict[str, Any] | None
    pass_at: float


def merged(record: Record, more: Mapping[str, Any]) -> Record:
    """The record with further keys, which are not checked here."""
    return cast(Record, {**record, **more})


def type_of(record: Mapping[str, Any]) -> RecordType:
    """The kind of the item of a record; records of probes do not name it."""
    return "dialogue" if record.get("type") == "dialogue" else "probe"
