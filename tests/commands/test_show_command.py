"""``pytest-compaction show``: a case, readable in the terminal."""

import json

import pytest
from support.builders import assistant, case_data, system, tool, user, write_case

from pytest_compaction import cli
from pytest_compaction.reports.case_page import wrap
from pytest_compaction.reports.lines import cells


def show(capsys, *arguments):
    code = cli.main(["show", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def rich(**changes):
    data = case_data(**changes)
    data["title"] = "A timeout that was wrong"
    data["messages"][3] |= {"content": "Traceback: no such file", "is_error": True}
    data["messages"][4]["content"] = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Changed the timeout from 30 to 45 in src/lease/queue.py."},
        {"type": "image_url", "image_url": {"url": "data:,x"}},
    ]
    data["compaction_points"][0]["recorded"] = {"summary": "The timeout is 45.", "kept": ["m4"]}
    data["probes"][0]["facts"][0]["aliases"] = ["45 s"]
    data["probes"][0]["answer"] = {"format": "sentence", "max_words": 20, "forbid": ["maybe"]}
    return data


def test_a_whole_case(tmp_path, capsys, monkeypatch, snapshot):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.json").write_text(json.dumps(rich()), "utf-8")
    code, out, err = show(capsys, "case.json")
    assert (code, err) == (0, "")
    assert out == snapshot


def test_only_the_messages_or_only_the_probes(tmp_path, capsys):
    path = write_case(tmp_path / "case.json")
    _, messages, _ = show(capsys, path, "--messages")
    _, probes, _ = show(capsys, path, "--probes")
    _, both, _ = show(capsys, path, "--messages", "--probes")
    assert "call read_file" in messages and "fact 45 seconds" not in messages
    assert "fact 45 seconds" in probes and "call read_file" not in probes
    assert "call read_file" in both and "fact 45 seconds" in both
    assert "stated in 3 of 5 messages: m1, m2, m4" in probes
    assert "trap the timeout is 30 (now: 45)" in probes


def test_one_point_shows_its_stretch_what_is_on_record_and_its_probes(tmp_path, capsys):
    path = saved(tmp_path, rich())
    code, early, _ = show(capsys, path, "--point", "early")
    assert code == 0
    assert "m1 user" in early and "m5 user" not in early
    assert "on record after point early" in early and "The timeout is 45." in early
    assert "files file" in early and "timeout recall" not in early
    _, late, _ = show(capsys, path, "--point", "late")
    assert "m1 user" not in late and "m5 user" in late
    assert "timeout recall" in late and "on record after" not in late


def test_type_keys_and_counterparts_of_a_fact_are_shown(tmp_path, capsys):
    data = case_data()
    fact = data["probes"][0]["facts"][0]
    fact |= {"type": "value", "keys": [["45 seconds", "45 s"]]}
    stale = {"text": "the timeout is 30", "keys": [["30"], ["timeout"]], "of": fact["text"]}
    data["probes"][0]["traps"] = [stale]
    data["probes"][1]["facts"][0] |= {"type": "path", "change": "modified"}
    path = saved(tmp_path, data)
    _, out, _ = show(capsys, path, "--probes")
    lines = [line.strip() for line in out.splitlines()]
    shown = lines.index("fact 45 seconds")
    assert lines[shown + 1].startswith("value; stated in ")
    assert lines[shown + 2 : shown + 4] == ["keys: 45 seconds | 45 s", "not: the timeout is 30"]
    trap = lines.index("trap the timeout is 30 (against: 45 seconds)")
    assert lines[trap + 1] == "keys: 30 + timeout"
    assert any(line.startswith("path, modified; stated in ") for line in lines)


def test_long_texts_are_shortened_unless_all_is_asked_for(tmp_path, capsys):
    data = case_data()
    data["messages"][1]["content"] += " word" * 500 + " the end. It is 45 seconds."
    path = saved(tmp_path, data)
    _, short, _ = show(capsys, path, "--messages")
    _, full, _ = show(capsys, path, "--messages", "--full")
    assert "It is 45 seconds" not in short and " word …\n" in short
    assert "It is 45 seconds" in " ".join(full.split())
    assert len(short) < 2_500 < len(full)


@pytest.mark.parametrize("columns", ["40", "80", "120", "7"])
def test_no_line_is_wider_than_the_terminal(tmp_path, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    data = rich()
    data["messages"][5]["content"] = "日本語の長い文章です" * 30 + " " + "x" * 300 + " e\u0301" * 90
    saved(tmp_path, data)
    monkeypatch.chdir(tmp_path)
    _, out, _ = show(capsys, "case.json", "--full")
    assert max(cells(line) for line in out.splitlines()) <= max(int(columns), 40)


def test_wrapping_keeps_every_sign():
    text = "aa " + "b" * 25 + " 漢字漢字漢字 c"
    lines = list(wrap(text, 10))
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(cells, lines)) <= 10
    assert list(wrap("", 10)) == []


def saved(folder, data):
    path = folder / "case.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_hostile_text_cannot_write_on_the_terminal(tmp_path, capsys):
    hostile = "\x1b[2J\u202e\x07\ud800 45 seconds in src/lease/queue.py"
    messages = [
        {"id": "m0\x1b", **system(hostile)},
        {"id": "m1", **user(hostile)},
        {"id": "m2", **assistant(hostile, ("c\x1b", "run\x1b[1m", {"x": hostile}))},
        {"id": "m3", **tool("c\x1b", hostile)},
        {"id": "m4", **assistant("src/lease/queue.py\x9b31m")},
        {"id": "m5", **user("go")},
        {"id": "m6", **assistant("done")},
    ]
    path = saved(tmp_path, case_data(messages=messages, title="t\x1b]0;x\x07"))
    code, out, _ = show(capsys, path, "--full")
    assert code == 0
    assert all(sign.isprintable() or sign == "\n" for sign in out)
    assert "\\x1b[2J" in out


def test_a_broken_case_is_named_and_the_others_are_shown(tmp_path, capsys):
    write_case(tmp_path / "good.json")
    write_case(tmp_path / "bad.json", budget="x", id="other")
    code, out, err = show(capsys, tmp_path)
    assert code == 1
    assert "small (debugging)" in out
    assert "bad.json cannot be used:" in err and '/budget: found str "x"' in err
    code, out, err = show(capsys, tmp_path / "good.json", "--point", "earlier")
    assert (code, out) == (1, "")
    assert "no point 'earlier': there is early, late; did you mean 'early'?" in err


def test_why_a_fact_is_asked_and_which_questions_wait_is_shown(tmp_path, capsys):
    data = case_data()
    use = {"how": "used", "message": "m99\x1b", "act": "edit of src/a.py"}
    data["probes"][0]["facts"][0]["needed"] = use
    data["proposed"] = [data["probes"][1] | {"id": "waits"}]
    path = saved(tmp_path, data)
    _, out, _ = show(capsys, path, "--probes")
    lines = [line.strip() for line in out.splitlines()]
    assert any(line.endswith("facts, 1 of them needed later") for line in lines)
    assert "1 proposed question, not asked: a reader has to confirm them" in lines
    assert r"needed by m99\x1b: edit of src/a.py" in lines
    assert any(line.startswith("waits file") and "proposed" in line for line in lines)
