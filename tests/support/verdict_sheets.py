"""Answers of a large language model to the shipped probes, and its verdicts on them, by text files.

    PYTHONPATH=tests python -m support.verdict_sheets answers FOLDER
    PYTHONPATH=tests python -m support.verdict_sheets verdicts FOLDER
    PYTHONPATH=tests python -m support.verdict_sheets keep FOLDER

``answers`` writes one request for each case and strategy: the views, as recorded words leave them,
and all probes. ``verdicts`` writes the request to judge those answers, for each reply that is
there. A reply to ``N.txt`` is ``N.reply`` beside it. ``keep`` puts what both replies say into the
archive of the cases. Each may be repeated, and a reply that cannot be read is named with the
reason. Who answers sees no facts, and who judges sees no view; neither is told the strategy.
"""

import argparse
import hashlib
import json
import random
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from support.measuring import offline_settings
from support.paths import CASES

from pytest_compaction.case import Case, Probe
from pytest_compaction.conversation import (
    Message,
    TokenCounter,
    canonical_json,
    readable,
    short_hash,
)
from pytest_compaction.judges.model_judge import log_digest
from pytest_compaction.models import (
    WORDS_FILE,
    Archive,
    JudgeRequest,
    NoObjectError,
    RecordedPrompt,
    RecordedVerdict,
    Words,
    fences_for,
    only_object,
    write,
)
from pytest_compaction.models.chat.judgement import judge_fields
from pytest_compaction.models.chat.log_excerpt import excerpts_for
from pytest_compaction.models.chat.model import asked_form
from pytest_compaction.rubric import CRITERIA, DIMENSIONS
from pytest_compaction.run import Arm
from pytest_compaction.session.resolve import resolve_session

STRATEGIES = ("anchored", "claude-code", "none")
"""Two with recorded words, and the control, whose views are the log."""
EXCERPT_TOKENS = 800
"""Tokens of the log that a judge is shown for each question, with all questions in one request."""
ARCHIVE = CASES / WORDS_FILE
PROVENANCE = (
    "Answers and verdicts: one request for each case and strategy with its probes in shuffled "
    "order, answered alone; who answered had seen no facts, who judged no view, and neither the "
    "name of the strategy."
)

ANSWER, VERDICT = (
    Path(__file__).with_name(f"{role}_sheet.md").read_text("utf-8")
    for role in ("answer", "verdict")
)
VERDICT_FORM = json.dumps({"stated": [1, 2], "stale": [], **dict.fromkeys(DIMENSIONS, 4)})


class ReplyError(ValueError):
    """A reply is not what its request asks for; the text says what is wrong with it."""


