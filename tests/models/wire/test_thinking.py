"""What a model thought is cut out of what it said, in every form that servers leave it in."""

import pytest

from pytest_compaction.models.wire.thinking import without_thinking

SAID = "The lease is 45 seconds."
HARMONY = "<|channel|>analysis<|message|>30 or 45?<|end|><|start|>assistant"


@pytest.mark.parametrize(
    "before",
    [
        "Was it 30? I score it 5.\n</think>\n\n",
        "<think>\n30 or 45?\n</think>\n",
        "<THINK>30?</THINK>",
        "<thinking>30?</thinking>",
        "<seed:think>30? <seed:cot_budget_reflect>x</seed:cot_budget_reflect></seed:think>",
        "<ant:thinking>30?</ant:thinking>",
        "<thought>\n30?</thought>",
        "<reasoning>30?</reasoning>",
        "30?[/THINK]",
        "[THINK]30?[/THINK]",
        "◁think▷30?◁/think▷",
        "<|START_THINKING|>30?<|END_THINKING|>",
        "<|inner_prefix|>30?<|inner_suffix|>",
        "<|channel>thought\n30?<channel|>",
        "<|begin_of_thought|>30?<|end_of_thought|>",
        "<think>30?</think>\n<think>45.</think>\n",
        "30?</think>45.</think>",
        "<think>30?<think>45?</think>so</think>",
        "<think>They mention <thinking> tags.</think>",
        "<think>It ends at `</think>`, they say.</think>",
        f"{HARMONY}<|channel|>final<|message|>",
        f"{HARMONY}<|channel|>commentary<|message|>wait<|end|><|start|>assistant"
        "<|channel|>final <|constrain|>json<|message|>",
        "30?<|end|><|start|>assistant<|channel|>final<|message|>",
        "analysis30 or 45?assistantfinal",
        "Here is my thought process: 30? Here is my response: ",
    ],
)
def test_thinking_before_an_answer_is_cut(before):
    assert without_thinking(before + SAID) == SAID


@pytest.mark.parametrize(
    "text",
    [
        f"{HARMONY}<|channel|>final<|message|>{SAID}<|return|>",
        "The lease <think>30?</think>is 45 seconds.",
        f"{SAID}\n<think>Is that all",
        f"<think>30?</think><answer>{SAID}</answer>",
        f"30?</think>\n<response>\n{SAID}\n</response>",
        f"<|START_THINKING|>30?<|END_THINKING|><|START_RESPONSE|>{SAID}<|END_RESPONSE|>",
        f"</think><|begin_of_box|>{SAID}<|end_of_box|>",
    ],
)
def test_thinking_elsewhere_and_marks_around_an_answer_are_cut(text):
    assert without_thinking(text) == SAID


@pytest.mark.parametrize("text", ["<think>30 or 45", HARMONY, "[THINK]30?", "30?</think>\n"])
def test_a_reply_of_thinking_alone_says_nothing(text):
    assert without_thinking(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        "The tag `</think>` ends it, and '<think>' begins it.",
        "It writes <think> before it answers.",
        '{"reasoning": "The answer has </think> in it.", "score": 5}',
        "analysis of the lease: 45 seconds",
        "[THINKING] is no mark, nor is <thinker>.",
    ],
)
def test_text_about_thinking_stays(text):
    assert without_thinking(text) == text
