"""``pytest-compaction lint``: its findings in case files, its output and its exit code."""

import json
import re

import pytest
from support.builders import assistant, case_data, session, tool, user
from support.paths import CASES

from pytest_compaction import cli
from pytest_compaction.case import case_from_json
from pytest_compaction.case_making.lint import RULES, check_full_log, inspect


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
    """Level, pointer and rule of each finding about a single probe, or about the budget."""
    findings = inspect([path], **how).findings
    return [(f.level, f.pointer, f.rule) for f in findings if f.pointer != "/probes"]


def rules(path, **how):
    """The rules of all findings."""
    return [each.rule for each in inspect([path], **how).findings]


def large(**changes):
    """A case with a log larger than its budget, so that facts can be lost."""
    messages = [{"id": f"m{n}", **message} for n, message in enumerate(session(turns=12))]
    points = [{"id": "end", "after": messages[-1]["id"]}]
    asked = probe("Which retry limit did the user ask for in the first module?") | {"id": "limit"}
    given = {"messages": messages, "budget": 400, "compaction_points": points, "probes": [asked]}
    return case_data(**{**given, **changes})


def probe(question="What was set?", *texts, **more):
    facts = [{"text": text, "evidence": ["m1"]} for text in texts or ["src/module_0.py"]]
    return {"id": "p", "kind": "recall", "question": question, "facts": facts, **more}


def fact(text, type, *keys, evidence="m2", **more):
    return {"text": text, "type": type, "keys": list(keys), "evidence": [evidence], **more}


def sound(**changes):
    """A case that breaks no rule: every dimension has facts, and most stand only in tool output."""
    printed = "pool_size = 64\nTimeoutError: lease 17 expired\nbranch at 4f2a9c8"
    call = ("c", "bash", {"command": "make check-lease src/lease/queue.py"})
    messages = [
        user("Never touch the vendored files when you look into this."),
        assistant("I start with the checks.", call),
        tool("c", printed),
    ]
    for n in range(12):
        messages += [user("Go on, please. " * 12), assistant(f"Part {n} is done. " * 12)]
    found = [
        fact("pool_size = 64", "value", "pool_size", "64"),
        fact("TimeoutError: lease 17 expired", "error", "TimeoutError", "lease 17"),
        fact("4f2a9c8", "identifier", "4f2a9c8"),
    ]
    never = ("never touch the vendored files", "constraint", ["never touch", "not touch"])
    stand = [
        fact("lease 17 has expired", "state", "lease 17", "expired"),
        fact("make check-lease", "command", "make check-lease", evidence="m1"),
        fact(*never, "vendored", evidence="m0"),
    ]
    how = probe("How do things stand, and what has to be kept to?", facts=stand)
    data = {
        "messages": [{"id": f"m{n}", **message} for n, message in enumerate(messages)],
        "budget": 400,
        "compaction_points": [{"id": "end", "after": f"m{len(messages) - 1}"}],
        "probes": [
            probe("What did the first check print?", facts=found) | {"id": "printed"},
            how | {"id": "stand", "kind": "continuation"},
        ],
    }
    return case_data(**{**data, **changes})


def test_a_sound_case_has_no_findings(tmp_path, capsys):
    path = written(tmp_path, sound())
    assert rules(path, answer=False) == []
    shown = (0, "1 case, 2 probes, 6 facts: 0 errors, 0 warnings\n")
    assert lint(capsys, path, "--no-answers") == shown


def changed(number, index, **members):
    """The sound case with other members in one of its facts."""
    data = sound()
    data["probes"][number]["facts"][index].update(members)
    return data


def trapped(keys, *trap_keys):
    """The sound case with keys of its first fact, and with a trap of that fact."""
    data = changed(0, 0, keys=keys)
    trap = {"text": "pool_size = 32", "keys": ["pool_size", *trap_keys], "of": "pool_size = 64"}
    data["probes"][0]["traps"] = [trap]
    return data


def asking(*probes, **changes):
    return large(probes=list(probes), **changes)


