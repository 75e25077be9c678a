"""The small file of a baseline, made to be committed: scores and facts of accepted runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.validation import schema_faults
from pytest_compaction.metrics.differences.run_changes import named_facts
from pytest_compaction.metrics.item_figures import is_stated
from pytest_compaction.records.baselines.comparability import compared_settings
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.records.runs.run_file import write_whole
from pytest_compaction.secrets.keys import scrubbed_json

BASELINE_FORMAT: Final = 1
_SCHEMA: Final = "baseline.schema.json"
_FAULTS: Final = 3
"""The most faults of a file that a sentence names."""


class BaselineError(Exception):
    """A baseline cannot be used; the text is a sentence that says why and what to do."""


def read_baseline_file(path: Path) -> dict[str, Any]:
    """The strategies of a baseline file, checked against its schema.

    Raises :class:`BaselineError` with a sentence for a file that is none.
    """
    try:
        data = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_refuse_constant)
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
        raise BaselineError(f"{path} is no baseline of format {BASELINE_FORMAT}: {said}")
    found: dict[str, Any] = data["strategies"]
    return found


def _refuse_constant(name: str) -> Any:
    raise BaselineError(f"holds {name}, which is no score; make it anew")


def write_baseline_file(
    path: Path, header: Mapping[str, Any], groups: Mapping[str, Sequence[Record]]
) -> None:
    """Accept runs of strategies as their baseline; those of other strategies stay as they are.

    ``header`` is that of the run, ``groups`` its records by strategy. The file is written
    atomically, sorted and indented, so that a change of one score is one line of a diff.
    """
    strategies = read_baseline_file(path) if path.exists() else {}
    for name, records in groups.items():
        strategies[name] = _strategy(header, records)
    data = {"format": BASELINE_FORMAT, "strategies": strategies}
    text = json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [f"{text}\n".encode()])


def records_of(strategy: str, data: Mapping[str, Any]) -> list[Record]:
    """The items of a strategy as records that hold what a comparison reads."""
    return [_record(strategy, item) for item in data["items"]]


def _strategy(header: Mapping[str, Any], records: Iterable[Record]) -> dict[str, Any]:
    probes = [record for record in records if type_of(record) == "probe"]
    versions = header.get("versions") or {}
    cases = header.get("cases") or {}
    measured = sorted({record["case"] for record in probes})
    made: dict[str, Any] = scrubbed_json(
        {
            "settings": compared_settings(header),
            "cases": {case: cases[case] for case in measured if case in cases},
            "versions": {k: v for k, v in versions.items() if k == "pytest-compaction"},
            "items": [_item(record) for record in sorted(probes, key=_place)],
        }
    )
    return made


def _place(record: Record) -> tuple[str, str, str, int]:
    return record["case"], record["probe"], str(record.get("budget") or ""), record["trial"]


def _item(record: Record) -> dict[str, Any]:
    tokens = record["tokens"]
    budget, trial = record.get("budget"), record["trial"]
    return {
        "case": record["case"],
        "probe": record["probe"],
        **({"trial": trial} if trial != 1 else {}),
        **({} if budget is None else {"budget": budget}),
        "status": record["status"],
        "overall": record["overall"],
        "dimensions": {k: v for k, v in record["dimensions"].items() if v is not None},
        "facts": {name: _became(fact) for name, fact in named_facts(record["facts"])},
        **({"tokens": {k: tokens[k] for k in ("log", "view")}} if tokens else {}),
    }


def _became(fact: Mapping[str, Any]) -> str:
    if not is_stated(fact):
        return "dropped"
    return "stated" if fact.get("used", True) else "unused"


def _record(strategy: str, item: Mapping[str, Any]) -> Record:
    case, probe, trial = item["case"], item["probe"], item.get("trial", 1)
    return {
        "item": f"{strategy}-{case}-{probe}-{trial}",
        "compactor": strategy,
        "case": case,
        "probe": probe,
        "trial": trial,
        "budget": item.get("budget"),
        "status": item["status"],
        "overall": item["overall"],
        "dimensions": dict(item["dimensions"]),
        "facts": [
            {"text": text, "survived": became != "dropped", "used": became == "stated"}
            for text, became in item["facts"].items()
        ],
        "traps": [],
        "tokens": dict(item.get("tokens", {})),
        "compaction": {},
    }
