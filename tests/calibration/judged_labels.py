"""How far a judge agrees with the two readers of the facts in real compaction summaries.

    PYTHONPATH=tests python tests/calibration/judged_labels.py export FOLDER --store DIR
    pytest-compaction answers FOLDER --plain
    PYTHONPATH=tests python tests/calibration/judged_labels.py figures --store DIR

The first command writes the judgements that the store lacks as plain requests, a few facts of
one summary each; the summary takes the place of the answer. Repeat the first two until nothing
is missing. The last prints kappa with each reader, beside that of the matcher and of the
readers with each other.
"""

import argparse
import asyncio
import json
import sys
from itertools import groupby
from pathlib import Path

from support.readings import statement_of

from pytest_compaction.case import AnswerSpec, Fact, Trap
from pytest_compaction.metrics import jackknife_interval, weighted_kappa
from pytest_compaction.models import (
    ChatModel,
    ExportFolder,
    JudgeRequest,
    LogDigest,
    MissingCalls,
    NotRecordedError,
)
from pytest_compaction.models.calls.store import Store
from pytest_compaction.reports.lines import interval_text
from pytest_compaction.text import TextIndex

FOLDER = Path(__file__).parent / "compaction_summaries"
HALVES = ("design", "report")
FACTS = 8
"""The most facts of one request, about as many as the largest probes have."""
QUESTION = "What must be known to go on with this work?"


def labelled():
    """The facts with their labels, by half, summary and id."""
    with (FOLDER / "facts.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return sorted(rows, key=lambda row: (row["half"], row["summary"], row["id"]))


def summaries():
    return json.loads((FOLDER / "summaries.json").read_text("utf-8"))


def fact_of(row):
    return Fact(row["fact"], type=row["type"], keys=_groups(row), change=row.get("change"))


def traps_of(row):
    return [
        Trap(other["text"], type=row["type"], keys=_groups(other), of=row["fact"])
        for other in row.get("counterparts", ())
    ]


def _groups(row):
    return tuple(tuple(group) for group in row["keys"])


def requests(half=None):
    """The rows of each request, and the request."""
    texts = summaries()
    rows = [row for row in labelled() if half in {None, row["half"]}]
    for (_, summary), group in groupby(rows, key=lambda row: (row["half"], row["summary"])):
        alike = list(group)
        for start in range(0, len(alike), FACTS):
            part = alike[start : start + FACTS]
            yield (
                part,
                JudgeRequest(
                    kind="recall",
                    question=QUESTION,
                    response=texts[summary],
                    facts=tuple(map(fact_of, part)),
                    traps=tuple(trap for row in part for trap in traps_of(row)),
                    answer=AnswerSpec(),
                    digest=LogDigest(""),
                ),
            )


def judged(store, half=None, model="judge"):
    """Each row with what the judge said, as far as the store knows it; the calls it lacks."""
    calls = MissingCalls(Store(store, None, "replay"))
    judge = ChatModel(model, calls)
    found, unscored = [], []

    async def ask():
        for rows, request in requests(half):
            try:
                reply = await judge.judge(request)
            except NotRecordedError:
                continue
            if reply.unscored:
                unscored.append(reply.unscored)
                continue
            found.extend(zip(rows, reply.stated, strict=True))

    asyncio.run(ask())
    return found, calls.calls, unscored


def matched(rows):
    """Whether the matcher finds each row stated in its summary."""
    indexes = {name: TextIndex(text) for name, text in summaries().items()}
    return [indexes[row["summary"]].read(statement_of(row)).outcome == "stated" for row in rows]


def figures(found):
    """Kappa of each two, with its interval over summaries, by half."""
    matcher = matched([row for row, _ in found])
    lines = []
    for half in (*HALVES, "both"):
        chosen = [
            (row, said, ours)
            for (row, said), ours in zip(found, matcher, strict=True)
            if half in {"both", row["half"]}
        ]
        sides = {
            "judge": [said for _, said, _ in chosen],
            "matcher": [ours for _, _, ours in chosen],
            **{
                f"reader {number}": [row["labels"][number - 1] == "stated" for row, _, _ in chosen]
                for number in (1, 2)
            },
        }
        clusters = [row["summary"] for row, _, _ in chosen]
        for first, second in (
            *(("judge", f"reader {number}") for number in (1, 2)),
            ("judge", "matcher"),
            *(("matcher", f"reader {number}") for number in (1, 2)),
            ("reader 1", "reader 2"),
        ):
            by_summary = {}
            for cluster, a, b in zip(clusters, sides[first], sides[second], strict=True):
                by_summary.setdefault(cluster, []).append((float(a), float(b)))
            pairs = [pair for group in by_summary.values() for pair in group]
            lines.append(
                {
                    "half": half,
                    "first": first,
                    "second": second,
                    "facts": len(pairs),
                    "kappa": weighted_kappa(pairs),
                    "interval": _within(jackknife_interval(by_summary, weighted_kappa)),
                }
            )
    return lines


def _within(interval):
    """The part of an interval that kappa can reach."""
    return interval and (max(-1.0, interval[0]), min(1.0, interval[1]))


def main(arguments=None):
    """Export or print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("export", "figures"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--store", type=Path, default=Path(".pytest_compaction/store"))
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--model", default="judge")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    found, calls, unscored = judged(options.store, options.half, options.model)
    if options.what == "export":
        if options.folder is None:
            parser.error("name the folder of the export")
        ExportFolder.made(options.folder, options.store, plain=True).write(calls)
    else:
        lines = figures(found)
        for line in lines:
            if line["kappa"] is not None:
                interval = interval_text(line["interval"])
                print(
                    f"{line['half']:<8}{line['first']:<10}{line['second']:<10}"
                    f"{line['facts']:>5} facts  kappa {line['kappa']:.2f} {interval}"
                )
        if options.json is not None:
            options.json.write_text(json.dumps(lines, indent=1) + "\n", "utf-8")
    for reason in unscored:
        print(f"unscored: {reason}")
    print(f"{len(calls):,} judgements are missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
