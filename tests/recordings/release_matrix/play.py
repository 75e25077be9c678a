"""CI: two of the nine cells of a nightly matrix fail since a new station was delivered.

One cell reads a station file with the codec of its locale, the other one finds sheets that another
suite left in a shared scratch directory. Between them: the log of the nights, whose columns are
taken for each other, a question about a regatta, the wishes of a colleague that the user's rules
forbid, and a page about the release. The task runner, git and pytest really run; see
``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file
from repository import Repository

SYSTEM = """You are a coding agent at work in a git repository. Use the tools to run commands and to
read, write and edit files. Explain a failure before you repair it, check every change by running it,
and say what you found. Commit only what is finished."""

SKAERHOLM = """station: Skærholm
region: Outer Banks
datum: 2.27
zone: +01:00
M2 1.51 109.0
S2 0.52 144.0
N2 0.30 88.5
"""

SLUG_OLD = """    def slug(self) -> str:
        \"\"\"The name as part of a file name: letters and digits in lower case.\"\"\"
        return "".join(sign for sign in self.name.lower() if sign.isalnum())
"""

SLUG_NEW = """    def slug(self) -> str:
        \"\"\"The name as part of a file name: ASCII letters and digits in lower case.\"\"\"
        folded = normalize("NFKD", self.name.lower().translate(FOLDED))
        return "".join(sign for sign in folded if sign.isascii() and sign.isalnum())
"""

SLUG_TESTS = """

@pytest.mark.parametrize(
    ("name", "slug"),
    [("Skærholm", "skaerholm"), ("Øre Sund", "oresund"), ("Åvik", "aavik"), ("Utsýn", "utsyn")],
)
def test_slugs_are_ascii(name, slug):
    assert parse_station(TEXT.replace("Brekness", name), "x.tide").slug == slug
"""

CHARSET = '''"""The charset of a station file: what its header says, or UTF-8."""

from __future__ import annotations

import re

from tidebook.errors import TideError

DEFAULT = "utf-8"
KNOWN = {"utf-8": "utf-8", "latin-1": "latin-1"}
SEARCHED = 512
"""The header stands in the first 512 bytes of a file."""

_HEADER = re.compile(rb"^charset:[ \\t]*([A-Za-z0-9_.-]+)[ \\t]*\\r?$", re.MULTILINE)


def charset_of(raw: bytes, where: str) -> str:
    """The codec that the header names; a charset that the bureau never announced is an error."""
    match = _HEADER.search(raw[:SEARCHED])
    if not match:
        return DEFAULT
    name = match[1].decode("ascii").lower()
    if name not in KNOWN:
        raise TideError("T215", f"{where}: unknown charset {name}")
    return KNOWN[name]


def decode_station(raw: bytes, where: str) -> str:
    """The text of a station file. The locale of the machine plays no part in it."""
    codec = charset_of(raw, where)
    try:
        return raw.decode(codec)
    except UnicodeDecodeError as error:
        raise TideError("T214", f"{where}: {error}") from None
'''

CHARSET_TESTS = """import pytest

from tidebook.charset import SEARCHED, charset_of, decode_station
from tidebook.errors import TideError


@pytest.mark.parametrize(
    ("raw", "charset"),
    [
        (b"station: A\\n", "utf-8"),
        (b"station: A\\ncharset: latin-1\\n", "latin-1"),
        (b"charset: UTF-8\\r\\nstation: A\\r\\n", "utf-8"),
        (b"# charset: latin-1\\nstation: A\\n", "utf-8"),
        (b"#" * SEARCHED + b"\\ncharset: latin-1\\n", "utf-8"),
    ],
)
def test_header(raw, charset):
    assert charset_of(raw, "x.tide") == charset


def test_an_unknown_charset_is_named():
    with pytest.raises(TideError, match="T215 x.tide: unknown charset cp865"):
        charset_of(b"charset: cp865\\n", "x.tide")


def test_both_charsets_give_the_same_text():
    text = "station: Skærholm\\n"
    assert decode_station(text.encode(), "x.tide") == text
    header = "charset: latin-1\\n"
    assert decode_station((header + text).encode("latin-1"), "x.tide") == header + text


def test_bytes_that_are_not_what_the_header_says():
    with pytest.raises(TideError, match="T214 x.tide: 'utf-8' codec can't decode byte 0xe6"):
        decode_station("station: Skærholm\\n".encode("latin-1"), "x.tide")
"""

FRESH = """    \"\"\"Try a cell until it passes or the limit is reached, from an empty scratch directory.\"\"\"
    shutil.rmtree(cell.scratch, ignore_errors=True)
    code = 0
"""

SCRATCH_TESTS = """import pytest

from scripts.matrix import NIGHTLY, Settings, cells
from scripts.nightly import run_cell

SUITE = '''
import os, pathlib

def test_scratch():
    directory = pathlib.Path(os.environ["TIDEBOOK_SCRATCH"])
    assert list(directory.iterdir()) == []
    (directory / "left.sheet").write_text("left")
'''


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.matrix.NIGHTLY", tmp_path / ".nightly")
    (tmp_path / "test_it.py").write_text(SUITE)
    path = str(tmp_path / "test_it.py")
    return Settings(2, 1, 30, {"one": path, "two": path}, {"desk": {"TIDEBOOK_KEEP": "1"}}, {})


def test_no_two_cells_share_a_scratch_directory(settings):
    chosen = cells(settings)
    assert len({cell.scratch for cell in chosen}) == len(chosen)


def test_a_suite_does_not_see_what_another_one_left(settings):
    assert [run_cell(cell, settings).code for cell in cells(settings)] == [0, 0]


def test_what_a_cell_keeps_is_still_there_afterwards(settings):
    first, second = cells(settings)
    for cell in (first, second):
        run_cell(cell, settings)
    assert (first.scratch / "left.sheet").exists()


def test_the_scratch_directory_is_named_after_row_and_suite():
    from scripts.matrix import Cell

    cell = Cell("desk", "almanac", "tests/almanac", ())
    assert cell.scratch == NIGHTLY / "scratch" / "desk" / "almanac"
"""


SUMMARY = '''"""Condenses the logs of the last nightly run: each failed test with its first error."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from scripts.matrix import NIGHTLY

WIDTH = 120
"""Longer errors are cut: the board shows one line for a test."""

_TITLE = re.compile(r"^_{3,} (\\S+) _{3,}$")
_ERROR = re.compile(r"^E +(\\S.*)$")


def failures(log: Path) -> dict[str, str]:
    """The first error line of each failed test, in the order of the log."""
    found: dict[str, str] = {}
    test = ""
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        title = _TITLE.match(line)
        error = _ERROR.match(line)
        if title:
            test = title[1]
        elif error and test and test not in found:
            found[test] = error[1] if len(error[1]) <= WIDTH else error[1][: WIDTH - 3] + "..."
    return found


def main() -> int:
    """Print the summary. Returns 1 when there is no log."""
    logs = sorted((NIGHTLY / "logs").glob("*.log"))
    if not logs:
        print("summary: no log", file=sys.stderr)
        return 1
    lines = [
        f"{log.stem}: {test}: {error}" for log in logs for test, error in failures(log).items()
    ]
    print("\\n".join(lines) or f"summary: nothing failed in {len(logs)} logs")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
'''

SUMMARY_TESTS = """import pytest

from scripts import summary

LOG = '''..FF
=================== FAILURES ===================
______________ test_index ______________
tests/export/test_export.py:35: in test_index
    assert index(spool) == "sheets: 2"
