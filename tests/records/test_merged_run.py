"""The shards of a run put together: what one run would have written, or what is wrong."""

import copy
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.two_runs import record

from pytest_compaction.records import MergeError, Run, ShardEnd, ShardPart, figures_of, merge_runs
from pytest_compaction.settings import Shard, shard_of

CASES = ("first", "second", "tenth")
SETTINGS = {
    "compactors": ["anchored"],
    "control": False,
    "dialogues": {"consistency": 0.7},
    "max_unscored": 0,
    "model": "offline",
    "pass_score": 3.5,
    "runs": "runs",
    "store": "store",
    "thresholds": [],
    "trials": 1,
}
UNEVENTFUL = ShardEnd()
BLANK = {"traps": [], "tokens": {}, "compaction": {}, "kind": "recall"}


def item(case, probe, status="passed"):
    return record(case, probe, **BLANK, task="ci", status=status, reason="")


def header(cases):
    return {
        "format": 1,
        "versions": {"pytest": "9", "tiktoken": "1"},
        "settings": copy.deepcopy(SETTINGS),
        "cases": {case: f"digest of {case}" for case in cases},
    }


def run_of(head, records):
    run = Run(head)
    for one in records:
        run.add(one)
    return run


def whole_run(cases, probes=("p", "q")):
    records = [item(case, probe) for case in cases for probe in probes]
    figures = figures_of(records)
    head = header(cases) | ({"figures": figures} if figures else {})
    return run_of(head, records)


def shard_run(whole, index, count, end=UNEVENTFUL):
    """The run of one shard of a whole run."""
    shard = Shard(index, count)
    records = [one for one in whole.records if shard.holds(one["case"])]
    cases = tuple(case for case in whole.header["cases"] if shard.holds(case))
    part = ShardPart(index, count, cases).ended(records, end)
    head = header(whole.header["cases"]) | {"shard": part.as_json()}
    head["settings"]["shard"] = str(shard)
    return run_of(head, copy.deepcopy(records))


def shards_of(whole, count):
    return [(f"{n}.jsonl", shard_run(whole, n, count)) for n in range(1, count + 1)]


@pytest.fixture
def shards():
    """Two shards: the first has the case tenth, the second has the two others."""
    return shards_of(whole_run(CASES), 2)


def refused(shards):
    with pytest.raises(MergeError) as raised:
        merge_runs(shards)
    return list(raised.value.problems)


ids = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=8, unique=True)
counts = st.integers(1, 12)


@given(ids, counts)
def test_every_case_is_in_exactly_one_shard_and_another_case_moves_none(cases, count):
    dealt = [{case for case in cases if Shard(n, count).holds(case)} for n in range(1, count + 1)]
    assert sorted(case for part in dealt for case in part) == sorted(cases)
    fewer = cases[:-1]
    assert [part & set(fewer) for part in dealt] == [
        {case for case in fewer if Shard(n, count).holds(case)} for n in range(1, count + 1)
    ]


def test_the_shard_of_a_case_is_the_same_on_every_machine_and_in_every_version():
    found = {case: [shard_of(case, count) for count in (1, 2, 3, 8)] for case in CASES}
    assert found == {"first": [1, 2, 2, 8], "second": [1, 2, 3, 2], "tenth": [1, 1, 1, 3]}
    assert shard_of("half \udc80", 4) in range(1, 5)


def test_many_cases_are_dealt_evenly():
    dealt = [shard_of(f"case_{number}", 8) for number in range(8000)]
    assert all(900 < dealt.count(index) < 1100 for index in range(1, 9))


@given(ids, counts, st.data())
def test_shards_make_the_whole_run_in_any_order_and_each_as_often_as_it_is_named(
    cases, count, data
):
    whole = whole_run(cases)
    shards = shards_of(whole, count)
    named = data.draw(st.permutations(shards)) + data.draw(st.lists(st.sampled_from(shards)))
    merged = merge_runs(named)
    assert merged.run.header == whole.header
    assert merged.run.records == whole.records
    assert merged.shards == count


@given(ids, st.integers(1, 4), st.data())
def test_whatever_is_taken_away_is_noticed(cases, count, data):
    shards = shards_of(whole_run(cases), count)
    place = data.draw(st.integers(0, count - 1))
    run = shards[place][1]
    if data.draw(st.booleans()):
        del shards[place]
        assume(shards)
    else:
        assume(run.by_item)
        del run.by_item[data.draw(st.sampled_from(sorted(run.by_item)))]
    assert refused(shards)


