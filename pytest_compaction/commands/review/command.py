"""``pytest-compaction review``: a person says which proposed questions of a case are asked."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import (
    CaseFault,
    CaseFileError,
    decoded,
    files_below,
    is_lines,
    read_bytes,
    read_json,
    read_text,
)
from pytest_compaction.case_making import (
    EDIT_GUIDE,
    Question,
    Review,
    ReviewError,
    as_text,
    review_of,
)
from pytest_compaction.commands.arguments import CommandError, complain, write_file
from pytest_compaction.commands.review.screen import screen
from pytest_compaction.folders import temporary_folder, write_whole
from pytest_compaction.reports import Page, counted
from pytest_compaction.text import printable

_TERMIOS = False
"""Whether single keys can be read; Windows has no such module."""
with suppress(ImportError):
    import termios
    import tty

    _TERMIOS = True

MAX_WIDTH: Final = 100
_HELP: Final = "y yes · n no · e edit, then yes · b back · s skip · q quit"
_END: Final = "That was the last one · b back · any other key ends"
_DETAIL: Final = ((3, 3), (2, 2), (1, 2), (1, 1), (0, 0))
"""Messages a fact and lines a message, from the most to the least; the first that fits is shown."""
_WORDS: Final = {"yes": "confirmed", "no": "declined", "skip": "skipped"}


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "review",
        help="say which proposed questions of a case are asked",
        description="Show each question that waits in a case, with its facts, the messages that "
        "state them and why it is asked. A yes puts it among the questions that are asked, a no "
        "removes it for good, e changes it first. Answers are written to the file at once, so a "
        "review can be stopped and goes on where it stopped.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="CASE", help="case files, folders")
    everything = "also questions that are asked and nobody has confirmed"
    parser.add_argument("--all", action="store_true", help=everything)
    web = "write the questions as one local page instead"
    parser.add_argument("--web", action="store_true", help=web)
    page, file = Path("review.html"), "the file of that page (review.html)"
    parser.add_argument("-o", "--output", type=Path, default=page, metavar="PATH", help=file)
    answers = "take the answers that the page saved"
    parser.add_argument("--answers", type=Path, metavar="FILE", help=answers)
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Take or ask for answers; returns 1 if a case cannot be read or an answer not be taken."""
    if options.web and options.output.suffix.lower() != ".html":
        options.refuse(f"the page goes into a file that ends in .html, not {options.output}")
    items, failed = _items(options.paths, options.all)
    if not items:
        if not failed:
            print("No question waits for an answer.")
        return int(failed)
    if options.web:
        from pytest_compaction.commands.review.page import page_of_review  # takes long to import

        reviews = list(dict.fromkeys(item.review for item in items))
        write_file(options.output, page_of_review(reviews, options.paths, options.all))
        print(printable(f"written: {options.output}, {counted(len(items), 'question')}"))
        return int(failed)
    try:
        if options.answers is not None:
            counts, refused = _taken(items, _answers_of(options.answers))
            failed |= refused
        else:
            with _Keys() as keys:
                counts = Counter(_Session(items, keys).all().values())
    except (ReviewError, OSError) as error:
        raise CommandError(str(error)) from None
    said = [f"{counts[answer]} {word}" for answer, word in _WORDS.items() if counts[answer]]
    left = len(items) - counts["yes"] - counts["no"]
    names = shlex.join(map(str, options.paths))
    more = f": pytest-compaction review {names}{' --all' * options.all}" if left else ""
    print(printable(f"{', '.join(said) or 'no answer'}; {counted(left, 'question')} left{more}"))
    return int(failed)


def _taken(
    items: Sequence[_Item], answers: Sequence[Mapping[str, str]]
) -> tuple[Counter[str], bool]:
    by_id = {(item.review.case.id, item.question.probe.id): item for item in items}
    counts: Counter[str] = Counter()
    for each in answers:
        item = by_id.get((each["case"], each["id"]))
        try:
            if item is None:
                raise ReviewError("no such question waits")
            if item.question.mark != each["mark"]:
                raise ReviewError("it was changed since the page was written")
            if each["answer"] == "no":
                item.review.decline(item.question)
            else:
                item.review.accept(item.question, each.get("text"))
        except ReviewError as error:
            complain(f"{each['id']} of {each['case']} is not taken: {error}")
            continue
        item.write()
        del by_id[each["case"], each["id"]]
        counts[each["answer"]] += 1
    return counts, counts.total() < len(answers)


