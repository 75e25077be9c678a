"""Sheets by which readers judge what ``import`` asks about sessions, mixed with controls.

``python -m tests.calibration.needed.sheets make FOLDER FILE ...`` writes them: ``before-N.txt`` for
a reader who has the log up to the point, ``after-N.txt`` for one who also has the rest,
``guess-N.txt`` for one who has no log, the logs, and ``key.jsonl``, which no reader may see. A
reader writes a line ``ID VERDICT`` for each entry into ``before-N.verdicts`` (hurt, trivial, wrong)
or ``ID ANSWER`` for a guess. ``... score FOLDER`` prints what came of them.
"""

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import exp
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean
from typing import Any

from pytest_compaction.case_making import Redactor, make_case, needed
from pytest_compaction.case_making.guessing import working_folder
from pytest_compaction.case_making.log import ProbeLog
from pytest_compaction.conversation import Message, readable
from pytest_compaction.importers import (
    ImportFormatError,
    Transcript,
    load_importers,
    read_by_best,
)
from pytest_compaction.metrics import weighted_kappa
from pytest_compaction.text import printable
from tests.benchmarks.needed import controls_of, say

SEED = 40
MOST_ENTRIES, MOST_ASKED = 40, 120
MOST_OF_A_PROJECT = 40
MOST_BESIDES = {"stated only": 3, "proposed": 12}
"""Facts of one project that are asked, and others of it, since none must decide."""
MOST_RESULT, MOST_EVIDENCE, MOST_FIXED = 1_500, 60_000, 8_000
ASKS = """\
An agent worked in sessions. At the message that an entry names its conversation would be replaced
by a summary. For each entry, say what it would cost if the summary did not hold the fact:
  hurt     the agent would go wrong, ask again, or have to search for it
  trivial  nobody would miss it
  wrong    the log does not say so, or the words are no fact at all
Write one line for each entry into {target}: its id, a space, and hurt, trivial or wrong.
"""
GUESSES = """\
An agent worked in a session, and you see only its system prompt and files of rules (where it had
any), the names of its folders, the newest messages and some questions. Answer each entry in a few
words as well as you can guess. Write one line for each into {target}: its id, a space, and the
answer. Do not look for the session anywhere.
"""


def main(arguments: Sequence[str]) -> None:
    """Make the sheets of sessions, or score the verdicts in a folder."""
    command, folder, files = arguments[0], Path(arguments[1]), arguments[2:]
    if command == "make":
        make(folder, [Path(file) for file in files])
    else:
        score(folder)


def make(folder: Path, files: Sequence[Path]) -> None:
    """Write sheets, logs and key; the entries of a session are on one sheet."""
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    with Pool(2) as pool:
        found = pool.map(_of_file, files, chunksize=1)
    read = {path.stem: transcript for path, _, transcript in found if transcript is not None}
    for path, why, transcript in found:
        if transcript is None:
            say(f"{path.stem} is left out: {why}")
    held = _chosen([entry for path, entries, _ in found if path.stem in read for entry in entries])
    for session, entries in held.items():
        _write_logs(folder, session, read[session], entries)
    sheets = _packed(list(held.values()))
    draw, number = random.Random(SEED), 0
    with (folder / "key.jsonl").open("w", encoding="utf-8") as key:
        for at, entries in enumerate(sheets, 1):
            draw.shuffle(entries)
            for entry in entries:
                entry["id"], number = f"q{number:03}", number + 1
                entry["sheet"] = at
                kept = {name: value for name, value in entry.items() if name != "shown"}
                key.write(json.dumps(kept) + "\n")
            for side in ("before", "after"):
                text = "\n".join(_shown(folder, side, entry) for entry in entries)
                asks = ASKS.format(target=f"{side}-{at}.verdicts")
                (folder / f"{side}-{at}.txt").write_text(f"{asks}\n{text}", "utf-8")
            asked = [entry for entry in entries if entry["kind"] == "asked"]
            asks = GUESSES.format(target=f"guess-{at}.verdicts")
            (folder / f"guess-{at}.txt").write_text(asks + _guesses(asked), "utf-8")
    kinds = [entry["kind"] for entries in sheets for entry in entries]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
    say(f"{len(sheets)} sheets of {len(held)} sessions: {counts}")