@dataclass(frozen=True)
class Sheet:
    """What is asked about one case as one strategy left it.

    ``views`` are the messages after each point that has probes, and ``probes`` are in the order in
    which they are asked, by key.
    """

    case: Case
    strategy: str
    views: dict[int, tuple[Message, ...]]

    @cached_property
    def probes(self) -> dict[str, Probe]:
        """The same for each strategy."""
        shuffled = sorted(self.case.probes, key=lambda probe: probe.id)
        random.Random(self.case.id).shuffle(shuffled)
        return {f"q{number}": probe for number, probe in enumerate(shuffled, 1)}

    @cached_property
    def answer_request(self) -> str:
        """The views and the questions. Where a view begins with another one, it is not repeated."""
        letters = {point: chr(ord("A") + n) for n, point in enumerate(self.views)}
        texts, views, earlier, first = [], [], (), 1
        for point, messages in self.views.items():
            going_on = bool(earlier) and messages[: len(earlier)] == earlier
            first = first if going_on else len(texts) + 1
            texts.append(_transcript(messages[len(earlier) if going_on else 0 :]))
            last = len(texts)
            held = f"text {last}" if first == last else f"texts {first} to {last}, one session"
            views.append(f"- view {letters[point]}: {held}")
            earlier = messages
        fences = fences_for(texts)
        questions = (
            f"{key} (view {letters[probe.point]}; {asked_form(probe.answer)}): "
            f"{' '.join(probe.question.split())}"
            for key, probe in self.probes.items()
        )
        return ANSWER.format(
            mark=fences.mark,
            count=len(self.probes),
            form=json.dumps(dict.fromkeys(self.probes, "…"), ensure_ascii=False),
            views="\n".join(views),
            texts="\n\n".join(fences.around(f"text {n}", t) for n, t in enumerate(texts, 1)),
            questions="\n\n".join(questions),
        )

    def answers(self, reply: str) -> dict[str, str]:
        """The answers in a reply, by key."""
        found = _members(reply, self.probes)
        for key, answer in found.items():
            if not isinstance(answer, str) or not answer.strip():
                raise ReplyError(f"{key} is no text")
        return found

    def verdict_request(self, answers: dict[str, str], tokens: TokenCounter | None) -> str:
        """The questions with their facts and answers, as a model judge of the package sees them.

        Without ``tokens`` the excerpts of the log are left out: so it is compared.
        """
        questions = []
        for key, probe in self.probes.items():
            request = JudgeRequest(
                kind=probe.kind,
                question=probe.question,
                response=answers[key],
                facts=probe.facts,
                traps=probe.traps,
                answer=probe.answer,
                digest=log_digest(self.case, probe.point),
            )
            form = asked_form(probe.answer)
            log = excerpts_for(request, EXCERPT_TOKENS, tokens) if tokens else ""
            fields = judge_fields(request, log, form, {})
            questions.append(
                f"## {key}, a {probe.kind} question, mark {fields['mark']}\n\n"
                f"{fields['question']}\nAsked form: {fields['form']}\nFacts:\n{fields['facts']}\n"
                f"Stale claims:\n{fields['traps']}\nExcerpts:\n{fields['log']}\n"
                f"Answer:\n{fields['response']}"
            )
        return VERDICT.format(
            count=len(questions),
            form=VERDICT_FORM,
            dimensions="\n".join(map(_dimension, DIMENSIONS)),
            questions="\n\n".join(questions),
        )

    def verdicts(self, reply: str) -> dict[str, dict[str, object]]:
        """The verdicts in a reply, by key."""
        found = _members(reply, self.probes)
        for key, verdict in found.items():
            probe = self.probes[key]
            try:
                said = RecordedVerdict.read(json.dumps(verdict))
            except ValueError as error:
                raise ReplyError(f"{key}: {error}") from None
            for name, numbers, things in (
                ("stated", said.stated, probe.facts),
                ("stale", said.stale, probe.traps),
            ):
                if not {*numbers} <= {*range(1, len(things) + 1)}:
                    raise ReplyError(f"{key}: {name} is {list(numbers)}, of {len(things)}")
        return found

    def words(self, role, digest, texts) -> list[Words]:
        """What an archive holds of a reply; ``texts`` are by key."""
        return [
            Words(
                role=role,
                case=self.case.id,
                strategy=self.strategy,
                point=self.case.points[probe.point].id,
                trial=1,
                probe=probe.id,
                number=1,
                digest=digest,
                words=texts[key],
                budget=self.case.budget,
            )
            for key, probe in self.probes.items()
        ]


def _transcript(messages):
    """Messages as text, each after its role."""
    return "\n\n".join(f"[{message.role}]\n{readable(message)}" for message in messages)


def _dimension(name):
    lines = []
    for each in CRITERIA:
        if each.dimension == name:
            line = each.line.partition(": ")[2]
            kinds = f" (only {' and '.join(sorted(each.kinds))} questions)" if each.kinds else ""
            lines.append(f"  - {line}{kinds}")
    return "\n".join([f"- {name}", *lines])


def _members(reply, keys):
    """The members of the object in a reply, which must be those of the keys."""
    try:
        found = only_object(reply)
    except NoObjectError as error:
        raise ReplyError(str(error)) from None
    if found.keys() != keys.keys():
        lacking, more = sorted(keys.keys() - found.keys()), sorted(found.keys() - keys.keys())
        raise ReplyError(f"it lacks {lacking} and has {more} beside")
    return found


@contextmanager
def measured_session(strategies=STRATEGIES):
    """A session over the shipped cases with their recorded words."""
    here = Path(__file__).parent
    settings = offline_settings(compactors=tuple(strategies), model="recorded")
    session = replace(resolve_session(settings, here, here, True, {}, {}), nulls="none")
    try:
        yield session
    finally:
        session.close()


