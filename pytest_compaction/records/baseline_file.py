"""The file of a baseline: scores, facts and views of accepted runs, one strategy after the other.

It may be committed, or lie outside the repository because its views quote transcripts. Then a
small file with its hash and its figures is committed in its place.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import schema_faults
from pytest_compaction.folders import write_whole
from pytest_compaction.metrics import is_stated, named_facts, outcome_of
from pytest_compaction.models import OFFLINE, RECORDED_WORDS
from pytest_compaction.record import FactRecord
from pytest_compaction.records.comparability import compared_settings
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.records.run_folder import BaselineError
from pytest_compaction.secrets import scrubbed_json
from pytest_compaction.text import printable

BASELINE_FORMAT: Final = 2
"""Format 1 held no views and no versions of facts; it is still read."""
_SCHEMA: Final = "baseline.schema.json"
_FAULTS: Final = 3
"""The most faults of a file that a sentence names."""


def read_baseline_file(path: Path) -> dict[str, Any]:
    """The strategies of a baseline file, checked against its schema.

    Raises :class:`BaselineError` with a sentence for a file that is none.
    """

    def refuse(name: str) -> Any:
        raise BaselineError(f"holds {name}, which is no score; make it anew")

    try:
        data = json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
    except OSError as error:
        said = error.strerror or error
        raise BaselineError(f"cannot read the baseline {path}: {said}") from None
    except BaselineError as error:
        raise BaselineError(f"the baseline {path} {error}") from None
    except (ValueError, RecursionError) as error:
        raise BaselineError(
            f"the baseline {path} is not whole JSON: {error}; restore it, or make it anew with "
            "--compaction-baseline-update"
        ) from None
    faults = schema_faults(data, __package__, _SCHEMA)
    if faults:
        said = "; ".join(map(str, faults[:_FAULTS]))
        raise BaselineError(f"{path} is no baseline of format 1 or {BASELINE_FORMAT}: {said}")
    found: dict[str, Any] = data["strategies"]
    return found


def write_baseline_file(
    path: Path,
    header: Mapping[str, Any],
    groups: Mapping[str, Sequence[Record]],
    view_of: Callable[[Record], bytes | None] = lambda _: None,
) -> None:
    """Accept runs of strategies as their baseline; those of other strategies stay as they are.

    ``header`` is that of the run, ``groups`` its records by strategy, and ``view_of`` gives the
    file of the view of a record. The file is written atomically, sorted and indented, so that a
    change of one score is one line of a diff.
    """
    strategies = read_baseline_file(path) if path.exists() else {}
    for name, records in groups.items():
        strategies[name] = _strategy(header, records, view_of)
    data = {"format": BASELINE_FORMAT, "strategies": strategies}
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, data)


def _write(path: Path, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    write_whole(path, f"{text}\n".encode())


def view_in(data: Mapping[str, Any], name: str) -> bytes | None:
    """The file of a view that a strategy's part holds; ``None`` if it is not there or damaged."""
    packed = data.get("views", {}).get(name)
    if packed is None:
        return None
    try:
        return zlib.decompress(base64.b64decode(packed, validate=True))
    except (binascii.Error, zlib.error):
        return None


def is_sampled(header: Mapping[str, Any], records: Iterable[Record]) -> bool:
    """Whether the views of a run come from a model that may answer otherwise the next time.

    Rules always answer the same, and so does a replay; a client of the strategy's own may not.
    """
    settings = header.get("settings") or {}
    if settings.get("replay"):
        return False
    by_model = settings.get("model") not in {None, *UNSAMPLED} or bool(settings.get("proxy"))
    usage = (record.get("usage") or {} for record in records)
    return by_model and any((used.get("compaction") or {}).get("calls") for used in usage)


UNSAMPLED: Final = (OFFLINE, RECORDED_WORDS)
"""The models that always answer the same."""
_VERSIONS: Final = ("cases", "pytest-compaction", "reader")
"""The versions on which it depends how a later run compares."""


def _strategy(
    header: Mapping[str, Any],
    records: Iterable[Record],
    view_of: Callable[[Record], bytes | None],
) -> dict[str, Any]:
    probes = sorted(
        (record for record in records if type_of(record) == "probe"),
        key=lambda r: (r["case"], r["probe"], str(r.get("budget") or ""), r["trial"]),
    )
    versions, cases = header.get("versions") or {}, header.get("cases") or {}
    measured = sorted({record["case"] for record in probes})
    logs = {record["case"]: _hash(record, "log") for record in probes}
    asked: dict[str, dict[str, Any]] = {}
    views: dict[str, str] = {}
    for record in probes:
        digest, name = _hash(record, "probe"), _hash(record, "view")
        if record["facts"] and digest:
            keys = {fact: each.get("keys", "") for fact, each in named_facts(record["facts"])}
            asked.setdefault(record["case"], {})[record["probe"]] = {
                "digest": digest,
                "facts": keys,
            }
        data = view_of(record) if name and name not in views else None
        if name and data is not None:
            views[name] = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    made: dict[str, Any] = scrubbed_json(
        {
            "settings": compared_settings(header),
            "cases": {case: cases[case] for case in measured if case in cases},
            "logs": {case: found for case, found in sorted(logs.items()) if found},
            "asked": asked,
            "versions": {k: versions[k] for k in _VERSIONS if k in versions},
            **({"words": words} if (words := header.get("words")) else {}),
            "sampled": is_sampled(header, probes),
            "items": list(map(_item, probes)),
        }
    )
    return {**made, "views": views}


