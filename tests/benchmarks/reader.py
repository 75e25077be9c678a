"""How a model reads dense summaries: ``python -m tests.benchmarks reader``.

    python -m tests.benchmarks reader --requests FOLDER
    python -m tests.benchmarks reader --replies FOLDER --model NAME --date DATE

The first command writes the requests of ``--compaction-reader`` about the English sets of
``tests/calibration/languages/``, a text file each. Write each reply, and nothing else, to a file of
the same name that ends with ``.json``. The second keeps the replies in
``tests/calibration/view_readings.json``. Without an option the table is printed: what the model and
the rules take for stated, against the two readers who labelled the facts.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_compaction.case import Fact
from pytest_compaction.metrics import weighted_kappa
from pytest_compaction.models import CLAIMS, Prompts, ReadRequest, read_fields, read_readings
from pytest_compaction.text import Reading, SharedTexts

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


def sets() -> dict[str, Any]:
    """The English sets by name."""
    paths = sorted((CALIBRATION / "languages").glob("english-*.json"))
    return {path.stem: json.loads(path.read_text("utf-8")) for path in paths}


def requests() -> Iterator[tuple[str, ReadRequest]]:
    """Each request with its name; the facts of a set in their order.

    A fact of the type path is a sentence here, and no path with what happened to the file.
    """
    for name, given in sets().items():
        facts = [
            Fact(each["text"], type="state" if each["type"] == "path" else each["type"])
            for each in given["facts"]
        ]
        for start in range(0, len(facts), CLAIMS):
            claims = tuple(facts[start : start + CLAIMS])
            view = (("user", given["summary"]),)
            yield f"{name}-{start // CLAIMS + 1}", ReadRequest(view, claims)


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


def kept_readings() -> Iterator[tuple[Fact, Reading]]:
    """The facts of the replies that are kept, as the reader reads those today."""
    replies = json.loads(KEPT.read_text("utf-8"))["replies"]
    for name, request in requests():
        if name in replies:
            readings = read_readings(json.dumps(replies[name]), request)
            yield from zip(request.claims, readings, strict=True)  # type: ignore[misc]


def rows() -> Iterator[Row]:
    """Every fact of which a reply is kept."""
    by_model = {fact.text: reading.outcome for fact, reading in kept_readings()}
    for given in sets().values():
        index = SharedTexts().view([given["summary"]], [0])
        for each in given["facts"]:
            if (said := by_model.get(each["text"])) is None:
                continue
            keys = tuple(map(tuple, each["keys"]))
            by_rules = index.outcome(Fact(each["text"], type=each["type"], keys=keys).statement)
            one, other = (label == "stated" for label in each["labels"])
            model = None if said == "unread" else said == "stated"
            yield Row(one, other, by_rules == "stated", model, each["labels"][0])


def table(found: Sequence[Row]) -> Iterator[str]:
    """The lines of the table. Facts that the model left unread are in no row."""
    read = [row for row in found if row.model is not None]
    stated = sum(row.first for row in read)
    yield "| read by | first reader | second reader | stated, and found | not stated, and taken |"
    yield "|---|---:|---:|---:|---:|"
    for name, of in (("rules", "rules"), ("a model", "model")):
        taken = [bool(getattr(row, of)) for row in read]
        cells = [name]
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
    yield f"\n{len(read)} facts; {len(found) - len(read)} left unread"


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
    sys.stdout.write("\n".join(table(list(rows()))) + "\n")