VENDORED = changed(1, 2, text="Never touch the vendored files when you look into this")
del VENDORED["probes"][1]["facts"][2]["keys"]
TWICE = asking({**probe(), "facts": 2 * probe()["facts"]}, {**probe("WHAT  was set?"), "id": "q"})
ALIASED = asking(probe("What of the first module file?"))
ALIASED["probes"][0]["facts"][0]["aliases"] = ["first module file"]
LIMITS = asking(probe("What was set?", "must be 100", "retry limit must be 100"))
LIMITS["messages"][1]["content"] = "The retry limit must be 100 in src/module_0.py."
TRUE = {"text": "src/module_0.py"}, {"text": "src/module_9.py", "current": "x"}
MODULES = {"text": "src/module_9.py"}, {"text": "src/Module_9.py"}
FACT = "/probes/0/facts"
FINDINGS = [
    (changed(0, 0, text="the pool is large"), "disagree", f"error {FACT}/0 keys-disagree"),
    (trapped(["pool_size", "64"], "31"), "", "error /probes/0/traps/0 keys-disagree"),
    (
        trapped(["pool_size"], "32"),
        "match the trap “pool_size = 32”",
        f"error {FACT}/0 keys-accept-opposite",
        f"error {FACT}/0 keys-too-loose",
    ),
    (trapped(["pool_size", "64"], "32"), ""),
    (
        changed(0, 0, keys=["pool_size"]),
        "accept the fact with another number, “pool_size = 71”: name it in a key",
        f"error {FACT}/0 keys-accept-opposite",
    ),
    (VENDORED, "give key phrases with alternatives", "warning /probes/1/facts/2 keys-missing"),
    (changed(0, 0, keys=["64"]), "", f"warning {FACT}/0 small-number"),
    (asking(probe("Was the limit in src/module_0.py set?")), "", f"error {FACT}/0 leak"),
    (ALIASED, "", f"error {FACT}/0 leak"),
    (
        TWICE,
        "",
        f"error {FACT}/1 duplicate-fact",
        "error /probes/1/question duplicate-question",
        "warning /probes/1 duplicate-facts",
    ),
    (asking(probe(traps=[*MODULES])), "", "error /probes/0/traps/1 duplicate-trap"),
    (asking(probe(traps=[*TRUE])), "", "error /probes/0/traps/0 trap-is-true"),
    (LIMITS, "", f"warning {FACT}/1 overlapping-fact"),
    (
        large(budget=100_000, window=200_000),
        "",
        "warning /budget fits-budget",
        f"warning {FACT}/0 kept-by-tail",
    ),
]
"""A case, words of what is said of it, and each finding but those of all probes together."""


@pytest.mark.parametrize(
    ("data", "said", "expected"), [(data, said, expected) for data, said, *expected in FINDINGS]
)
def test_a_finding_has_its_level_place_and_rule(tmp_path, data, said, expected):
    findings = inspect([written(tmp_path, data)], answer=False).findings
    shown = [each for each in findings if each.pointer != "/probes"]
    assert [f"{each.level} {each.pointer} {each.rule}" for each in shown] == expected
    assert said in " ".join(each.text for each in shown)


def test_what_the_full_log_does_not_state_at_that_point_is_an_error():
    data = sound()
    printed = "These were rejected:\n- pool_size = 64\n- branch at 4f2a9c8"
    data["messages"][2]["content"] = printed
    wrong = list(check_full_log(case_from_json(data, "case.json")))
    assert {finding.pointer for finding in wrong} >= {"/probes/0/facts/0", "/probes/0/facts/2"}
    assert {finding.rule for finding in wrong} == {"not-in-log"}
    assert any("“4f2a9c8” is contradicted in the full log" in each.text for each in wrong)


def test_a_case_in_which_all_that_was_said_fits_the_budget_is_a_warning(tmp_path):
    path = written(tmp_path, sound(budget=1_400))
    assert "said-fits-budget" not in rules(path, answer=False)
    data = sound(budget=1_400, window=9_000)
    data["messages"][2]["content"] += "\n" + "row of the table\n" * 500
    for message in data["messages"][5:]:
        message["content"] = "Go on."
    assert ("warning", "/budget", "said-fits-budget") in found(written(tmp_path, data))


