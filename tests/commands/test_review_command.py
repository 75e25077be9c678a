"""``pytest-compaction review``: a person's answers, and what they make of a case file."""

import io
import json
import os
import pty
import select
import subprocess
import sys

import pytest
from support.builders import user
from support.proposed import STYLES, candidate, case, write

from pytest_compaction import cli
from pytest_compaction.case import find_cases


@pytest.fixture
def review(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")

    def run(given, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        code = cli.main(["review", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def ids(path):
    data = json.loads(path.read_text("utf-8"))
    names = ("probes", "proposed", "declined")
    return [[each["id"] for each in data.get(name, ())] for name in names]


def test_a_question_is_shown_with_its_facts_evidence_and_use(tmp_path, review):
    path = write(tmp_path / "case.json", case())
    code, out, err = review("q\n", path)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "small · 1 of 2 · recall after p1",
        "",
        "  Which limit did the user want in module 1?",
        "",
        "  fact  the limit of src/module_1.py is 101 (value)",
        "    m5 user         Please fix the retry limit in src/module_1.py; it must be",
        "                    101. word1x0 word1x1 word1x2 word1x3 word1x4 word1x5 word1x6",
        "                    word1x7 word1x8 word1x9 word1x10 word1x11 word1x12 wor…",
        "  why   needed by m900: edit of a.py, 3 calls later",
        "",
        "y yes · n no · e edit, then yes · b back · s skip · q quit",
        f"no answer; 2 questions left: pytest-compaction review {path}",
    ]


@pytest.mark.parametrize("style", STYLES)
def test_answers_move_questions_and_leave_the_rest_of_the_file_as_it_is(tmp_path, review, style):
    path = write(tmp_path / "case.json", case(title="Größe 🎈" if style != "hand" else "x"), style)
    before = path.read_bytes()
    code, out, _ = review("y\nn\n", path)
    assert (code, out.splitlines()[-1]) == (0, "1 confirmed, 1 declined; 0 questions left")
    assert ids(path) == [["limit-0", "limit-1"], [], ["limit-2"]]
    after = json.loads(path.read_text("utf-8"))
    yes = candidate(1)
    yes["facts"][0]["needed"]["confirmed"] = True
    expected = case(probes=[candidate(0), yes], proposed=[], declined=[candidate(2)])
    expected["title"] = after["title"]
    assert after == expected
    assert path.read_text("utf-8") == json.dumps(after, **STYLES[style]) + "\n"
    (loaded,) = find_cases([path]).cases
    assert loaded.probes[1].facts[0].needed.confirmed
    path.write_bytes(before)
    assert review("y\nn\nb\n", path)[0] == 0
    review("n\ny\ns\nb\nb\n", write(path, json.loads(before), style))
    assert ids(path) == [["limit-0", "limit-2"], [], ["limit-1"]]


@pytest.mark.parametrize("style", STYLES)
def test_going_back_takes_an_answer_back(tmp_path, review, style):
    path = write(tmp_path / "case.json", case(), style)
    before = path.read_bytes()
    for given in ("y\nb\n", "n\nb\n", "s\ny\nb\nb\n", "b\nx\n", "y\nb\nn\nb\n"):
        code, _, _ = review(f"{given}q\n", path)
        assert (code, path.read_bytes()) == (0, before), given


def test_a_line_of_many_cases_changes_alone_and_a_review_goes_on_where_it_stopped(tmp_path, review):
    path = tmp_path / "cases.jsonl"
    lines = [json.dumps(case(id=id)) for id in ("one", "two")]
    path.write_text("\n".join(lines) + "\n\n", "utf-8")
    _, out, _ = review("s\ny\nn\nq\n", path)
    assert out.count("\none · ") == 1 and out.count("\ntwo · ") == 2
    assert out.endswith(f"2 questions left: pytest-compaction review {path}\n")
    one, two = path.read_text("utf-8").splitlines()[:2]
    assert [len(json.loads(one)[name]) for name in ("probes", "proposed")] == [2, 1]
    assert [len(json.loads(two)[name]) for name in ("probes", "proposed")] == [1, 1]
    assert path.read_text("utf-8").endswith("}\n\n")
    _, out, _ = review("q\n", path)
    assert out.startswith("one · 1 of 2 · ")
    assert "module 1?" in out


def test_a_question_without_a_sign_of_use_is_confirmed_by_the_reader_alone(tmp_path, review):
    bare = candidate(1)
    del bare["facts"][0]["needed"]
    path = write(tmp_path / "case.json", case(probes=[], proposed=[bare]))
    assert "/probes" in str(find_cases([path]).errors[0])
    assert review("y\n", path)[0] == 0
    (loaded,) = find_cases([path]).cases
    assert loaded.probes[0].facts[0].needed.why == "confirmed by a reader"
    assert review("", path) == (0, "No question waits for an answer.\n", "")


def test_questions_that_are_asked_are_reviewed_too_if_all_are(tmp_path, review):
    path = write(tmp_path / "case.json", case(proposed=[candidate(1)]))
    _, out, _ = review("s\nn\ny\n", path, "--all")
    assert "(value, asked already)" in out
    assert "this is the only question of the case, and a case needs one" in out
    assert ids(path) == [["limit-0"], ["limit-1"], []]
    (loaded,) = find_cases([path]).cases
    assert loaded.probes[0].facts[0].needed.confirmed
    _, out, _ = review("y\n", path, "--all")
    assert "1 of 1" in out


EDITS = {
    "question": "What does module 1 need?\n\n\n\n",
    "keys": "\n\n\nmodule_1.py | first module + 101\n",
    "fact": "\nthe limit of module_1.py is 101\n\nmodule_1.py + 101\n",
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_question_is_asked(tmp_path, review, name):
    path = write(tmp_path / "case.json", case())
    _, out, _ = review(f"e\n{EDITS[name]}q\n", path)
    assert "not taken" not in out
    made, before = json.loads(path.read_text("utf-8"))["probes"][1], candidate(1)
    (fact,) = made["facts"]
    assert fact["needed"]["confirmed"] is True
    if name == "question":
        assert made["question"] == "What does module 1 need?" != before["question"]
    else:
        assert made["question"] == before["question"]
        assert fact["evidence"] == ["m5", "m8"]
        assert fact["keys"][0][0] == "module_1.py"
    assert not find_cases([path]).errors


REFUSED = {
    "it states the answer": (
        "Is the limit of src/module_1.py 101?\n\n\n\n",
        "the question itself states “the limit of src/module_1.py is 101”",
    ),
    "the log does not say it": (
        "\nthe limit of src/module_1.py is 999\n\nsrc/module_1.py + 999\n",
        "no message before p1 states “the limit of src/module_1.py is 999”",
    ),
    "text and keys disagree": ("\nthe limit of module 1\n\n\n", "text and keys disagree"),
    "no such type": ("\n\nvalues\n\n\n", 'facts/0/type: found str "values"; expected one of value'),
    "only the tail says it": (
        "What do the tests need?\nthe tests need 107\n\n107 + tests\n",
        "every strategy that keeps a tail keeps it",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_edited_question_that_measures_nothing_is_refused_with_the_reason(
    tmp_path, review, name
):
    lines, reason = REFUSED[name]
    path = write(tmp_path / "case.json", case())
    before = path.read_bytes()
    code, out, _ = review(f"e\n{lines}q\n", path)
    assert (code, path.read_bytes()) == (0, before)
    said = " ".join(out.split())
    assert reason in said[said.index("not taken: ") :]


def test_facts_can_be_left_out_and_the_others_keep_all_they_had(tmp_path, review):
    both = candidate(1)
    both["facts"].append(candidate(2)["facts"][0] | {"aliases": ["\u202e of\x07 two"]})
    both["traps"] = [{"text": "it is 1", "of": both["facts"][0]["text"]}, {"text": "it is 7"}]
    path = write(tmp_path / "case.json", case(proposed=[both]))
    review("e\n\n-\n\n\n\n", path)
    made = json.loads(path.read_text("utf-8"))["probes"][1]
    second = both["facts"][1]
    second["needed"]["confirmed"] = True
    assert made == {**both, "facts": [second], "traps": [{"text": "it is 7"}]}


def test_facts_join_the_question_that_is_asked_in_the_same_words(tmp_path, review):
    asked, other = candidate(0), candidate(1)
    other["question"] = asked["question"]
    path = write(tmp_path / "case.json", case(probes=[asked], proposed=[other]))
    before = path.read_bytes()
    review("y\nb\nq\n", path)
    assert path.read_bytes() == before
    review("y\n", path)
    (joined,) = json.loads(path.read_text("utf-8"))["probes"]
    other["facts"][0]["needed"]["confirmed"] = True
    assert joined == {**asked, "facts": [*asked["facts"], *other["facts"]]}


def test_a_yes_needs_a_sound_question_too(tmp_path, review):
    leaking = {**candidate(1), "question": "Is the limit of src/module_1.py really 101?"}
    path = write(tmp_path / "case.json", case(proposed=[leaking]))
    _, out, _ = review("y\n", path)
    assert "not taken: the question itself states" in out
    assert ids(path) == [["limit-0"], ["limit-1"], []]


def test_a_file_that_somebody_else_changes_is_left_alone(tmp_path, review, monkeypatch):
    path = write(tmp_path / "case.json", case())

    class Changing(io.StringIO):
        def readline(self, *size):
            write(path, case(title="changed"))
            return super().readline(*size)

    monkeypatch.setattr(io, "StringIO", Changing)
    code, _, err = review("y\n", path)
    assert code == 1
    assert f"{path} was changed since the review began" in err
    assert json.loads(path.read_text("utf-8"))["title"] == "changed"


def test_broken_and_missing_files_are_named_and_the_others_reviewed(tmp_path, review):
    write(tmp_path / "good.json", case())
    broken = write(tmp_path / "broken.json", case(budget="x", id="other"))
    (tmp_path / "list.json").write_text("[1]", "utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff")
    code, out, err = review("y\n", tmp_path, tmp_path / "none.json")
    assert code == 1
    assert '/budget: found str "x"' in err and str(broken) in err
    assert "none.json: No such file or directory" in err
    assert "list.json cannot be used" in err and "bytes.json cannot be used" in err
    assert "1 confirmed" in out


def test_hostile_text_cannot_write_on_the_terminal(tmp_path, review):
    hostile = "\x1b[2J\u202e\x07"
    data = case(title=hostile)
    data["messages"][5] |= {"id": "m\x1b5", **user(f"{hostile} src/module_1.py is 101 {hostile}")}
    question = candidate(1, evidence=["m\x1b5"], aliases=[hostile])
    question["question"] += hostile
    question["facts"][0]["text"] += hostile
    question["facts"][0]["needed"] |= {"message": hostile, "act": f"x{hostile}"}
    path = write(tmp_path / "case.json", {**data, "proposed": [question]})
    code, out, err = review("e\n\n\n\n\n", path)
    assert code == 0
    assert all(sign.isprintable() or sign == "\n" for sign in out + err)
    assert "\\x1b[2J" in out


def at_a_terminal(path, typed, editor):
    """Run the command at a terminal of its own, type, and return what it wrote."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "EDITOR": editor, "VISUAL": "", "COLUMNS": "80", "LINES": "30"}
    command = [sys.executable, "-m", "pytest_compaction.cli", "review", str(path)]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env=environment
    )
    os.close(follower)
    written = b""
    try:
        for key in typed:
            while not written.endswith((b"q quit ", b"key ends ")):
                assert select.select([leader], [], [], 60)[0], written
                written += os.read(leader, 1024)
            os.write(leader, key.encode())
            written += b"|"
        while True:
            written += os.read(leader, 1024)
    except OSError:  # the other end is closed
        return process.wait(timeout=60), written.decode()
    finally:
        os.close(leader)


def test_single_keys_and_an_editor_at_a_terminal(tmp_path):
    path = write(tmp_path / "case.json", case())
    change = "import sys; p = sys.argv[1]; t = open(p).read().replace('user want', 'user set')"
    (tmp_path / "edit.py").write_text(f"{change}; open(p, 'w').write(t)\n", "utf-8")
    editor = f"{sys.executable} {tmp_path / 'edit.py'}"
    code, written = at_a_terminal(path, ["\x1b[A", "E", "n", "b", "n", " "], editor)
    assert code == 0
    assert "1 confirmed, 1 declined; 0 questions left" in written
    assert written.count("\x1b[2J\x1b[H") == 4
    asked = json.loads(path.read_text("utf-8"))["probes"][1]["question"]
    assert asked == "Which limit did the user set in module 1?"

    write(path, case())
    code, written = at_a_terminal(path, ["e", "q"], "/nowhere/editor")
    assert (code, "the editor '/nowhere/editor' cannot be used" in written) == (0, True)
    assert ids(path) == [["limit-0"], ["limit-1", "limit-2"], []]
