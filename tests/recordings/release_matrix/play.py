"""CI: two of the nine cells of a nightly matrix fail since a new station was delivered.

One cell reads a station file with the codec of its locale, the other one finds sheets that another
suite left in a shared scratch directory. The task runner, git and pytest really run; see
``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from recorder import Play, Recorder, bash, edit_file, read_file
from repository import Repository

SYSTEM = """You are a coding agent at work in a git repository. Use the tools to run commands and to
read, write and edit files. Explain a failure before you repair it, check every change by running it,
and report briefly. Commit only what is finished."""

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
        "The nightly matrix of tidebook is red since Monday. Two of nine cells fail, always the same "
        "ones:\n\n    CELL|desk|export|failed|1|2\n    CELL|posix|almanac|failed|1|2\n\nand the run ends "
        "with 62. Ansgar suspects the parallelism: since the move to the host kelp three rows run side "
        "by side. Please find the causes before you repair anything.\n\nGround rules, they hold to the "
        "end: the CELL line and the exit codes are read by the mail job and by the board on port 7423, so "
        "neither changes. `parse_station(text, where)` keeps its signature, the bureau's own checker "
        "imports it. Nothing that exists under stations/ is edited or re-encoded: those files are signed "
        "by the bureau byte for byte. And no new dependency."
    )
    session.together(
        [
            bash("git log --stat --format='%h %s' -3 && git status --short"),
            read_file("tasks.toml"),
        ],
        "First the settings, and what changed last.",
    )
    session.read("docs/nightly.md", "Now what the matrix promises.")
    session.together(
        [
            read_file("scripts/nightly.py"),
            read_file("scripts/common.py"),
        ],
        "And how it runs: the runner itself and what it knows about cells.",
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
        "python scripts/summary.py",
        "Reproduced on the first try, with the same two lines and 62. The summary should name the tests.",
    )
    session.together(
        [
            bash("cat .nightly/logs/desk-export.log"),
            bash("cat .nightly/logs/posix-almanac.log"),
        ],
        "Two attempts, twice the same tests: that does not look like chance. The logs of both cells.",
    )
    session.bash(
        "python scripts/nightly.py --only desk/export",
        "Two different problems, then. desk/export sees two sheets too many, posix/almanac cannot decode "
        "a station file. For the first one, Ansgar's hypothesis deserves a fair trial: rows that share a "
        "directory would give exactly such extra sheets. Does the cell pass alone?",
    )
    session.bash(
        "python scripts/nightly.py --only desk --workers 1",
        "Alone it passes, which speaks for interference. If the rows running side by side are to blame, "
        "the desk row with nothing beside it must be green.",
    )
    session.say(
        "Parallelism is a dead end. With `--only desk --workers 1` nothing runs beside the desk row and the export cell fails with the same numbers, and "
        "every row has a scratch directory of its own, so rows cannot meet at all. That desk/export passes "
        "alone must come from what runs before it in the same row, not from what runs beside it."
    )
    session.user(
        "Fair. Ansgar is not convinced yet and calls it flaky. Set retry_limit to 4 while you are at it and "
        "show him that it never recovers; I'll forward that. One of the two cells is enough for him, and "
        "please quote the name of the test, he looks at nothing but names. The limit itself I settle when "
        "both cells are green."
    )
    session.edit("tasks.toml", "retry_limit = 2", "retry_limit = 4")
    session.bash("python scripts/nightly.py --only posix/almanac")
    session.bash(
        "python scripts/summary.py",
        "Failed after four attempts, and code 61 because only one cell was red.",
    )
    session.say(
        "For Ansgar: retry_limit is 4 now, and posix/almanac fails in all 4 attempts at "
        "test_every_station_has_a_sheet. It is deterministic; no number of retries helps. I take the "
        "decoding error first, then the extra sheets."
    )
    session.point("p1")


def decode(session: Recorder) -> None:
    """The locale: UTF-8 first, then names of sheets, then the header of the bureau."""
    session.together(
        [
            read_file("src/tidebook/station.py"),
            read_file("src/tidebook/errors.py"),
        ],
        "T214 is raised in station.py.",
    )
    session.bash(
        "head -c 24 stations/skaerholm.tide | od -An -c && "
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 python -c "
        "'import locale; print(locale.getpreferredencoding(False))'",
        "`path.read_text()` names no encoding, so the locale decides. What are the bytes, and what does "
        "the posix row make of them?",
    )
    session.bash(
        "grep -n 'read_text\\|write_text\\|open(' -r src scripts | grep -v encoding",
        "The file is UTF-8 (303 246 is `æ`) and the posix row decodes with ANSI_X3.4-1968, that is ASCII. "
        "Skærholm is the first name with a letter beyond ASCII. Is load_station the only place without an "
        "encoding?",
    )
    session.together(
        [
            read_file("src/tidebook/constituents.py"),
            read_file("src/tidebook/cli.py"),
        ],
        "It is the only one. Before I touch it: does anything else on the way from the file to the command "
        "line depend on the locale, numbers for example?",
    )
    session.user(
        "Numbers are fine, float() does not know locales. Couldn't we simply put PYTHONUTF8=1 into the posix row? Then the cell is green in one line."
    )
    session.say(
        "I advise against PYTHONUTF8=1 in the posix row. The row stands for the offices at Grunnvik and "
        "Ostrey, and their terminals do not set that variable: the cell would be green while the real "
        "program still breaks there. The matrix would test a machine that nobody has. I name the encoding "
        "in load_station instead."
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
        "One error further: now an encode error. Reading works and writing does not: `\\xe6` comes from "
        "the station's slug, which becomes a file name. Who builds it?",
    )
    session.bash(
        "grep -rn 'slug' src tests scripts",
        "render_sheets puts `station.slug` into the path, and a C locale cannot encode `æ` in a file name. "
        "isalnum() lets every letter of every alphabet through.",
    )
    session.say(
        "So slugs must be ASCII. I considered taking the stem of the station file (skaerholm) as the slug, "
        "but parse_station only gets a text and a place for errors, and its signature is fixed. So I fold "
        "letters: æ to ae, ø to o, å to aa, everything else by NFKD. Two stations that fold to one slug "
        "would still be caught by T250."
    )
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
        "git commit -qam 'stations: read files as UTF-8 and give sheets ASCII names' && git log --oneline -1",
        "The cell is green and 46 tests pass in the plain run.",
    )
    session.point("p2")
    session.user(
        "Stop, the UTF-8 part is too short a jump. Runa from the bureau just wrote: the 11 old stations "
        "that come with the next parcel are Latin-1, and each of them says so in a line `charset: "
        "latin-1`. Files without that line are UTF-8. She sent one, Utsýn. So please go by the header and "
        "drop the fixed encoding."
    )
    session.bash(
        "printf 'station: Uts\\xfdn\\ncharset: latin-1\\nregion: North Sound\\ndatum: 1.96\\n"
        "zone: +01:00\\nM2 1.27 117.5\\nS2 0.44 151.0\\n' > stations/utsyn.tide && "
        "python -m tidebook sheet stations/utsyn.tide 2031-04-02",
        "Then the fixed UTF-8 is the wrong choice. I lay her file down as it came and see it fail.",
    )
    session.say(
        'Exit code 21 and T214 for byte 0xfd in position 12, as expected. `errors="replace"` would be the '
        "quick way out, and I reject it: a sheet with a question mark in a harbour's name would be printed "
        "without anybody noticing. Plan: a module charset.py that reads bytes and obeys the header, the new "
        "code T215 for a charset that is not announced, and parse_station only has to accept the line."
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
        "T210: parse_station takes the charset line for a constituent. It skips the line from now on; "
        "FIELDS stays as it is, because every name in it is required.",
    )
    session.bash("python -m pytest -q && python -m tidebook sheet stations/utsyn.tide 2031-04-02")
    session.bash(
        "git add -A && git diff --cached -- src",
        "54 passed, and Utsýn has its accent. The diff of the package:",
    )
    session.bash(
        "git add -A && git commit -qm 'stations: obey the charset header, T215 for unknown charsets' && "
        "python scripts/nightly.py --only posix/almanac",
    )


def scratch(session: Recorder) -> None:
    """The extra sheets: a shared scratch directory, cleaned first, then split."""
    session.say(
        "posix is done. Next the extra sheets in desk/export: the index counted 4 instead of 2, and the "
        "extra ones were lonvik and Skærholm, which only the almanac suite renders."
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
        "Both suites open a Spool without a directory, so both work in TIDEBOOK_SCRATCH. What does "
        "the almanac suite leave there?",
    )
    session.bash(
        "git log --format='%h %s' -1 -- tasks.toml && git show --format= HEAD~3 -- tasks.toml",
        "Everything the almanac suite rendered is still there; with utsyn it is one sheet more. Since when "
        "does the desk row keep sheets?",
    )
    session.say(
        'Cause of desk/export: TIDEBOOK_KEEP=1 came into the desk row with the commit "nightly: keep the '
        'sheets of the desk row for the morning round". Since then Spool leaves the sheets of the almanac '
        "suite behind, the three suites of a row share one scratch directory, and the index of the export "
        "suite counts them too. The other rows remove their sheets, so only desk fails; alone it passes "
        "because nightly.py empties .nightly at the start; a retry cannot help because the leftovers stay.\n\n"
        "How shall I separate them: empty the directory before each suite, or one directory for each cell?"
    )
    session.user("Emptying is the smaller change. Empty it before every cell.")
    session.edit(
        "scripts/nightly.py",
        '    """Try a cell until it passes or the limit is reached."""\n    code = 0\n',
        FRESH,
        "run_cell empties the row's directory first; attempts of one cell still share it.",
    )
    session.bash("python scripts/nightly.py --only desk; find .nightly/scratch -type f | sort")
    session.user(
        "Hm, no. I forgot what the keeping is for: Ingvild at the almanac desk opens the sheets of the "
        "almanac suite at 06:30 on her morning round, and with the emptying only the two of the export "
        "suite are left. I take it back. One directory for each cell, please, row/suite."
    )
    session.edit(
        "scripts/nightly.py",
        FRESH,
        '    """Try a cell until it passes or the limit is reached."""\n    code = 0\n',
        "Understood: the emptying goes, because it deletes the sheets that Ingvild looks at. The directory "
        "of a cell becomes `.nightly/scratch/<row>/<suite>`.",
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
    session.bash(
        "git mv scripts/common.py scripts/matrix.py && git rm -q scripts/rerun.sh && "
        "grep -rln 'scripts.common\\|scripts/common\\|rerun' . --include=* --exclude-dir=.git | sort",
    )
    session.bash(
        "sed -i 's/scripts\\.common/scripts.matrix/' scripts/nightly.py scripts/summary.py "
        "scripts/task.py tests/runner/test_cells.py && python -m pytest -q tests/runner && "
        "python scripts/task.py nothing",
    )
    session.bash(
        "git diff HEAD -M",
        "The runner's tests are green and nothing names the old module any more. The change so far:",
    )
    session.point("p3")


def finish(session: Recorder) -> None:
    """Tests of the runner, the retry limit, the documentation, what is left."""
    session.read("tests/runner/test_cells.py", "What do the tests of the runner cover today?")
    session.write(
        "tests/runner/test_scratch.py",
        SCRATCH_TESTS,
        "Nothing would notice if two cells shared a directory again. A test with a tiny suite that leaves "
        "a sheet behind, run as two cells of a desk row.",
    )
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
        "Three of them fail without it, as they should. Back in.",
    )
    session.user(
        "Good. Now the retries. Neither 4 nor 2: set retry_limit to 1. A cell that turns green on the "
        "second try is a defect that I want to see, and kelp has to be finished before the 06:30 round."
    )
    session.edit("tasks.toml", "retry_limit = 4", "retry_limit = 1")
    session.bash(
        "grep -n 'retry_limit\\|attempts' -r docs scripts tests | grep -v 'nightly.py'",
        "retry_limit 1 means one attempt and no retry. What else speaks about attempts?",
    )
    session.say(
        "The attempts column stays in the CELL line although it will always be 1: the mail job splits the "
        "line into six fields. I only touch the documentation."
    )
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
        "summary.py still works, but with one attempt its counts say nothing any more: every line will end "
        'in "failed in 1 attempts".'
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
        "pytest centres the name between underscores, and a long name leaves fewer than three of them. One "
        "underscore must be enough.",
    )
    session.bash(
        "python -m pytest -q tests/runner && git diff -- docs scripts/matrix.py tasks.toml"
    )
    session.bash(
        "python scripts/nightly.py && python scripts/summary.py && python -m pytest -q",
        "Now the whole matrix, the summary of it, and all tests.",
    )
    session.bash(
        "git add -A && git commit -qm 'nightly: one scratch directory for each cell, no retries' && "
        "git show --stat --format='%s' HEAD && git diff --stat start -- stations"
    )
    session.user(
        "Nine of nine, nice. Is the lean row green for a good reason, though? I have never seen it red."
    )
    session.together(
        [
            read_file("src/tidebook/predict.py"),
            read_file("tests/unit/test_predict.py"),
        ],
        "lean differs by TIDEBOOK_STEP=15 only; predict.py reads it.",
    )
    session.bash("grep -rn 'TIDEBOOK_STEP\\|turns(\\|sheet(' tests src | grep -v 'def '")
    session.say(
        "Not quite. Nothing in the lean row would notice if TIDEBOOK_STEP were ignored: "
        "test_the_step_does_not_move_the_turns passes the step as an argument, and refine searches every "
        "minute between two points, so the sheets are the same for 5 and 15 minutes. What the row really "
        "checks is that a coarse step loses no turn."
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
        "Partly. `index` works, since slugs are ASCII. `sheet` still ends in a UnicodeEncodeError when it "
        "prints Skærholm to an ASCII terminal: main in cli.py writes to sys.stdout with the codec of the "
        "locale. No test covers it. I could write bytes to sys.stdout.buffer, or use "
        'errors="backslashreplace"; both change what the offices see.'
    )
    session.user(
        "Leave cli.py alone today: Grunnvik prints from files, and Tordis decides next week what an ASCII "
        "terminal should show. Also open: Runa has to tell us whether cp865 files will come (until then T215 "
        "is right), the lean row needs a test that TIDEBOOK_STEP=15 has any effect at all, and the old "
        "directories on kelp under /var/tide/scratch have to be removed by hand, that is mine. Tag 3.2.0 "
        "only after Friday's nightly is green. Write that down for me in two lines, then we are done."
    )
    session.bash("git status --short && git log --oneline -4")
    session.say(
        "State: the last full run had nine of nine cells green, the tree is clean, three commits on main "
        "are not pushed. Pending: sheet on an ASCII terminal (Tordis), cp865 (Runa), a test for the lean "
        "row, /var/tide/scratch on kelp (you), tag 3.2.0 after Friday's nightly."
    )
    session.point("p4")


def check_files(session: Recorder) -> None:
    """Git agrees with what the file probes say."""
    session.repo.check_changed(
        "start",
        added=[
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


def early_probes(session: Recorder) -> None:
    """Asked after p3 about what was said before it."""
    fact = session.fact
    session.probe(
        "parallelism",
        "decision",
        "Why is parallelism a dead end: what did the export cell do with nothing beside the "
        "desk row, why can rows not meet at all, and what does it do alone? Answer in one "
        "sentence of at most 80 words.",
        [
            fact("--workers 1"),
            fact("fails with the same numbers", "failed with the same numbers"),
            fact(
                "every row has a scratch directory of its own",
                "rows have their own scratch directory",
            ),
            fact("passes alone", "alone it passes", about="detail"),
        ],
        point="p3",
        answer={"format": "sentence", "max_words": 80},
    )
    session.probe(
        "bureau-mail",
        "recall",
        "What did Runa from the bureau write about the old stations that come with the next "
        "parcel, and which byte of utsyn.tide can't the 'utf-8' codec decode (invalid start "
        "byte)?",
        [
            fact("11 old stations"),
            fact("Latin-1", "charset latin-1"),
            fact("charset: latin-1"),
            fact("T214 utsyn.tide"),
            fact("byte 0xfd in position 12", "0xfd in position 12"),
        ],
        point="p3",
    )


def recall_probes(session: Recorder) -> None:
    """Exact things of the report, the locale and the sheets."""
    fact = session.fact
    session.probe(
        "two-cells",
        "recall",
        "Which two of nine cells fail since Monday, with which code does the run end, and "
        "which tests of the two cells failed in 2 attempts?",
        [
            fact("CELL|desk|export|failed|1|2", "desk/export", "desk-export"),
            fact("CELL|posix|almanac|failed|1|2", "posix/almanac", "posix-almanac"),
            fact("ends with 62", "exit code 62"),
            fact("test_index_counts_the_sheets"),
            fact("test_parcel_names"),
            fact("test_every_station_has_a_sheet"),
        ],
    )
    session.probe(
        "ascii-error",
        "recall",
        "Which exact TideError with which byte did skaerholm.tide raise in the posix row, which codec does "
        "the posix row decode with, and what became an encode error one step further?",
        [
            fact("T214 skaerholm.tide"),
            fact("byte 0xc3 in position 11"),
            fact("ANSI_X3.4-1968"),
            fact("station's slug", "slug becomes a file name", "the slug"),
        ],
    )
    session.probe(
        "slugs",
        "recall",
        "Slugs must be ASCII: how are the letters æ and å folded, what handles everything else, and which "
        "code catches two stations that fold to one slug?",
        [
            fact("æ to ae"),
            fact("å to aa"),
            fact("NFKD"),
            fact("T250"),
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "new-files",
        "file",
        "Which files were newly created in this session, what was scripts/common.py renamed to "
        "by git mv, and which script was deleted? Answer as a list.",
        [
            fact("src/tidebook/charset.py", about="created"),
            fact("tests/runner/test_scratch.py", about="created"),
            fact("tests/runner/test_summary.py", about="created"),
            fact("stations/utsyn.tide", about="created"),
            fact("scripts/matrix.py", about="detail"),
            fact("scripts/rerun.sh", "rerun.sh", about="detail"),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-files",
        "file",
        "Which existing files were edited with edit_file or overwritten in this session: in src/tidebook, "
        "in scripts, in docs, and the settings? Answer as a list of at most 12 items; do not mention "
        "test_station.py.",
        [
            fact("src/tidebook/station.py", about="modified"),
            fact("src/tidebook/errors.py", about="modified"),
            fact("scripts/summary.py", about="modified"),
            fact("docs/nightly.md", about="modified"),
            fact("tasks.toml", about="modified"),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_station.py"]},
    )
    session.probe(
        "summary-change",
        "file",
        "What was changed in scripts/summary.py: what does it print instead of the count, at how many "
        "characters is it cut, which exit codes stay, and why did a long test name need another pattern?",
        [
            fact("first line of the error", "first error line", about="modified"),
            fact("120 characters", "cut at 120", about="detail"),
            fact("exit codes stay 0 and 1", "codes 0 and 1", about="detail"),
            fact(
                "one underscore must be enough",
                "fewer than three underscores",
                "pytest centres the name between underscores",
                about="detail",
            ),
        ],
        traps=[{"text": "failed in 1 attempts", "current": ["first line of the error"]}],
    )


def continuation_probes(session: Recorder) -> None:
    """What holds, where the work stands, what is left."""
    fact = session.fact
    session.probe(
        "rules",
        "continuation",
        "Which ground rules hold to the end: what is said about the CELL line and the exit codes, the "
        "signature of parse_station, the files under stations/, and dependencies?",
        [
            fact("mail job", about="state"),
            fact("board on port 7423", "port 7423", about="state"),
            fact("parse_station keeps its signature", about="state"),
            fact("signed by the bureau byte for byte", "byte for byte", about="state"),
            fact("no new dependency", "no new dependencies", about="state"),
        ],
    )
    session.probe(
        "open-ends",
        "continuation",
        "What is pending: what does Tordis decide, what has Runa to tell us, which setting of the lean row is untested, what has to be removed by hand on kelp, and when comes the tag? Answer as a list.",
        [
            fact("ASCII terminal", about="pending"),
            fact("cp865", about="pending"),
            fact("TIDEBOOK_STEP=15", "test for the lean row", about="pending"),
            fact("/var/tide/scratch", about="pending"),
            fact("tag 3.2.0", "3.2.0", about="pending"),
            fact("after Friday's nightly", "Friday's nightly", about="pending"),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "retry-now",
        "continuation",
        "What is retry_limit set to now and why, why does the attempts column stay in the CELL line, and "
        "by when has kelp to be finished?",
        [
            fact(
                "retry_limit 1",
                "retry_limit to 1",
                "retry_limit = 1",
                "retry_limit is 1",
                about="state",
            ),
            fact("a defect that I want to see", "so that a flaky test shows", about="reason"),
            fact("splits the line into six fields", "six fields", about="reason"),
            fact("06:30 round", "06:30", about="state"),
        ],
        traps=[
            {
                "text": "retry_limit 4",
                "aliases": ["retry_limit is 4", "retry_limit to 4", "retry_limit = 4"],
                "current": [
                    "retry_limit 1",
                    "retry_limit to 1",
                    "retry_limit = 1",
                    "retry_limit is 1",
                ],
            },
            {
                "text": "retry_limit 2",
                "aliases": ["retry_limit is 2", "retry_limit = 2"],
                "current": [
                    "retry_limit 1",
                    "retry_limit to 1",
                    "retry_limit = 1",
                    "retry_limit is 1",
                ],
            },
        ],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "utf8-variable",
        "decision",
        "Why did you advise against PYTHONUTF8=1 in the posix row: which offices does the row stand for, "
        "what do their terminals not do, and what would the cell hide?",
        [
            fact("Grunnvik and Ostrey", about="detail"),
            fact("terminals do not set that variable", "terminals do not set PYTHONUTF8"),
            fact("the real program still breaks there"),
            fact("test a machine that nobody has", "a machine nobody has"),
        ],
    )
    session.probe(
        "charset-choice",
        "decision",
        "The fixed UTF-8 in load_station was dropped: what do we go by instead, why did you reject "
        'errors="replace", and which new code stands for a charset that is not announced?',
        [
            fact("go by the header", "obeys the header", "obey the charset header", about="detail"),
            fact("question mark in a harbour's name"),
            fact("printed without anybody noticing", "without anybody noticing"),
            fact("T215", about="detail"),
        ],
        traps=[
            {
                "text": 'path.read_text(encoding="utf-8")',
                "aliases": ["encoding utf-8 in load_station"],
                "current": ["header", "charset.py"],
            }
        ],
    )
    session.probe(
        "scratch-choice",
        "decision",
        "Which setting of the desk row is the cause of desk/export, why was emptying the directory before "
        "every cell taken back, and where does a cell write now?",
        [
            fact("TIDEBOOK_KEEP=1"),
            fact("Ingvild"),
            fact("sheets of the almanac suite", "almanac sheets"),
            fact(
                ".nightly/scratch/<row>/<suite>",
                "one directory for each cell",
                "one scratch directory for each cell",
                "row/suite",
                about="detail",
            ),
        ],
        traps=[
            {
                "text": "empty it before every cell",
                "aliases": ["empties the row's directory first"],
                "current": ["row/suite", "one directory for each cell", "the emptying goes"],
            },
            {
                "text": "every row has a scratch directory",
                "aliases": ["share one scratch directory"],
                "current": ["row/suite", "one directory for each cell", "every cell has a scratch"],
            },
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    decode(session)
    scratch(session)
    early_probes(session)
    finish(session)
    check_files(session)
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


PLAY = Play(
    record,
    task="ci",
    title="Two of nine cells of a nightly matrix: a codec of the locale, a shared scratch directory",
    repository="tidebook",
)
