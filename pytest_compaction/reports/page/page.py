"""The page as one HTML file, from runs alone."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from typing import Any, Final
from urllib.parse import quote

from pytest_compaction.gate import BaselineDecision, fact_name
from pytest_compaction.metrics import Pricing, StrategyPair, compare_strategies, interval_method
from pytest_compaction.records import Record, RunTexts, changed_cases, rounded, run_pricing, type_of
from pytest_compaction.records import differences as run_differences
from pytest_compaction.reports.changes.block import holds_text, undecided_text
from pytest_compaction.reports.changes.words import changed_text
from pytest_compaction.reports.gate_line import newly_gone_text
from pytest_compaction.reports.page.arms import Arm, PageRun, arms_of
from pytest_compaction.reports.page.inert import content_policy, inert_json
from pytest_compaction.reports.page.items import Index, detail_of, index_of
from pytest_compaction.reports.page.overview import Figures, classes_of, figures_of_arm
from pytest_compaction.reports.page.plots import Scale, scatter, survival_curves, whisker
from pytest_compaction.reports.tables.run_tables import run_tables
from pytest_compaction.reports.tables.table_page import written
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.text import printable

Block = dict[str, Any]
"""All texts of a case: its ``log`` or ``None``, its ``views`` by hash, its ``items`` by number."""

_LIMITS: Final = (None, 20_000, 8_000, 3_000, 1_000, 300, 0)
"""The most characters of a message, tried until all is small enough; 0 is for no texts."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The packed block of each case, and how messages had to be cut so that all found room.

    ``limit`` is the most characters of a message, ``None`` if none was cut; ``left_out`` counts
    the characters that are not there.
    """

    blocks: tuple[str, ...]
    limit: int | None = None
    left_out: int = 0
    logs: int = 0
    """Cases whose log is there."""


def texts_of(runs: Sequence[PageRun], arms: Sequence[Arm], index: Index, most: int) -> Texts:
    """The texts of all cases in at most about ``most`` bytes; longer messages are cut for it."""
    blocks = _blocks(runs, arms, index)
    logs = sum(block["log"] is not None for block in blocks)
    made = Texts(())
    for limit in _LIMITS:
        left_out = 0
        packed = []
        for block in blocks:
            shorter, missing = (block, 0) if limit is None else _cut(block, limit)
            left_out += missing
            packed.append(_packed(shorter))
        made = Texts(tuple(packed), limit, left_out, logs)
        if sum(map(len, packed)) <= most:
            break
    return made


def _blocks(runs: Sequence[PageRun], arms: Sequence[Arm], index: Index) -> list[Block]:
    blocks: list[Block] = [{"log": None, "views": {}, "items": {}} for _ in index.cases]
    sources = [None if each.folder is None else RunTexts(each.folder) for each in runs]
    # Items of one probe stand together, so that the same texts come within reach of the packing.
    order = sorted(range(len(index.items)), key=lambda n: (index.items[n]["probe"], n))
    for number in order:
        item, record = index.items[number], index.records[number]
        block = blocks[index.probes[item["probe"]]["case"]]
        block["items"][str(number)] = detail_of(record)
        source = sources[arms[item["arm"]].run]
        if source is None:
            continue
        if block["log"] is None:
            block["log"] = _shown_of_log(source.log(record))
        if item["view"] and item["view"] not in block["views"]:
            messages = source.view(record)
            if messages is not None:
                block["views"][item["view"]] = [_without_log(message) for message in messages]
    return blocks


def _shown_of_log(log: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the page shows of a log, which may hold more."""
    if log is None:
        return None
    return {
        name: [{key: each[key] for key in keys} for each in log[name]]
        for name, keys in (("messages", ("id", "role", "text")), ("points", ("id", "after")))
    }