def sheets(session, strategies=STRATEGIES):
    """The sheets of all strategies, in order."""
    for strategy in strategies:
        for entry in session.case_set.entries:
            case = session.case_set.case(entry.id)
            compaction = session.engine.compaction(case, Arm(strategy))
            points = sorted({probe.point for probe in case.probes})
            yield Sheet(case, strategy, {p: tuple(compaction.view(p)) for p in points})


def digest_of(text):
    """SHA-256 of a request."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_answers(folder, found):
    """Write the requests for answers, and the file that says which is of what."""
    about = {}
    for number, sheet in enumerate(found, 1):
        name = f"{number:03}"
        _put(folder / "answers" / f"{name}.txt", sheet.answer_request)
        about[name] = [sheet.strategy, sheet.case.id, digest_of(sheet.answer_request)]
    _put(folder / "sheets.json", json.dumps(about, indent=1))


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def answered(folder, found):
    """Each sheet that is answered, with its number and its answers."""
    about = json.loads((folder / "sheets.json").read_text("utf-8"))
    numbers = {tuple(each): name for name, each in about.items()}
    for sheet in found:
        digest = digest_of(sheet.answer_request)
        number = numbers.get((sheet.strategy, sheet.case.id, digest))
        if number is None:
            print(f"{sheet.strategy} on {sheet.case.id}: another request was written for it")
            continue
        answers = _read(folder / "answers" / f"{number}.reply", sheet.answers)
        if answers is not None:
            yield sheet, number, answers


def _read(path, read):
    """What a reply says; ``None`` if there is none, or none that can be read."""
    if not path.exists():
        return None
    try:
        return read(path.read_text("utf-8"))
    except (ReplyError, UnicodeDecodeError) as error:
        print(f"{path}: {error}")
        return None


def write_verdicts(folder, found, tokens):
    """Write the requests for verdicts on new answers; returns how many are answered."""
    count = 0
    for sheet, number, answers in answered(folder, found):
        count += 1
        reply, request = (
            folder / "answers" / f"{number}.reply",
            folder / "verdicts" / f"{number}.txt",
        )
        if not request.exists() or request.stat().st_mtime < reply.stat().st_mtime:
            _put(request, sheet.verdict_request(answers, tokens))
    return count


def kept(folder, found):
    """The rows of an archive for the sheets that are answered and judged."""
    rows = []
    for sheet, number, answers in answered(folder, found):
        judged = _read(folder / "verdicts" / f"{number}.reply", sheet.verdicts)
        if judged is not None:
            texts = {key: canonical_json(verdict) for key, verdict in judged.items()}
            rows += sheet.words("answer", digest_of(sheet.answer_request), answers)
            request = sheet.verdict_request(answers, None)
            rows += sheet.words("verdict", digest_of(request), texts)
    return rows


def merge(path, rows, digests, date):
    """Put rows into an archive, in place of those with their keys."""
    archive = Archive(path)
    manifest = archive.manifest
    keys = {row.key for row in rows}
    held = [row for row in archive.words if row.key not in keys]
    prompt = RecordedPrompt(short_hash(ANSWER + VERDICT), date)
    names = {row.strategy for row in (*held, *rows)}
    prompts = {name: manifest.strategies.get(name, prompt) for name in sorted(names)}
    told = tuple(dict.fromkeys([*manifest.provenance, PROVENANCE]))
    cases = {id: digests[id] for id in sorted({row.case for row in (*held, *rows)})}
    about = replace(manifest, strategies=prompts, provenance=told, cases=cases)
    write(path, about, [*held, *rows])


def main(arguments=None):
    """Do what is named; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("answers", "verdicts", "keep"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--date", default="2026-11-30")
    options = parser.parse_args(arguments)
    with measured_session() as session:
        found = list(sheets(session))
        digests = {entry.id: entry.digest for entry in session.case_set.entries}
        if options.what == "answers":
            write_answers(options.folder, found)
            print(f"{len(found)} requests in {options.folder / 'answers'}")
        elif options.what == "verdicts":
            count = write_verdicts(options.folder, found, session.roles.tokens)
            print(f"{count} of {len(found)} are answered: {options.folder / 'verdicts'}")
        else:
            rows = kept(options.folder, found)
            merge(ARCHIVE, rows, digests, options.date)
            done = len({(row.case, row.strategy) for row in rows})
            print(f"{len(rows):,} answers and verdicts of {done} of {len(found)} requests are kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
