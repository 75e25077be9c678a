"""The page as one HTML file, from runs alone."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from pytest_compaction.gate import fact_name
from pytest_compaction.metrics import (
    COST_HORIZON,
    compare_strategies,
    counts_of,
    curves,
    interval_method,
    with_other_words,
)
from pytest_compaction.models import ratio_text
from pytest_compaction.records import (
    cases_note,
    changed_cases,
    finite,
    own_tokens_of,
    rounded,
    run_pricing,
    type_of,
)
from pytest_compaction.records import differences as run_differences
from pytest_compaction.reports.ab import AB, versions_of
from pytest_compaction.reports.lines import short_names
from pytest_compaction.reports.page.overview import (
    SCORES,
    Figures,
    Gate,
    classes_of,
    comparisons_of,
    figures_of_arm,
    rules_of,
)
from pytest_compaction.reports.page.plots import (
    HEIGHT,
    WIDTH,
    Scale,
    budget_plot,
    scatter,
    survival_plot,
)
from pytest_compaction.reports.page.runs import Arm, PageRun, arms_of, index_of
from pytest_compaction.reports.page.texts import Texts, texts_of
from pytest_compaction.reports.table import written
from pytest_compaction.reports.tables import run_tables
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_BYTES: Final = 4_900_000
"""The size that a page stays below, if cutting long messages suffices for it."""
PASS_SCORE: Final = 3.5
"""The pass score of a run whose header does not name one."""

_SCRIPTS: Final = "texts data marks filters list panes bench item changes start".split()
_STYLES: Final = "colours overview items sizes".split()
_CELL: Final = Scale(0, MAX_SCORE, 6, 106)
_CASE: Final = Scale(0, MAX_SCORE, 6, 226)
"""The scales of the small plots of tables: a score of a strategy, and those of a case."""
_CASES: Final = 30
_BREAKS: Final = re.compile(r"(?<=[_\-./:,=@])(?=[^\W\d_])")
"""Where a long name may go on in the next line."""
_INERT: Final = str.maketrans(
    {ch: f"\\u{ord(ch):04x}" for ch in ("<", ">", "&", "\u2028", "\u2029")}
)


def page_of(
    runs: Sequence[PageRun],
    most: int = MOST_BYTES,
    gate: Gate | None = None,
    versions: Sequence[AB] | None = None,
) -> str:
    """The page of these runs, and of the gate of one, with messages cut to stay below ``most``.

    ``versions`` are those of the one run unless they are given.
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
    environment.filters |= {
        "shown": printable,
        "written": written,
        "address": lambda text: quote(text.encode("utf-8", "backslashreplace"), safe=""),
        "name": _name,
        "head": lambda text: _BREAKS.sub("\u200b", printable(text, 80)),
    }
    arms = arms_of(runs)
    if versions is None:
        groups = {arm.label: arm.records for arm in arms}
        versions = list(versions_of(groups, runs[0].run.header)) if len(runs) == 1 else []
    told = ((each.run.header.get("settings") or {}).get("pass_score") for each in runs)
    pass_score = next((float(n) for n in told if isinstance(n, int | float)), PASS_SCORE)
    short = short_names((arm.label for arm in arms), 60)
    index, (pairs, letters) = index_of(arms), compared(arms)
    data = {
        "passScore": pass_score,
        "dimensions": DIMENSIONS,
        "arms": [{"label": a.label, "short": short[a.label], "name": a.name} for a in arms],
        "cases": index.cases,
        "probes": index.probes,
        "items": index.items,
        "pairs": pairs,
    }
    style = "\n".join(_asset(f"{name}.css") for name in _STYLES)
    script = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    texts = texts_of(runs, arms, index, most - len(inert_json(data)) - len(style) - len(script))
    return environment.get_template("page.html").render(
        title=" and ".join(printable(each.name) for each in runs) or "no run",
        policy=content_policy(script, style),
        style=style,
        script=script,
        data=inert_json({**data, "blocks": texts.blocks}),
        letters=letters,
        index=index,
        cell=_CELL,
        case_scale=_CASE,
        scores=SCORES,
        most_cases=_CASES,
        width=WIDTH,
        height=HEIGHT,
        pass_score=pass_score,
        notes=list(_notes(runs, arms, texts)),
        prompts=list(_prompts(runs)),
        gate=gate,
        versions=versions,
        fact_name=fact_name,
        rules=rules_of(gate) if gate else [],
        comparisons=list(comparisons_of(gate.against, arms)) if gate else [],
        names=short,
        **_figures(runs, arms),
    )


