"""Measure the reference run, and how far the offline model agrees with it."""

from pathlib import Path

from calibration import judged_labels
from support.measuring import offline_settings, records_of_session
from support.paths import CASES

from pytest_compaction.case import load_cases
from pytest_compaction.metrics import aggregate, of_judges, of_readings, of_runs
from pytest_compaction.models import REFERENCE, shipped_run
from pytest_compaction.reports.lines import interval_text
from pytest_compaction.settings import CONTROL, CallSettings

ROLES = {
    "offline": "summaries, answers and judgements by rules",
    "offline judge": "the same answers, judged by rules",
    "rules": "the same views, read by rules",
}
"""What is held against the model, with a title for each."""
TWICE = {"judgements": 2, "compactors": ("anchored",), "origins": {"scripted"}}
"""What the reference run judged twice."""
FIGURES = (
    ("scores of items", "kappa"),
    ("scores of items", "Spearman"),
    ("scores of items", "difference"),
    ("facts stated", "kappa"),
    ("accuracy", "Spearman"),
    ("context", "Spearman"),
    ("artifact", "Spearman"),
    ("continuity", "Spearman"),
    ("completeness", "Spearman"),
    ("instruction", "Spearman"),
    ("ranking of strategies", "Kendall"),
)


def agreement_block():
    """How far the offline model, its judge and its reading agree with the reference run."""
    model = _records(judges=(REFERENCE,), model=REFERENCE, responder=REFERENCE)
    sides = {
        "offline": _records(answers=True),
        "offline judge": _records(model=REFERENCE, responder=REFERENCE),
        "rules": _records(model=REFERENCE),
    }
    found = {name: of_runs(records, model, (name, REFERENCE)) for name, records in sides.items()}
    head = ["compared", "measure", *(ROLES[name] for name in found)]
    rows = [_row(head), _row(["---", "---", *("---:" for _ in found)])]
    for of, measure in FIGURES:
        figures = [_figure(agreement, of, measure) for agreement in found.values()]
        rows.append(_row([of, measure, *map(_cell, figures)]))
    items = _figure(found["offline"], *FIGURES[0])
    facts = _figure(found["offline"], "facts stated", "kappa")
    left_out = "; ".join(f"{n} {why}" for why, n in found["offline"].left_out.items())
    note = (
        f"{items.count} items and {facts.count:,} facts of {items.cases} cases; left out: "
        f"{left_out}. A difference is the model minus the rules, in points. In brackets: 95 % "
        "intervals over cases."
    )
    tables = (
        "\n".join(rows),
        note,
        _within_runs(sides["offline"], model),
        _strategies(sides["offline"], model),
    )
    return "\n\n".join(tables)


def _within_runs(offline, model):
    """What one run says twice, and what the judge says of real summaries that readers labelled."""
    (sittings,) = of_judges(
        _records(judges=(REFERENCE,), model=REFERENCE, responder=REFERENCE, **TWICE)
    )
    rows = [_row(["compared", "kappa", "of"]), _row(["---", "---:", "---"])]
    for what, agreement in (
        ("the reference run: views and answers", of_readings(model)),
        ("the offline run: views and answers", of_readings(offline)),
        ("the judge and itself in another sitting", sittings),
    ):
        for figure in agreement.figures:
            if figure.measure == "kappa":
                of = f"{figure.count:,} {figure.of.removeprefix('scores of ')}"
                rows.append(_row([what, _cell(figure), of]))
    for found in _readers():
        what = f"{found['first']} and {found['second']}, real summaries"
        figure = f"{found['kappa']:.2f} {interval_text(found['interval'])}"
        rows.append(_row([what, figure, f"{found['facts']} facts"]))
    return "\n".join(rows)


def _readers():
    """Kappa of the judge, the matcher and two readers of real summaries, each two of them."""
    found, missing, unscored = judged_labels.judged(Path("no store"), "report")
    assert not missing and not unscored
    return [each for each in judged_labels.figures(found) if each["half"] == "report"]


def _records(model="offline", responder="offline", judges=("offline",), **changes):
    """The records of the cases and strategies of the reference run, without the control."""
    manifest = shipped_run().manifest
    covered = [case for case in load_cases([CASES]).cases if case.id in manifest.cases]
    assert {case.id: case.digest for case in covered} == manifest.cases
    origins = changes.pop("origins", {"real", "scripted"})
    settings = offline_settings(
        cases=tuple(str(CASES / case.source) for case in covered if case.origin in origins),
        compactors=changes.pop("compactors", None)
        or tuple(name for name in manifest.strategies if name != CONTROL),
        model=model,
        responder=responder,
        judges=judges,
        calls=CallSettings(store="no store", replay=True),
        **changes,
    )
    return records_of_session(settings, use_shipped=False, compares_nulls=False)


def _strategies(offline, model):
    """The mean scores of the strategies, real and scripted cases apart."""
    rows = [
        "| strategy | offline, real | model, real | offline, scripted | model, scripted |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name in dict.fromkeys(record["compactor"] for record in model):
        cells = []
        for origin in ("real", "scripted"):
            for records in (offline, model):
                own = [r for r in records if (r["compactor"], r["origin"]) == (name, origin)]
                mean = aggregate(name, own).overall if own else None
                cells.append("-" if mean is None else f"{mean.value:.2f}")
        rows.append(_row([name, *cells]))
    return "\n".join(rows)


def _figure(agreement, of, measure):
    return next(f for f in agreement.figures if (f.of, f.measure) == (of, measure))


def _cell(figure):
    if figure.value is None:
        return "-"
    interval = f" {interval_text(figure.interval)}" if figure.interval else ""
    return f"{figure.value:.2f}{interval}"


def _row(cells):
    return f"| {' | '.join(cells)} |"