def _without_log(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of a view; one that stands word for word in the log has its text there alone."""
    kept = message["origin"] == "log" and not message["changed"]
    return {key: message[key] for key in ("id", "role", "origin", *(() if kept else ("text",)))}


def _cut(block: Block, limit: int) -> tuple[Block, int]:
    """The block with the beginnings of its messages, and how many characters that leaves out."""
    if not limit:
        return {**block, "log": None, "views": {}}, _length(block)
    log = block["log"]
    shorter = {
        **block,
        "log": log and {**log, "messages": [_beginning(m, limit) for m in log["messages"]]},
        "views": {
            name: [_beginning(message, limit) for message in view]
            for name, view in block["views"].items()
        },
    }
    return shorter, _length(block) - _length(shorter)


def _beginning(message: Mapping[str, Any], limit: int) -> dict[str, Any]:
    text = message.get("text") or ""
    if len(text) <= limit:
        return dict(message)
    return {**message, "text": text[:limit], "cut": len(text) - limit}


def _length(block: Block) -> int:
    views = [message for view in block["views"].values() for message in view]
    log = block["log"]["messages"] if block["log"] else []
    return sum(len(message.get("text") or "") for message in (*log, *views))


def _packed(block: Block) -> str:
    text = json.dumps(block, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


@dataclass(frozen=True, slots=True)
class Compared:
    """Any two strategies with a common item, as plain data, and the letters of each by label.

    A pair stands under the numbers ``first,second`` of its strategies. Strategies that share a
    letter do not differ at 5 %.
    """

    pairs: Mapping[str, Mapping[str, Any]]
    letters: Mapping[str, str]


def compared(arms: Sequence[Arm]) -> Compared:
    """Compare the overall scores of all strategies of the page, the control aside."""
    groups = {arm.label: arm.records for arm in arms if not arm.control}
    found = compare_strategies(groups)
    number = {arm.label: n for n, arm in enumerate(arms)}
    pairs = {f"{number[pair.first]},{number[pair.second]}": _pair(pair) for pair in found.pairs}
    told = len(found.letters) > 1 and any(found.letters.values())
    return Compared(dict(sorted(pairs.items())), found.letters if told else {})


def _pair(pair: StrategyPair) -> dict[str, Any]:
    paired = pair.paired
    mean = paired.difference
    return {
        "mean": rounded(mean.value),
        "interval": mean.interval and [rounded(bound) for bound in mean.interval],
        "items": mean.count,
        "cases": mean.cases,
        "p": rounded(pair.holm),
        "wins": paired.wins,
        "losses": paired.losses,
    }


MOST_BYTES: Final = 4_900_000
"""The size that a page stays below, if cutting long messages suffices for it."""
PASS_SCORE: Final = 3.5
"""The pass score of a run whose header does not name one."""

_SCRIPTS: Final = "texts data marks filters list panes bench item changes start".split()
_STYLES: Final = "colours overview items sizes".split()
_CELL: Final = Scale(0, MAX_SCORE, 6, 106)
"""The scale of the small plots of the table of strategies."""
_FIGURE: Final = (460.0, 300.0)


def page_of(
    runs: Sequence[PageRun],
    most: int = MOST_BYTES,
    against: BaselineDecision | None = None,
    gate: str = "",
) -> str:
    """The page of these runs; the same runs give the same text.

    ``against`` is what the baselines of a run decided, and ``gate`` the line of its gate.

    ``most`` is the size in bytes up to which long messages are kept whole.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # takes long to import

    environment = Environment(
        loader=PackageLoader("pytest_compaction.reports.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"shown": printable, "written": written, "address": _address}
    environment.filters["fact"] = fact_name
    environment.globals |= {"whisker": whisker, "cell": _CELL}
    arms = arms_of(runs)
    index, pairs = index_of(arms), compared(arms)
    style = "\n".join(_asset(f"{name}.css") for name in _STYLES)
    script = _script()
    rest = inert_json(_data(runs, arms, index, pairs))
    room = most - len(rest) - len(style) - len(script)
    texts = texts_of(runs, arms, index, room)
    return environment.get_template("page.html").render(
        title=" and ".join(printable(each.name) for each in runs) or "no run",
        policy=content_policy(script, style),
        style=style,
        script=script,
        data=inert_json(_data(runs, arms, index, pairs, texts)),
        letters=pairs.letters,
        gate=gate,
        baselines=_baselines(against) if against is not None else [],
        index=index,
        dimensions=DIMENSIONS,
        pass_score=_pass_score(runs),
        notes=list(_notes(runs, arms, texts)),
        tables=[
            (each.name, list(run_tables(found, _pricing(each, number, arms))))
            for number, each in enumerate(runs)
            if (found := _records(number, arms))
        ],
        **_figures(runs, arms),
    )


def _baselines(against: BaselineDecision) -> list[dict[str, Any]]:
    """Facts newly gone and regained against each baseline, by name."""
    found = []
    for each in against.comparisons:
        facts = each.changes.facts
        said = undecided_text(each, against.rules.max_drop) or holds_text(each)
        found.append(
            {
                "title": f"{each.arm} against {each.baseline.title}",
                "said": "; ".join(rule.check.text for rule in each.worse) or said,
                "newly_gone": newly_gone_text(each),
                "lists": [
                    ("Newly gone", facts.gone),
                    ("Stated before, uncertain now", facts.uncertain),
                    ("Regained", facts.regained),
                    ("Not comparable, since the text or the keys changed", facts.not_comparable),
                ],
                "notes": changed_text(each.changes),
            }
        )
    return found


def _figures(runs: Sequence[PageRun], arms: Sequence[Arm]) -> dict[str, Any]:
    prices = [_pricing(each, number, arms) for number, each in enumerate(runs)]
    figures = sorted((figures_of_arm(arm, prices[arm.run]) for arm in arms), key=_rank)
    return {
        "figures": figures,
        "classes": classes_of(figures),
        "answered": any(
            item.losses is not None and item.losses.whole.counts.unused is not None
            for item in figures
        ),
        "costs": [item for item in figures if item.costs and not item.control],
        "scatter": scatter(figures, *_FIGURE),
        "curves": survival_curves(figures, *_FIGURE),
        "size": _FIGURE,
    }


def _pricing(run: PageRun, number: int, arms: Sequence[Arm]) -> Pricing:
    settings = run.run.header.get("settings") or {}
    return run_pricing(str(settings.get("responder")), _records(number, arms))


def _records(number: int, arms: Sequence[Arm]) -> list[Record]:
    """The records of the run of that number."""
    return [record for arm in arms if arm.run == number for record in arm.records]


def _rank(figures: Figures) -> tuple[float, str]:
    """The best first; a strategy without a score comes last."""
    overall = figures.whole.overall
    return (-overall.value if overall else 1.0, figures.label)


def _data(
    runs: Sequence[PageRun],
    arms: Sequence[Arm],
    index: Index,
    pairs: Compared,
    texts: Texts | None = None,
) -> dict[str, Any]:
    """What the script reads."""
    return {
        "passScore": _pass_score(runs),
        "dimensions": DIMENSIONS,
        "runs": [each.name for each in runs],
        "arms": [{"label": arm.label, "name": arm.name, "run": arm.run} for arm in arms],
        "cases": index.cases,
        "probes": index.probes,
        "items": index.items,
        "pairs": pairs.pairs,
        "blocks": texts.blocks if texts else (),
    }


def _pass_score(runs: Sequence[PageRun]) -> float:
    for each in runs:
        found = (each.run.header.get("settings") or {}).get("pass_score")
        if isinstance(found, int | float):
            return float(found)
    return PASS_SCORE


def _notes(runs: Sequence[PageRun], arms: Sequence[Arm], texts: Texts) -> Iterator[str]:
    """What a reader must know of the page: intervals, texts that are missing or cut."""
    cases = len({record["case"] for arm in arms for record in arm.records})
    if cases:
        yield f"Whiskers and brackets are 95 % intervals: {interval_method(cases)}."
    else:
        yield "There is no record of a probe."
    for each in runs:
        # A page is sent to others, who need not know the folders of this machine.
        folder = "" if each.folder is None else f"{each.folder}{os.sep}"
        yield from (f"{problem.replace(folder, '')}." for problem in each.run.problems)
    for first, second in combinations(runs, 2):
        headers = (first.run.header, second.run.header)
        names = (first.name, second.name)
        changed = changed_cases(*headers, names)
        for reason in [*run_differences(*headers, names), *([changed] if changed else [])]:
            yield f"The scores of these runs cannot be compared: {reason}."
    left = sum(type_of(record) == "dialogue" for each in runs for record in each.run.records)
    if left:
        yield (
            f"{left:,} records of dialogues are not on this page; pytest-compaction dialogues "
            "shows them."
        )
    if cases and not texts.logs:
        yield (
            "The texts of logs and views are not there: the run kept none, or the folders logs "
            "and views no longer lie beside its file."
        )
    elif cases and texts.logs < len(texts.blocks):
        yield f"The log is there for {texts.logs} of {len(texts.blocks)} cases."
    if texts.limit:
        yield (
            f"So that the page stays small, messages are cut to {texts.limit:,} characters; "
            f"{texts.left_out:,} characters are left out."
        )
    elif texts.limit == 0 and texts.logs:
        yield "The texts of logs and views are left out: they are too large for one page."


def _script() -> str:
    """All scripts as one, in a scope of their own."""
    parts = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _address(text: str) -> str:
    return quote(text.encode("utf-8", "backslashreplace"), safe="")


def _asset(name: str) -> str:
    return (files("pytest_compaction.reports.page") / "assets" / name).read_text("utf-8")
