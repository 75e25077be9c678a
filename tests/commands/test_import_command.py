"""``pytest-compaction import``: one command from a transcript to a case."""

import io
import json
import os
import sys
from typing import Any

import pytest
from support.imports import at_length
from support.paths import public_data

from pytest_compaction import cli
from pytest_compaction.case import TEXT_KINDS, find_cases
from pytest_compaction.case_making import MadeCase, make_case
from pytest_compaction.commands import import_transcripts
from pytest_compaction.importers import ImportTally, Transcript, registry


def session(rounds=6):
    """A short pi session that states facts which can be forgotten."""
    records: list[dict[str, Any]] = [
        {"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"},
        said("user", "the upload handler must answer within two seconds on every machine"),
        said("assistant", "I use a bounded queue instead of a thread for each upload."),
        said("user", "thread 4\nqueue limit 64\nretry delay 1.5"),
    ]
    for number in range(rounds):
        id = f"c{number}"
        call = {"type": "toolCall", "id": id, "name": "write"}
        call["arguments"] = {"path": f"src/part{number}.py", "content": f"value_{number} = 1\n"}
        records.append(said("assistant", [call]))
        written = [{"type": "text", "text": "written"}]
        records.append(said("toolResult", written, toolCallId=id))
    records += [said("assistant", at_length("Part done.")), said("user", "go on with it")] * 6
    return as_lines(records)


def with_proposals(folder):
    """A session with a rule and a value of the user that nothing later is about."""
    lines = session(12).splitlines()
    for text in (
        "the nightly backup should list each failed volume with a label",
        "the metrics exporter listens on port 48155",
    ):
        lines.insert(2, json.dumps(said("user", text)))
    path = folder / "s.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def said(role, content, **more):
    return {"type": "message", "message": {"role": role, "content": content, **more}}