def test_verbose_says_which_words_of_which_message_decide(tmp_path, capsys):
    path = written(tmp_path, sound())
    code, out = lint(capsys, path, "--no-answers", "-v")
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith("  /probes/0/facts/0  ")]
    assert "“pool_size = 64”: m2 by pool_size + 64 in “pool_size = 64”" in line
    code, out = lint(capsys, path, "--no-answers", "-v", "--format", "json")
    explained = json.loads(out)["facts"]
    assert len(explained) == 6
    assert explained[0]["message"] == "m2"
    assert explained[0]["reading"]["words"] == ["pool_size", "64"]


def said_in(language, text, keys):
    """A case in a language with one fact, which the user said."""
    data = large(language=language)
    data["messages"][1]["content"] = text
    data["probes"][0]["facts"] = [{**fact(text, "state", *keys.split(" + ")), "evidence": ["m1"]}]
    return data


@pytest.mark.parametrize(
    ("language", "text", "bound", "loose", "altered"),
    [
        ("en", "pool_size = 64", "pool_size + 64", "pool_size", "pool_size = 71"),
        ("de", "Der Cache wird nie leer, Zeilen bleiben", "Cache + leer", "Zeilen", "wird leer"),
        ("de", "Der Cache wird leer, Zeilen gehen", "Cache + leer", "Zeilen", "wird nicht leer"),
        ("de", "Der Cache fasst 40 Zeilen", "Cache + 40", "Cache", "fasst 47"),
        ("zh", "缓存不会清空，数据保留", "缓存 + 清空", "数据 + 保留", "缓存会清空"),
        ("zh", "缓存会清空，数据丢失", "缓存 + 清空", "数据 + 丢失", "缓存不会清空"),
        ("zh", "缓存有40行", "缓存 + 40", "缓存", "有47行"),
    ],
)
def test_keys_that_accept_the_opposite_are_found_in_each_measured_language(
    tmp_path, capsys, language, text, bound, loose, altered
):
    bound_path = written(tmp_path, said_in(language, text, bound), "bound.json")
    assert "keys-accept-opposite" not in rules(bound_path, answer=False)
    loose_path = written(tmp_path, said_in(language, text, loose), "loose.json")
    level = "warning" if language == "zh" else "error"
    assert (level, f"{FACT}/0", "keys-accept-opposite") in found(loose_path, answer=False)
    code, out = lint(capsys, loose_path, "--no-answers")
    assert altered in out
    assert code == 1 or language == "zh"


def test_every_rule_has_a_name_that_reads_and_one_sentence():
    for name, (_, sentence) in RULES.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert re.fullmatch(r"[A-Z][^.]*\.", sentence)


@pytest.mark.exhaustive
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
    assert out.endswith("1 case, 1 probe, 1 fact: 3 errors, 1 warning\n")


def test_what_the_tail_keeps_is_a_warning_but_for_the_present_state(tmp_path):
    late = {"text": "src/module_11.py", "evidence": ["m45"]}
    stand = probe("How do things stand?", facts=[late]) | {"id": "q", "kind": "continuation"}
    path = written(tmp_path, large(probes=[probe(facts=[late]), stand]))
    assert ("warning", f"{FACT}/0", "kept-by-tail") in found(path, answer=False)
    assert rules(path, answer=False).count("kept-by-tail") == 1


def test_the_last_message_belongs_to_the_tail_however_large_it_is(tmp_path):
    data = large(probes=[probe("What was set?", "row 39 of the backlog")])
    last = {"id": "last", "role": "assistant", "content": "row 39 of the backlog. " + "x z " * 500}
    data["messages"].append(last)
    data["compaction_points"][0]["after"] = "last"
    data["probes"][0]["facts"][0]["evidence"] = ["last"]
    path = written(tmp_path, data)
    for tail in (None, 0):
        assert [rule for _, _, rule in found(path, answer=False, tail=tail)] == ["kept-by-tail"]


def test_a_probe_of_which_the_tail_keeps_all_facts_is_an_error(tmp_path, capsys):
    data = large()
    data["messages"][1]["content"] = "The retry limit must be 100."
    data["messages"][-1]["content"] = "The retry limit must be 111."
    late = {"text": "retry limit must be 111", "evidence": [data["messages"][-1]["id"]]}
    early = {"text": "retry limit must be 100", "evidence": ["m1"]}
    both = probe("And both?", facts=[early, late]) | {"id": "q"}
    path = written(tmp_path, {**data, "probes": [probe(facts=[late]), both]})
    assert [entry for entry in found(path, answer=False) if entry[2] == "kept-by-tail"] == [
        ("error", "/probes/0/facts/0", "kept-by-tail"),
        ("warning", "/probes/1/facts/1", "kept-by-tail"),
    ]
    code, out = lint(capsys, path, "--no-answers")
    assert code == 1
    assert "keeps it, and with it all facts of this probe" in out