def _chosen(entries: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The entries to judge, by session: first those that have a control, and their controls."""
    held: dict[str, list[dict[str, Any]]] = defaultdict(list)
    asked: dict[str, int] = defaultdict(int)
    besides: dict[tuple[str, str], int] = defaultdict(int)
    controls = {(entry["session"], entry["of"]): entry for entry in entries if "of" in entry}

    def take(entry: dict[str, Any]) -> None:
        held[entry["session"]].append(entry)

    for has_control in (True, False):
        for entry in entries:
            project = entry["session"].rpartition("_")[0]
            control = controls.get((entry["session"], entry["fact"]))
            most = MOST_BESIDES.get(entry["kind"], 0)
            if not has_control and besides[project, entry["kind"]] < most:
                besides[project, entry["kind"]] += 1
                take(entry)
            fits = asked[project] < MOST_OF_A_PROJECT and sum(asked.values()) < MOST_ASKED
            if entry["kind"] == "asked" and (control is not None) == has_control and fits:
                asked[project] += 1
                take(entry)
                if control is not None:
                    take(control)
    return held


def _of_file(path: Path) -> tuple[Path, Any, Transcript | None]:
    """The entries of a session and its redacted transcript, or why it has none."""
    try:
        (read,) = read_by_best(path, load_importers().importers)[1]
        transcript = Redactor().redact(read)
        return path, list(_entries(transcript, path.stem)), transcript
    except (ImportFormatError, ValueError) as error:
        return path, printable(str(error))[:120], None


def _entries(transcript: Transcript, session: str) -> Iterator[dict[str, Any]]:
    """What is asked and its controls; each control once."""
    data = make_case(transcript).data
    family, clues = {}, {}
    for probe in (*data["probes"], *data.get("proposed", ())):
        for fact in probe["facts"]:
            family[fact["text"]] = (probe["id"].split("-", 2)[2], "needed" in fact)
    for which in ("probes", "proposed"):
        for one, controls in controls_of(transcript, which):
            point = one["point"]
            if point not in clues:
                log = ProbeLog(transcript.messages, [point], data["budget"])
                clues[point] = shown_without_log(log)
            name, is_needed = family[one["fact"]]
            kind = "asked" if is_needed else "stated only"
            kind = "proposed" if which == "proposed" else kind
            here = {"session": session, "family": name}
            yield {**here, "kind": kind, **one, "shown": clues[point]}
            for control in controls[: kind == "asked"]:
                yield {**here, "kind": "control", **control, "of": one["fact"], "shown": ""}


def shown_without_log(log: ProbeLog) -> str:
    """What every view of a log with one point shows: the sources of :class:`Clues`."""
    fixed = printable(needed.fixed_text(log), MOST_FIXED) or "none"
    folders = printable(working_folder(log).replace("\n", ", "), MOST_RESULT)
    tail = log.messages[needed.left_tail(log, 0) : log.points[0] + 1]
    heads = [f"SYSTEM PROMPT AND RULES: {fixed}", f"FOLDERS: {folders}"]
    return "\n".join([*heads, *map(_line, tail)])


def _line(message: Message, most: int = MOST_RESULT) -> str:
    text = readable(message)
    cut = f"{text[:most]} … ({len(text):,} characters)" if len(text) > most else text
    return f"[{message.id} {message.role}] {printable(cut, most + 40)}"


def _write_logs(
    folder: Path, name: str, transcript: Transcript, entries: Sequence[Mapping[str, Any]]
) -> None:
    """The logs, in which messages that state an entry are whole, or nearly so."""
    stating = {id for entry in entries for id in entry["evidence"]}
    lines = [
        _line(message, MOST_EVIDENCE if message.id in stating else MOST_RESULT)
        for message in transcript.messages
    ]
    (folder / "logs" / f"{name}-all.txt").write_text("\n".join(lines), "utf-8")
    for point in {entry["point"] for entry in entries}:
        text = "\n".join(lines[: point + 1])
        (folder / "logs" / f"{name}-{point}.txt").write_text(text, "utf-8")


def _packed(sessions: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    sheets: list[list[dict[str, Any]]] = [[]]
    for entries in sessions:
        if len(sheets[-1]) + len(entries) > MOST_ENTRIES and sheets[-1]:
            sheets.append([])
        sheets[-1] += entries
    return sheets


def _shown(folder: Path, side: str, entry: Mapping[str, Any]) -> str:
    part = entry["point"] if side == "before" else "all"
    log = folder / "logs" / f"{entry['session']}-{part}.txt"
    stands = ", ".join(entry["evidence"])
    return (
        f"{entry['id']}\n  log: {log} (up to {entry['after']})\n  question: {entry['question']}\n"
        f"  fact: {entry['fact']}\n  stands in: {stands}\n"
    )


def _guesses(asked: Sequence[Mapping[str, Any]]) -> str:
    by_point: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for entry in asked:
        by_point[entry["session"], entry["point"]].append(entry)
    parts = []
    for (session, _), entries in by_point.items():
        questions = "\n".join(f"  {entry['id']}: {entry['question']}" for entry in entries)
        parts.append(f"\n=== {session}\n{entries[0]['shown']}\n--- questions\n{questions}\n")
    return "".join(parts)


def score(folder: Path) -> None:
    """Print what readers found, how far they agree, and what tells a fact that would hurt."""
    with (folder / "key.jsonl").open(encoding="utf-8") as lines:
        key = {row["id"]: row for row in map(json.loads, lines)}
    sides = {side: _verdicts(folder, side) for side in ("before", "after")}
    both = [id for id in key if all(id in verdicts for verdicts in sides.values())]
    say("| | facts | would hurt | trivial | wrong |\n|---|---:|---:|---:|---:|")
    for kind in ("asked", "control", "proposed", "stated only"):
        ids = [id for id in both if key[id]["kind"] == kind]
        if ids:
            cells = [
                ", ".join(f"{fmean(held[id] == v for id in ids):.0%}" for held in sides.values())
                for v in ("hurt", "trivial", "wrong")
            ]
            say(f"| {kind} | {len(ids)} | {' | '.join(cells)} |")
    pairs = [tuple(held[id] == "hurt" for held in sides.values()) for id in both]
    say(f"\nkappa of hurt: {weighted_kappa(pairs):.2f}")
    rows = [key[id] for id in both if key[id]["kind"] in ("asked", "control")]
    hurts = [fmean(held[row["id"]] == "hurt" for held in sides.values()) > 0.5 for row in rows]
    say(f"AUC of needed: {auc([float(r['kind'] == 'asked') for r in rows], hurts):.2f}")
    for name in ("mentions", "distance"):
        one = auc([float(row[name]) for row in rows], hurts)
        say(f"AUC of {name}: {max(one, 1 - one):.2f}")
    if len({row["session"].rpartition("_")[0] for row in rows}) > 1:
        told = auc(by_other_projects(rows, hurts), hurts)
        say(f"AUC of mentions, distance and type, fitted on other projects: {told:.2f}")


def by_other_projects(rows: Sequence[Mapping[str, Any]], hurts: Sequence[bool]) -> list[float]:
    """What a model of mentions, distance and type that was fitted on other projects predicts."""
    projects = sorted({row["session"].rpartition("_")[0] for row in rows})
    predicted = [0.0] * len(rows)
    for project in projects:
        own = [row["session"].rpartition("_")[0] == project for row in rows]
        learnt = [
            (_features(r), h) for r, h, is_own in zip(rows, hurts, own, strict=True) if not is_own
        ]
        weights = fitted(learnt)
        for at, row in enumerate(rows):
            if own[at]:
                predicted[at] = sum(w * x for w, x in zip(weights, _features(row), strict=True))
    return predicted


def _verdicts(folder: Path, side: str) -> dict[str, str]:
    held = {}
    for path in sorted(folder.glob(f"{side}-*.verdicts")):
        for line in path.read_text("utf-8").splitlines():
            id, _, verdict = line.strip().partition(" ")
            held[id] = verdict.strip().casefold()
    return held


TYPES = ("identifier", "path", "value", "decision", "constraint", "next_step", "error", "state")


def _features(row: Mapping[str, Any]) -> list[float]:
    of_type = [float(row["type"] == type) for type in TYPES]
    return [1.0, min(row["mentions"], 8) / 8, min(row["distance"], 400) / 400, *of_type]


def fitted(rows: Sequence[tuple[list[float], bool]]) -> list[float]:
    """The weights of a logistic regression."""
    weights = [0.0] * len(rows[0][0])
    for _ in range(400):
        for features, hurts in rows:
            z = sum(w * x for w, x in zip(weights, features, strict=True))
            step = 0.02 * (hurts - 1 / (1 + exp(-max(-30.0, min(30.0, z)))))
            weights = [w + step * x for w, x in zip(weights, features, strict=True)]
    return weights


def auc(scores: Sequence[float], hurts: Sequence[bool]) -> float:
    """The chance that a fact that would hurt scores above one that would not; ties are half."""
    yes = [s for s, h in zip(scores, hurts, strict=True) if h]
    no = [s for s, h in zip(scores, hurts, strict=True) if not h]
    return fmean((a > b) + 0.5 * (a == b) for a in yes for b in no) if yes and no else float("nan")


if __name__ == "__main__":
    main(sys.argv[1:])