@pytest.fixture
def run(capsys):
    """Run a command; exit code and both outputs."""

    def command(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def imported(tmp_path, run):
    """Write a transcript, or several alike, and import them into ``cases``."""

    def command(text, *names, more=()):
        paths = [tmp_path / name for name in names or ("s.jsonl",)]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        return run("import", *paths, "-o", tmp_path / "cases", *more)

    return command


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_session_becomes_a_case_that_loads(tmp_path, imported):
    code, out, err = imported(session(), "My session (1).jsonl")
    assert (code, err) == (0, "")
    loaded = find_cases([tmp_path / "cases"])
    assert not loaded.errors
    (case,) = loaded.cases
    assert case.id == "My-session-1"
    assert 0 < case.points[-1].index < len(case.messages) - 1  # the rest tells what was needed
    assert "records read        28" in out
    assert "messages made       27" in out
    assert "left out             1  session header" in out
    assert f"facts          {sum(len(probe.facts) for probe in case.probes):>7}" in out


def test_an_existing_case_is_replaced_and_the_bytes_are_the_same(tmp_path, imported):
    imported(session())
    target = tmp_path / "cases" / "s.json"
    first = target.read_bytes()
    target.write_text("old", "utf-8")
    assert imported(session())[0] == 0
    assert target.read_bytes() == first
    assert [path.name for path in target.parent.iterdir()] == ["s.json"]


def test_one_broken_file_does_not_stop_the_others(tmp_path, run):
    good, broken, missing = (tmp_path / name for name in ("good.jsonl", "bad.jsonl", "none.jsonl"))
    good.write_text(session(), "utf-8")
    broken.write_text("\n".join(line[:-20] for line in session().splitlines()), "utf-8")
    output = tmp_path / "cases"
    code, out, err = run("import", missing, broken, good, tmp_path, "-o", output)
    assert code == 1
    assert "good.json" in out
    missed, bad, folder = err.splitlines()
    assert "none.jsonl: No such file or directory" in missed
    assert "bad.jsonl: its content matches no known transcript format" in bad
    assert "a folder; name the transcript files in it" in folder
    assert [path.name for path in output.iterdir()] == ["good.json"]


def test_two_transcripts_of_one_name_do_not_overwrite_each_other(tmp_path, imported):
    code, _, err = imported(session(), "a/s.jsonl", "b/s.jsonl", "c/session.jsonl")
    assert (code, err) == (0, "")
    made = sorted(path.name for path in (tmp_path / "cases").iterdir())
    assert made == ["a-s.json", "b-s.json", "c.json"]


def test_a_transcript_whose_case_was_just_written_is_refused(imported):
    code, _, err = imported(session(), "s.json", "s.jsonl")
    assert code == 1
    assert "just written for another transcript of the same name" in err


def test_a_folder_in_the_name_of_a_case_does_not_give_away_a_home_folder(tmp_path, imported):
    seen = json.dumps(said("user", "look into /Users/zelda/app/src first"))
    code, _, err = imported(f"{session()}{seen}\n", "-Users-zelda-app/session.jsonl")
    assert (code, err) == (0, "")
    assert [path.name for path in (tmp_path / "cases").iterdir()] == ["Users-user-1-app.json"]


def test_an_unknown_format_names_what_exists(imported):
    code, _, err = imported(session(), more=("--format", "pii"))
    assert code == 1
    assert "unknown transcript format 'pii'" in err
    assert "did you mean 'pi'?" in err


def chat(*said):
    roles = ("user", "assistant") * len(said)
    messages = [{"role": r, "content": t} for r, t in zip(roles, said, strict=False)]
    return {"messages": messages, "tools": []}


def test_samples_of_a_single_turn_are_counted_in_one_line(tmp_path, imported):
    stated = "the upload handler must answer within two seconds on every machine"
    values = "thread 4\nqueue limit 64\nretry delay 1.5"
    long = chat(
        stated, "I use a bounded queue instead of a thread.", values, *[at_length("Done.")] * 30
    )
    samples = [long, *(chat(f"question {n}?", f"answer {n}") for n in range(40))]
    code, out, err = imported(as_lines(samples), "samples.jsonl")
    assert (code, err) == (0, "")
    source = tmp_path / "samples.jsonl"
    assert f"40 of 41 conversations of {source} have too little to compact and became" in out
    assert f"1 of 41 conversations of {source} became cases\n" in out


def test_files_with_too_little_to_compact_are_counted_in_one_line(tmp_path, run, imported):
    names = [f"run{number}.jsonl" for number in range(4)]
    hello = as_lines(said(role, "hello") for role in ("user", "assistant"))
    few = "files have too little to compact and became no case.\n"
    assert imported(hello, *names) == (1, f"4 of 4 {few}", "")
    (tmp_path / names[0]).write_text(session(), "utf-8")
    paths = [tmp_path / name for name in names]
    code, out, err = run("import", *paths, "-o", tmp_path / "cases")
    assert (code, err) == (0, "")
    assert out.endswith(f"3 of 4 {few}")
    code, _, err = run("import", paths[1], "-o", tmp_path / "cases")
    assert code == 1
    assert "run1.jsonl: strategies may shorten only 0 tokens" in err


def test_a_session_in_a_language_without_rules_is_an_error_that_names_it(imported):
    roles = ("user", "assistant") * 4
    code, _, err = imported(as_lines(said(role, "これは設定の話です。" * 20) for role in roles))
    assert code == 1
    assert "of its 8 messages: it is in Japanese, for which there are no rules" in err


def test_a_session_with_nothing_to_forget_is_an_error(tmp_path, imported):
    lines = as_lines(said(role, at_length("hello")) for role in ("user", "assistant") * 4)
    code, _, err = imported(lines)
    assert code == 1
    assert "s.jsonl: no question can be made of its 8 messages: the " in err
    assert " messages after the last point use, repeat or decide nothing again that " in err
    assert "Looked for and found: names and values used from memory 0, files " in err
    assert "(--without-probes)" in err and "(--model NAME)" in err
    assert not (tmp_path / "cases").exists()

    code, out, _ = imported(lines, more=("--without-probes",))
    refused = "a run refuses this case, which has no question yet, until you add probes"
    assert (code, refused in out) == (0, True)
    (error,) = find_cases([tmp_path / "cases"]).errors
    assert "/probes" in str(error)
    data = json.loads((tmp_path / "cases/s.json").read_text("utf-8"))
    fact = {
        "text": "the user said hello",
        "keys": ["hello"],
        "evidence": [data["messages"][0]["id"]],
    }
    data["probes"] = [{"id": "p", "kind": "recall", "question": "What was said?", "facts": [fact]}]
    (tmp_path / "cases/s.json").write_text(json.dumps(data), "utf-8")
    assert not find_cases([tmp_path / "cases"]).errors


def test_what_is_asked_lacking_and_proposed_is_said(tmp_path, run):
    path = with_proposals(tmp_path)
    code, out, err = run("import", path, "-o", tmp_path / "cases", "--all-proposals")
    assert (code, err) == (0, "")
    (target,) = (tmp_path / "cases").iterdir()
    (case,) = find_cases([target]).cases
    rows = {line[2:16].strip(): line[17:].strip() for line in out.splitlines()[1:]}
    for name, said in (
        ("probes", [probe.kind for probe in case.probes]),
        ("facts", [fact.type for probe in case.probes for fact in probe.facts]),
    ):
        numbers = ", ".join(f"{each} {said.count(each)}" for each in sorted(set(said)))
        assert rows[name] == f"{len(said)}  {numbers}"
    held = {(probe.kind, case.points[probe.point].id) for probe in case.probes}
    lacking = rows["lacking"].partition("  ")[2].split("; ")
    assert lacking
    for sentence in lacking:
        kind, _, points = sentence.removeprefix("no ").partition(" before ")
        for point in points.split(", "):
            kinds = TEXT_KINDS if kind == "question" else [kind]
            assert not held & {(each, point) for each in kinds}
    assert rows["needed"].startswith(rows["facts"].split()[0])
    assert "facts that can be read again with one call" in rows["one call"]
    command = f"wait for you: pytest-compaction review {target}"
    assert rows["proposed"] == f"{len(case.proposed)}  {command}"
    code, out, _ = run("import", path, "-o", tmp_path / "fewer")
    why = "proposals of kinds that people rarely confirm; --all-proposals keeps them"
    assert f"  withheld       {len(case.proposed):>7,}  {why}\n" in out
    assert "  proposed " not in out


def test_answers_of_a_review_outlast_a_new_import(tmp_path, run, monkeypatch):
    path, folder = with_proposals(tmp_path), tmp_path / "cases"
    run("import", path, "-o", folder, "--all-proposals")
    (target,) = folder.iterdir()
    made = json.loads(target.read_text("utf-8"))
    assert len(made["proposed"]) == 2
    answers = f"e\nAsked in the words of a person?\n{chr(10) * 9}"
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n" + answers))
    assert run("review", target)[0] == 0
    answered = json.loads(target.read_text("utf-8"))
    assert answered["probes"][-1]["question"] == "Asked in the words of a person?"
    code, out, _ = run("import", path, "-o", folder)
    assert code == 0
    assert "kept                 1  questions that you had confirmed\n" in out
    assert "declined             1  questions that you had declined, not proposed again\n" in out
    again = json.loads(target.read_text("utf-8"))
    assert again.get("proposed", []) == []
    assert again["declined"] == answered["declined"]
    assert again["probes"] == answered["probes"]

    code, out, _ = run("import", path, "--from", "20", "--without-probes", "-o", folder)
    gone = "kept                 0  questions that you had confirmed; 1 no longer fit the session"
    assert (code, gone in out) == (0, True)


def test_the_newest_sessions_of_a_folder_are_taken_by_folder_and_length(tmp_path, run, monkeypatch):
    sessions = tmp_path / "sessions"
    names = ("one/old", "one/new", "one/newest", "two/old", "two/.git/none", "three/long")
    for age, name in enumerate(names):
        path = sessions / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(session(1_000 if name.endswith("long") else 6), "utf-8")
        os.utime(path, (age, age))
    (sessions / "two" / "notes.txt").write_text("no session", "utf-8")
    (sessions / "one" / "link.jsonl").symlink_to(sessions / "one" / "old.jsonl")
    hello = [said(role, "hello") for role in ("user", "assistant")]
    (sessions / "slight.jsonl").write_text("\n".join(map(json.dumps, hello)), "utf-8")
    (sessions / "torn.jsonl").write_text(session(), "utf-8")
    os.utime(sessions / "torn.jsonl", (100, 100))

    def torn(transcript, *more):
        return MadeCase(1 // 0) if "torn" in transcript.source else make_case(transcript, *more)

    monkeypatch.setattr(import_transcripts, "make_case", torn)
    command = ("import", "--newest=4", sessions, "-o", tmp_path / "cases")
    code, out, err = run(*command)
    assert out.splitlines()[0] == (
        f"the 7 newest sessions below {sessions} (6 short, 1 medium, 0 long; 4 folders; 1 file of "
        "no known format passed over): the newest of each folder and length in turn, until there "
        "are 4 cases"
    )
    made = {path.name for path in (tmp_path / "cases").iterdir()}
    assert made == {"long.json", "two-old.json", "newest.json", "new.json"}
    assert "1 of 6 files has too little to compact and became no case." in out
    assert code == 1
    assert "torn.jsonl: please report this fault, ZeroDivisionError" in err
    for wrong in (("--newest=3", "s.jsonl"), ("--newest=3", sessions, sessions), ("--newest=0",)):
        with pytest.raises(SystemExit):
            run("import", *wrong, "-o", tmp_path / "cases")


@pytest.mark.parametrize("arguments", [["--probes", "0"], ["--probes", "many"], ["--nonsense"]])
def test_wrong_options_are_refused(tmp_path, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        cli.main(["import", "x", "-o", str(tmp_path), *arguments])
    assert caught.value.code == 2
    assert "usage: pytest-compaction" in capsys.readouterr().err


def test_hostile_names_cannot_write_on_the_terminal(tmp_path, run, imported):
    code, out, _ = imported(session() + '{"type": "\\u001b[2J"}\n')
    assert code == 0
    assert "\x1b" not in out
    code, _, err = run("import", tmp_path / "\x1b[2J.jsonl", "-o", tmp_path)
    assert code == 1
    assert "\x1b" not in err


class Broken:
    """A faulty importer of another package."""

    name = "broken"
    description = "raises"

    def recognises(self, head):
        return True

    def read(self, path):
        return Transcript((), str(path), ImportTally(1 // 0, 0))


class Entry:
    """An entry point as importlib.metadata hands it over."""

    def __init__(self, name, loaded):
        self.name, self.value, self._loaded = name, f"package:{name}", loaded

    def load(self):
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


def test_importers_of_other_packages_are_found_and_their_faults_named(imported, monkeypatch):
    entries = [Entry("broken", Broken), Entry("gone", ImportError("no module x")), Entry("odd", 5)]
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    code, _, err = imported("text", "s.txt")
    assert code == 1
    assert "the importer 'gone' (package:gone) cannot be loaded: no module x" in err
    assert "the importer 'odd' (package:odd) lacks a name" in err
    assert "the importer 'broken' failed with ZeroDivisionError" in err


@pytest.mark.exhaustive
def test_the_real_session_becomes_a_case(tmp_path, run):
    path = public_data("pi-agent/large-session.jsonl")
    code, out, err = run("import", path, "-o", tmp_path)
    assert (code, err) == (0, "")
    loaded = find_cases([tmp_path])
    assert not loaded.errors
    (case,) = loaded.cases
    assert (case.id, case.window, case.budget) == ("large-session", 200_000, 12_000)
    assert len(case.points) == 5
    assert "records read     1,019" in out


def test_a_case_with_probes_that_lint_warns_of_is_said_to_be_one(tmp_path, run):
    talks = json.loads(public_data("tau-bench/gpt-4o-airline-tasks-0-9.json").read_text("utf-8"))
    some = tmp_path / "talks.json"
    some.write_text(json.dumps(talks[:8]), "utf-8")
    session = public_data("claude-code/session.jsonl")
    _, out, _ = run("import", some, session, "-o", tmp_path / "cases")
    reports = out.split(f"{tmp_path / 'cases'}/")[1:]
    doubtful = {report.split(".json")[0] for report in reports if "\n  unanswered " in report}
    waiting = {report.split(".json")[0] for report in reports if "has no question yet" in report}
    assert "without any fact in the offline answer from the full log" in out
    warned = set()
    for case in sorted((tmp_path / "cases").iterdir()):
        code, out, _ = run("lint", case)
        assert code == (case.stem in waiting)
        lines = [line for line in out.splitlines() if "/probes/" in line]
        if any("nor is any other fact of this probe" in line for line in lines):
            warned.add(case.stem)
    assert doubtful == warned
    assert len(reports) > len(warned) > 0