def _figures(runs: Sequence[PageRun], arms: Sequence[Arm]) -> dict[str, Any]:
    by_run = [
        [record for arm in arms if arm.run == n for record in arm.records]
        for n, _ in enumerate(runs)
    ]
    settings = [each.run.header.get("settings") or {} for each in runs]
    prices = [
        run_pricing(str(told.get("responder")), found)
        for told, found in zip(settings, by_run, strict=True)
    ]
    apart = with_other_words({arm.label: arm.records for arm in arms})

    def rank(each: Figures) -> tuple[bool, float, str]:
        """The best first; those that are compared with none and those without a score last."""
        overall = each.means.get("overall")
        return each.label in apart, -overall.value if overall else 1.0, each.label

    figures = sorted((figures_of_arm(arm, prices[arm.run]) for arm in arms), key=rank)
    drawn = {
        curve.compactor if len(runs) == 1 else f"{curve.compactor} ({each.name})": curve
        for each, records in zip(runs, by_run, strict=True)
        for curve in curves(records)
    }
    budgets = sorted({point.budget for curve in drawn.values() for point in curve.points})
    cases: dict[str, list[tuple[float, int]]] = {}
    for n, item in enumerate(figures):
        for case, score in () if item.control else item.cases.items():
            cases.setdefault(case, []).append((score, n))
    return {
        "figures": figures,
        "heads": short_names((item.label for item in figures), 22),
        "classes": classes_of(figures),
        "answered": any(
            item.losses is not None and item.losses.whole.unused is not None for item in figures
        ),
        "costs": [item for item in figures if item.costs and not item.control],
        "cost_horizon": COST_HORIZON,
        "cases": sorted(cases.items(), key=lambda row: (min(row[1])[0], row[0])),
        "curve_plot": budget_plot(drawn, budgets),
        "scatter": scatter(figures),
        "survival": survival_plot(figures),
        "tables": [
            (each.name, list(run_tables(found, pricing)))
            for each, found, pricing in zip(runs, by_run, prices, strict=True)
            if found
        ],
    }


def compared(arms: Sequence[Arm]) -> tuple[dict[str, dict[str, Any]], Mapping[str, str]]:
    """Any two strategies, the control aside, by their numbers, and the letters of each by label."""
    found = compare_strategies({arm.label: arm.records for arm in arms if not arm.control})
    number = {arm.label: n for n, arm in enumerate(arms)}
    pairs = {
        f"{number[pair.first]},{number[pair.second]}": {
            "mean": rounded((mean := pair.paired.difference).value),
            "interval": mean.interval and [rounded(bound) for bound in mean.interval],
            "items": mean.count,
            "cases": mean.cases,
            "p": rounded(pair.holm),
            "wins": pair.paired.wins,
            "losses": pair.paired.losses,
        }
        for pair in found.pairs
    }
    told = len(found.letters) > 1 and any(found.letters.values())
    return dict(sorted(pairs.items())), found.letters if told else {}


def _prompts(runs: Sequence[PageRun]) -> Iterator[dict[str, str]]:
    """What models were told, each text once."""
    seen: set[tuple[str, str]] = set()
    for each in runs:
        settings = each.run.header.get("settings")
        for told in settings.get("prompts", ()) if isinstance(settings, Mapping) else ():
            said = {name: str(text) for name, text in told.items()}
            key = said.get("strategy", ""), said.get("digest", "")
            if key not in seen:
                seen.add(key)
                yield {"system": "", "user": "", "instruction": "", "date": "", **said}


def _notes(runs: Sequence[PageRun], arms: Sequence[Arm], texts: Texts) -> Iterator[str]:
    """Sentences on intervals, on what of the runs cannot be read, and on texts that are cut."""
    cases, units = counts_of(record for arm in arms for record in arm.records)
    if cases:
        yield f"Whiskers and brackets are 95 % intervals: {interval_method(cases, units)}."
    else:
        yield "There is no record of a probe."
    for each in runs:
        # A page is sent to others, who need not know the folders of this machine.
        folder = "" if each.folder is None else f"{each.folder}{os.sep}"
        yield from (f"{problem.replace(folder, '')}." for problem in each.run.problems)
        if told := own_tokens_of(each.run.header):
            yield f"{each.name}: {ratio_text(told)}."
    for first, second in combinations(runs, 2):
        headers, names = (first.run.header, second.run.header), (first.name, second.name)
        changed = cases_note(*headers, names) or changed_cases(*headers, names)
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


def inert_json(data: Any) -> str:
    """JSON for a script element: ASCII, and no text in it ends the element or begins a comment."""
    text = json.dumps(finite(data), separators=(",", ":"), allow_nan=False)
    return text.translate(_INERT)


def content_policy(script: str, style: str) -> str:
    """A Content-Security-Policy that lets this script and this style in, and nothing else."""
    allowed = []
    for name, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        allowed.append(f"{name} 'sha256-{digest}'")
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _name(text: str) -> Markup:
    """A name that can go on in the next line after a mark, and nowhere else."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in _BREAKS.split(printable(text)))


def _asset(name: str) -> str:
    return (files("pytest_compaction.reports.page") / "assets" / name).read_text("utf-8")
