"""A view is read in the language that it is written in, or not at all."""

import pytest
from support.builders import assistant, case_data, user

from pytest_compaction.case import case_from_json, checked_case
from pytest_compaction.conversation import text_message
from pytest_compaction.metrics import probe_scores, read, view_index

CHINESE = [
    {"id": "m1", **user("支付服务在高峰时段超时，请看看配置。不要修改 schema.sql。")},
    {"id": "m2", **assistant("支付服务的超时是30秒，连接池大小为二十。")},
    {"id": "m3", **user("把超时改为45秒，连接池用PgBouncer，不用Odyssey。下一步是补充回归测试。")},
    {"id": "m4", **assistant("已把支付服务的超时从30秒改为45秒，并采用PgBouncer。")},
]
KEYS = [["支付服务"], ["超时"], ["45秒"]]
IN_ENGLISH = [["payment service"], ["timeout"], ["45 s"]]
FACTS = [
    ("支付服务的超时是45秒", "value", "m4", KEYS),
    ("连接池采用PgBouncer", "decision", "m4", [["PgBouncer"]]),
    ("不要修改 schema.sql", "constraint", "m1", [["schema.sql"], ["修改", "改动"]]),
    ("下一步是补充回归测试", "next_step", "m3", [["回归测试"], ["补充"]]),
]


def data(keys=None):
    facts = [
        {"text": text, "type": type, "evidence": [evidence], "keys": groups}
        for text, type, evidence, groups in FACTS
    ]
    facts[0]["keys"] = keys or KEYS
    probe = {"id": "pool", "kind": "recall", "question": "现在怎么样？", "facts": facts}
    points = [{"id": "p1", "after": "m4"}]
    return case_data(messages=CHINESE, compaction_points=points, probes=[probe])


def readings(summary, keys=None):
    probe = case_from_json(data(keys)).probes[0]
    view = (text_message("s", "user", summary, "synthetic"),)
    return probe, read(probe.facts, probe.traps, view_index(view))


def outcomes(summary, keys=None):
    return [reading.outcome for reading in readings(summary, keys)[1].facts]


def test_a_chinese_case_is_sound_and_its_language_is_told():
    case = checked_case(data())
    assert case.language == "zh"
    assert checked_case(data({"zh": KEYS, "en": IN_ENGLISH})).language == "zh"


def test_a_summary_in_other_words_states_the_facts():
    said = "- 支付服务：超时四十五秒\n- 用PgBouncer代替Odyssey。\n- 请勿改动 schema.sql\n"
    said += "下一步：补充回归测试"
    assert outcomes(said) == ["stated"] * 4


def test_a_summary_that_denies_all_scores_nothing():
    denied = "支付服务的超时不是45秒。否决了PgBouncer。可以修改 schema.sql。已经补充了回归测试。"
    probe, found = readings(denied)
    assert [reading.outcome for reading in found.facts][:3] == ["contradicted"] * 3
    assert {score.score for score in probe_scores(probe, found)} == {0.0}


ENGLISH = "The payment service has a timeout of 45 s now. They use PgBouncer and the schema stays."


def test_what_stands_in_another_language_is_read_by_keys_for_it_or_not_at_all():
    assert outcomes(ENGLISH) == ["unread", "stated", "unread", "unread"]
    assert outcomes(ENGLISH, {"zh": KEYS, "en": IN_ENGLISH})[0] == "stated"
    denied = "The payment service has no timeout of 45 s. PgBouncer was rejected."
    assert outcomes(denied, {"zh": KEYS, "en": IN_ENGLISH})[:2] == ["contradicted"] * 2


def test_facts_that_are_not_read_lower_and_raise_nothing():
    probe, found = readings(ENGLISH)
    assert {score.score for score in probe_scores(probe, found)} == {5.0}
    probe, found = readings(
        "The weather was the topic of the day, and nothing else was said there."
    )
    assert [reading.outcome for reading in found.facts] == ["unread", "absent", "unread", "unread"]
    assert "English" in found.facts[0].why


@pytest.mark.parametrize("said", ["연결 풀은 PgBouncer를 사용합니다.", "Пул использует PgBouncer."])
def test_a_name_in_a_language_without_rules_says_nothing_for_or_against(said):
    assert outcomes(said)[1] == "uncertain"
