"""What is fetched again after a compaction, and at the far points that it is held against."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.artifacts import SessionCall
from pytest_compaction.metrics import (
    FAR,
    HORIZONS,
    LOOKBACK,
    MOST_POINTS,
    POLLING,
    after_compactions,
    change_between,
    far_points,
    held_against,
    repeated,
)


def look(request="read a", result="text of a", files=("/r/a.py",), **more):
    return SessionCall("look", request, result, 100, files, **more)


def command(request="make", result="done", **more):
    return SessionCall("command", request, result, 10, (), in_shell=True, **more)


def change(*files):
    return SessionCall("change", "edit", "edited", 5, files or ("/r/other.py",))


def other(number=0):
    return SessionCall("other", f"think {number}")


def pause(number):
    return [other(each) for each in range(number)]


def is_repeated(*calls):
    """Whether the last call fetches the first one again, a call of another kind after it."""
    return repeated([*calls, other()])[len(calls) - 1] == 0


@pytest.mark.parametrize(
    ("second", "is_again"),
    [
        pytest.param(look(), True, id="the same read"),
        pytest.param(look("read a, lines 1 to 9"), False, id="another range"),
        pytest.param(look(result="text of a, new"), False, id="changed by someone else"),
        pytest.param(look(result=""), False, id="no answer"),
    ],
)
def test_the_same_request_with_the_same_result_is_fetched_again(second, is_again):
    assert is_repeated(look(), second) is is_again
    assert not is_repeated(look(result=""), look(result=""))


@pytest.mark.parametrize(
    ("looked_at", "changed"),
    [
        ("/r/a.py", "/r/a.py"),
        ("a.py", "/r/a.py"),
        ("/r/a.py", "a.py"),
        ("/r", "/r/a.py"),
        ("/w/r/src", "src/a.py"),
        ("src", "/w/src/deep/a.py"),
    ],
)
def test_what_changed_since_is_not_fetched_again(looked_at, changed):
    first = look(files=(looked_at,))
    assert not is_repeated(first, change(changed), first)
    assert is_repeated(first, change("/q/b.py"), first)


def test_a_look_that_names_no_file_depends_on_every_file_and_a_change_may_be_of_any():
    search = look("grep x", files=())
    assert is_repeated(search, *pause(1), search)
    assert not is_repeated(search, change(), search)
    assert not is_repeated(look(), SessionCall("change", "git checkout ."), look())


def test_tests_and_builds_after_an_edit_are_not_fetched_again():
    apart = pause(POLLING)
    assert is_repeated(command(), *apart, command())
    assert not is_repeated(command(), *apart, change(), command())


def test_a_command_repeated_at_short_distance_watches_something():
    assert not is_repeated(command(), *pause(POLLING - 1), command())
    assert is_repeated(command(), *pause(POLLING), command())
    assert is_repeated(look(), look())  # a file is not watched
    assert is_repeated(look(in_shell=True), look(in_shell=True))
    status = look("git status", files=(), in_shell=True)
    assert not is_repeated(status, status)


READ_B = look("read b", "text of b", ("/r/b.py",))
EDIT = change("/r/a.py")


@pytest.mark.parametrize(
    ("later", "demanded"),
    [
        pytest.param([EDIT], True, id="at once"),
        pytest.param([READ_B, command(), *pause(30), EDIT], True, id="later in the turn"),
        pytest.param([change("a.py")], True, id="by its relative path"),
        pytest.param([change("/r/b.py")], False, id="of another file"),
        pytest.param([change("/q/a.py"), look()], False, id="of a file of that name"),
        pytest.param([look("read a, lines 1 to 9", "line"), EDIT], False, id="after another read"),
        pytest.param([replace(EDIT, turn=1)], False, id="after the user spoke"),
        pytest.param([SessionCall("change", "git checkout .")], False, id="of no named file"),
    ],
)
def test_a_read_is_demanded_if_the_next_call_on_the_file_in_that_turn_edits_it(later, demanded):
    found = repeated([look(), *pause(2), look(), *later])
    assert found[3] == (None if demanded else 0)


def test_of_two_reads_before_an_edit_the_last_is_demanded():
    assert repeated([look(), look(), look(), READ_B, EDIT]) == [None, 0, None, None, None]


def test_what_was_shown_again_since_the_compaction_counts_once():
    calls = [look(), *pause(5), look(), *pause(2), look(), other()]
    (after,) = after_compactions(calls, [6])
    assert (after.fetched[10].after.calls, after.fetched[10].after.again) == (2, 1)
    assert after.fetched[10].after.token_share == 0.5


def test_the_calls_counted_end_at_the_next_compaction():
    calls = [look(), *pause(2), look("read b"), look(), other()]
    first, second = after_compactions(calls, [3, 4])
    assert (first.fetched[40].after.calls, first.fetched[40].after.again) == (1, 0)
    assert (second.fetched[40].after.calls, second.fetched[40].after.again) == (1, 1)


def test_two_compactions_in_a_row_count_once():
    first, second = after_compactions([look(), other(), look(), other()], [2, 2])
    assert first.fetched[10].after.share is None
    assert second.fetched[10].after.share == 1


def test_what_is_too_long_ago_is_no_repetition_here_or_elsewhere():
    calls = [look(), *pause(LOOKBACK), look(), other()]
    (after,) = after_compactions(calls, [LOOKBACK + 1])
    assert after.fetched[10].after.again == 0
    (after,) = after_compactions(calls[:1] + calls[2:], [LOOKBACK])
    assert after.fetched[10].after.again == 1


def test_a_control_repeats_as_often_as_any_stretch_of_the_session():
    calls = [look(f"read {number % 20}", files=()) for number in range(400)]
    (after,) = after_compactions(calls, [200])
    for horizon in HORIZONS:
        held = after.fetched[horizon]
        assert held.points == MOST_POINTS
        assert held.elsewhere.calls == MOST_POINTS * horizon
        assert held.after.share == held.elsewhere.share


def test_no_far_point_leaves_nothing_to_hold_against():
    (after,) = after_compactions([look()] * (FAR + min(HORIZONS)), [5])
    assert [held.points for held in after.fetched.values()] == [0, 0]
    assert after.fetched[10].elsewhere.share is None
    assert after.before_work_elsewhere is None


def test_a_point_with_less_behind_it_than_the_compaction_is_no_control():
    (after,) = after_compactions([look()] * 75, [60])
    assert after.fetched[10].points == 0  # those before call 50 could repeat fewer calls
    first, second = after_compactions([look()] * 95, [20, 60])
    assert first.fetched[10].points == 11 + 6  # 40 to 50, and 80 to 85
    assert second.fetched[10].points == 6


def idle():
    return SessionCall("idle", "to-do list")


@pytest.mark.parametrize(
    ("later", "calls"),
    [
        pytest.param([look(), look(), change()], 2, id="a change"),
        pytest.param([look(), command("make"), command("new")], 2, id="a command not run before"),
        pytest.param([idle(), look(), other("new")], 2, id="another act"),
        pytest.param([command("make"), other(0), change()], 2, id="what was done before"),
        pytest.param([look(), look(), idle()], None, id="the session ended first"),
        pytest.param([look()] * 60, max(HORIZONS), id="too late"),
    ],
)
def test_calls_before_new_work(later, calls):
    (after,) = after_compactions([command("make"), other(0), *later], [2])
    assert after.before_work == calls


def test_a_command_run_too_long_ago_is_new_work():
    calls = [command("make"), *[idle()] * LOOKBACK, command("make")]
    (after,) = after_compactions(calls, [LOOKBACK + 1])
    assert after.before_work == 0
    (after,) = after_compactions(calls[:1] + calls[2:], [LOOKBACK])
    assert after.before_work is None


def test_calls_before_new_work_are_held_against_those_elsewhere():
    calls = [look(), command("make"), change()] * 60
    (after,) = after_compactions(calls, [30])
    assert after.before_work == 2
    # A point may lie within them.
    assert after.before_work_elsewhere == pytest.approx(1, abs=0.1)


KINDS = st.sampled_from(["look", "command", "change", "other", "idle"])
CALLS = st.lists(
    st.builds(
        SessionCall,
        KINDS,
        st.sampled_from("abc"),
        st.sampled_from(["", "x", "y"]),
        st.integers(0, 50),
        st.lists(st.sampled_from(["/r/a", "/r/b", "a", "/r"]), max_size=2).map(tuple),
        st.integers(0, 20),
        st.booleans(),
    ),
    max_size=120,
)


@given(CALLS, st.data())
def test_figures_hold_for_any_calls(calls, data):
    places = sorted(data.draw(st.lists(st.integers(0, len(calls)), max_size=5)))
    found = repeated(calls)
    for number, before in enumerate(found):
        if before is not None:
            one, again = calls[before], calls[number]
            assert before < number
            assert one.request == again.request
            assert one.result == again.result != ""
            assert one.fetches
            assert again.fetches
    after = after_compactions(calls, places)
    assert len(after) == len(places)
    for each in after:
        for horizon, held in each.fetched.items():
            assert 0 <= held.after.again <= held.after.calls <= horizon
            assert 0 <= held.after.tokens_again <= held.after.tokens
            assert 0 <= held.elsewhere.again <= held.elsewhere.calls <= horizon * held.points
            assert held.points <= MOST_POINTS
        assert each.before_work is None or 0 <= each.before_work <= max(HORIZONS)


@given(CALLS, st.data())
def test_calls_after_the_next_compaction_change_nothing_after_the_first(calls, data):
    first = data.draw(st.integers(0, len(calls)))
    second = data.draw(st.integers(first, len(calls)))
    whole = after_compactions([*calls, other()], [first, second])[0]
    more = after_compactions([*calls, other(), look(), change()], [first, second])[0]
    assert [held.after for held in whole.fetched.values()] == [
        held.after for held in more.fetched.values()
    ]


@given(
    st.integers(0, 120),
    st.lists(st.integers(0, 120), max_size=5),
    st.sampled_from(HORIZONS),
)
def test_far_points_are_far_and_none_is_missing(total, places, horizon):
    places = sorted(min(place, total) for place in places)

    def is_far(point):
        before = [place for place in places if place <= point]
        after = [place for place in (*places, total) if place >= point]
        started = not before or point - before[-1] >= FAR
        return started and after[0] - point >= horizon

    found = far_points(total, places, horizon)
    assert found == [point for point in range(total + 1) if is_far(point)]


# --- over sessions --------------------------------------------------------------------------


def test_a_difference_is_a_mean_over_compactions_with_its_interval_over_sessions():
    pairs = {f"s{number}": [(0.3, 0.1), (0.1, 0.1)] for number in range(6)}
    held = held_against(pairs)
    assert held.after.value == pytest.approx(0.2)
    assert held.elsewhere.value == pytest.approx(0.1)
    assert held.difference.value == pytest.approx(0.1)
    assert held.difference.interval == pytest.approx((0.1, 0.1))
    assert (held.difference.count, held.difference.cases) == (12, 6)


def test_a_few_sessions_have_no_interval():
    assert held_against({"s": [(0.3, 0.1)]}).difference.interval is None
    assert held_against({}) is None


def test_the_change_between_two_periods():
    old = {f"s{number}": [(0.1 + number / 100, 0.1)] for number in range(4)}
    new = {f"s{number}": [(0.4 + number / 100, 0.1)] for number in range(4)}
    value, (low, high) = change_between(old, new)
    assert value == pytest.approx(0.3)
    assert 0.2 < low < 0.3 < high < 0.4
    assert change_between(old, {}) is None


def simulated(random, forgets, earliest=50, left=50, horizon=10):
    """A session of looks at 40 files, some twice, and a compaction that may make it forget."""
    place = random.randrange(earliest, earliest + 60)
    asked = [random.randrange(40) for _ in range(place + left)]
    if forgets:
        for number in range(place, place + 10, 2):
            asked[number] = asked[number - 20]
    calls = [look(f"read {file}", f"text {file}", (f"/r/{file}.py",)) for file in asked]
    (after,) = after_compactions(calls, [place])
    held = after.fetched[horizon]
    return held.after.share, held.elsewhere.share


def held_of(*how, seed=11):
    """300 simulated sessions, held against themselves."""
    random = Random(seed)
    found = [simulated(random, *how) for _ in range(300)]
    pairs = {f"s{n:03}": [pair] for n, pair in enumerate(found) if pair[1] is not None}
    assert len(pairs) > 100
    return held_against(pairs)


@pytest.mark.parametrize(("left", "horizon"), [(3, 10), (10, 40), (20, 40)])
def test_a_short_rest_of_a_session_is_held_against_stretches_as_short(left, horizon):
    low, high = held_of(False, 170, left, horizon).difference.interval
    assert low <= 0 <= high


@pytest.mark.parametrize("forgets", [False, True])
def test_the_difference_is_0_where_nothing_is_forgotten(forgets):
    held = held_of(forgets, seed=7)
    low, high = held.difference.interval
    assert held.elsewhere.value > 0.3  # things are looked at twice without forgetting
    assert high - low < 0.1
    assert (low > 0) is forgets
    assert high > 0
