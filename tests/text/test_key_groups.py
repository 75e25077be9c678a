"""Whether a text states, contradicts or leaves uncertain a statement with key groups."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text import Statement, TextIndex


def statement(text, *groups, against=(), change=None):
    keys = tuple(tuple(group.split("|")) for group in groups)
    return Statement(text, keys=keys, counterparts=tuple(against), change=change)


def outcome(fact, text):
    return TextIndex(text).read(fact).outcome


LEASE_30 = statement("the lease takes 30 seconds", "lease|LEASE_SECONDS", "30 seconds")
LEASE = statement(
    "the lease takes 45 seconds", "lease|LEASE_SECONDS", "45 seconds", against=[LEASE_30]
)
LIMIT_12 = statement("the limit is 12", "limit", "12")
LIMIT_15 = statement("the limit is 15", "limit", "15")
POLL_30 = statement("the poll takes 30 seconds", "poll", "30 seconds")
ONCE = statement(
    "the stress run had no double lease",
    "stress",
    "no double lease|0 leased more than once|none leased twice",
)
NO_RETRY = statement("the worker is not retried", "worker", "not retried|never retried|no retry")
DEADLOCK = statement("the Redis lock was rejected because it deadlocks", "Redis", "deadlock")
REJECTED = statement("the Redis lock was rejected", "Redis", "rejected|ruled out|not used")
ADVISORY = statement("advisory locks are used", "advisory lock")
CHOSEN = statement("advisory locks are used instead of Redis", "advisory lock", "Redis")


@pytest.mark.parametrize(
    "text",
    [
        "The lease is 45 s.",
        "LEASE_SECONDS = 45",
        "`leaseSeconds`: 45",
        "Leases last forty-five seconds.",
        "a 45-second lease",
        "It takes 45 seconds until a lease runs out.",
        "The lease was raised from 30 to 45 seconds.",
        "The lease was 30 seconds, now 45 seconds.",
        "lease: 30 s → 45 s",
        "The lease takes 45 seconds instead of 30.",
        "- lease timeout:\n  - 45 seconds",
        "## Lease\n\n- default: 45 seconds",
        "| name | value |\n|---|---|\n| lease | 45 s |",
        "-LEASE_SECONDS = 30\n+LEASE_SECONDS = 45",
        "The poll takes 30 seconds, the lease 45 seconds.",
    ],
)
def test_a_value_is_stated_in_whatever_form_with_the_word_that_says_whose_it_is(text):
    assert outcome(LEASE, text) == "stated"


@pytest.mark.parametrize(
    "text",
    [
        "The lease is 30 seconds.",
        "The lease is 30 seconds, not 45.",
        "The lease was lowered from 45 to 30 seconds.",
        "The lease is no longer 45 but 30 seconds.",
        "-LEASE_SECONDS = 45\n+LEASE_SECONDS = 30",
        "The lease was never 45 seconds.",
    ],
)
def test_the_counterpart_or_a_negation_in_its_place_contradicts(text):
    assert outcome(LEASE, text) == "contradicted"


@pytest.mark.parametrize("text", ["", "The lease was renewed.", "45 seconds later it stopped."])
def test_what_is_not_said_is_absent(text):
    assert outcome(LEASE, text) == "absent"


def test_the_value_of_another_subject_in_the_same_sentence_does_not_count():
    text = "The lease takes 45 seconds, the poll 5 seconds and the start 30 seconds."
    assert outcome(LEASE, text) == "stated"
    assert outcome(POLL_30, text) != "stated"


@pytest.mark.parametrize(
    ("text", "newer", "older"),
    [
        ("The limit is no longer 15 but 12.", "stated", "contradicted"),
        ("The limit is 12 instead of 15.", "stated", "contradicted"),
        ("The limit is 12 rather than 15.", "stated", "contradicted"),
        ("The limit was lowered from 15 to 12.", "stated", "contradicted"),
        ("limit: 15 -> 12", "stated", "contradicted"),
        ("The limit was 15, now it is 12.", "stated", "contradicted"),
        ("The limit used to be 15, now it is 12.", "stated", "contradicted"),
        ("Limit 15 replaced by 12.", "stated", "contradicted"),
        ("The limit 15 was rejected.", "absent", "contradicted"),
        ("Formerly the limit was 15.", "absent", "contradicted"),
        ("The limit isn't 15.", "absent", "contradicted"),
        ("It is not the case that the limit is 15.", "absent", "contradicted"),
        ("It is false that the limit is not 15.", "absent", "stated"),
        ("not: the limit is 15", "absent", "contradicted"),
        ("Should we set the limit to 15?", "absent", "uncertain"),
        ("If the limit were 15, two tests would fail.", "absent", "uncertain"),
        ("The limit might be 15.", "absent", "uncertain"),
        ("## Open questions\n- limit 15", "absent", "uncertain"),
        ("Rejected:\n- limit 15", "absent", "contradicted"),
    ],
)
def test_polarity_decides_which_of_two_values_stands(text, newer, older):
    assert (outcome(LIMIT_12, text), outcome(LIMIT_15, text)) == (newer, older)


@pytest.mark.parametrize(
    ("fact", "text", "expected"),
    [
        (ONCE, "The stress run had no double lease.", "stated"),
        (ONCE, "Stress run: 40 workers, 0 leased more than once.", "stated"),
        (ONCE, "The stress run had a double lease.", "contradicted"),
        (ONCE, "It is not true that the stress run had no double lease.", "contradicted"),
        (NO_RETRY, "We did not retry the worker.", "stated"),
        (NO_RETRY, "The worker is retried.", "contradicted"),
        (NO_RETRY, "It is false that the worker is not retried.", "contradicted"),
        (DEADLOCK, "We did not keep the Redis lock because it deadlocks.", "stated"),
        (DEADLOCK, "Rejected: the Redis lock, because it deadlocks.", "stated"),
        (DEADLOCK, "The Redis lock does not deadlock.", "contradicted"),
        (REJECTED, "## Rejected\n- Redis lock", "stated"),
        (REJECTED, "We did not use Redis.", "stated"),
        (REJECTED, "Redis was not rejected.", "contradicted"),
        (CHOSEN, "Advisory locks are used instead of Redis.", "stated"),
        (CHOSEN, "It is not true that advisory locks are used instead of Redis.", "contradicted"),
        (ADVISORY, "Advisory locks were not used.", "contradicted"),
        (ADVISORY, "Advisory locks were replaced by Redis.", "contradicted"),
        (ADVISORY, "Replaced Redis with advisory locks.", "stated"),
        (ADVISORY, "Redis was not kept; advisory locks are used.", "stated"),
    ],
)
def test_a_negation_counts_for_what_it_reaches(fact, text, expected):
    assert outcome(fact, text) == expected


def test_negation_words_of_an_error_message_belong_to_it():
    error = statement("the import failed", "queue.py", "cannot import name Lease|file not found")
    assert outcome(error, "queue.py: ImportError: cannot import name Lease") == "stated"
    assert outcome(error, "Running queue.py ended in 'file not found'.") == "stated"


COMMITTED = statement("all is committed, nothing pushed", "committed", "not pushed|nothing pushed")
FROZEN = statement("m001 is frozen, since eleven machines ran it", "m001", "frozen", "11 machines")
UNDONE = statement("the user undid the port of a_b.ts", "a_b.ts", "undid|undo|revert")


@pytest.mark.parametrize(
    ("fact", "text", "expected"),
    [
        (LEASE, "The lease was too short. It is 45 seconds now.", "stated"),
        (LEASE, "- The lease was too short.\n- Now 45 seconds.", "absent"),
        (COMMITTED, "Working tree clean, all committed; nothing has been pushed.", "stated"),
        (COMMITTED, "Nothing has been pushed. All is committed.", "stated"),
        (COMMITTED, "All is committed; it has been pushed.", "contradicted"),
        (COMMITTED, "Nothing is committed; nothing has been pushed.", "contradicted"),
        (FROZEN, "Frozen: m001 to m003. All 11 machines have run them.", "stated"),
        (FROZEN, "Frozen: m004. All 11 machines have run it.", "absent"),
        (UNDONE, "The first port of `a_b.ts` was broken; the user reverted it.", "stated"),
        (LIMIT_12, "The limit is 15 rather than 12. Another page says 12.", "contradicted"),
    ],
)
def test_groups_may_stand_in_neighbouring_clauses_of_one_passage(fact, text, expected):
    assert outcome(fact, text) == expected


def test_stated_anywhere_beats_contradicted_elsewhere():
    assert outcome(LEASE, "The lease is 30 seconds.\n\nThe lease is 45 seconds.") == "stated"


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ("theme before style", "the theme precedes the style", "stated"),
        ("theme before style", "the style comes after the theme", "stated"),
        ("theme before style", "the style comes before the theme", "absent"),
        ("a.py -> b.py", "a.py was renamed to b.py", "stated"),
        ("a.py -> b.py", "b.py (formerly a.py)", "stated"),
        ("a.py -> b.py", "b.py was renamed to a.py", "absent"),
        ("option 3", "we take option 3", "stated"),
        ("option 3", "there are 3 options", "absent"),
    ],
)
def test_an_alternative_with_a_direction_or_label_asks_for_its_order(asked, text, expected):
    assert outcome(statement("order", asked), text) == expected


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        ("created", "Created `src/app/queue.py`.", "stated"),
        ("created", "## Files created\n- src/app/queue.py: the queue", "stated"),
        ("created", "- src/app/queue.py (new)", "stated"),
        ("created", "The queue was written to src/app/queue.py.", "stated"),
        ("created", "write_file src/app/queue.py", "stated"),
        ("created", "bash touch src/app/queue.py", "stated"),
        ("created", "src/app/queue.py", "uncertain"),
        ("created", "We should create src/app/queue.py.", "uncertain"),
        ("created", "read_file src/app/queue.py", "uncertain"),
        ("created", "Added a check to src/app/queue.py.", "contradicted"),
        ("created", "src/app/queue.py was not created.", "contradicted"),
        ("modified", "Added a check to src/app/queue.py.", "stated"),
        ("modified", "- **src/app/queue.py**\n  - Added a check", "stated"),
        ("modified", "edit_file src/app/queue.py", "stated"),
        ("modified", "bash sed -i 's/a/b/' src/app/queue.py", "stated"),
        ("modified", "Deleted src/app/queue.py.", "contradicted"),
        ("deleted", "bash git rm src/app/queue.py", "stated"),
        ("deleted", "queue.py was removed.", "stated"),
        ("deleted", "queue.py holds the queue.", "uncertain"),
        ("deleted", "bash rm -rf src/app", "stated"),
        ("deleted", "bash git rm -r src", "stated"),
        ("deleted", "Removing src/", "stated"),
        ("deleted", "bash rm -rf src/application", "absent"),
        ("renamed", "bash git mv src/app library", "stated"),
        ("renamed", "bash git mv src/app/queue.py src/app/lease.py", "stated"),
        ("renamed", "Renamed queue.py to lease.py.", "stated"),
        ("read", "bash cat src/app/queue.py", "stated"),
        ("read", "Looked at queue.py.", "stated"),
        ("read", "src/app/other.py", "absent"),
    ],
)
def test_a_path_needs_what_happened_to_it(change, text, expected):
    fact = statement("what happened to the queue", "src/app/queue.py", change=change)
    assert outcome(fact, text) == expected


def test_a_reading_says_which_clause_and_words_decided_and_why():
    reading = TextIndex("Notes.\n\nThe lease is no longer 45 seconds.").read(LEASE)
    assert reading.clause == "The lease is no longer 45 seconds."
    assert "45 seconds" in reading.words
    assert reading.why == 'negated by "no longer"'
    reading = TextIndex("The lease is 30 s.").read(LEASE)
    assert reading.why == 'the counterpart "the lease takes 30 seconds" stands instead'


FACTS = (LEASE, LIMIT_12, ONCE, NO_RETRY, DEADLOCK, ADVISORY, POLL_30)
SENTENCES = (
    "The lease was raised from 30 to 45 seconds in the queue of the second depot on Monday.",
    "The limit is no longer 15 but 12, since the tablet hangs upright on the wall of the kitchen.",
    "The stress run with forty workers had no double lease in any of the runs of that night.",
    "The worker is not retried after its third failure, whatever the supervisor says about it.",
    "We did not keep the Redis lock because it deadlocks when two of the depots start at once.",
    "Advisory locks are used for all of the claims that the second depot makes in the night.",
    "The poll takes 30 seconds and the start of a worker is slower than anybody expected here.",
    "The lease is 30 seconds in the old branch that nobody has touched since the last release.",
    "Nothing else was changed in the settings of the supervisor or in those of the two depots.",
)
some_sentences = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6, unique=True)


def outcomes(text):
    index = TextIndex(text)
    return [index.read(fact).outcome for fact in FACTS]


@given(some_sentences, st.integers(70, 90))
def test_wrapping_does_not_matter(chosen, width):
    paragraphs = "\n\n".join(chosen)
    wrapped = "\n\n".join(textwrap.fill(sentence, width) for sentence in chosen)
    assert outcomes(wrapped) == outcomes(paragraphs)


@given(some_sentences)
def test_wrapped_bullets_read_as_bullets(chosen):
    bullets = [f"- {sentence}" for sentence in chosen]
    wrapped = [textwrap.fill(bullet, 76, subsequent_indent="  ") for bullet in bullets]
    assert outcomes("\n".join(wrapped)) == outcomes("\n".join(bullets))


@given(some_sentences)
def test_bullets_joined_by_semicolons_state_what_bullets_do(chosen):
    parts = [sentence.rstrip(".") for sentence in chosen]
    apart = outcomes("\n".join(f"- {part}" for part in parts))
    joined = outcomes("; ".join(parts))
    assert [one == "stated" for one in joined] == [one == "stated" for one in apart]


@given(some_sentences, st.sampled_from(["- ", "* ", "1. ", "> ", "  - ", ""]))
def test_bullet_marks_do_not_matter(chosen, mark):
    plain = "\n\n".join(chosen)
    assert outcomes("\n\n".join(mark + sentence for sentence in chosen)) == outcomes(plain)


@given(some_sentences, st.sampled_from(["`", '"', "**", "'"]))
def test_quotation_marks_and_backticks_do_not_matter(chosen, mark):
    text = "\n\n".join(chosen)
    marked = text
    for word in ("45", "12", "Redis", "worker", "lease"):
        marked = marked.replace(f" {word} ", f" {mark}{word}{mark} ")
    assert outcomes(marked) == outcomes(text)


@given(some_sentences, st.sampled_from([" ", "  ", "\t", " \u00a0"]))
def test_white_space_does_not_matter(chosen, space):
    text = "\n\n".join(chosen)
    assert outcomes(text.replace(" ", space)) == outcomes(text)


@given(some_sentences.flatmap(lambda chosen: st.tuples(st.just(chosen), st.permutations(chosen))))
def test_the_order_of_sentences_does_not_matter_for_what_is_stated(pair):
    first, second = (outcomes(" ".join(chosen)) for chosen in pair)
    assert [one == "stated" for one in first] == [one == "stated" for one in second]


@pytest.mark.parametrize(
    "negated", ["It is not the case that {}", "It is false that {}", "not: {}"]
)
@given(chosen=some_sentences)
def test_negating_every_sentence_states_nothing_that_was_stated(negated, chosen):
    before = outcomes("\n".join(f"- {sentence}" for sentence in chosen))
    after = outcomes("\n".join(f"- {negated.format(sentence)}" for sentence in chosen))
    assert all(now != "stated" for was, now in zip(before, after, strict=True) if was == "stated")


@pytest.mark.parametrize("sentence", ["The lease is 46 seconds.", "The house is 45 metres high."])
def test_a_question_touches_only_the_sentences_that_hold_its_rarest_group(sentence):
    index = TextIndex("\n\n".join([*(sentence for _ in range(2_000)), "A lease of 45 seconds."]))
    assert index.read(LEASE).outcome == "stated"
    assert index.touched <= 3
