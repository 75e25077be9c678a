"""``pytest-compaction lint``: its findings in case files, its output and its exit code."""

import json

import pytest
from support.builders import case_data, session
from support.paths import CASES

from pytest_compaction import cli
from pytest_compaction.probes.lint import inspect


def written(folder, data, name="case.json"):
    path = folder / name
    path.write_text(json.dumps(data), "utf-8")
    return path


def lint(capsys, *arguments):
    code = cli.main(["lint", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert err == ""
    return code, out


def found(path, **how):
    """Level, pointer and rule of each finding."""
    return [(f.level, f.pointer, f.rule) for f in inspect([path], **how).findings]


def large(**changes):
    """A case with a log larger than its budget, so that facts can be lost."""
    messages = [{"id": f"m{n}", **message} for n, message in enumerate(session(turns=12))]
    last = messages[-1]["id"]
    return case_data(
        **{
            "messages": messages,
            "budget": 400,
            "compaction_points": [{"id": "end", "after": last}],
            "probes": [
                {
                    "id": "limit",
                    "kind": "recall",
                    "question": "Which retry limit did the user ask for in the first module?",
                    "facts": [{"text": "src/module_0.py", "evidence": ["m1"]}],
                }
            ],
            **changes,
        }
    )


def probe(question="What was set?", *texts, **more):
    facts = [{"text": text, "evidence": ["m1"]} for text in texts or ["src/module_0.py"]]
    return {"id": "p", "kind": "recall", "question": question, "facts": facts, **more}


def test_a_sound_case_has_no_findings(tmp_path, capsys):
    path = written(tmp_path, large())
    assert found(path) == []
    assert lint(capsys, path) == (0, "1 case, 1 probe, 1 fact: 0 errors, 0 warnings\n")


def test_the_shipped_cases_have_no_errors(capsys):
    code, out = lint(capsys, CASES, "--no-answers")
    assert code == 0
    assert " 0 errors" in out.splitlines()[-1]


def test_what_the_loader_refuses_is_an_error_with_its_pointer(tmp_path, capsys):
    broken = large()
    broken["probes"][0]["facts"][0]["evidence"] = ["m2"]
    broken["probes"][0]["facts"][0]["text"] = "never said at all"
    shapeless = large(budget="much")
    sources = [written(tmp_path, broken, "a.json"), written(tmp_path, shapeless, "b.json")]
    sources.append(tmp_path / "none.json")
    code, out = lint(capsys, *sources, written(tmp_path, large(), "good.json"))
    assert code == 1
    assert "/probes/0/facts/0/evidence/0  unusable: found message 'm2', which does not" in out
    assert '/budget  unusable: found str "much"; expected the type integer' in out
    assert "no such file or folder" in out
    assert out.endswith("1 case, 1 probe, 1 fact: 3 errors, 0 warnings\n")


def test_a_question_that_states_its_answer_is_an_error(tmp_path):
    leaking = large(probes=[probe("Was the limit in src/module_0.py set?")])
    path = written(tmp_path, leaking)
    assert ("error", "/probes/0/facts/0", "leak") in found(path, answer=False)


def test_an_alias_in_the_question_is_a_leak_too(tmp_path):
    leaking = large(probes=[probe("What of the first module file?")])
    leaking["probes"][0]["facts"][0]["aliases"] = ["first module file"]
    path = written(tmp_path, leaking)
    assert ("error", "/probes/0/facts/0", "leak") in found(path, answer=False)


def test_the_same_asked_twice_is_an_error(tmp_path):
    twice = [probe(), {**probe("WHAT  was set?"), "id": "q"}]
    twice[0]["facts"] *= 2
    assert found(written(tmp_path, large(probes=twice)), answer=False) == [
        ("error", "/probes/0/facts/1", "duplicate-fact"),
        ("error", "/probes/1/question", "duplicate-question"),
        ("warning", "/probes/1", "duplicate-facts"),
    ]


def test_facts_that_state_each_other_are_a_warning(tmp_path):
    data = large(probes=[probe("What was set?", "must be 100", "retry limit must be 100")])
    data["messages"][1]["content"] = "The retry limit must be 100 in src/module_0.py."
    assert ("warning", "/probes/0/facts/1", "overlapping-fact") in found(
        written(tmp_path, data), answer=False
    )


def test_a_trap_that_the_right_answer_falls_into_is_an_error(tmp_path):
    traps = [{"text": "src/module_0.py"}, {"text": "src/module_9.py", "current": "x"}]
    path = written(tmp_path, large(probes=[probe(traps=traps)]))
    assert found(path, answer=False) == [("error", "/probes/0/traps/0", "trap-is-true")]


def test_what_the_tail_keeps_is_a_warning_but_for_the_present_state(tmp_path):
    late = {"text": "src/module_11.py", "evidence": ["m45"]}
    probes = [{**probe(), "facts": [late]}]
    probes.append({**probe("How do things stand?"), "id": "q", "kind": "continuation"})
    probes[1]["facts"] = [late]
    path = written(tmp_path, large(probes=probes))
    assert ("warning", "/probes/0/facts/0", "kept-by-tail") in found(path, answer=False)
    rules = [each for each in found(path, answer=False) if each[2] == "kept-by-tail"]
    assert len(rules) == 1


def test_the_last_message_belongs_to_the_tail_however_large_it_is(tmp_path):
    data = large(probes=[probe("What was set?", "row 39 of the backlog")])
    last = {"id": "last", "role": "assistant", "content": "row 39 of the backlog. " + "x y " * 500}
    data["messages"].append(last)
    data["compaction_points"][0]["after"] = "last"
    data["probes"][0]["facts"][0]["evidence"] = ["last"]
    path = written(tmp_path, data)
    for tail in (None, 0):
        rules = [rule for _, _, rule in found(path, answer=False, tail=tail)]
        assert rules == ["kept-by-tail"]


def test_a_probe_of_which_the_tail_keeps_all_facts_is_an_error(tmp_path, capsys):
    last = large()["messages"][-1]["id"]
    late = {"text": "retry limit must be 111", "evidence": [last]}
    early = {"text": "retry limit must be 100", "evidence": ["m1"]}
    data = large(probes=[{**probe(), "facts": [late]}, {**probe("And both?"), "id": "q"}])
    data["messages"][-1]["content"] = "The retry limit must be 111."
    data["messages"][1]["content"] = "The retry limit must be 100."
    data["probes"][1]["facts"] = [early, late]
    path = written(tmp_path, data)
    assert [entry for entry in found(path, answer=False) if entry[2] == "kept-by-tail"] == [
        ("error", "/probes/0/facts/0", "kept-by-tail"),
        ("warning", "/probes/1/facts/1", "kept-by-tail"),
    ]
    code, out = lint(capsys, path, "--no-answers")
    assert code == 1
    assert "keeps it, and with it all facts of this probe" in out


def test_a_log_that_fits_its_budget_is_a_warning(tmp_path):
    path = written(tmp_path, large(budget=100_000, window=200_000))
    assert ("warning", "/budget", "fits-budget") in found(path, answer=False)


def test_a_fact_that_the_full_log_does_not_give_is_reported_with_the_score(tmp_path, capsys):
    asked = probe("Which colour had the curtains of the old theatre in Prague?", "must be 100")
    path = written(tmp_path, large(probes=[asked]))
    assert found(path) == [("error", "/probes/0/facts/0", "unanswerable")]
    code, out = lint(capsys, path)
    assert code == 1
    assert "is not in the offline answer from the full log, which scores" in out
    assert "nor is any other fact of this probe" in out
    assert lint(capsys, path, "--no-answers", "--strict")[0] == 0


def test_one_fact_that_is_not_answered_beside_others_is_a_warning(tmp_path, capsys):
    asked = probe("Which module was edited first?", "src/module_0.py", "must be 100")
    path = written(tmp_path, large(probes=[asked]))
    assert found(path) == [("warning", "/probes/0/facts/1", "unanswerable")]
    assert lint(capsys, path)[0] == 0
    assert lint(capsys, path, "--strict")[0] == 1


def test_findings_as_json(tmp_path, capsys):
    path = written(tmp_path, large(probes=[probe("Was src/module_0.py changed?")]))
    code, out = lint(capsys, path, "--format", "json", "--no-answers")
    data = json.loads(out)
    assert code == 1
    assert data["cases"] == ["small"]
    (finding,) = data["findings"]
    assert finding.pop("text").startswith("the question itself states")
    assert finding == {
        "source": path.as_posix(),
        "pointer": "/probes/0/facts/0",
        "level": "error",
        "rule": "leak",
    }


def test_many_findings_are_counted_by_rule(tmp_path, capsys):
    facts = [
        {"text": f"src/module_{n % 12}.py", "evidence": [f"m{4 * (n % 12) + 1}"]} for n in range(40)
    ]
    path = written(tmp_path, large(probes=[{**probe(), "kind": "continuation", "facts": facts}]))
    code, out = lint(capsys, path, "--no-answers", "--tail", "0")
    assert code == 1
    assert "  … and 8 more: duplicate-fact 8" in out


def test_hostile_text_cannot_write_on_the_terminal(tmp_path, capsys):
    hostile = large(probes=[probe("Is it \x1b[2J\u202e src/module_0.py?")])
    hostile["id"] = "\x1b]0;x\x07"
    code, out = lint(capsys, written(tmp_path, hostile))
    assert code == 1
    assert "\x1b" not in out and "\u202e" not in out


@pytest.mark.parametrize("arguments", [["--tail", "-1"], ["--tail", "x"], ["--format", "xml"]])
def test_wrong_options_are_refused(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        cli.main(["lint", "x", *arguments])
    assert caught.value.code == 2
    assert "usage: pytest-compaction lint" in capsys.readouterr().err
