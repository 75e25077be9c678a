"""When a text states a fact, and when it falls into a trap."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.builders import any_text, prose, sentences, words

from pytest_compaction.case import Fact, Trap
from pytest_compaction.text import Statement, TextIndex, normalize, segments, stem
from pytest_compaction.text.alternatives import GENERIC_NAMES

LOG = """\
The lease timeout was raised from 30 to 45 seconds in src/lease/queue.py.
We did not keep the Redis lock because it deadlocks; advisory locks replace it.
- `MAX_RETRIES` is now **1,200**
Latency fell to 0.750 s, and the job runs for 90s. See docs/setup/__init__.py and v2.31.4.
"""


def states(text, *forms):
    return TextIndex(text).states(forms)


@pytest.mark.parametrize(
    "form",
    [
        "45 seconds",
        "MAX_RETRIES",
        "max_retries is now 1200",
        "1200",
        "1,200.0",
        "0.75",
        "90",
        "src/lease/queue.py",
        "lease/queue.py",
        "queue.py",
        "/home/me/project/src/lease/queue.py",
        "./src/lease/queue.py",
        "advisory locks replace it",
        "timeout of the lease raised to 45",
        "never keep a Redis lock",
        "v2.31.4",
    ],
)
def test_a_form_that_the_log_says_in_other_words_is_stated(form):
    assert states(LOG, form)


@pytest.mark.parametrize(
    "form",
    [
        "",
        "  ** ",
        "46 seconds",
        "4",
        "5",
        "120",
        "200",
        "75",
        "3.31",
        "31.4",
        "MAX",
        "src/lease/other.py",
        "other/queue.py",
        "eue.py",
        "__init__.py of the package",
        "retries",
        "we kept the database trigger",
        "timeout 1200",
    ],
)
def test_a_form_that_the_log_does_not_say_is_not_stated(form):
    assert not states(LOG, form)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("it takes 5000 ms", "5,000"),
        ("it takes 5,000 ms", "5000"),
        ("it takes 5000.0 ms", "5000"),
        ("the share is 0.50", "0.5"),
        ("it takes 30s", "30"),
        ("at 85% coverage", "85"),
        ("on 127.0.0.1:8080", "8080"),
    ],
)
def test_numbers_are_compared_by_value(text, form):
    assert states(text, form)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("version 1.5", "5"),
        ("version 1.5", "1"),
        ("it takes 1,200 ms", "200"),
        ("it takes 1,005 ms", "5"),
        ("on 10.0.0.7", "7"),
        ("it takes 1.25 s", "1.2"),
        ("id 1234", "123"),
        ("id 1234", "234"),
        ("retries 3, timeout 1.5", "retries 5"),
        ("release v3.12", "12"),
        ("port 80801", "8080"),
    ],
)
def test_a_part_of_a_number_is_not_that_number(text, form):
    assert not states(text, form)


@pytest.mark.parametrize("name", sorted(GENERIC_NAMES))
def test_a_generic_name_does_not_stand_for_a_path(name):
    assert not states(f"changed {name} as well", f"src/app/{name}")
    assert states(f"changed app/{name} as well", f"src/app/{name}")
    assert states(f"changed src/app/{name} as well", f"app/{name}")


def test_a_bare_name_of_its_own_stands_for_the_path():
    assert states("changed ledger_export.py", "src/app/ledger_export.py")
    assert not states("changed my_ledger_export.py", "src/app/ledger_export.py")
    assert not states("changed ledger_export.pyc", "src/app/ledger_export.py")


def test_a_path_suffix_counts_on_component_boundaries_only():
    assert states("in app/run.py", "src/app/run.py")
    assert not states("in xapp/other.py", "app/other.py")
    assert not states("in lib/app/run_fast.py", "app/run.py")


@pytest.mark.parametrize(
    "path", ["app/(group)/index.html", "src/[id]/index.ts", "~/notes/main.go", "@me/pkg/index.js"]
)
def test_a_path_with_signs_that_end_a_token_states_itself(path):
    assert states(f"see {path} there", path)
    assert not states("see other/index.html, index.ts, main.go and index.js", path)


def test_an_alias_counts_like_the_text():
    fact = Fact("forty-five seconds", aliases=("45 s", "45 seconds"))
    assert TextIndex("the lease takes 45 seconds").states(fact.forms)
    assert not TextIndex("the lease takes 46 seconds").states(fact.forms)


@pytest.mark.parametrize("negation", ["do not", "don't", "never", "must not"])
def test_a_negated_form_needs_a_negation(negation):
    form = "do not restart the production worker"
    assert states(f"You {negation} restart the busy production worker!", form)
    assert not states("You restart the busy production worker!", form)


def test_a_negation_in_another_sentence_does_not_count():
    assert not states(
        "Never mind. Restart that production worker.", "never restart the production worker"
    )


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("the timeout", "time"),
        ("time_out", "time"),
        ("reconnect", "connect"),
        ("a parse_rows call", "parse_row"),
        ("TypeErrors", "TypeError was raised here"),
    ],
)
def test_a_part_of_a_word_is_not_that_word(text, form):
    assert not states(text, form)


def test_a_form_in_other_words_needs_each_of_its_words():
    form = "the scheduler prefers idle workers"
    assert states("Idle workers are preferred by some scheduler.", form)
    assert not states("The scheduler prefers workers nearby.", form)


def test_prose_must_stand_in_one_sentence():
    form = "advisory locks replaced the broker"
    assert not states("Advisory locks are nice. The broker was replaced.", form)
    assert states("The broker was replaced by advisory locks.", form)


def test_every_exact_token_of_a_form_is_needed():
    form = "raise the limit to 45 in run_loop"
    assert states("In run_loop the limit was raised to 45.", form)
    assert not states("In run_loop the limit was raised to 46.", form)
    assert not states("In run_all the limit was raised to 45.", form)


def test_a_single_common_word_needs_its_own_form():
    assert not states("the deployments", "deploy")
    assert states("we deploy today", "deploy")


def test_stop_words_alone_state_nothing_but_themselves():
    assert not states("the cache of a queue", "it is what it was")


@pytest.mark.parametrize(
    ("answer", "hit"),
    [
        ("The timeout is 30 seconds.", True),
        ("The timeout was 30 seconds and is 45 seconds now.", False),
        ("The timeout is 45 seconds.", False),
        ("I do not know.", False),
    ],
)
def test_a_trap_is_hit_by_the_stale_value_without_the_current_one(answer, hit):
    trap = Trap("30 seconds", aliases=("30s",), current=("45 seconds",))
    assert trap.hit_by(TextIndex(answer)) is hit


def test_a_trap_without_current_value_is_hit_whenever_stated():
    assert Trap("src/never/touched.py").hit_by(TextIndex("45, and src/never/touched.py"))


def test_an_empty_text_states_nothing():
    index = TextIndex("")
    assert not index.states(["a", "x.py", "5", ""])
    assert not index.states(["a/b.py"])
    assert not index.contains("a")


@given(any_text)
@example("A?")
def test_a_text_states_itself(text):
    assume(normalize(text))
    assert states(text, text)


@given(prose)
def test_a_text_states_each_of_its_sentences(text):
    assert all(states(text, segment) for segment in segments(text))


@given(st.lists(prose, min_size=1, max_size=3).map("\n".join), prose | any_text, st.booleans())
def test_adding_text_never_unstates_a_fact(text, more, in_front):
    longer = f"{more}\n{text}" if in_front else f"{text}\n{more}"
    index, wider = TextIndex(text), TextIndex(longer)
    forms = [text, more, *segments(text), *text.split(), "parse_row now", "do not keep 45"]
    for form in forms:
        assert wider.states([form]) or not index.states([form])


@given(prose, sentences, st.sampled_from([str.upper, str.title, str.lower]))
def test_the_case_of_a_form_does_not_matter(text, form, changed):
    index = TextIndex(text)
    assert index.states([form]) == index.states([changed(form)])


@given(prose, sentences)
def test_white_space_and_markdown_marks_in_the_form_do_not_matter(text, form):
    index = TextIndex(text)
    decorated = "  " + "\t ".join(f"**`{word}`**" for word in form.split()) + "\n"
    assert index.states([form]) == index.states([decorated])


@given(st.lists(words, min_size=1, max_size=12), st.lists(words, min_size=1, max_size=4))
def test_white_space_case_and_markdown_marks_in_the_text_do_not_matter(text, form):
    plain = TextIndex(" ".join(text).lower())
    spaced = TextIndex(" \t ".join(text).upper())
    marked = TextIndex("- " + " ".join(f"**`{word}`**" for word in text))
    found = {index.states([" ".join(form)]) for index in (plain, spaced, marked)}
    assert len(found) == 1


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\u202e", "\ufeff"])
def test_invisible_characters_hide_nothing(hidden):
    assert states(f"the 4{hidden}5 se{hidden}conds", "45 seconds")


def test_a_megabyte_without_white_space_is_indexed():
    assert states("a" * 1_000_000 + " deploy", "deploy")


def test_words_have_the_same_stems_in_many_threads_at_once():
    words = [
        f"{root}{end}"
        for root in ("generation", "relative", "condition", "happiness", "organizer", "travell")
        for end in ("", "ing", "ed", "ly", "ities", "s", "ally")
    ]
    uncached = stem.__wrapped__
    expected = [uncached(word) for word in words]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: [uncached(word) for word in words], range(40)))
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 40


def test_a_fact_without_keys_is_graded_and_has_a_polarity():
    fact = Statement("the scheduler prefers idle workers of the second depot")
    assert TextIndex("The scheduler sits in the first depot.").read(fact).outcome != "stated"
    text = "In the second depot the scheduler prefers workers that are idle."
    assert TextIndex(text).read(fact).outcome == "stated"
    denied = "In the second depot the scheduler does not prefer workers that are idle."
    assert TextIndex(denied).read(fact).outcome == "contradicted"
    assert TextIndex("The depot was painted.").read(fact).outcome == "absent"


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("We keep the Redis lock.", True),
        ("We do not keep the Redis lock.", False),
        ("Do we keep the Redis lock?", False),
        ("It is not the case that we keep the Redis lock.", False),
    ],
)
def test_words_that_stand_there_literally_are_not_stated_where_they_are_denied(text, stated):
    assert states(text, "keep the Redis lock") is stated
