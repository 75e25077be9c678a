"""The badge: a score, the colour of the gate, a title for those who do not see it, no injection."""

from xml.etree import ElementTree

import pytest
from support.finished import HOSTILE, finished, gated, several

from pytest_compaction.reports.files import badge

SVG = "{http://www.w3.org/2000/svg}"


def drawn(run):
    """The title, the two texts and the colour of the right half."""
    root = ElementTree.fromstring(badge(run))
    assert root.tag == f"{SVG}svg"
    title = root.find(f"{SVG}title").text
    assert root.get("role") == "img"
    assert root.get("aria-label") == title
    texts = tuple(each.text for each in root.iter(f"{SVG}text"))
    return title, texts, [each.get("fill") for each in root.iter(f"{SVG}rect")][1]


def test_a_badge_is_drawn_as_it_was(snapshot):
    assert badge(gated(*several("anchored", 4.0, 4.22), holds=True)) == snapshot


def test_a_run_without_a_gate_shows_its_score():
    title, texts, color = drawn(finished(*several("anchored", 4.0, 4.22)))
    assert title == "compaction: anchored 4.11 of 5"
    assert texts == ("compaction", "4.11 of 5")
    assert color == "#1f5f99"


@pytest.mark.parametrize(
    ("holds", "word", "color"), [(True, "passed", "#2b6e2f"), (False, "failed", "#a8201a")]
)
def test_the_gate_decides_the_colour(holds, word, color):
    title, _, found = drawn(gated(*several("anchored", 4.0), holds=holds))
    assert title == f"compaction: anchored 4.00 of 5, gate {word}"
    assert found == color


def test_of_several_strategies_the_first_that_competes_is_named():
    records = [*several("none", 5.0), *several("window", 1.0), *several("mine", 3.0)]
    title, texts, _ = drawn(finished(*records, *several("truncate", 4.0)))
    assert title == "compaction: mine 3.00 of 5"
    assert texts == ("compaction", "mine 3.00 of 5")


def test_a_run_without_a_score_says_so():
    assert drawn(finished(*several("anchored", None)))[1] == ("compaction", "no score")
    title, texts, color = drawn(finished())
    assert (title, texts, color) == ("compaction: no score", ("compaction", "no score"), "#555")


def test_a_gate_that_nothing_could_meet_is_red():
    _, texts, color = drawn(finished(*several("anchored", None), outcome="failed"))
    assert (texts[1], color) == ("no score", "#a8201a")


def test_a_hostile_name_is_text():
    svg = badge(finished(*several(HOSTILE, 1.0), *several("other", 1.0)))
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert "<script>alert(1)" in drawn(finished(*several(HOSTILE, 1.0)))[0]
    assert svg.encode("utf-8")


def test_a_longer_text_takes_more_room():
    widths = [
        int(
            ElementTree.fromstring(badge(finished(*several(name, 1.0), *several("b", 1.0)))).get(
                "width"
            )
        )
        for name in ("a", "aaaa", "漢字漢字")
    ]
    assert widths == sorted(set(widths))
