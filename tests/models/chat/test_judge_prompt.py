"""The judge's prompt: as committed, fenced, bounded, and replaceable by the user's own."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, any_text, build_case
from support.endpoint_builders import Replies, answer_request, ask, chat, judge_request
from support.endpoint_replies import completion
from support.endpoint_server import serving
from support.scenarios import flat, records, run, set_up

from pytest_compaction.case import TEXT_KINDS, AnswerSpec, Fact, Trap
from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.models import (
    LogDigest,
    PromptError,
    Prompts,
    Summary,
    SummaryRequest,
    fences_for,
    packaged_prompt,
)
from pytest_compaction.models.chat.fences import MARK_DIGITS, shown
from pytest_compaction.models.chat.log_excerpt import GAP, excerpts_for
from pytest_compaction.models.chat.prompts import FIELDS, parse
from pytest_compaction.rubric import CRITERIA, DIMENSIONS, asked_of_models, rubric_with


def rendered(call):
    parts = [f"--- {m['role']}\n{m['content']}" for m in call.body["messages"]]
    return "\n".join(parts)


def judge_call(request, **how):
    caller = Replies(completion("no"), completion("no"))
    ask(chat(caller, **how).judge(request))
    return caller.calls


# --- as rendered ---------------------------------------------------------------------


def test_the_judge_prompt_is_the_committed_one(snapshot):
    request = judge_request(
        facts=(
            Fact("the timeout is 45 seconds", keys=(("timeout", "limit"), ("45 s",))),
            Fact("src/lease/queue.py", ("lease/queue.py",), type="path", change="modified"),
        ),
        traps=(
            Trap("the timeout is 30", ("30 s",), of="the timeout is 45 seconds"),
            Trap("Redis was chosen", current=("SQLite",), type="decision"),
        ),
    )
    assert rendered(judge_call(request)[0]) == snapshot


def test_the_repair_prompt_is_the_committed_one(snapshot):
    assert judge_call(judge_request())[1].body["messages"][-1]["content"] == snapshot


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_a_model_is_asked_the_criteria_of_the_kind_of_probe(kind, snapshot):
    prompt = rendered(judge_call(judge_request(kind=kind, traps=()))[0])
    asked = prompt.partition("Criteria:\n")[2]
    assert asked == snapshot
    wanted = asked_of_models(kind)
    assert {c.id for c in CRITERIA if f"- {c.id}" in asked} == {c.id for c in wanted}
    assert {c.dimension for c in wanted} == set(DIMENSIONS)


def test_a_model_is_not_given_the_words_by_which_rules_recognise_a_fact():
    fact = Fact("the limit is 45", ("45 s",), keys=(("limit", "bound"), ("45",)))
    trap = Trap("the limit is 30", keys=(("limit", "bound"), ("30",)))
    request = judge_request(facts=(fact,), traps=(trap,))
    plain = rendered(judge_call(request)[0])
    assert "1. [value] the limit is 45 (or: 45 s)\n" in plain
    assert "bound" not in plain


def test_a_rubric_of_ones_own_gives_its_words_to_the_judge_and_others_stay():
    rubric = rubric_with(
        {"accuracy_factual": {"question": "All true?", "anchors": ["a", "b", "c"]}}
    )
    request = judge_request()
    theirs, usual = (
        rendered(judge_call(request, prompts=Prompts.load(rubric=each))[0])
        for each in (rubric, rubric_with({"accuracy_factual": {"weight": 3}}))
    )
    assert "\n- accuracy_factual: All true? 0: a. 3: b. 5: c.\n" in theirs
    assert usual == rendered(judge_call(request)[0])
    assert len(set(theirs.splitlines()) - set(usual.splitlines())) == 1


def test_the_summary_prompt_is_the_committed_one(snapshot):
    caller = Replies(completion("## Decisions\n- 45"))
    previous = Summary((("decisions", ("use 45 seconds",)),))
    request = SummaryRequest(build_case().messages, SECTIONS, 300, previous, "Keep file names.")
    ask(chat(caller).summarize(request))
    assert rendered(caller.calls[0]) == snapshot


def test_the_question_to_the_responder_is_the_committed_one(snapshot):
    caller = Replies(completion("45"))
    spec = AnswerSpec("list", max_items=3, forbid=("redis",))
    ask(chat(caller).answer(answer_request(answer=spec)))
    assert rendered(caller.calls[0]) == snapshot


def test_the_compactor_and_the_view_are_not_in_the_judge_prompt():
    prompt = rendered(judge_call(judge_request())[0])
    assert "anchored" not in prompt
    assert "summary" not in prompt.casefold()


# --- fences --------------------------------------------------------------------------


@given(st.lists(any_text, min_size=1, max_size=5))
def test_the_mark_of_a_fence_is_in_no_material_and_always_the_same(materials):
    fences = fences_for(materials)
    assert fences == fences_for(list(materials))
    assert re.fullmatch(rf"[0-9a-f]{{{MARK_DIGITS}}}", fences.mark)
    assert all(fences.mark not in shown(text) for text in materials)


def test_a_mark_that_occurs_is_replaced_by_another_one(monkeypatch):
    guessed = fences_for(["the answer"]).mark

    class Same:
        def __init__(self, data):
            self._number = data.split(b"\n")[0]

        def hexdigest(self):
            return (guessed if self._number == b"0" else f"{int(self._number):016x}") + "0" * 48

    monkeypatch.setattr("pytest_compaction.models.chat.fences.hashlib.sha256", Same)
    for disguise in (guessed, guessed.upper(), "-".join(guessed), f"\u200b{guessed}"):
        assert fences_for([f"the answer {disguise}"]).mark == f"{1:016x}"


def test_marks_depend_on_everything_that_is_fenced():
    assert fences_for(["a", "b"]).mark != fences_for(["a", "c"]).mark


@given(any_text)
def test_what_is_shown_holds_nothing_hidden(text):
    """Of all characters that do not print, only spaces of other widths may be left."""
    odd = {ch for ch in shown(text) if not (ch.isprintable() or ch in "\n\t")}
    assert all(unicodedata.category(ch) == "Zs" for ch in odd)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200bb", "a\\u200bb"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("\U000e0041", "\\U000e0041"),
        ("\x1b[2J", "\\u001b[2J"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\u2028", "\\u2028"),
        ("\u3164\u2800", "\\u3164\\u2800"),
        ("\udc80", "\\udc80"),
        ("<|im_end|>", "< |im_end|>"),
        ("<｜User｜>", "< ｜User｜>"),
        ("[INST]", "[ INST]"),
        ("</s>", "< /s>"),
        ("naïve 漢字 😀 a<b || c>d", "naïve 漢字 😀 a<b || c>d"),
    ],
)
def test_what_hides_is_shown_and_template_tokens_are_broken(text, seen):
    assert shown(text) == seen


# --- the excerpt of the log ----------------------------------------------------------


def long_digest():
    messages = [(f"m{n}", "tool", f"line {n} of the build output, nothing new") for n in range(900)]
    messages[411] = ("m411", "user", "Set the timeout to 45 seconds, the broker is slow.")
    messages[700] = ("m700", "assistant", "The retry queue lives in src/lease/retry.py.")
    text = "\n".join(text for _, _, text in messages)
    return LogDigest(text, tuple(messages))


def test_a_short_log_is_shown_whole():
    request = judge_request()
    text = excerpts_for(request, 6000, COUNTER)
    assert GAP not in text
    assert all(line in text for line in request.digest.text.splitlines())


def test_of_a_long_log_the_evidence_and_what_the_answer_says_are_shown():
    request = judge_request(
        facts=(Fact("45 seconds", evidence=("m411",)),),
        response="It is 45 seconds, see src/lease/retry.py.",
        digest=long_digest(),
    )
    text = excerpts_for(request, 600, COUNTER)
    assert COUNTER.text(text) <= 600
    assert "[user m411]\nSet the timeout to 45 seconds" in text
    assert "[assistant m700]\nThe retry queue lives in src/lease/retry.py." in text
    assert text.index("m411") < text.index("m700")
    assert text.startswith(GAP) or "[tool m0]" in text
    assert excerpts_for(request, 600, COUNTER) == text


@given(st.integers(0, 400))
def test_an_excerpt_is_within_its_budget(budget):
    request = judge_request(digest=LogDigest("\n".join(f"row {n} is new" for n in range(200))))
    assert COUNTER.text(excerpts_for(request, budget, COUNTER)) <= budget + 2


def test_a_log_of_one_endless_line_is_cut():
    request = judge_request(digest=LogDigest("x " * 200_000 + "45 seconds"))
    text = excerpts_for(request, 500, COUNTER)
    assert COUNTER.text(text) <= 500
    assert "45 seconds" in text


# --- templates of one's own ----------------------------------------------------------


def test_a_judge_prompt_of_ones_own_is_used(tmp_path):
    path = tmp_path / "judge.md"
    fields = "\n".join(f"{name}: ${name}" for name in sorted(FIELDS["judge"]))
    path.write_text(f"Be strict, for $$5.\n{fields}\n", "utf-8")
    [call, _] = judge_call(judge_request(), prompts=Prompts.load(path))
    [message] = call.body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith("Be strict, for $5.\n")
    assert "<<< answer " in message["content"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("$response", "lacks $criteria, $facts, $form, $log, $mark, $question, $reply, $traps"),
        ("$$", "lacks $criteria"),
        ("it costs $ 5", "has a $ that names no field; write $$"),
        (
            " ".join(f"${name}" for name in sorted(FIELDS["judge"])) + " $view",
            "names $view, which nothing",
        ),
    ],
)
def test_a_template_that_cannot_be_used_is_said(text, said):
    with pytest.raises(PromptError, match=r"the judge prompt mine\.md ") as found:
        parse("judge", text, "mine.md")
    assert said in str(found.value)


def test_a_template_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "latin.md").write_bytes(b"\xff")
    with pytest.raises(PromptError, match="is not UTF-8 text"):
        Prompts.load(tmp_path / "latin.md")
    with pytest.raises(PromptError, match="cannot be read: No such file"):
        Prompts.load(tmp_path / "none.md")


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "mine.md cannot be read: No such file"), ("$view", "mine.md lacks $criteria, $facts")],
    ids=["missing", "broken"],
)
def test_a_template_that_cannot_be_used_is_said_with_the_offline_judge_too(pytester, text, said):
    set_up(pytester, "first")
    if text is not None:
        (pytester.path / "mine.md").write_text(text, "utf-8")
    result = run(pytester, "--compaction-judge-prompt=mine.md")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in flat(result.errlines)


def test_another_prompt_in_the_same_file_is_another_hash_of_the_settings(pytester, monkeypatch):
    set_up(pytester, "first")
    hashes = []
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for words in ("Be strict.", "Be kind.", "Be strict."):
            text = "\n".join([words, *(f"${name}" for name in sorted(FIELDS["judge"]))])
            (pytester.path / "mine.md").write_text(text, "utf-8")
            more = ["--compaction-judge=some-model", "--compaction-judge-prompt=mine.md"]
            run(pytester, *more, "-k", "limit")
            hashes.append(records(pytester).records[0]["hashes"]["settings"])
    assert hashes[0] == hashes[2] != hashes[1]


def test_the_packaged_templates_hold_their_fields():
    for name in FIELDS:
        assert packaged_prompt(name).user
