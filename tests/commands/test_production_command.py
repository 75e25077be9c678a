"""``pytest-compaction production``: from transcripts to what their compactions cost."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.claude_code_lines import answer, compacted, said, use
from support.paths import public_data
from support.transcript_samples import SAMPLES

from pytest_compaction import cli


def session(path, *, compactions=1, again=True, calls=30, **metadata):
    """A Claude Code session of reads; after a compaction the first ten files are read again."""
    lines = [said("user", "u", None, "fix the parser", sessionId="s")]
    last, number = "u", 0

    def reads(file):
        nonlocal last, number
        number += 1
        call = use(f"t{number}", file_path=f"/r/{file}.py")
        lines.append(said("assistant", f"a{number}", last, [call], f"m{number}"))
        result = answer(f"t{number}", f"the text of {file}")
        lines.append(said("user", f"r{number}", f"a{number}", [result]))
        last = f"r{number}"

    for part in range(compactions + 1):
        for place in range(calls):
            is_again = again and part and place < 10
            reads(f"0-{place}" if is_again else f"{part}-{place}")
        if part < compactions:
            lines += compacted(part + 1, last, "We read the files.", **metadata)
            last = lines[-1]["uuid"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs the command in the folder of the test; gives the exit code and both outputs."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        code = cli.main(["production", *map(str, arguments)])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def measured(run, tmp_path):
    """The periods that the command writes as JSON, and what it prints."""

    def command(*names, code=0):
        ended, out, err = run(*names, "--json=out.json")
        assert ended == code, err
        return json.loads((tmp_path / "out.json").read_text("utf-8")), out, err

    return command


def test_a_session_and_each_of_its_compactions_are_told(run, tmp_path):
    path = session(tmp_path / "s.jsonl", trigger="manual", postTokens=900, durationMs=2_500)
    code, out, err = run(path)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["s", "60", "1", "10", "of", "10"] in [line[:6] for line in lines]
    assert ["s", "1", "manual", "1,000", "900", "10%", "2.50", "0", "-", "-"] in lines
    code, out, _ = run(path, session(tmp_path / "2.jsonl"))
    assert (code, "2 compactions in 2 sessions" in out) == (0, True)


def test_the_json_has_what_was_fetched_again_by_session_and_compaction(measured, tmp_path):
    session(tmp_path / "a" / "again.jsonl", calls=60)
    session(tmp_path / "a" / "new.jsonl", calls=60, again=False)
    (period,) = measured("a")[0]["periods"]
    again, new = period["sessions"]
    held = again["compactions"][0]["fetched_again"]["10"]
    tokens = held["after"]["tokens"]
    assert held["after"] == {"calls": 10, "again": 10, "tokens": tokens, "tokens_again": tokens}
    assert held["points"] > 0
    assert held["elsewhere"]["calls"] == 10 * held["points"]
    assert new["compactions"][0]["fetched_again"]["40"]["after"]["again"] == 0
    figure = period["figures"]["fetched_again_10"]
    assert figure["sessions"] == figure["compactions"] == 2
    assert figure["difference"] == figure["after"] - figure["elsewhere"]
    assert figure["interval"] is None  # of two sessions


def test_six_sessions_have_an_interval(measured, tmp_path):
    for number in range(6):
        session(tmp_path / "a" / f"{number}.jsonl", calls=60, again=number % 2 == 0)
    data, out, _ = measured("a")
    figure = data["periods"][0]["figures"]["fetched_again_10"]
    low, high = figure["interval"]
    assert low < figure["difference"] < high
    assert "studentised bootstrap of 6 sessions" in out


def test_the_csv_has_a_row_for_each_compaction(measured, tmp_path):
    session(tmp_path / "s.jsonl", compactions=3)
    (told,) = measured("s.jsonl", "--csv=out.csv")[0]["periods"][0]["sessions"]
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["number"] for row in rows] == ["1", "2", "3"]
    for row, compaction in zip(rows, told["compactions"], strict=True):
        after = compaction["fetched_again"]["10"]["after"]
        assert row["fetched_again.10.after.again"] == str(after["again"])
        assert row["tokens_before.tokens"] == str(compaction["tokens_before"]["tokens"])


def test_two_folders_are_two_periods(measured, tmp_path):
    for number in range(3):
        session(tmp_path / "old" / f"{number}.jsonl", calls=60, again=False)
        session(tmp_path / "new" / f"{number}.jsonl", calls=60, again=True)
    data, out, _ = measured("old", "new")
    assert "From the old period to the new" in out
    assert [period["name"] for period in data["periods"]] == ["old", "new"]
    change = data["change"]["fetched_again_10"]
    old, new = (period["figures"]["fetched_again_10"] for period in data["periods"])
    assert change["value"] == pytest.approx(new["difference"] - old["difference"])
    assert change["value"] > 0


def test_without_any_compaction_there_is_no_figure(run, tmp_path):
    session(tmp_path / "s.jsonl", compactions=0)
    code, out, err = run("s.jsonl")
    assert code == 1
    assert "s.jsonl: no session with a compaction on record; name other files or folders" in err
    assert "cost:" not in out


def test_what_is_not_counted_is_named_and_loses_nothing_else(measured, tmp_path):
    session(tmp_path / "a" / "good.jsonl")
    session(tmp_path / "a" / "without.jsonl", compactions=0)
    broken = session(tmp_path / "a" / "broken.jsonl")
    broken.write_text(broken.read_text("utf-8") + '{"type": "user", "uuid": "x"}\n', "utf-8")
    (tmp_path / "a" / "notes.txt").write_text("buy milk", "utf-8")
    data, out, err = measured("a")
    assert "a/without.jsonl: no compaction on record, not in the figures" in out
    assert "broken.jsonl, line" in err
    assert "1 file of no known format below a passed over" in out
    assert "1 compaction in 1 session" in out
    (period,) = data["periods"]
    assert [each["name"] for each in period["sessions"]] == ["good"]
    assert period["without_compaction"] == ["a/without.jsonl"]
    assert [each["path"] for each in period["unreadable"]] == ["a/broken.jsonl"]
    assert period["unknown_files"] == 1


def test_a_file_that_may_not_be_opened_is_named_and_loses_nothing_else(run, tmp_path, monkeypatch):
    session(tmp_path / "a" / "good.jsonl")
    session(tmp_path / "a" / "locked.jsonl")
    opened = Path.open

    def refuse(path, *arguments, **more):
        if path.name == "locked.jsonl":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", refuse)
    code, out, err = run("a")
    assert (code, err) == (0, "pytest-compaction: a/locked.jsonl: Permission denied\n")
    assert "1 compaction in 1 session" in out


@pytest.mark.parametrize("name", ["missing.jsonl", "empty.jsonl", "notes.txt"])
def test_a_file_that_cannot_be_used_is_a_sentence(run, tmp_path, name):
    (tmp_path / "empty.jsonl").write_text("", "utf-8")
    (tmp_path / "notes.txt").write_text("buy milk", "utf-8")
    code, _, err = run(name)
    assert code == 1
    assert err.startswith(f"pytest-compaction: {name}: ")
    assert "Traceback" not in err
    session(tmp_path / "s.jsonl")
    code, _, err = run("s.jsonl", f"--json={tmp_path}")
    assert code == 1
    assert f"{tmp_path}: cannot be written: " in err


def test_no_name_moves_the_cursor_or_runs_in_a_spreadsheet(run, tmp_path):
    session(tmp_path / "a" / "=1+\x1b[2J.jsonl")
    session(tmp_path / "a" / "\x1b]0;x.jsonl", compactions=0)
    code, out, err = run("a", "--csv=out.csv")
    assert code == 0
    assert "\x1b" not in out + err
    _, err = run("a/=1+\x1b[2J.jsonl", "--csv=out.csv")[1:]
    assert "\x1b" not in err
    monday = session(tmp_path / "=1+1.jsonl")
    run(monday.name, "--csv=out.csv")
    assert ",=1" not in (tmp_path / "out.csv").read_text("utf-8")


def test_the_other_files_of_a_cline_session_are_passed_over_in_a_folder_and_told_if_named(
    run, tmp_path
):
    folder = tmp_path / "cline"
    folder.mkdir()
    for file in public_data("cline/session.json").parent.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    assert "2 compactions in 1 session cost: cline/session" in run("cline/session.messages.json")[1]
    code, out, err = run("cline")
    assert (code, err) == (0, "")
    assert "2 compactions in 1 session cost: cline" in out
    assert "no compaction on record" not in out
    for name, told in (("session", "the header of a Cline"), ("basic.compaction", "the result of")):
        code, _, err = run(f"cline/{name}.json")
        assert (code, told in err) == (1, True)


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_format_is_read(run, tmp_path, sample):
    name = f"{sample}.json"
    (tmp_path / name).write_text(SAMPLES[sample](), "utf-8")
    _, out, err = run(name)
    assert "please report" not in err
    assert sample in out + err


WITHOUT_NETWORK = """
import sys
tried = []
def refuse(event, _):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn")):
        tried.append(event)
        raise PermissionError(event)