def test_other_settings_are_refused_but_for_the_places_of_files(shards):
    settings = shards[1][1].header["settings"]
    settings |= {"runs": "elsewhere", "store": "there"}
    assert merge_runs(shards).run.header["settings"] == SETTINGS
    settings |= {"trials": 2, "new": True}
    del settings["thresholds"]
    settings["thresholds"] = ["overall>=1"]
    assert refused(shards) == [
        "1.jsonl and 2.jsonl have other settings: new (not there and True), thresholds ([] and "
        "['overall>=1']), trials (1 and 2); run all shards again in the same way"
    ]


def versions_and_cases(run):
    run.header["versions"]["tiktoken"] = "2"
    run.header["cases"] |= {"first": "changed", "third": "new"}


def selection(run):
    run.header["shard"]["selected"] = ["-k 'first'"]


def stopped(run):
    run.header["shard"]["end"] = None
    del run.by_item["anchored-first-p"], run.by_item["anchored-first-q"]


def lacking(run):
    del run.by_item["anchored-first-p"]


REFUSED = {
    versions_and_cases: [
        "1.jsonl and 2.jsonl have other versions: tiktoken (1 and 2); install the same "
        "on all machines",
        "1.jsonl and 2.jsonl have other cases: first (digest of first and changed), third (not "
        "there and new); run all shards on the same case files",
    ],
    selection: ["1.jsonl and 2.jsonl have another selection: with ( and -k 'first')"],
    stopped: [
        "2.jsonl (shard 2/2) was stopped before all of its items had run: nothing is there of "
        "first; run it again with --compaction-shard=2/2"
    ],
    lacking: [
        "2.jsonl (shard 2/2) holds 1 items of first and its header counts 2; the file was changed "
        "or cut short: copy it again, or run it again with --compaction-shard=2/2"
    ],
}
"""What changes the second shard, and how each sentence of the refusal begins."""


@pytest.mark.parametrize("change", REFUSED, ids=lambda change: change.__name__)
def test_what_does_not_fit_together_is_refused_in_a_sentence_each(shards, change):
    change(shards[1][1])
    found = refused(shards)
    assert len(found) == len(REFUSED[change])
    assert all(map(str.startswith, found, REFUSED[change]))


def test_a_missing_shard_is_named_with_its_cases(shards):
    assert refused(shards[:1]) == [
        "the shard 2/2 is missing, with the cases first, second; name its run file too, or run it "
        "with --compaction-shard=2/2"
    ]
    four = shards_of(whole_run(CASES), 4)
    (empty, _) = refused([four[1], four[3]])
    assert empty.startswith("the shard 1/4 is missing; name")
    assert refused([shards[0], four[1]]) == [
        "1.jsonl and 2.jsonl are shards of 2 and of 4; merge the shards of one run"
    ]


def test_the_same_item_with_other_content_is_refused(shards):
    again = copy.deepcopy(shards[1][1])
    again.by_item["anchored-second-q"]["overall"] = 1.25
    assert refused([*shards, ("again.jsonl", again)]) == [
        "2.jsonl (shard 2/2) and again.jsonl (shard 2/2) hold anchored-second-q with other "
        "content; merge one of the two"
    ]


def test_what_the_tests_of_all_shards_said_is_kept_once():
    whole = whole_run(CASES)
    for one in whole.records:
        if one["probe"] == "p":
            one["status"] = "failed"
    excused = "anchored-first-p"
    ends = [ShardEnd(failures=("a", "b"), snapshots=2), ShardEnd({}, ("b",), (excused,), 1)]
    shards = [(f"{n}.jsonl", shard_run(whole, n, 2, end)) for n, end in enumerate(ends, start=1)]
    merged = merge_runs([*shards, ("again.jsonl", shards[0][1])])
    assert merged.failures == {"a", "b"}
    assert merged.below == {"anchored-second-p", "anchored-tenth-p"}
    assert merged.snapshots == 3


DAMAGE = [
    3,
    None,
    {"index": 1, "count": 1, "cases": [], "dialogues": [], "selected": [], "end": 1},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: re.sub(r"\W+", "-", str(damage)))
def test_a_run_that_is_no_shard_is_refused(shards, damage):
    shards[0][1].header["shard"] = damage
    assert refused(shards) == [
        "1.jsonl is a run without shards; only runs with --compaction-shard=I/N can be merged, "
        "leave it out"
    ]


def test_a_header_without_what_summary_and_gate_need_is_refused(shards):
    del shards[0][1].header["settings"]["pass_score"]
    del shards[1][1].header["settings"]
    assert [problem.partition(" lacks ")[0] for problem in refused(shards)] == [
        "1.jsonl",
        "2.jsonl",
    ]