def test_facts_that_the_offline_model_does_not_find_are_a_warning(tmp_path, capsys):
    asked = probe("Which colour had the curtains of the old theatre in Prague?", "must be 100")
    path = written(tmp_path, large(probes=[asked]))
    assert found(path) == [("warning", f"{FACT}/0", "unanswerable")]
    code, out = lint(capsys, path)
    assert code == 0
    assert "is not in the offline answer from the full log" in out
    assert "nor is any other fact of this probe" in out
    assert "unanswerable" not in lint(capsys, path, "--no-answers")[1]


def test_one_fact_that_is_not_answered_beside_others_is_a_warning(tmp_path, capsys):
    asked = probe("Which module was edited first?", "src/module_0.py", "must be 100")
    path = written(tmp_path, large(probes=[asked]))
    assert found(path) == [("warning", f"{FACT}/1", "unanswerable")]
    assert lint(capsys, path)[0] == 0
    assert lint(capsys, path, "--strict")[0] == 1
    data = sound()
    data["probes"][1]["facts"].pop()
    _, out = lint(capsys, written(tmp_path, data), "--no-answers")
    assert "no fact counts for instruction (instruction reads constraint)" in out


@pytest.mark.parametrize(
    ("text", "keys", "is_fragment"),
    [
        ("that should never happen", [["never happen"]], True),
        ("make the handler fast", None, False),
    ],
)
def test_a_fact_that_is_the_middle_of_a_sentence_is_a_fragment(tmp_path, text, keys, is_fragment):
    data = asking(probe(facts=[{"text": text, "type": "state", "evidence": ["m1"]}]))
    data["probes"][0]["facts"][0] |= {"keys": keys} if keys else {}
    data["messages"][1]["content"] = "make the handler fast, and that should never happen to the"
    findings = inspect([written(tmp_path, data)], answer=False).findings
    assert "unusable" not in {each.rule for each in findings}
    assert (("fragment", "warning") in {(f.rule, f.level) for f in findings}) is is_fragment


def test_findings_as_json(tmp_path, capsys):
    path = written(tmp_path, large(probes=[probe("Was src/module_0.py changed?")]))
    code, out = lint(capsys, path, "--format", "json", "--no-answers")
    data = json.loads(out)
    assert code == 1
    assert data["cases"] == ["small"]
    finding = data["findings"][0]
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
    assert "  … and 9 more: duplicate-fact 8, empty-dimension 1" in out


def test_hostile_text_cannot_write_on_the_terminal(tmp_path, capsys):
    hostile = large(probes=[probe("Is it \x1b[2J\u202e src/module_0.py?")])
    hostile["id"] = "\x1b]0;x\x07"
    code, out = lint(capsys, written(tmp_path, hostile))
    assert code == 1
    assert "\x1b" not in out and "\u202e" not in out


def test_proposed_questions_are_checked_as_probes_are(tmp_path):
    leaking = probe("Was src/module_0.py set?") | {"id": "waits"}
    remarks = found(written(tmp_path, large(proposed=[leaking])))
    assert [each for each in remarks if "proposed" in each[1]] == [
        ("error", "/proposed/0/facts/0", "leak")
    ]


@pytest.mark.parametrize(
    ("text", "binds"),
    [
        ("never push to main", True),
        ("always check what was wanted", True),
        ("a name has at most 28 characters", True),
        ("commit subjects begin with the area", True),
        ("the project is Troy", False),
        ("the user saw that nothing was called", False),
        ("tool responses are not stored in the messages", False),
    ],
)
def test_a_constraint_binds_a_later_turn(tmp_path, text, binds):
    messages = large()["messages"]
    messages[1]["content"] += f" {text}."
    one = probe(facts=[fact(text, "constraint", text.split()[-1], evidence="m1")])
    said = rules(written(tmp_path, large(messages=messages, probes=[one])), answer=False)
    assert "unusable" not in said
    assert ("no-rule" in said) is not binds