sys.addaudithook(refuse)
if sys.argv[1] == "connect":
    import socket
    try:
        socket.create_connection(("localhost", 9))
    except PermissionError:
        pass
else:
    from pytest_compaction import cli
    assert cli.main(["production", *sys.argv[1:]]) == 0
sys.exit(f"tried: {tried}" if tried else 0)
"""


def test_nothing_leaves_the_machine(tmp_path):
    names = [f"claude-code-compacted/session-{number}.jsonl" for number in (1, 3, 4)]
    names += ["pi-agent/large-session.jsonl"]
    names += [f"cline/{name}.compaction.json" for name in ("basic", "agentic")]
    names += ["cline/session.messages.json"]
    for name in names:
        shutil.copy(public_data(name), tmp_path / Path(name).name)

    def without_network(*arguments):
        command = [sys.executable, "-c", WITHOUT_NETWORK, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "tried: ['socket." in without_network("connect").stderr
    done = without_network(".", "--json=out.json", "--csv=out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 compactions in 4 sessions cost" in done.stdout


def test_the_same_sessions_give_the_same_bytes(run, tmp_path):
    for number in (1, 3, 4):
        name = f"session-{number}.jsonl"
        shutil.copy(public_data(f"claude-code-compacted/{name}"), tmp_path / name)
    first = run(tmp_path, "--json=out.json")[1]
    made = (tmp_path / "out.json").read_bytes()
    (tmp_path / "out.json").unlink()
    assert run(tmp_path, "--json=out.json")[1] == first
    assert (tmp_path / "out.json").read_bytes() == made
