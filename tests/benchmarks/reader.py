"""How a model reads dense summaries: ``python -m tests.benchmarks reader``.

    python -m tests.benchmarks reader --requests FOLDER
    python -m tests.benchmarks reader --replies FOLDER --model NAME --date DATE

The first command writes the requests of ``--compaction-reader`` about the English sets of
``tests/calibration/languages/`` and the report half of ``compaction_summaries/``, a text file
each. Write each reply, and nothing else, to a file of the same name that ends with ``.json``. The
second keeps the replies in ``tests/calibration/view_readings.json``. Without an option the table is
printed: what the model and the rules take for stated, against the two readers of the facts.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pytest_compaction.case import Fact, Trap
from pytest_compaction.metrics import weighted_kappa
from pytest_compaction.models import CLAIMS, Prompts, ReadRequest, read_fields, read_readings
from pytest_compaction.text import SharedTexts

CALIBRATION = Path(__file__).parents[1] / "calibration"
KEPT = CALIBRATION / "view_readings.json"


class Row(NamedTuple):
    """Whether two readers, the rules and the model take a fact for stated, and the label of it."""

    first: bool
    second: bool
    rules: bool
    model: bool | None
    """``None`` for a fact that the model left unread."""
    label: str


class Labelled(NamedTuple):
    """A fact as the model is asked about it and as the rules read it, and what readers say."""

    asked: Fact
    read: Fact
    labels: tuple[str, str]


class Given(NamedTuple):
    """A summary with its facts."""

    name: str
    summary: str
    facts: tuple[Labelled, ...]


def english() -> Iterator[Given]:
    """The English summaries. A path is a sentence there, without what happened to the file."""
    for path in sorted((CALIBRATION / "languages").glob("english-*.json")):
        given = json.loads(path.read_text("utf-8"))
        found = []
        for each in given["facts"]:
            text, type = each["text"], each["type"]
            keys = tuple(map(tuple, each["keys"]))
            asked = Fact(text, type="state" if type == "path" else type)
            found.append(Labelled(asked, Fact(text, type=type, keys=keys), tuple(each["labels"])))
        yield Given(path.stem, given["summary"], tuple(found))


def real() -> Iterator[Given]:
    """The summaries of real compactions, with the facts that were only measured."""

    def groups(row: Any) -> tuple[tuple[str, ...], ...]:
        return tuple(map(tuple, row["keys"]))

    folder = CALIBRATION / "compaction_summaries"
    texts = json.loads((folder / "summaries.json").read_text("utf-8"))
    lines = (folder / "facts.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["half"] == "report"]
    for name, text in sorted(texts.items()):
        found = []
        for row in rows:
            if row["summary"] != name:
                continue
            asked = Fact(row["fact"], type=row["type"], change=row.get("change"))
            against = tuple(
                Trap(o["text"], type=row["type"], keys=groups(o), of=row["fact"]).statement
                for o in row.get("counterparts", ())
            )
            read = replace(asked, keys=groups(row), counterparts=against)
            found.append(Labelled(asked, read, tuple(row["labels"])))
        yield Given(f"real-{name.replace('#', '-')}", text, tuple(found))


KINDS = {"English": english, "real compactions": real}


def requests() -> Iterator[tuple[str, ReadRequest]]:
    """Each request with its name; the facts of a summary in their order."""
    for given in (each for kind in KINDS.values() for each in kind()):
        for start in range(0, len(given.facts), CLAIMS):
            claims = tuple(fact.asked for fact in given.facts[start : start + CLAIMS])
            view = (("user", given.summary),)
            yield f"{given.name}-{start // CLAIMS + 1}", ReadRequest(view, claims)


def write_requests(folder: Path) -> int:
    """Write each request as a text file; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    found = list(requests())
    for name, request in found:
        said = Prompts.load().read.messages(read_fields(request))
        text = "\n\n".join(message["content"] for message in said)
        (folder / f"{name}.txt").write_text(text, "utf-8")
    return len(found)


def keep_replies(folder: Path, model: str, date: str) -> list[str]:
    """Keep the replies that are there; returns what is wrong with the others."""
    kept, faults = {}, []
    for name, request in requests():
        path = folder / f"{name}.json"
        try:
            text = path.read_text("utf-8")
            read_readings(text, request)
        except (OSError, ValueError) as error:
            faults.append(f"{path.name}: {error}")
        else:
            kept[name] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    about = {"model": model, "date": date, "replies": kept}
    KEPT.write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return faults


def rows(kind: str) -> Iterator[Row]:
    """Every fact of a kind of summaries of which a reply is kept, read as replies are today."""
    replies = json.loads(KEPT.read_text("utf-8"))["replies"]
    said: dict[tuple[str, str], str] = {}
    for name, request in requests():
        if name in replies:
            readings = read_readings(json.dumps(replies[name]), request)
            for claim, reading in zip(request.claims, readings, strict=True):
                said[request.view[0][1], claim.text] = reading.outcome
    for given in KINDS[kind]():
        index = SharedTexts().view([given.summary], [0])
        for fact in given.facts:
            if (by_model := said.get((given.summary, fact.asked.text))) is None:
                continue
            by_rules = index.outcome(fact.read.statement) == "stated"
            one, other = (label == "stated" for label in fact.labels)
            model = None if by_model == "unread" else by_model == "stated"
            yield Row(one, other, by_rules, model, fact.labels[0])


HEAD = """\
| summaries | read by | first reader | second reader | stated, and found | not stated, and taken |
|---|---|---:|---:|---:|---:|"""


def table(kind: str, found: Sequence[Row]) -> Iterator[str]:
    """The rows of the table for a kind. Facts that the model left unread are in none."""
    read = [row for row in found if row.model is not None]
    stated = sum(row.first for row in read)
    for name, of in (("rules", "rules"), ("a model", "model")):
        taken = [bool(getattr(row, of)) for row in read]
        cells = [kind, name]
        for reader in ("first", "second"):
            pairs = [
                (float(getattr(row, reader)), float(said))
                for row, said in zip(read, taken, strict=True)
            ]
            cells.append(f"{weighted_kappa(pairs) or 0:.2f}")
        right = sum(said and row.first for row, said in zip(read, taken, strict=True))
        wrong = sum(said and not row.first for row, said in zip(read, taken, strict=True))
        cells += [f"{right} of {stated}", f"{wrong} of {len(read) - stated}"]
        yield f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    """Write the requests, keep the replies, or print the table."""
    parser = argparse.ArgumentParser(
        prog="reader", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=Path, metavar="FOLDER")
    parser.add_argument("--replies", type=Path, metavar="FOLDER")
    parser.add_argument("--model", default="a large language model")
    parser.add_argument("--date", default="")
    chosen = parser.parse_args(arguments)
    if chosen.requests:
        sys.stdout.write(f"{write_requests(chosen.requests)} requests\n")
        return
    if chosen.replies:
        for fault in keep_replies(chosen.replies, chosen.model, chosen.date):
            sys.stdout.write(f"{re.sub(r'[^ -~]', '?', fault)}\n")
    lines, unread = [HEAD], []
    for kind in KINDS:
        if not (found := list(rows(kind))):
            continue
        lines += table(kind, found)
        unread.append(f"{kind}: {len(found)} facts, {sum(r.model is None for r in found)} unread")
    sys.stdout.write("\n".join([*lines, "", *unread]) + "\n")