class _CaseFile:
    """A file of cases, of which each can be written anew while the others stay as they are."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self._content = content
        self.cases = content.split(b"\n") if is_lines(path) else [content]

    def write(self, number: int, text: str) -> None:
        """Put the new text of a case into the file, unless somebody else has changed the file."""
        if self.path.read_bytes() != self._content:
            raise ReviewError(
                f"{self.path} was changed since the review began; this answer is not written. "
                "Start the review again"
            )
        self.cases[number] = text.encode()
        self._content = b"\n".join(self.cases)
        write_whole(self.path, self._content)


@dataclass(frozen=True, slots=True)
class _Item:
    file: _CaseFile
    number: int
    review: Review
    question: Question

    def write(self) -> None:
        self.file.write(self.number, self.review.text)


def _items(paths: Sequence[Path], asked: bool) -> tuple[list[_Item], bool]:
    """The questions that wait, and whether some case cannot be read, which is complained of."""
    items, faults = list[_Item](), list[str]()
    for path in paths:
        found = files_below(path)
        faults += (f"{place}: {why}" for place, why in found.unreadable)
        for place in found.cases:
            content = read_bytes(place)
            if isinstance(content, CaseFault):
                faults.append(str(CaseFileError(str(place), [content])))
                continue
            file = _CaseFile(place, content)
            for number, case in enumerate(file.cases):
                name = f"{place}:{number + 1}" if is_lines(place) else str(place)
                text = decoded(case, from_start=False)
                if isinstance(text, str) and not text.strip() and is_lines(place):
                    continue
                review = (text,) if isinstance(text, CaseFault) else review_of(text, name, asked)
                if isinstance(review, Review):
                    items += (_Item(file, number, review, each) for each in review.questions)
                else:
                    faults.append(str(CaseFileError(name, review)))
    for fault in faults:
        complain(fault)
    return items, bool(faults)


class _Session:
    def __init__(self, items: Sequence[_Item], keys: _Keys) -> None:
        self._items = items
        self._keys = keys
        self._answers: dict[int, str] = {}
        self._edited: dict[int, str] = {}
        """Texts that were not taken, to go on with."""

    def all(self) -> dict[int, str]:
        """Ask until all are answered or the person stops; the answers by number."""
        at, notice = 0, ""
        while True:
            self._draw(at, notice)
            key = self._keys.read()
            if key in {"q", ""} or (at == len(self._items) and key != "b"):
                break
            at, notice = self._back(at) if key == "b" else self._answer(at, key)
        if self._keys.single:
            print()
        return self._answers

    def _answer(self, at: int, key: str) -> tuple[int, str]:
        """Act on a key; the number of the next question, and what the person should know."""
        if key == "s":
            self._answers[at] = "skip"
            return at + 1, ""
        if key not in "yne":
            return at, f"“{printable(key, 8)}” is none of the keys"
        item = self._items[at]
        try:
            edited = self._edit(at) if key == "e" else None
            if key == "e" and edited is None:
                return at, "nothing was changed"
            if key == "n":
                item.review.decline(item.question)
            else:
                item.review.accept(item.question, edited)
        except ReviewError as error:
            return at, f"not taken: {error}"
        item.write()
        self._answers[at] = "no" if key == "n" else "yes"
        return at + 1, ""

    def _back(self, at: int) -> tuple[int, str]:
        if not at:
            return at, "this is the first question"
        item = self._items[at - 1]
        if self._answers.get(at - 1) in {"yes", "no"}:
            if not item.review.take_back(item.question):
                return at, "the answer to the question before can no longer be taken back"
            item.write()
        self._answers.pop(at - 1, None)
        return at - 1, ""

    def _edit(self, at: int) -> str | None:
        before = self._edited.get(at, as_text(self._items[at].question.data))
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        with self._keys.paused():
            after = (
                _by_editor(editor, before) if editor and self._keys.single else _by_lines(before)
            )
        if not after.strip() or after == before:
            return None
        self._edited[at] = after
        return after

    def _draw(self, at: int, notice: str) -> None:
        end = " " if self._keys.single else "\n"
        if at == len(self._items):
            print(f"\n{_END}", end=end, flush=True)
            return
        width, height = shutil.get_terminal_size((80, 24))
        page = Page(min(width, MAX_WIDTH))
        item = self._items[at]
        rest = 3 if notice else 2
        shown: list[str] = []
        for messages, lines in _DETAIL:
            shown = list(screen(item.review, item.question, page, messages, lines))
            if len(shown) + rest < height or not self._keys.single:
                break
        counts = Counter(self._answers.values())
        so_far = ", ".join(f"{counts[k]} {w}" for k, w in _WORDS.items() if counts[k])
        case, probe = item.review.case, item.question.probe
        place = f"{probe.kind} after {case.points[probe.point].id}"
        head = f"{case.id} · {at + 1} of {len(self._items)} · {place}"
        if self._keys.single:
            print("\x1b[2J\x1b[H", end="")
        print(printable(f"{head}{f' · {so_far}' if so_far else ''}", page.width))
        print("\n".join(shown))
        if notice:
            print("\n".join(page.lines(notice, 0)))
        print(_HELP, end=end, flush=True)


def _by_editor(editor: str, before: str) -> str:
    with temporary_folder() as folder:
        path = folder / "question.txt"
        path.write_text(EDIT_GUIDE + before, "utf-8")
        try:
            done = subprocess.run([*shlex.split(editor), str(path)], check=False)
            if done.returncode:
                raise ReviewError(f"the editor {editor!r} ended with {done.returncode}")
            text = path.read_text("utf-8")
        except (OSError, ValueError) as error:
            raise ReviewError(f"the editor {editor!r} cannot be used: {error}") from None
    return "\n".join(line for line in text.split("\n") if not line.startswith("#"))


def _by_lines(before: str) -> str:
    after: list[str] = []
    left_out = False
    for part in re.split(r"\n(?=\w)", before.strip()):
        name, _, value = part.partition(":")
        left_out &= name != "fact"
        if left_out:
            continue
        print(f"  {name}:{value}".rstrip())
        hint = "Enter keeps it, - leaves it out" if name == "fact" else "Enter keeps it"
        try:
            given = input(f"  {name} [{hint}]: ").strip()
        except EOFError:
            given = ""
        left_out = name == "fact" and given == "-"
        if not left_out:
            after.append(f"{name}: {given}" if given else part)
    return "\n".join(after) + "\n"


class _Keys:
    """Answers: single keys at a terminal that has them, else the first letter of each line."""

    def __init__(self) -> None:
        self.single = _TERMIOS and sys.stdin.isatty() and sys.stdout.isatty()
        self._before: Any = termios.tcgetattr(sys.stdin) if self.single else None
        self._left = ""

    def __enter__(self) -> _Keys:
        if self.single:
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        if self.single:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        if not self.single:
            line = sys.stdin.readline()
            return line.strip().lower()[:1] or (" " if line else "")
        while not self._left:
            try:
                read = os.read(sys.stdin.fileno(), 64)
            except KeyboardInterrupt:
                return ""
            if not read:
                return ""
            text = read.decode("utf-8", "replace")
            self._left = "\x1b" if text.startswith("\x1b") else text.lower()
        key, self._left = self._left[0], self._left[1:]
        return key

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Give the terminal back for as long as the block lasts."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


def _answers_of(path: Path) -> list[Mapping[str, str]]:
    text = read_text(path)
    data = text if isinstance(text, CaseFault) else read_json(text, "a file of answers")
    if isinstance(data, CaseFault):
        raise CommandError(f"{path}: found {data.found}; expected {data.expected}")
    answers = data.get("answers") if isinstance(data, dict) else None
    if not isinstance(answers, list):
        raise CommandError(f"{path}: /answers is no list; save the file from the page again")
    for number, each in enumerate(answers):
        is_answer = isinstance(each, dict) and {"case", "id", "mark", "answer"} <= each.keys()
        is_text = is_answer and all(isinstance(value, str) for value in each.values())
        if not is_text or each["answer"] not in {"yes", "no"}:
            raise CommandError(
                f"{path}: /answers/{number} is no answer; expected texts case, id, mark, "
                "and answer: yes or no"
            )
    return answers