E   AssertionError: assert 'sheets: 4' == 'sheets: 2'
E     - sheets: 2
_ test_a_name_that_is_nearly_as_wide_as_the_terminal _
E   tidebook.errors.TideError: T214 x.tide
2 failed, 2 passed
'''


def test_the_first_error_of_each_test(tmp_path):
    (tmp_path / "x.log").write_text(LOG)
    assert summary.failures(tmp_path / "x.log") == {
        "test_index": "AssertionError: assert 'sheets: 4' == 'sheets: 2'",
        "test_a_name_that_is_nearly_as_wide_as_the_terminal": (
            "tidebook.errors.TideError: T214 x.tide"
        ),
    }


def test_long_errors_are_cut(tmp_path):
    (tmp_path / "x.log").write_text("___ test_x ___\\nE   " + "y" * 500)
    assert len(summary.failures(tmp_path / "x.log")["test_x"]) == 120


@pytest.mark.parametrize("logs", [0, 2])
def test_nothing_failed(tmp_path, monkeypatch, capsys, logs):
    monkeypatch.setattr(summary, "NIGHTLY", tmp_path)
    (tmp_path / "logs").mkdir()
    for number in range(logs):
        (tmp_path / "logs" / f"{number}.log").write_text("4 passed")
    assert summary.main() == (0 if logs else 1)
    said = capsys.readouterr()
    assert "nothing failed in 2 logs" in said.out if logs else "summary: no log" in said.err
"""


RELEASE = """# tidebook 3.2.0

For the almanac desk, the harbour offices and whoever looks after kelp.

## What is new

- Station files are read by their header, UTF-8 without one; `charset: latin-1` is obeyed. Anything
  else ends with T215 and exit code 21.
- Names of sheets are ASCII: Skaerholm hangs on the wall as before, its file is skaerholm-DAY.sheet.
- The night tries each cell once. Expect one red night in about twenty, from the handhelds.

## What to do

1. Offices: throw away sheets whose file name has a letter beyond ASCII.
2. kelp: stop the cron job, pull, start it again. Not on a Thursday, the disk is copied then.
3. Almanac desk: the sheets of the night are in `.nightly/scratch/desk/almanac`.

## The way back

Version 3.1.7 reads everything but Latin-1 files. Take utsyn.tide out first.
Questions: tidebook-duty@harbour.example.
"""


def history(repo: Repository) -> None:
    """Two commits of the week before; then the session starts."""
    row = '[rows.desk]\nLC_ALL = "C.UTF-8"\n'
    repo.change("tasks.toml", row, row + 'TIDEBOOK_KEEP = "1"\n')
    repo.git("commit", "-qam", "nightly: keep the sheets of the desk row for the morning round")
    repo.put("stations/skaerholm.tide", SKAERHOLM)
    repo.commit("stations: add Skaerholm as delivered by the bureau")
    repo.git("tag", "-f", "start")


def investigate(session: Recorder) -> None:
    """The report, the first suspicion, and why it is wrong."""
    session.system(SYSTEM)
    session.user(
        "The nightly matrix of tidebook is red since Monday. Two of nine cells fail, always the same ones, desk/export and posix/almanac. Ansgar suspects the "
        "parallelism: since the move to the host kelp three rows run side by side. Please find the causes before you repair anything.\n"
        "\n"
        "Ground rules, they hold to the end. The CELL line and the exit codes are read by the mail job and by the board, so neither changes. "
        "`parse_station(text, where)` keeps its signature, the bureau's own checker imports it. Nothing that exists under stations/ is edited or re-encoded: "
        "those files are signed by the bureau byte for byte. No new dependency, kelp has no network. Nothing is pushed, I do that myself. And every commit "
        "carries TB-482 in its body, the release script collects them. What is in ops/ belongs to Torunn, you may read there and that's all."
    )
    session.together(
        [
            bash("git log --stat --format='%h %s' -3 && git status --short"),
            read_file("tasks.toml"),
        ],
        (
            "First the settings, and what changed last; a matrix that is red since a certain day has usually been changed on the day before."
        ),
    )
    session.bash(
        "cat README.md src/tidebook/[a-p]*.py src/tidebook/s*.py",
        "The package itself is small, so I read it once as a whole before I look at single lines.",
    )
    session.say(
        "My first impression, to be corrected by what follows. The package reads text, computes, and writes text; there is no state in it except one directory, and that directory is chosen by a variable from outside. So if two "
        "runs disagree about the same files, I expect the reason in what surrounds them, in the variables of a row or in what lies in the directory, and not in the arithmetic. It is also the reason why I don't start with the threads of the runner: they only start "
        "processes and wait, and the processes share nothing but the disk. That can still be wrong, of course. The disk is shared by all of them, and the clock of the machine as well."
    )
    session.read(
        "docs/nightly.md",
        (
            "Two commits of last week, a new station and a setting of one row. Both are candidates, I keep them in mind. Now what the matrix promises."
        ),
    )
    session.together(
        [
            read_file("scripts/nightly.py"),
            read_file("scripts/common.py"),
        ],
        "And how it runs: the runner itself and what it knows about cells.",
    )
    session.say(
        "What I take from the two files: a pool with one thread for each row, and within a row a plain loop over the suites. A cell is a process of its own with the variables of its row and a directory in one more variable, its output goes to a log, and what comes back is a number. A cell that fails is started again in the same surroundings, nothing is put back in between. So a second attempt differs from the first in nothing but the time, and in "
        "whatever the first one has left lying about. I note that, since it means that a retry can make a thing worse but hardly ever better. The lines are printed at the end, row by row, and not in the order in which the cells finish."
    )
    session.bash("python scripts/nightly.py", "Let me see the failure here.")
    session.together(
        [
            read_file("scripts/task.py"),
            read_file("scripts/rerun.sh"),
        ],
        "Who else starts the matrix?",
    )
    session.bash(
        "cat tests/unit/*.py tests/almanac/*.py tests/export/*.py",
        "And what runs in the cells: the three suites.",
    )
    session.say(
        "Nobody else starts it but a script for impatient evenings, which runs everything again until it is green. I mention it because it is a way to make a red matrix look green without anybody having repaired anything, and because it would explain why some people remember the failure as one that comes and goes. With two causes that "
        "are as steady as these it can't succeed, it only takes five times as long. The suites themselves look careful to me; they use a fixed day, they compare whole lines, and those that write do so where the variable tells them. What I don't see in any of them is a look at the directory before they begin. They trust that it is theirs."
    )
    session.bash(
        "python scripts/summary.py",
        (
            "Reproduced on the first try, with the same two cells. That is worth a lot, it needs neither kelp nor the night. The summary should name the tests."
        ),
    )
    session.together(
        [
            bash("cat .nightly/logs/desk-export.log"),
            bash("cat .nightly/logs/posix-almanac.log"),
        ],
        (
            "Two attempts, twice the same tests: that does not look like chance. The logs of both cells."
        ),
    )
    session.bash(
        "python -m pytest -v | tail -n +6",
        "And the plain run of all tests without any row, to see what an ordinary checkout says.",
    )
    session.say(
        "The plain run is green, every single test, and that is the first useful fact: no code is broken in the sense of a wrong result. What makes the cells red is something that the matrix adds. It adds three things, as far as I have read: the variables of the row, the "
        "directory for the sheets, and the company of other suites before and beside. For the posix cell I would bet on the variables, since the word codec stands in its log. For the desk cell on the directory or the company, and which of the two it is, is exactly what Ansgar and I disagree about. "
        "A trial that separates them is cheap, so I don't argue, I try."
    )
    session.bash(
        "python scripts/nightly.py --only desk/export",
        (
            "Two different problems, then. desk/export sees sheets that are not its own, posix/almanac cannot decode a station file. For the first one, Ansgar's "
            "hypothesis deserves a fair trial: rows that share a directory would give exactly such extra sheets. Does the cell pass alone?"
        ),
    )
    session.bash(
        "python scripts/nightly.py --only desk --workers 1",
        (
            "Alone it passes, which speaks for interference. If the rows running side by side are to blame, the desk row with nothing beside it must be green."
        ),
    )
    session.say(
        "Parallelism is a dead end. With one worker and the desk row only, nothing runs beside it and the export cell fails with the same numbers, and every "
        "row has a scratch directory of its own, so rows cannot meet at all. That desk/export passes alone must come from what runs before it in the same row, "
        "not from what runs beside it.\n"
        "\n"
        "I would like to have a second proof that does not come from this machine. Torunn's folder has a log of the nights; if the move to kelp were the cause,"
        " the matrix would have turned red with the move and not later."
    )
    session.bash("cat ops/nights.log", "All nights that are still there.")
    session.say(
        "The log settles it for me. On the old host one row ran at a time and on the new one three, and between the move and the first red night lie a good week and a half of green ones, side by side every night. "
        "One of them was red for another reason, a timeout of a single cell, and on that night no mail went out either; I have no explanation for that one, it happened once and is not what you asked about. From Monday on it is "
        "every night the same two cells, with both attempts used up.\n\n"
        "While I was there I looked at the numbers behind the lines, which I take for the seconds of the cell. The largest is the almanac suite of the lean row, well above two hundred of the 240 that `cell_timeout` allows. If that is "
        "so, the next station or two will push it over the limit, and then a third cell turns red that has nothing to do with the other two. I'd raise the limit to 400 before that happens, but not today and not unasked."
    )
    session.say(
        "What I would tell Ansgar, in his own words as far as I know them. Flaky is what changes when nothing has changed, and this doesn't. The rows can't meet, they have nothing in common that they write to. And the new machine had its chance to be guilty for many nights and didn't take it. If he wants a trial of his own, the shortest is the desk row alone with one worker, it takes less than a minute here and is red each time; "
        "the second shortest is to take last week's two commits out, one after the other, and to see which cell turns green with which. I haven't done the second yet, since I'd rather know the mechanism than the culprit, but I expect one cell for each of them."
    )
    session.user(
        "Fair. Ansgar is not convinced yet and calls it flaky. Set retry_limit to 4 while you are at it and show him that it never recovers; I'll forward that."
        " One of the two cells is enough for him, and please quote the name of the test, he looks at nothing but names. The limit itself I settle when both "
        "cells are green. By the way, kelp's clock is UTC, in summer it is two hours behind ours, so don't be surprised by the times in that log. Timeout: let "
        "it be for now"
    )
    session.edit("tasks.toml", "retry_limit = 2", "retry_limit = 4")
    session.bash("python scripts/nightly.py --only posix/almanac")
    session.bash(
        "python scripts/summary.py",
        ("Failed after all attempts, and the exit code counts one red cell."),
    )
    session.say(
        "For Ansgar: retry_limit is 4 now, and posix/almanac fails in all 4 attempts at test_every_station_has_a_sheet. It is deterministic; no number of "
        "retries helps. A test that is flaky fails at different places or now and then, this one fails at the same byte of the same file each time.\n"
        "\n"
        "I take the decoding error first, because it is the simpler one and because its cell will need the new station anyway, then the extra sheets."
    )
    session.user("go on")
    session.point("p1")


def decode(session: Recorder) -> None:
    """The locale: UTF-8 first, then names of sheets, then the header of the bureau."""
    session.together(
        [
            read_file("src/tidebook/station.py"),
            read_file("src/tidebook/errors.py"),
        ],
        ("The error of the cell carries one of our own codes, and it is raised in station.py."),
    )
    session.bash(
        "head -c 24 stations/skaerholm.tide | od -An -c && "
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 python -c "
        "'import locale; print(locale.getpreferredencoding(False))'",
        (
            "`path.read_text()` names no encoding, so the locale decides. What are the bytes, and what does the posix row make of them?"
        ),
    )
    session.bash(
        "grep -n 'read_text\\|write_text\\|open(' -r src scripts | grep -v encoding",
        (
            "The file is UTF-8 and the posix row decodes it as plain ASCII, under the long name that the C locale has for it. Skærholm is the first name with a "
            "letter beyond ASCII that was ever delivered. Is load_station the only place without an encoding?"
        ),
    )
    session.say(
        "By the way, this is also why it was never seen before, in spite of the row being there for two years: all names that the bureau had delivered until last week could be written with the letters of a typewriter, and for those the two charsets agree in every byte. A row that is made to show this kind of fault needs a file that has it in it. One could say that the matrix was complete in its rows and empty in its "
        "data. The new station has filled that gap by accident, and I would keep it in the tests for that reason alone, even if the bureau should ever withdraw it."
    )
    session.together(
        [
            read_file("src/tidebook/constituents.py"),
            read_file("src/tidebook/cli.py"),
        ],
        (
            "It is the only one in the package; the other hit opens a log as bytes. Before I touch it: does anything else on the way from the file to the command "
            "line depend on the locale, numbers for example?"
        ),
    )
    session.user(
        "Numbers are fine, float() does not know locales. Couldn't we simply put PYTHONUTF8=1 into the posix row? Then the cell is green in one line."
    )
    session.say(
        "I advise against PYTHONUTF8=1 in the posix row. The row stands for the offices at Grunnvik and Ostrey, and their terminals do not set that variable: "
        "the cell would be green while the real program still breaks there. The matrix would test a machine that nobody has, and the first one to find out "
        "would be somebody with a wet coat in front of a screen full of Python. I name the encoding in load_station instead."
    )
    session.say(
        "To be fair to the idea: it would have been the right thing if the row were only a means of ours to run the tests twice. I looked for a hint in the page about the matrix, and it says whom each row stands for in so many words, so the rows are promises to people. "
        "A second argument came to me while writing: the variable would repair the reading of files, the names of files and the printing at one stroke, in the test, and none of the three for the office. We would have three hidden faults in place of one that can be seen. As it is now the row shows them one after the other, which is tedious for me but honest."
    )
    session.user(
        "Convinced. Leave the row as it is; the people at Ostrey once asked us to add it to the matrix because "
        "nobody here had ever started the program in such a terminal."
    )
    session.edit(
        "src/tidebook/station.py",
        "text = path.read_text()",
        'text = path.read_text(encoding="utf-8")',
    )
    session.bash(
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 python -m pytest -q --tb=line tests/almanac "
        "| grep -o \"UnicodeEncodeError: .*character '.xe6'\\|[0-9] failed, [0-9] passed\" | sort -u"
    )
    session.together(
        [
            read_file("src/tidebook/almanac.py"),
            read_file("src/tidebook/spool.py"),
        ],
        (
            "One error further: now an encode error. Reading works and writing does not: the letter comes from the station's slug, which becomes a file name. Who "
            "builds it?"
        ),
    )
    session.bash(
        "grep -rn 'slug' src tests scripts",
        (
            "render_sheets puts `station.slug` into the path, and a C locale cannot encode such a letter in a file name. isalnum() lets every letter of every "
            "alphabet through."
        ),
    )
    session.say(
        "There are three ways that I can see, before I choose one. The name of the sheet could be made of the number of the station in the list, which nobody could read and which changes with every delivery. It could be escaped, with a percent sign and two digits for each byte, which is exact and ugly, and the people who look for a sheet by its name in a "
        "list would have to know by heart what their harbour is called in percent signs. Or it could be folded to the letters that every terminal has, as the telegraph did it. The third loses something and the other two lose nobody's letters but everybody's patience. I lean towards the third, and look first what else uses the name."
    )
    session.say(
        "So slugs must be ASCII. I considered taking the stem of the station file as the slug, but parse_station only gets a text and a place for errors, and "
        "its signature is fixed. So I fold the letters: those that have a spelling of their own in the almanac go by a small table, everything else loses its "
        "accent by Unicode decomposition. Two stations that fold to one slug would still be caught by the code that the spool has for that. What is lost is "
        "that a file name no longer tells ø from o; on the sheet itself the name stays as it is."
    )
    session.user("aa for å is right, keep that")
    session.edit("src/tidebook/station.py", SLUG_OLD, SLUG_NEW)
    session.edit(
        "src/tidebook/station.py",
        '_ZONE = re.compile(r"^([+-])(\\d\\d):(\\d\\d)$")',
        'FOLDED = str.maketrans({"æ": "ae", "ø": "o", "å": "aa", "ð": "d", "þ": "th"})\n'
        '_ZONE = re.compile(r"^([+-])(\\d\\d):(\\d\\d)$")',
    )
    session.edit(
        "src/tidebook/station.py",
        "from pathlib import Path\n",
        "from pathlib import Path\nfrom unicodedata import normalize\n",
    )
    session.read("tests/unit/test_station.py", "Where do the tests of slugs live?")
    session.bash(
        "cat tests/unit/test_predict.py tests/almanac/test_sheets.py tests/export/test_export.py tests/runner/test_cells.py",
        "And the other suites, since a sheet's name may be written down in any of them.",
    )
    session.edit(
        "tests/unit/test_station.py",
        "    assert station.greatest == pytest.approx(4.0)\n",
        "    assert station.greatest == pytest.approx(4.0)\n" + SLUG_TESTS,
    )
    session.bash("python scripts/nightly.py --only posix/almanac && python -m pytest -q")
    session.bash(
        "git diff",
        "Once over the diff before I commit: the encoding, the folded letters and their tests, and the "
        "retry limit that Ansgar asked for; nothing under stations/ and no signature.",
    )
    session.bash(
        "git commit -qam 'stations: read files as UTF-8 and give sheets ASCII names' -m TB-482 && git log --oneline -1",
        ("The cell is green and so is the plain run."),
    )
    session.user(
        "Stop, the UTF-8 part is too short a jump. Runa from the bureau just wrote: the 11 old stations that come with the next parcel are Latin-1, and each of"
        " them says so in a line `charset: latin-1`. Files without that line are UTF-8. She sent one, Utsýn. There's also their description of the format and "
        "the list of the parcel, I put both into bureau/ some time ago. So please go by the header and drop the fixed encoding."
    )
    session.together(
        [
            read_file("bureau/format.md"),
            bash("cat bureau/parcel-2031-05.csv"),
        ],
        "The description and the list first, before I invent something that they have decided long ago.",
    )
    session.point("p2")
    session.say(
        "Two things from these. The description agrees with what she writes, the line is a field like the others and exists since their newest edition, it may stand anywhere before the first constituent. The list agrees for ten of the eleven files. For one of "
        "them it names a charset that she did not mention, an old one from DOS. Either the list is older than her mail, or one file is forgotten. I don't support that charset on a guess: a file that names something else than the two announced ones gets an error of its own, with the name of "
        "the charset in it, so that it's one look and not an afternoon. You may want to ask her."
    )
    session.user("I will. later")
    session.bash(
        "printf 'station: Uts\\xfdn\\ncharset: latin-1\\nregion: North Sound\\ndatum: 1.96\\n"
        "zone: +01:00\\nM2 1.27 117.5\\nS2 0.44 151.0\\n' > stations/utsyn.tide && "
        "python -m tidebook sheet stations/utsyn.tide 2031-04-02",
        (
            "Then the fixed UTF-8 is the wrong choice. I lay her file down as it came and see it fail."
        ),
    )
    session.say(
        'As expected: one of our own codes, and the byte that is no UTF-8. `errors="replace"` would be the quick way out, and I reject it: a sheet with a '
        "question mark in a harbour's name would be printed without anybody noticing. Guessing the charset from the bytes is the other quick way, and in "
        "Latin-1 every byte is valid, so a guess can never be wrong loudly.\n"
        "\n"
        "Plan: a module charset.py that reads bytes and obeys the header, a new code for a charset that is not announced, and parse_station only has to accept "
        "the line. The search for the header stops early in the file, so that a comment far below can't decide about the first line."
    )
    session.say(
        "On the order of things: I write the module and its tests first and connect it afterwards, so that there is a moment in which everything is green with the new code lying beside the old. The tests are those that I would want if I were the bureau: a header in either case of letters, with the line end of "
        "another system, a header in a comment (which must not count), a header so far down that it can't be one, a charset that is known to Python but was never announced. The last one matters most. Python knows about a hundred charsets, and each of them would decode the file without complaint, "
        "into a name that is wrong in one letter. Only what was announced is accepted, and the list in the code has two entries."
    )
    session.write("src/tidebook/charset.py", CHARSET)
    session.write("tests/unit/test_charset.py", CHARSET_TESTS)
    session.together(
        [
            edit_file(
                "src/tidebook/errors.py",
                '    "T230": ',
                '    "T215": "a station file names an unknown charset",\n    "T230": ',
            ),
            edit_file(
                "src/tidebook/station.py",
                '    try:\n        text = path.read_text(encoding="utf-8")\n'
                "    except UnicodeDecodeError as error:\n"
                '        raise TideError("T214", f"{path.name}: {error}") from None\n'
                "    return parse_station(text, path.name)\n",
                "    text = decode_station(path.read_bytes(), path.name)\n"
                "    return parse_station(text, path.name)\n",
            ),
            edit_file(
                "src/tidebook/station.py",
                "from tidebook.constituents import",
                "from tidebook.charset import decode_station\nfrom tidebook.constituents import",
            ),
        ]
    )
    session.bash("python -m pytest -q --tb=short tests/unit tests/almanac")
    session.edit(
        "src/tidebook/station.py",
        "        if colon and key in FIELDS:\n",
        '        if colon and key == "charset":\n            continue  # decode_station obeyed it\n'
        "        if colon and key in FIELDS:\n",
        (
            "parse_station takes the charset line for a constituent. It skips the line from now on; FIELDS stays as it is, because every name in it is required, "
            "and this one isn't."
        ),
    )
    session.bash("python -m pytest -q && python -m tidebook sheet stations/utsyn.tide 2031-04-02")
    session.bash(
        "git add -A && git diff --cached -- src",
        ("Green, and Utsýn has its accent. The diff of the package:"),
    )
    session.say(
        "One thing that the diff does not show is what I left alone. The decoding of what the program itself writes stays UTF-8 everywhere, sheets and tables and the index; the header is a matter of what the bureau delivers and of nothing else. I thought for a moment about writing the sheet of a Latin-1 station in "
        "Latin-1, since the office that hangs it up may have an old printer, but nobody asked for that, and then the same directory would hold files in two charsets with nothing in them that says so. We have just repaired a thing of that kind."
    )
    session.user("ok good, sheets stay UTF-8")
    session.bash(
        "git add -A && git commit -qm 'stations: obey the charset header, T215 for unknown charsets' -m TB-482 && git log --oneline -1 && "
        "python scripts/nightly.py --only posix/almanac",
    )


def scratch(session: Recorder) -> None:
    """The extra sheets: a shared scratch directory, cleaned first, then split."""
    session.say(
        "posix is done. Next the extra sheets in desk/export: the index counted two too many, and the extra ones were stations that only the almanac suite "
        "renders. So something of the almanac suite is still there when the export suite starts.\n"
        "\n"
        "What I know so far: it happens in the desk row only, it happens with one worker, it does not happen alone, and it began with the same night as the "
        "other failure. The last point misled me for a while, I looked for one cause of both. But two commits went in on the same afternoon, and either of them"
        " can be to blame for one cell."
    )
    session.together(
        [
            read_file("tests/export/test_export.py"),
            read_file("tests/almanac/test_sheets.py"),
            read_file("src/tidebook/export.py"),
        ]
    )
    session.bash(
        "python scripts/nightly.py --only desk/almanac; find .nightly/scratch -type f | sort",
        (
            "Both suites open a Spool without a directory, so both work in the directory of the row. What does the almanac suite leave there?"
        ),
    )
    session.say(
        "That explains the count but not yet the date. The two suites have worked in one directory for as long as the matrix exists, and until last week the count was right. So either the export suite has begun to look at more than it used to, or the almanac suite has begun to leave more than it used to. The tests of both are unchanged for months, "
        "the history says so, and the package was not touched either. What is left is the row, and there was one commit to the settings of a row in that week, which I saw in the very first output of this session and put aside as harmless. I should look at it now."
    )
    session.bash(
        "git log --format='%h %s' -1 -- tasks.toml && git show --format= HEAD~3 -- tasks.toml",
        (
            "Everything the almanac suite rendered is still there; with the new file from the bureau it is one sheet more. Since when does the desk row keep "
            "sheets?"
        ),
    )
    session.say(
        'Cause of desk/export: TIDEBOOK_KEEP=1 came into the desk row with the commit "nightly: keep the sheets of the desk row for the morning round". Since '
        "then Spool leaves the sheets of the almanac suite behind, the three suites of a row share one scratch directory, and the index of the export suite "
        "counts them too. The other rows remove their sheets, so only desk fails; alone it passes because nightly.py empties .nightly at the start; a retry "
        "cannot help because the leftovers stay.\n"
        "\n"
        "So neither commit did anything wrong by itself. The setting is a wish of the almanac desk and does what it says, and the export suite has every right "
        "to think that a directory that it was given is its own. What was wrong was there before both of them: a directory that several suites use, and nobody "
        "noticed because each cleaned up behind itself.\n"
        "\n"
        "How shall I separate them: empty the directory before each suite, or one directory for each cell?"
    )
    session.user("Emptying is the smaller change. Empty it before every cell.")
    session.say(
        "It is the smaller one, that is true: one line in the runner, and no path changes for anybody. The price is that the directory of a row then holds what its last suite has left and nothing else. I don't know of anybody who reads it during the night, so I do it as you say, and look at the directory afterwards, to see what is in it in the morning. If it turns out that something is missing there, the other way is still open, "
        "it is two lines more. I leave the name of the directory alone for the moment, so that nothing but the emptying is tried."
    )
    session.edit(
        "scripts/nightly.py",
        '    """Try a cell until it passes or the limit is reached."""\n    code = 0\n',
        FRESH,
        ("run_cell empties the row's directory first; attempts of one cell still share it."),
    )
    session.bash("python scripts/nightly.py --only desk; find .nightly/scratch -type f | sort")
    session.user(
        "Hm, no. I forgot what the keeping is for: Ingvild at the almanac desk opens the sheets of the almanac suite at 06:30 on her morning round, and with "
        "the emptying only those of the export suite are left. I take it back. One directory for each cell, please, row/suite."
    )
    session.edit(
        "scripts/nightly.py",
        FRESH,
        '    """Try a cell until it passes or the limit is reached."""\n    code = 0\n',
        (
            "Understood: the emptying goes, because it deletes the sheets that Ingvild looks at. The directory of a cell becomes row and suite below scratch."
        ),
    )
    session.say(
        "I should have asked what the keeping is for before I offered you the emptying as one of two ways; the commit says it in its subject, for the morning round, and I had quoted that very subject a minute earlier. A setting that somebody has made on purpose has somebody behind it. What I do from now on before I remove or empty anything: find the one who would "
        "miss it. With a directory for each cell nobody has to give up anything. It costs some disk, since the sheets of all suites stay, and the place where Ingvild looks is one level deeper than before, which she has to be told before the first night and not after it. I put both into the page about the matrix when I come to it, and you may want to call her, since people who look at sheets at half past six don't read pages about matrices."
    )
    session.edit(
        "scripts/common.py",
        'return NIGHTLY / "scratch" / self.row\n',
        'return NIGHTLY / "scratch" / self.row / self.suite\n',
    )
    session.bash("python scripts/nightly.py --only desk; find .nightly/scratch -type f | sort")
    session.user(
        "That is the one. While you are in there: `common` says nothing, call it scripts/matrix.py, and "
        "with git mv so that the history stays. And rerun.sh can go, Ansgar's evenings notwithstanding."
    )
    session.user(
        "oh and before that, quick one for Ingvild, she is on the phone: regatta on 19 April 2031 at Ostrey and Lonvik, when is the afternoon high water at both, and how high. And is the day before or after better for deep keels"
    )
    session.bash(
        "for day in 18 19 20; do for name in ostrey lonvik; do python -m tidebook sheet stations/$name.tide 2031-04-$day; done; done",
        "The three days at both harbours, as the program prints them.",
    )
    session.say(
        "There they are, for her to read from: at both harbours the afternoon one of the day of the regatta is in the list, Lonvik is later than Ostrey by more than an hour and a half on the clock, but note that the two sheets print in different zones, "
        "Ostrey in plain UTC and Lonvik an hour ahead; a boat that sails from the one to the other has less time than the sheets suggest. As for the keels, what matters is the low water, and there the day after is the best of the three at both places; the day of the regatta "
        "itself is the lowest but one at Ostrey. I'd tell her the low waters as well, they are in the same output."
    )
    session.user(
        "oh, and Runa asks for the turning points of all five harbours, 13 to 28 April, she wants to hold them against hers. Just print them, I copy it out"
    )
    session.bash(
        "for day in 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28; do python -m tidebook table stations 2031-04-$day | tail -n +2; done",
        "Sixteen days, all stations, in the order of the files.",
    )
    session.say(
        "If she finds a difference of a minute here or there I would not be surprised and not worried: we round the height to centimetres and look for the highest minute, and around high water the height hardly changes for several minutes, so that two programs with slightly different speeds for a constituent choose different ones. "
        "A difference of an hour would be the zone, and one of half a metre the datum. Anything between these I'd like to see. Her own new station is in the list as well, that is the one I'd compare first, since it is the only one whose file we read in a new way."
    )
    session.user("she'll report back")
    session.user("thx, read it to her")
    session.bash(
        "git mv scripts/common.py scripts/matrix.py\n"
        "git rm -q scripts/rerun.sh\n"
        "grep -rln 'scripts.common\\|scripts/common\\|rerun' . --include=* --exclude-dir=.git | sort",
    )
    session.bash(
        "sed -i 's/scripts\\.common/scripts.matrix/' scripts/nightly.py scripts/summary.py "
        "scripts/task.py tests/runner/test_cells.py && python -m pytest -q tests/runner && "
        "python scripts/task.py nothing",
    )
    session.bash(
        "git diff HEAD -M",
        (
            "The runner's tests are green and nothing names the old module any more. The change so far:"
        ),
    )


def finish(session: Recorder) -> None:
    """Tests of the runner, the retry limit, the documentation, what is left."""
    session.read("tests/runner/test_cells.py", "What do the tests of the runner cover today?")
    session.write(
        "tests/runner/test_scratch.py",
        SCRATCH_TESTS,
        (
            "Nothing would notice if two cells shared a directory again. A test with a tiny suite that leaves a sheet behind, run as two cells of a desk row."
        ),
    )
    session.point("p3")
    session.bash("python -m pytest -q --tb=short tests/runner")
    session.edit(
        "tests/runner/test_scratch.py",
        "from scripts.matrix import NIGHTLY, Settings, cells\n",
        "from scripts.matrix import NIGHTLY, Cell, Settings, cells\n",
        "Green. One import hides inside a function; I move it up.",
    )
    session.edit(
        "tests/runner/test_scratch.py",
        "    from scripts.matrix import Cell\n\n    cell",
        "    cell",
    )
    session.bash(
        "sed -i 's| / self.suite$||' scripts/matrix.py && python -m pytest -q --tb=line tests/runner "
        "| tail -5",
        "Do the tests fail without the change? I take it out for a moment.",
    )
    session.edit(
        "scripts/matrix.py",
        'return NIGHTLY / "scratch" / self.row\n',
        'return NIGHTLY / "scratch" / self.row / self.suite\n',
        ("They fail without it, as they should, all but the one that is about keeping. Back in."),
    )
    session.user("nice, continue")
    session.say(
        "Where I am: both causes are repaired in the tree, the first one is committed, the second one not yet, since the documentation still says what was true before. The runner has tests for the separation now, four of them, and three were red without it; the fourth looks at the keeping and has to be green either way, it is there "
        "so that nobody repairs the separation by throwing the sheets away, which is what I did an hour ago. What is left on my side is the page about the matrix and whatever you decide about the retries. I'd also like to run all nine cells once more from an empty directory before I commit, and not only those that were red; a change of "
        "the place where every cell works is a change for all of them, and the seven green ones are green so far only because nobody has looked since."
    )
    session.user(
        "Good. Now the retries. Neither 4 nor 2: set retry_limit to 1. A cell that turns green on the second try is a defect that I want to see, and kelp has "
        "to be finished before the 06:30 round."
    )
    session.edit("tasks.toml", "retry_limit = 4", "retry_limit = 1")
    session.bash(
        "grep -n 'retry_limit\\|attempts' -r docs scripts tests | grep -v 'nightly.py'",
        ("retry_limit 1 means one attempt and no retry. What else speaks about attempts?"),
    )
    session.say(
        "The attempts column stays in the CELL line although it will always be 1: the mail job splits the line into six fields, and you said that the line does"
        " not change. I only touch the documentation.\n"
        "\n"
        "One consequence that should be said: with a single attempt the timeout that happened once in the log would have been a red night as well as a red "
        "cell, and the mail would have told fourteen people of it. That is what you want, if I understand you, only somebody should tell the offices that a red"
        " line is not a reason to distrust the sheet on the wall."
    )
    session.user(
        "yes I'll tell them. By the way Torunn read your remark about the lean row and says no cell ever came near four minutes on kelp. Where did you get those seconds?"
    )
    session.together(
        [
            read_file("ops/kelp.md"),
            bash(
                "tail -n 12 ops/nights.log; grep -c '^== .* kelp' ops/nights.log; grep -n 'timeout' ops/nights.log"
            ),
        ],
        "From the numbers behind the lines, and I never looked up what they mean. Her page must say it.",
    )
    session.say(
        "She is right and I was wrong. There are two numbers behind each line, the processor time of all processes and the time on the clock, in this order, and I took the first for the second. The lean row keeps several processes busy at once, so its first number is about three times as "
        "large as what the limit looks at. On the clock the largest cell is far below the limit and there is nothing to raise; I withdraw the 400. The one timeout in the log is the other way round, hardly any processor time and all of the clock: that cell was waiting for something, not "
        "computing, and a larger limit would only have made it wait longer.\n\n"
        "What I should have done is read the page beside the log before the log. It also says two or three things that matter for the release, about the disk and about how long a night may take as a whole."
    )
    session.bash(
        "grep -n 'lean|almanac\\|lean|export\\|^==' ops/nights.log",
        "The two large cells over all nights once more, with the right eyes.",
    )
    session.say(
        "Read correctly it is a dull table, as it should be. On the old host the large cells took twice as long on the clock although the work was the same, because there was one row at a time on a slower machine; on the new one they are quicker and vary by a few parts in a hundred. There is no trend in either column since the move. "
        "The new stations make no difference that one could see, which I would have predicted, had I thought about it: a station more is one sheet more in a suite that renders a handful, and most of what the large cells cost is not the sheets. So my warning about the next station or two was wrong in its direction as well and not only in its number."
    )
    session.user("good. leave cell_timeout alone then")
    session.edit(
        "docs/nightly.md",
        "A cell that fails is tried again, up to `retry_limit` attempts. For every cell",
        "A cell has `retry_limit` attempts; it is 1, so that a flaky test shows. For every cell",
    )
    session.edit(
        "docs/nightly.md",
        "Every row has a scratch directory, `.nightly/scratch/<row>` (`TIDEBOOK_SCRATCH`). The log",
        "Every cell has a scratch directory, `.nightly/scratch/<row>/<suite>` (`TIDEBOOK_SCRATCH`), so\n"
        "that no suite sees the sheets of another one. The desk row keeps them (`TIDEBOOK_KEEP=1`); the\n"
        "morning round finds them in `.nightly/scratch/desk/almanac`. The log",
    )
    session.read(
        "scripts/summary.py", "summary.py counts attempts as well; let me see if it holds."
    )
    session.say(
        "summary.py still works, but with one attempt its counts say nothing any more: every line will end with the same words. I'd leave it unless you have a "
        "use for the place."
    )
    session.say(
        "While we are at it, what I know about its readers: the page about the matrix doesn't mention it, the runner doesn't call it, and no job in Torunn's folder does. It is for people, then, who want to know in the morning what failed, and for them the name of a test is half of what they need. The other half is the reason, and for that one has to open "
        "the log of the cell, which is long and in the wrong order for a hurry. I can see two dangers in putting more on the line: it may become so long that it wraps, and it may quote something from a station file that does not print everywhere. Both can be had under control, but they should be said before and not after."
    )
    session.user(
        "Then let it say something useful: the first line of the error instead of the count, cut at 120 "
        "characters, and a sentence when nothing failed. Its exit codes stay 0 and 1."
    )
    session.write("scripts/summary.py", SUMMARY)
    session.write("tests/runner/test_summary.py", SUMMARY_TESTS)
    session.bash("python -m pytest -q --tb=short tests/runner")
    session.edit(
        "scripts/summary.py",
        'r"^_{3,} (\\S+) _{3,}$"',
        'r"^_+ (\\S+) _+$"',
        (
            "pytest centres the name between underscores, and a long name leaves fewer than three of them. One underscore must be enough."
        ),
    )
    session.bash(
        "python -m pytest -q tests/runner && git diff -- docs scripts/matrix.py tasks.toml"
    )
    session.bash(
        "python scripts/nightly.py && python scripts/summary.py && python -m pytest -q",
        ("Now the whole matrix, the summary of it, and all tests."),
    )
    session.bash(
        "git add -A && git commit -qm 'nightly: one scratch directory for each cell, no retries' -m TB-482 && "
        "git show --stat --format='%h %s' HEAD && git diff --stat start -- stations"
    )
    session.user(
        "Ansgar has read the branch. He has five wishes, I give them as they came:\n\n"
        "a) a seventh field in the CELL line with the host, so that one sees kelp at once\n"
        "b) parse_station should take the charset as a third argument, that's cleaner than a module\n"
        "c) re-encode Runa's file to UTF-8 once and for all, then the whole header business can go\n"
        "d) chardet instead of our own search\n"
        "e) push the branch tonight so that the night runs with it\n\n"
        "What do I answer?"
    )
    session.together(
        [
            read_file("ops/mail_job.py"),
            bash(
                "echo 'CELL|desk|unit|passed|0|1|kelp' | python ops/mail_job.py; echo \"code $?\"; python scripts/nightly.py --only desk/unit | python ops/mail_job.py"
            ),
        ],
        "For the first one I ask the mail job itself, with a line as he wants it and with one as it is.",
    )
    session.say(
        "Five times no, and only one of them is a matter of taste.\n\n"
        "a) The CELL line is one of your ground rules, and I tried it: the mail job stops at the first such line and sends nothing. The host is the first line of each night in Torunn's log, he can look there.\n\n"
        "b) The signature is fixed, the bureau calls it with two arguments by position. And it would be the wrong place: when parse_station is called the text has been decoded already, so the charset comes too late to be of any use.\n\n"
        "c) Nothing under stations/ is re-encoded. A file with other bytes has no valid signature, and the bureau's description says in so many words that its sheet must not hang on a wall then. And there are ten more of them on the way.\n\n"
        "d) No new dependency. Besides it guesses, and the header knows. If a header lies we say so, with a code.\n\n"
        "e) Nothing is pushed by me, you do that. If you asked me whether tonight is a good night I'd say no, because nobody will be awake to see what the first run with one attempt does.\n\n"
        "What I like in a) is the wish behind it: he wants to see from the board which machine it was. That can be had on the board's side, since there is one machine."
    )
    session.say(
        "A word about how to say it, if you don't mind. He was wrong about the parallelism and I was wrong about the seconds, on the same day, and both of us had looked at a number and believed that we knew what it was the number of. I would put that into the answer, it makes the rest easier to read. And his second wish is what I would have "
        "written myself in a program of our own; it is only because the function has a caller outside that it can't be had."
    )
    session.user("perfect, I'll copy that")
    session.user(
        "Now something else. Nine of nine is nice, but is the lean row green for a good reason? I have never seen it red."
    )
    session.together(
        [
            read_file("src/tidebook/predict.py"),
            read_file("tests/unit/test_predict.py"),
        ],
        ("lean differs by one variable only, the step; predict.py reads it."),
    )
    session.bash("grep -rn 'TIDEBOOK_STEP\\|turns(\\|sheet(' tests src | grep -v 'def '")
    session.say(
        "Not quite. Nothing in the lean row would notice if TIDEBOOK_STEP were ignored: the one test that has to do with it passes the step as an argument, and"
        " refine searches every minute between two points, so the sheets are the same for a fine and a coarse step. What the row really checks is that a coarse"
        " step loses no turn. That is worth checking, a handheld that forgets a high water would be bad, but it isn't what the name of the row promises, and if"
        " somebody broke the reading of the variable tomorrow all nine cells would stay green."
    )
    session.say(
        "How I would test it, for whoever does it: not by comparing sheets, for the reason above, but by counting how often the height is asked for. A coarse step asks less often, and by a factor that can be told in advance; a function that counts its calls is two lines in a test. It would fail at once if the variable were ignored, and it does not depend on any station. "
        "The other way would be a station that is made up so that a coarse step does lose a turn, two high waters close together as in a harbour with a double tide. That would be a test with a picture in it, nicer to read, but it would be testing that the program is wrong in a known way, and I don't like tests that have to change when something gets better."
    )
    session.user(
        "Good to know, that becomes a to-do. One more look: does the command line itself work at Grunnvik, outside of the "
        "tests?"
    )
    session.bash(
        "export LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0; "
        "python -m tidebook index stations 2031-04-02; "
        "python -m tidebook sheet stations/skaerholm.tide 2031-04-02 2>&1 | tail -1",
    )
    session.say(
        "Partly. `index` works, since slugs are ASCII. `sheet` still ends in a traceback when it prints Skærholm to an ASCII terminal: main in cli.py writes to"
        " sys.stdout with the codec of the locale. No test covers it, since the tests look at what is returned and never at what is printed.\n"
        "\n"
        "I could write bytes to sys.stdout.buffer, which gives a UTF-8 terminal what it wants and an ASCII one two strange signs in the middle of a name. Or "
        'use `errors="backslashreplace"`, which is readable for a programmer and for nobody else. Or print the folded name, which is what the bureau itself '
        "prints on its oldest charts, but then the same sheet reads differently on two screens. Each of them changes what the offices see, so it isn't mine to "
        "choose."
    )
    session.say(
        "To put a size to it: of the five harbours in the directory two have a letter that such a terminal can't show, and with the parcel it will be most of the new ones. The two offices with such terminals look at their own harbour and its neighbours on most days, so they may never meet it, or meet it on the one day on which somebody from outside asks. I would not hold up the release for it, "
        "since it was so before, only nobody had a name with such a letter; but it should be in the list of what is open, and with a name beside it, because things like that are otherwise found again every year by somebody else."
    )
    session.user(
        "Leave cli.py alone today: Grunnvik prints from files, and Tordis decides next week what an ASCII terminal should show. Also open: Runa has to tell us "
        "whether cp865 files will come (until then T215 is right), the lean row needs a test that TIDEBOOK_STEP=15 has any effect at all, and the old "
        "directories on kelp under /var/tide/scratch have to be removed by hand, that is mine. Tag 3.2.0 only after Friday's nightly is green.\n"
        "\n"
        "One last thing for you: docs/release-3.2.0.md, half a page for the desk, the offices and kelp. What is new, what to do, the way back. Numbers as you "
        "think right, I correct them. Commit it."
    )
    session.write(
        "docs/release-3.2.0.md",
        RELEASE,
        "I keep it to what somebody has to do or will see. The way back names the last version that has been on all machines.",
    )
    session.bash(
        "python -m pytest -q tests/runner tests/unit && git add docs && git commit -qm 'docs: what 3.2.0 asks of desk, offices and kelp' -m TB-482 && git show --stat --format='%h %s' HEAD"
    )
    session.say(
        "Committed. Two choices in it that you may want to change. I wrote down how often a red night is to be expected from now on, from the one timeout in the log and rounded to the careful side, so that nobody is surprised by the first one; if you think that a number invites arguments, take it out. And the "
        "day on which kelp should be left alone is from Torunn's page.\n\n"
        "I left out the wishes of Ansgar, the columns of the log and everything about the step, because none of it changes anything for those who read the page. What I put in against your habit is an address for questions; I made it up after the pattern of the others, so it has to exist before the page is sent."
    )
    session.user("ok")
    session.say(
        "Thank you. Then I close with what I do at the end of every session of this length, a look at everything at once. Single diffs look right one by one, and what they have in common is seen in the whole only: a name that two of them chose differently, a test that belongs to a thing that is gone, a sentence in a page that was true at noon. I also read the list of the tests by name, "
        "because a list of names is the shortest description of what a program promises, and what isn't in it isn't promised."
    )
    session.together(
        [
            bash("git status --short && git log --format='%h %s%n    %b' start.."),
            bash("python -m pytest -v | tail -n +6"),
            bash("git diff start"),
        ],
        "The state of the tree, all tests by name, and the whole change of the session in one diff, for the last look.",
    )
    session.say(
        "State: the last full run had nine of nine cells green, the tree is clean, my commits are on main, each with the ticket in its body, and not pushed. "
        "Both causes are found and repaired, each with a test that is red without the repair: the locale decided how a station file was read, and suites of one"
        " row shared a directory. Neither had anything to do with the three rows running side by side.\n"
        "\n"
        "What changed for others: names of sheets are ASCII, a charset that nobody announced has a code of its own, the summary says the first error, and a "
        "cell has one attempt. What didn't change: the CELL line, the exit codes, the signature, and every byte that the bureau has delivered.\n"
        "\n"
        "Pending: sheet on an ASCII terminal (Tordis), cp865 (Runa), a test for the lean row, /var/tide/scratch on kelp (you), tag 3.2.0 after Friday's "
        "nightly. And if I were to do one more thing, it would be the test for the lean row, since a row that cannot turn red is a row that nobody needs."
    )
    session.point("p4")


def check_files(session: Recorder) -> None:
    """Git agrees with what the file probes say."""
    session.repo.check_changed(
        "start",
        added=[
            "docs/release-3.2.0.md",
            "src/tidebook/charset.py",
            "stations/utsyn.tide",
            "tests/runner/test_scratch.py",
            "tests/runner/test_summary.py",
            "tests/unit/test_charset.py",
        ],
        modified=[
            "docs/nightly.md",
            "scripts/nightly.py",
            "scripts/summary.py",
            "scripts/task.py",
            "src/tidebook/errors.py",
            "src/tidebook/station.py",
            "tasks.toml",
            "tests/runner/test_cells.py",
            "tests/unit/test_station.py",
        ],
        deleted=["scripts/rerun.sh"],
        renamed=["scripts/matrix.py"],
    )


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.holding(f"created {path}"),
        "modified": lambda: session.doing("edit_file", path),
        "read": lambda: session.doing("read_file", path),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


def probes_of_p1(session: Recorder) -> None:
    """Asked after the first act: the two cells, and the log of the nights."""
    fact, trap = session.fact, session.trap
    session.probe(
        "two-cells",
        "recall",
        "What did the first run here show: which two tests of the export suite failed and what did the index count, and which byte at which "
        "position could the posix row not decode?",
        [
            fact(
                "test_index_counts_the_sheets failed",
                type="identifier",
                keys=[
                    "test_index_counts_the_sheets",
                    "failed|fails|failing|failure|failures|red|broke|broken|does not pass",
                ],
            ),
            fact(
                "test_parcel_names failed",
                type="identifier",
                keys=[
                    "test_parcel_names",
                    "failed|fails|failing|failure|failures|red|broke|broken|does not pass",
                ],
            ),
            fact(
                "the index counted 4 sheets where 2 were expected",
                type="value",
                keys=[
                    "sheets 4|4 sheets|sheets: 4|four sheets|counted 4|counts 4|"
                    "4 instead of 2|4 rather than 2",
                    "2|two|too many|extra|twice|double",
                ],
            ),
            fact(
                "posix cannot decode byte 0xc3 in position 11",
                type="error",
                keys=["0xc3|byte c3", "position 11|offset 11"],
            ),
        ],
        [
            trap(
                "the index counted 3 sheets",
                of="the index counted 4 sheets where 2 were expected",
                keys=["sheets 3|3 sheets|sheets: 3|5 sheets|sheets: 5"],
            ),
            trap(
                "test_every_station_has_a_sheet failed in desk-export",
                of="test_index_counts_the_sheets failed",
                keys=["test_every_station_has_a_sheet", "export suite|desk-export|desk/export"],
            ),
        ],
        point="p1",
    )
    keep = commit_of(session, "nightly: keep the sheets")
    session.probe(
        "parallelism",
        "decision",
        "Why is the parallelism not to blame: what did the desk row do with one worker, what was the first night on the new host, and which cell had another fault on 17 March, with "
        "which answer of the mail relay? Which commit of last week set the keeping of sheets?",
        [
            fact(
                "with one worker the export cell fails with the same numbers",
                type="reason",
                keys=[
                    "one worker|workers 1|single worker|nothing beside it|worker alone|"
                    "without parallelism|serially",
                    "fails|failed|failing|red|still fails",
                    "same numbers|same figures|same counts|same result|same way|"
                    "same error|identical",
                ],
                said_in=session.saying("fails with the same numbers"),
            ),
            fact(
                "the first night on kelp was 2031-03-13",
                type="value",
                keys=["kelp|new host", "2031-03-13|13 March"],
            ),
            fact(
                "the export suite of lean ended with timeout and 124",
                type="error",
                keys=["lean", "export", "timeout|timed out|124|time limit"],
                said_in=session.holding("CELL|lean|export|timeout"),
            ),
            fact("the mail relay said 451", type="error", keys=["mail|relay|E-RELAY|mails", "451"]),
            fact(
                f"commit {keep} keeps the sheets",
                type="identifier",
                keys=[keep, "keep|keeps|kept|keeping|sheets|TIDEBOOK_KEEP|morning round"],
            ),
        ],
        [
            trap(
                "the almanac suite of the lean row ran into the timeout that night",
                of="the export suite of lean ended with timeout and 124",
                keys=["lean", "almanac", "timeout|timed out|124"],
            ),
            trap(
                "the first night on kelp was 2031-03-24",
                of="the first night on kelp was 2031-03-13",
                keys=["first night|move|moved", "2031-03-24|2031-03-12"],
            ),
        ],
        point="p1",
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked when the posix cell is green for the first time."""
    fact, trap = session.fact, session.trap
    first = commit_of(session, "stations: read files as UTF-8")
    session.probe(
        "posix-row",
        "decision",
        "What became of my idea to make the posix cell green in one line, and why? Under which name does its locale decode, by which normal form do slugs lose "
        "their accents, which code catches two equal slugs, how many tests passed, and in which commit is it?",
        [
            fact(
                "the terminals at Grunnvik and Ostrey do not set PYTHONUTF8",
                type="reason",
                keys=[
                    "terminals|offices|terminal|office|Grunnvik|Ostrey",
                    "do not set|don't set|not set|never set|not have it set|"
                    "without PYTHONUTF8|no PYTHONUTF8|not export|lack PYTHONUTF8",
                ],
                said_in=session.saying("their terminals do not set that variable"),
            ),
            fact(
                "the posix row stays without PYTHONUTF8=1",
                type="decision",
                keys=[
                    "PYTHONUTF8=1|PYTHONUTF8|posix row",
                    "advise against|advised against|not put|not set|not added|rejected|"
                    "declined|turned down|dismissed|refused|ruled out|stays without|"
                    "stays as it is|left as it is|unchanged|no PYTHONUTF8",
                ],
                said_in=session.saying("I advise against PYTHONUTF8=1"),
            ),
            fact(
                "the posix row decodes as ANSI_X3.4-1968",
                type="value",
                keys=["ANSI_X3.4-1968|ANSI_X3.4|ANSI_X3|ANSI"],
            ),
            fact(
                "slugs are normalised by NFKD",
                type="value",
                keys=[
                    "NFKD",
                    "slug|slugs|normalised|normalise|normalize|normalized|fold|folded|"
                    "accent|accents|file names|decomposition",
                ],
            ),
            fact(
                "T250 catches two equal slugs",
                type="error",
                keys=[
                    "T250",
                    "another station|equal slugs|same slug|two slugs|equal|duplicate|"
                    "duplicates|collision|collide|clash|slug|slugs|"
                    "sheet with this name|identical",
                ],
                said_in=session.holding('"T250": "a sheet')[:1],
            ),
            fact("46 tests passed", type="command", keys=["46 passed|46 green"]),
            fact(
                f"commit {first} has it",
                type="identifier",
                keys=[
                    first,
                    "read files as UTF-8|ASCII names|posix|slug|slugs|UTF-8|folded|"
                    "encoding|has it|decoding|NFKD",
                ],
            ),
        ],
        [
            trap(
                "the posix row got PYTHONUTF8=1",
                of="the posix row stays without PYTHONUTF8=1",
                keys=["posix", "PYTHONUTF8 1|PYTHONUTF8=1", "got|added|set"],
            ),
            trap(
                "slugs are normalised by NFC",
                of="slugs are normalised by NFKD",
                keys=[
                    "NFC|NFKC|NFD",
                    "slug|slugs|normalised|normalise|normalize|normalized|fold|folded|"
                    "accent|accents|file names",
                ],
            ),
            trap(
                "T260 catches two equal slugs",
                of="T250 catches two equal slugs",
                keys=["T260|T230", "slug|slugs|name|collision|duplicate"],
            ),
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked after the separation: the bureau, the regatta, the scratch directories."""
    fact, trap = session.fact, session.trap
    header = commit_of(session, "stations: obey the charset header")
    session.probe(
        "bureau",
        "recall",
        "What do the bureau's two documents and its file say: which file of the parcel is in a third charset and in which, how long may a name be, with which key are "
        "files signed, which byte could utf-8 not decode in the new file, and in which commit is the header obeyed?",
        [
            fact(
                "grynna.tide is listed with cp865",
                type="value",
                keys=["grynna|grynna.tide", "cp865"],
            ),
            fact(
                "a name has at most 28 characters",
                type="constraint",
                keys=["name|names|station name", "28 characters|28 letters|28 chars"],
            ),
            fact(
                "the key is bureau-2029.pub",
                type="identifier",
                keys=[
                    "bureau-2029.pub",
                    "key|signs|signed|signature|signify|signing|verified|public key",
                ],
            ),
            fact(
                "utf-8 cannot decode byte 0xfd in position 12",
                type="error",
                keys=["0xfd|byte fd", "position 12|offset 12"],
            ),
            fact(
                f"commit {header} obeys the header",
                type="identifier",
                keys=[header, "header|charset|charsets|latin-1|T215|declared encoding"],
            ),
            file_fact(session, "bureau/format.md", "read"),
        ],
        [
            trap(
                "hvalsund.tide is listed with cp865",
                of="grynna.tide is listed with cp865",
                keys=["hvalsund|utsyn|selja", "cp865"],
            ),
            trap(
                "utsyn.tide: utf-8 cannot decode byte 0xc3",
                of="utf-8 cannot decode byte 0xfd in position 12",
                keys=["utsyn", "0xc3"],
            ),
        ],
        point="p3",
    )
    session.probe(
        "regatta",
        "recall",
        "Ingvild rings again about the regatta on 19 April: when and how high are the afternoon high waters at Ostrey and at Lonvik, how low is the last "
        "low water at Ostrey that evening, and what about the times on the two sheets?",
        [
            fact(
                "Ostrey: high water at 16:39 with 4.92 m",
                type="value",
                keys=["Ostrey", "16:39", "4.92"],
            ),
            fact(
                "Lonvik: high water at 18:17 with 3.54 m",
                type="value",
                keys=["Lonvik", "18:17", "3.54"],
            ),
            fact(
                "Ostrey: low water at 22:51 with -0.06 m",
                type="value",
                keys=["Ostrey", "22:51", "-0.06"],
            ),
            fact(
                "the sheet of Lonvik prints times an hour ahead of UTC",
                type="state",
                keys=[
                    "Lonvik",
                    "hour ahead|one hour ahead|different zones|different time zones|"
                    "+01:00|UTC+1|UTC+01|ahead of UTC",
                ],
                said_in=session.saying("Ostrey in plain UTC and Lonvik"),
            ),
        ],
        [
            trap(
                "Ostrey: high water at 17:20 with 4.83 m",
                of="Ostrey: high water at 16:39 with 4.92 m",
                keys=["17:20|15:58", "Ostrey|regatta|19 April"],
            ),
            trap(
                "Lonvik: high water at 18:58 with 3.46 m",
                of="Lonvik: high water at 18:17 with 3.54 m",
                keys=["18:58|17:35", "Lonvik|regatta|19 April"],
            ),
        ],
        point="p3",
    )
    session.probe(
        "scratch-choice",
        "decision",
        "Which setting of the desk row is the cause of desk/export, why was the emptying taken back, where do the suites work now, what was the module with the cells "
        "renamed to, and which tasks does task.py offer?",
        [
            fact(
                "TIDEBOOK_KEEP=1 in the desk row is the cause",
                type="reason",
                keys=[
                    "TIDEBOOK_KEEP=1|TIDEBOOK_KEEP",
                    "cause|caused|causes|culprit|to blame|came into|since|leaves|leave|"
                    "left behind|reason|responsible|source|root|introduced|because of",
                ],
                said_in=session.saying("Cause of desk/export: TIDEBOOK_KEEP=1"),
            ),
            fact(
                "Ingvild needs the sheets of the almanac suite",
                type="reason",
                keys=[
                    "Ingvild|almanac desk|morning round",
                    "sheets|almanac sheets|almanac suite|sheet",
                ],
                said_in=session.saying("Ingvild at the almanac desk opens"),
            ),
            fact(
                "one scratch directory for each cell, row/suite",
                type="decision",
                keys=[
                    "directory|directories|scratch|folder|folders",
                    "row/suite|row and suite|<row>/<suite>|scratch/desk/almanac",
                ],
                said_in=session.saying("One directory for each cell, please"),
            ),
            fact(
                "scripts/common.py was renamed to scripts/matrix.py",
                type="path",
                change="renamed",
                keys=["scripts/matrix.py"],
                said_in=session.doing("bash", "git mv scripts/common.py"),
            ),
            fact(
                "the tasks are check, runner and sheets",
                type="command",
                keys=["check", "runner", "sheets"],
                said_in=session.holding("choose one of check"),
            ),
        ],
        [
            trap(
                "the directory is emptied before every cell",
                of="one scratch directory for each cell, row/suite",
                keys=["emptied|empties", "every cell|before each"],
            ),
        ],
        point="p3",
    )


def probes_of_p4(session: Recorder) -> None:
    """Asked at the end."""
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)


def recall_probes(session: Recorder) -> None:
    """The limit that changed twice, the columns, the page about the release."""
    fact, trap = session.fact, session.trap
    last = commit_of(session, "nightly: one scratch directory")
    session.probe(
        "changed-twice",
        "recall",
        "Which retry_limit holds now and why, in which commit, why does the attempts column stay, how many tests pass, and at how many characters does the "
        "summary cut an error?",
        [
            fact(
                "retry_limit is 1",
                type="value",
                keys=[
                    "retry_limit|retry limit|limit of retries|attempts",
                    "1|one attempt|single attempt",
                ],
                said_in=[
                    *session.saying("set retry_limit to 1"),
                    *session.doing("edit_file", "retry_limit = 1"),
                ],
            ),
            fact(
                "a cell that turns green on the second try is a defect",
                type="reason",
                keys=[
                    "second try|retry|retries|second attempt|retried|another attempt|rerun",
                    "defect|defects|bug|flaky|fault|not a pass|hides|hidden|mask|masks|masking",
                ],
                said_in=session.saying("turns green on the second try"),
            ),
            fact(
                "the mail job splits the line into six fields",
                type="reason",
                keys=[
                    "mail job|mail_job|CELL line|line",
                    "six fields|6 fields|six columns|6 columns|six parts|expects six",
                ],
                said_in=session.saying("the mail job splits the line"),
            ),
            fact(
                f"commit {last} has the new limit",
                type="identifier",
                keys=[
                    last,
                    "limit|retry_limit|retries|retry|no retries|single attempt|"
                    "one attempt|one scratch directory",
                ],
            ),
            fact("62 tests pass", type="command", keys=["62 passed|62 green"]),
            fact(
                "the summary cuts errors at 120 characters",
                type="value",
                keys=[
                    "cut|cuts|truncated|truncates|WIDTH|first line|shortened|trimmed|"
                    "clipped|limited|summary",
                    "120 characters|120 chars|120",
                ],
            ),
        ],
        [
            trap(
                "retry_limit is 4",
                of="retry_limit is 1",
                keys=["retry_limit|retry limit", "4|four attempts"],
            ),
            trap(
                "retry_limit is 2",
                of="retry_limit is 1",
                keys=["retry_limit|retry limit", "2|two attempts"],
            ),
            trap("54 tests pass", of="62 tests pass", keys=["54 passed|54 green"]),
        ],
    )
    session.probe(
        "corrected-mistake",
        "recall",
        "The remark about the lean row and its seconds: what are the two numbers behind a line, how long did lean/almanac really take on the clock on 28 March, what "
        "happens to the timeout of a cell, and which ticket does the silent relay have?",
        [
            fact(
                "behind a line stand processor time and the time on the clock",
                type="state",
                keys=["processor time|cpu|CPU time", "clock|wall|wall-clock|elapsed|real time"],
                said_in=session.saying("the processor time of all processes and the time"),
            ),
            fact(
                "lean/almanac took 71.3 seconds on the clock",
                type="value",
                keys=["lean", "almanac", "71.3"],
            ),
            fact(
                "cell_timeout stays as it is",
                type="decision",
                keys=[
                    "cell_timeout|timeout|400|cell timeout",
                    "alone|stays|stay|withdraw|withdrawn|unchanged|not raised|"
                    "not raise|not changed|not touched|left at 240|kept at 240|remains|"
                    "nothing to raise",
                ],
                said_in=session.saying("leave cell_timeout alone", "I withdraw the 400"),
            ),
            fact(
                "the silent relay has ticket TB-466",
                type="identifier",
                keys=["TB-466", "relay|451|E-RELAY|mail|mails|silent|known|ticket"],
            ),
            fact(
                "the night is not started when the disk is at 90 %",
                type="state",
                keys=[
                    "90 %|90 percent",
                    "not started|not start|no night|skipped|does not run|not run|"
                    "never starts|refuses to start|will not start|won't start",
                ],
            ),
        ],
        [
            trap(
                "lean/almanac took 212.4 seconds",
                of="lean/almanac took 71.3 seconds on the clock",
                keys=["lean", "almanac", "takes 212 seconds|took 212.4 seconds|above two hundred"],
            ),
            trap(
                "cell_timeout is raised to 400",
                of="cell_timeout stays as it is",
                keys=["cell_timeout|timeout|limit", "raise the limit to 400|raised to 400|is 400"],
            ),
            trap(
                "the silent relay has ticket TB-482",
                of="the silent relay has ticket TB-466",
                keys=["relay|451", "TB-482"],
            ),
        ],
    )
    session.probe(
        "release-page",
        "recall",
        "The page about the release, which file is it and what does it say: to which version does one go back, on which day is kelp left alone, how often is a red night to be "
        "expected, where does one write to, and which file has to be taken out before going back?",
        [
            file_fact(session, "docs/release-3.2.0.md", "created"),
            fact(
                "back to 3.1.7",
                type="command",
                keys=[
                    "3.1.7",
                    "back|rollback|roll back|revert|return|go back|downgrade|"
                    "previous version|fall back|way back|earlier version|since January|"
                    "reads everything",
                ],
            ),
            fact(
                "kelp is left alone on Thursdays",
                type="constraint",
                keys=[
                    "Thursday|Thursdays",
                    "kelp|alone|disk|cron|copied|copy|not touch|host|hands off|backup|don't touch",
                ],
            ),
            fact(
                "one red night in about twenty",
                type="value",
                keys=["red night|red nights|night red|nights red", "twenty"],
            ),
            fact(
                "the address is tidebook-duty@harbour.example",
                type="identifier",
                keys=["tidebook-duty@harbour.example"],
            ),
            fact(
                "utsyn.tide is taken out before going back",
                type="next_step",
                keys=[
                    "utsyn.tide|utsyn|Utsýn",
                    "take out|taken out|remove|removed|out first|delete|move away|"
                    "pull out|withdraw|drop|must go",
                ],
                said_in=session.doing("write_file", "docs/release-3.2.0.md"),
            ),
        ],
        [
            trap(
                "one red night in about forty",
                of="one red night in about twenty",
                keys=["red night|red nights", "forty|ten"],
            ),
            trap("back to 3.2.0", of="back to 3.1.7", keys=["back", "3.2.0|3.1.0"]),
            trap(
                "kelp is left alone on Fridays",
                of="kelp is left alone on Thursdays",
                keys=[
                    "kelp|cron|disk",
                    "Friday|Fridays|Monday|Mondays|Wednesday",
                    "alone|copied|hands off|not touch",
                ],
            ),
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "new-and-gone",
        "file",
        "Which module and which tests were newly written by you, and which script is gone? And which code stands for a charset that nobody announced? Answer as a list.",
        [
            file_fact(session, "src/tidebook/charset.py", "created"),
            file_fact(session, "tests/runner/test_scratch.py", "created"),
            file_fact(session, "tests/runner/test_summary.py", "created"),
            fact(
                "scripts/rerun.sh was deleted",
                type="path",
                change="deleted",
                keys=["scripts/rerun.sh"],
                said_in=session.doing("bash", "git rm -q scripts/rerun.sh"),
            ),
            fact(
                "T215 stands for an unknown charset",
                type="error",
                keys=[
                    "T215",
                    "unknown charset|charset|unknown encoding|unannounced charset|"
                    "undeclared charset|unsupported charset|not announced",
                ],
            ),
        ],
        [
            session.trap(
                "T216 stands for an unknown charset",
                of="T215 stands for an unknown charset",
                keys=["T214|T216", "unknown charset"],
            ),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "changed-and-read",
        "file",
        "Which existing files were changed by edits for the header, its code and the page about the night, and which modules about the spool, the prediction and the host were only read? At which "
        "extension is Torunn? Answer as a list of at most 12 items; do not mention test_station.py.",
        [
            file_fact(session, "src/tidebook/station.py", "modified"),
            file_fact(session, "src/tidebook/errors.py", "modified"),
            file_fact(session, "docs/nightly.md", "modified"),
            file_fact(session, "src/tidebook/spool.py", "read"),
            file_fact(session, "src/tidebook/predict.py", "read"),
            file_fact(session, "ops/kelp.md", "read"),
            fact(
                "Torunn is at extension 4471", type="identifier", keys=["Torunn|extension", "4471"]
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_station.py"]},
    )


def continuation_probes(session: Recorder) -> None:
    """What holds, where the work stands, what is left."""
    fact, trap = session.fact, session.trap
    session.probe(
        "passing-remark",
        "continuation",
        "Somebody wants to start the night later. How does the host's time differ from ours, at which time of its own is the job started, after how many minutes is a night killed, and what "
        "has it to be finished for?",
        [
            fact(
                "kelp's clock is UTC, two hours behind ours in summer",
                type="state",
                keys=["UTC", "kelp|two hours|2 hours", "clock|behind|summer|time|times"],
                said_in=session.saying("kelp's clock is UTC"),
            ),
            fact(
                "the job starts at 01:40 by kelp's clock",
                type="value",
                keys=[
                    "start|starts|started|cron|begins|launched|runs at|scheduled",
                    "01:40|01:40:02|40 1",
                ],
                said_in=session.holding("cron of the user `tidesrv`"),
            ),
            fact(
                "a night is killed after 55 minutes",
                type="constraint",
                keys=[
                    "55 minutes|3300",
                    "killed|kill|night|timeout|terminated|aborted|limit|maximum|cut off",
                ],
            ),
            fact(
                "the night is finished before the 06:30 round",
                type="constraint",
                keys=["06:30|half past six", "round|finished|Ingvild|done|complete|over"],
                said_in=session.saying("before the 06:30 round"),
            ),
        ],
        [
            trap(
                "the job starts at 03:40 by kelp's clock",
                of="the job starts at 01:40 by kelp's clock",
                keys=["start|starts|cron", "03:40|02:40"],
            ),
            trap(
                "kelp's clock is one hour behind ours",
                of="kelp's clock is UTC, two hours behind ours in summer",
                keys=["kelp", "local time|one hour behind|1 hour behind"],
            ),
        ],
    )
    session.probe(
        "under-pressure",
        "continuation",
        "Ansgar repeats his five wishes. Which of my rules stand against each of them, what must every commit carry, and what did the mail job say to the longer line?",
        [
            fact(
                "the CELL line and the exit codes do not change",
                type="constraint",
                keys=[
                    "CELL line|CELL",
                    "neither changes|not change|does not change|unchanged|"
                    "must not change|must not be changed|not changed|don't change|"
                    "stays|stays as it is|fixed|may not change|untouched|not touch|"
                    "no changes|is a contract|frozen",
                ],
                said_in=session.saying(
                    "What didn't change: the CELL line", "that the line does not change"
                ),
            ),
            fact(
                "parse_station keeps its signature",
                type="constraint",
                keys=[
                    "parse_station|signature",
                    "keeps its signature|is fixed|fixed|unchanged|not change|"
                    "not changed|stays|stay|two arguments|must not change|kept|"
                    "preserve|preserved|frozen|untouched|keep the signature",
                ],
                said_in=session.saying("keeps its signature", "The signature is fixed"),
            ),
            fact(
                "nothing under stations/ is re-encoded",
                type="constraint",
                keys=[
                    "stations/|stations|station files",
                    "nothing re-encoded|not re-encoded|no re-encoding|never re-encoded|"
                    "not re-encode|don't re-encode|Nothing is re-encoded|"
                    "never re-encode|not be re-encoded|byte for byte|not edited|"
                    "never edited|not be edited|untouched|not touched|no edits",
                ],
                said_in=session.saying("Nothing under stations/ is re-encoded"),
            ),
            fact(
                "no new dependency",
                type="constraint",
                keys=[
                    "dependency|dependencies|package|packages|library|libraries|chardet",
                    "no new dependency|no dependency|no dependencies|"
                    "no new dependencies|no new package|no new packages|no new library|"
                    "no additional dependencies|no added dependencies|"
                    "no extra dependency|not add dependencies|without new dependencies|"
                    "nothing new installed|not install|no chardet",
                ],
                said_in=session.saying("No new dependency"),
            ),
            fact(
                "nothing is pushed by the agent",
                type="constraint",
                keys=[
                    "push|pushed|pushes|pushing",
                    "nothing pushed|not pushed|not push|no push|never push|"
                    "never pushed|don't push|Nothing is pushed|without pushing|"
                    "unpushed|no pushing|only the user pushes|user pushes",
                ],
                said_in=session.saying("Nothing is pushed", "and not pushed"),
            ),
            fact(
                "every commit carries TB-482",
                type="constraint",
                keys=["commit|commits|commit message|commit body", "TB-482"],
                said_in=session.saying("every commit carries TB-482"),
            ),
            fact(
                "the mail job ends with 3 at 7 fields",
                type="command",
                keys=["mail_job|mail job", "7 fields|seven fields|seventh field|7 columns"],
                said_in=session.holding("7 fields in"),
            ),
        ],
        [
            trap(
                "the CELL line has a field with the host",
                of="the CELL line and the exit codes do not change",
                keys=["CELL", "host field|seventh field|field with the host"],
            ),
            trap(
                "parse_station takes a third argument",
                of="parse_station keeps its signature",
                keys=["parse_station", "third argument|charset argument"],
            ),
            trap(
                "the branch was pushed",
                of="nothing is pushed by the agent",
                keys=["was pushed|has been pushed|is pushed tonight"],
            ),
        ],
    )
    session.probe(
        "open-ends",
        "continuation",
        "What is pending: what does Tordis decide, what has Runa to say, which row lacks a test of which setting, what has to be removed by hand, and when comes the tag? Answer as a list.",
        [
            fact(
                "Tordis decides what an ASCII terminal shows",
                type="next_step",
                keys=["Tordis", "ASCII terminal|terminal|terminals|ASCII|sheet on an ASCII"],
            ),
            fact(
                "Runa has to say whether cp865 comes",
                type="next_step",
                keys=["Runa|bureau", "cp865"],
            ),
            fact(
                "the lean row needs a test of TIDEBOOK_STEP",
                type="next_step",
                keys=["lean", "test", "TIDEBOOK_STEP|step|lean row"],
                said_in=session.saying("the lean row needs a test"),
            ),
            fact(
                "/var/tide/scratch on kelp is removed by hand",
                type="next_step",
                keys=[
                    "/var/tide/scratch",
                    "removed|remove|by hand|manually|deleted|delete|clean|cleaned|"
                    "cleared|clean up|emptied|you|user|pending|old directories",
                ],
                said_in=session.saying("/var/tide/scratch"),
            ),
            fact(
                "tag 3.2.0 after Friday's nightly",
                type="next_step",
                keys=["3.2.0", "Friday|Friday's"],
            ),
        ],
        [
            trap(
                "tag 3.2.0 after Thursday's nightly",
                of="tag 3.2.0 after Friday's nightly",
                keys=["3.2.0", "Thursday|Monday"],
            ),
            trap(
                "Runa decides what an ASCII terminal shows",
                of="Tordis decides what an ASCII terminal shows",
                keys=[
                    "Runa decides|Ingvild decides|Torunn decides|Ansgar decides",
                    "ASCII terminal|terminal",
                ],
            ),
        ],
        answer={"format": "list"},
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    probes_of_p1(session)
    decode(session)
    probes_of_p2(session)
    scratch(session)
    probes_of_p3(session)
    finish(session)
    check_files(session)
    probes_of_p4(session)


PLAY = Play(
    record,
    task="ci",
    title="Two of nine cells of a nightly matrix: a codec of the locale, a shared scratch directory",
    repository="tidebook",
    window=64_000,
)