def _hash(record: Record, name: str) -> str | None:
    found: str | None = (record.get("hashes") or {}).get(name)
    return found


def _item(record: Record) -> dict[str, Any]:
    """An item with the keys whose values are not the usual ones."""
    tokens, trial = record["tokens"], record["trial"]
    facts = {}
    for name, fact in named_facts(record["facts"]):
        stated = "unused" if fact.get("used") is False else "stated"
        facts[name] = stated if is_stated(fact) else outcome_of(fact, "view")
    seldom = {
        "trial": None if trial == 1 else trial,
        "budget": record.get("budget"),
        "view": _hash(record, "view"),
        "reading": "answer" if record.get("reading") == "answer" else None,
        "tokens": {k: tokens[k] for k in ("log", "view")} if tokens else None,
    }
    return {
        "case": record["case"],
        "probe": record["probe"],
        "status": record["status"],
        "overall": record["overall"],
        "dimensions": {k: v for k, v in record["dimensions"].items() if v is not None},
        "facts": facts,
        **{name: value for name, value in seldom.items() if value is not None},
    }


def records_of(strategy: str, data: Mapping[str, Any]) -> Iterator[Record]:
    """The items of a strategy as records that hold what a comparison reads."""
    for item in data["items"]:
        case, probe, trial = item["case"], item["probe"], item.get("trial", 1)
        asked = data.get("asked", {}).get(case, {}).get(probe, {})
        keys = asked.get("facts", {})
        hashes = {
            "case": data["cases"].get(case),
            "log": data.get("logs", {}).get(case),
            "probe": asked.get("digest"),
            "view": item.get("view"),
        }
        facts: list[FactRecord] = []
        for text, became in item["facts"].items():
            survived = became in {"stated", "unused"}
            fact: FactRecord = {"text": text, "survived": survived, "used": became == "stated"}
            fact["view"] = "stated" if survived else became
            if keys.get(text):
                fact["keys"] = keys[text]
            facts.append(fact)
        yield {
            "item": f"{strategy}-{case}-{probe}-{trial}",
            "compactor": strategy,
            "case": case,
            "probe": probe,
            "trial": trial,
            "budget": item.get("budget"),
            "status": item["status"],
            "reading": item.get("reading", "view"),
            "overall": item["overall"],
            "dimensions": dict(item["dimensions"]),
            "facts": facts,
            "traps": [],
            "tokens": dict(item.get("tokens", {})),
            "compaction": {},
            "hashes": {name: found for name, found in hashes.items() if found},
        }


def accepted_place(path: Path, root: Path) -> Path | None:
    """Where hash and figures of a baseline outside ``root`` are committed; ``None`` if inside."""
    if path.resolve().is_relative_to(root.resolve()):
        return None
    return root / f"{path.stem}.accepted.json"


def write_accepted(place: Path, path: Path) -> None:
    """Write the hash and the figures of a baseline file; no text of a transcript is among them."""
    figures = {}
    for name, found in read_baseline_file(path).items():
        records = list(records_of(name, found))
        scores = [record["overall"] for record in records if record["overall"] is not None]
        facts = [fact for record in records for fact in record["facts"]]
        figures[name] = {
            "cases": len({record["case"] for record in records}),
            "items": len(records),
            "scored": len(scores),
            "overall": round(math.fsum(scores) / len(scores), 4) if scores else None,
            "facts": {"asked": len(facts), "stated": sum(map(is_stated, facts))},
        }
    accepted = {"format": 1, "baseline": path.name, "sha256": _sha256(path)}
    _write(place, {**accepted, "strategies": figures})


def check_accepted(place: Path, path: Path) -> None:
    """Raise :class:`BaselineError` if a baseline is not the one whose hash was committed."""
    try:
        wanted = json.loads(place.read_text("utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BaselineError(
            f"{place.name}, which holds the hash of the baseline, cannot be read: {error}; restore "
            "it, or accept a run anew with --compaction-baseline-update"
        ) from None
    if not path.exists():
        raise BaselineError(
            f"there is no such file, and {place.name} names the accepted one by its hash, sha256 "
            f"{printable(str(wanted), 64)}: fetch that"
        )
    found = _sha256(path)
    if found != wanted:
        raise BaselineError(
            f"it is not the accepted one: its sha256 is {found}, and {place.name} has "
            f"{printable(str(wanted), 64)}; fetch that file, or accept a run anew with "
            "--compaction-baseline-update"
        )


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise BaselineError(f"cannot read it: {error.strerror or error}") from None
