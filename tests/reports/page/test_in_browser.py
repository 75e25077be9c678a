"""The page in Chromium: filters, keys, links, marks, themes, sizes, and that nothing leaves it."""

import json
from urllib.parse import quote, urlencode

import pytest
from support.browser import PHONE, SHEET, chromium
from support.page_runs import HOSTILE, LIMIT, SHOWN, write_small_run

from pytest_compaction.records import load_run
from pytest_compaction.reports.page.page import page_of
from pytest_compaction.reports.page.runs import PageRun

pytestmark = pytest.mark.browser

ITEM = "#item=anchored%2Flease%2Flimits"
FAILURES = "#item=anchored%2Flease%2Ffailures"


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def write_page(target, runs):
    target.write_text(page_of(runs), "utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    path = write_small_run(folder)
    target = folder / "out.html"
    write_page(target, [PageRun("small", load_run(path), folder)])
    return target


@pytest.fixture(autouse=True)
def quiet(browser):
    """No part of the page has anything to complain of, and none asks for anything."""
    browser.complaints()
    browser.requests()
    yield
    assert browser.complaints() == []
    outside = [
        url for url in browser.requests() if not url.startswith(("file:", "about:", "data:"))
    ]
    assert outside == []
    assert browser.ask("window.stolen === undefined")


def rows(browser):
    return len(browser.texts("#rows tr[data-item]"))


def seen(browser, selector):
    """Whether an element stands within what its scrolling box shows."""
    return browser.ask(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return false;"
        "const a = e.getBoundingClientRect(), b = e.closest('.messages').getBoundingClientRect();"
        "return a.top >= b.top && a.bottom <= b.bottom; })()"
    )


def test_filters_narrow_the_list_and_stand_in_the_address(browser, page):
    browser.open(page, "#items")
    assert rows(browser) == 8
    browser.choose("strategy", "anchored")
    assert rows(browser) == 3
    browser.choose("kind", "file")
    assert rows(browser) == 1
    assert browser.text("#count").startswith("1 of 8 items")
    assert browser.ask("location.hash") == "#items?strategy=anchored&kind=file"
    browser.open(page, "#items?outcome=unscored")
    assert rows(browser) == 1
    browser.open(page, "#items?text=E1042")
    assert rows(browser) == 2
    browser.open(page, "#items?task=writing&case=hostile")
    assert rows(browser) == 2
    browser.open(page, "#items?text=nowhere")
    assert "No item matches" in browser.text("#rows")


def test_a_link_to_an_item_opens_it(browser, page):
    browser.open(page, ITEM)
    assert browser.text("#item-title") == "What is known of limits?"
    assert browser.ask("document.activeElement.id") == "item-title"
    assert "anchored/lease/limits" in browser.ask("document.title")
    browser.open(page, "#item=gone/gone/gone")
    assert "not in this run" in browser.text("#count")


def test_a_fact_is_marked_in_the_log_and_in_the_view_and_scrolled_to(browser, page):
    browser.open(page, ITEM)
    assert LIMIT in browser.text(".log mark.fate-s")
    assert LIMIT in browser.text(".view mark.fate-s")
    assert "fact 1, survived" in browser.ask("document.querySelector('.view mark').textContent")
    (unused,) = browser.texts(".view mark.fate-u")
    assert unused.split("\n") == ["2", "fact 2, unused:", "src/lease/queue.py was modified."]
    browser.click('.fact[data-fact="0"]')
    assert browser.ask("document.querySelector('.fact').getAttribute('aria-pressed')") == "true"
    assert seen(browser, ".log mark.on")
    assert seen(browser, ".view mark.on")
    assert browser.text("#said") == "fact 1, survived; log: m1; view: summary"


def test_a_dropped_fact_deep_in_a_long_message_is_scrolled_to(browser, page):
    browser.open(page, FAILURES)
    assert "E1042" not in browser.text(".log")
    browser.press("1")
    assert "ERROR E1042: lease expired at worker 7" in browser.text(".log mark.fate-d.on")
    assert seen(browser, ".log mark.on")
    assert "not found in the view" in browser.text("#said")
    assert "dropped" in browser.text(".fact")
    assert "can be read again" in browser.text(".fact")


def test_what_the_strategy_wrote_stands_out_from_what_was_said(browser, page):
    browser.open(page, ITEM)
    kinds = browser.ask("[...document.querySelectorAll('.view .message')].map(e => e.className)")
    assert kinds == ["message kept", "message made", "message changed", "message kept"]
    assert "written by the strategy" in browser.text(".view .made header")
    assert "masked or cut" in browser.text(".view .changed header")
    back = "getComputedStyle(document.querySelector('.view .message.{}')).backgroundColor"
    assert browser.ask(back.format("kept")) != browser.ask(back.format("made"))
    kinds = browser.ask("[...document.querySelectorAll('.log .message')].map(e => e.className)")
    assert kinds == [
        *("message kept", "message gone", "message gone", "message changed"),
        *("message gone", "message gone", "message kept"),
    ]
    assert "7 messages, 1 later not shown" in browser.text(".log > header")


def test_keys_go_to_the_next_item_and_back_to_the_list(browser, page):
    browser.open(page, "#items?strategy=anchored")
    browser.press("j")
    assert browser.ask("document.activeElement.textContent") == "What is known of failures?"
    from selenium.webdriver.common.keys import Keys

    browser.press(Keys.ENTER)
    assert browser.text("#item-title") == "What is known of failures?"
    browser.press("j")
    browser.until("document.querySelector('.crumbs .place').innerText === '2 of 3'")
    browser.press(Keys.ARROW_RIGHT)
    browser.until("document.querySelector('.crumbs .place').innerText === '3 of 3'")
    browser.press("j")
    assert browser.text(".crumbs .place") == "3 of 3"
    browser.press("k")
    browser.until("document.querySelector('.crumbs .place').innerText === '2 of 3'")
    browser.press(Keys.ESCAPE)
    browser.until("!document.getElementById('part-items').hidden")
    assert browser.ask("location.hash") == "#items?strategy=anchored"
    assert browser.ask("document.activeElement.closest('tr') !== null")
    browser.press("/")
    browser.press("j")
    assert browser.ask("document.activeElement.value") == "j"


def test_the_verdict_and_the_answer_are_shown(browser, page):
    browser.open(page, FAILURES)
    assert browser.text(".response") == "The answer of anchored."
    assert "missing: E1042" in browser.text(".criteria")
    assert "1 of 2 facts dropped" in browser.text(".verdict")
    assert "p2 compacted 1,000 → 100 tokens, full again after 6 messages" in browser.text(".events")
    assert "truncate" in browser.text(".siblings")


def test_a_compaction_says_its_calls_seconds_and_tokens(browser, page):
    browser.open(page, ITEM)
    (said,) = browser.texts(".event-list li")
    assert "1,000 → 100 tokens" in said
    assert "2 calls of a model, 3.3 s, 1,900 tokens read, 160 written" in said


def test_nuggets_and_the_order_of_events_stand_in_the_verdict(browser, tmp_path):
    def by_nuggets(found):
        if found["overall"] is None:
            return
        found |= {"criteria": [], "score": found["overall"] / 5}
        found["nuggets"] = [{"text": "the lease <b>", "score": 0.5, "reasoning": "a part of it"}]
        found["ordering"] = dict.fromkeys(("precision", "recall", "f1", "order", "product"), 0.5)

    path = write_small_run(tmp_path, change=by_nuggets)
    write_page(tmp_path / "out.html", [PageRun("small", load_run(path), tmp_path)])
    browser.open(tmp_path / "out.html", FAILURES)
    shown = browser.text(".criteria")
    assert ("0.50" in shown, "the lease <b>" in shown, "a part of it" in shown) == (True,) * 3
    assert "Order of events: precision 0.50, recall 0.50, f1 0.50," in browser.text(".verdict")


@pytest.mark.parametrize("part", ["#overview", "#items", "#item", "#changes"])
def test_hostile_texts_are_shown_as_text(browser, page, part):
    address = part
    if part == "#item":
        address = f"#item={quote('anchored/hostile/evil')}"
    browser.open(page, address)
    assert browser.ask("document.querySelectorAll('main img, main script').length") == 0
    body = browser.text(f"#part-{part[1:]}")
    if part == "#item":
        for each in SHOWN:
            assert each in body, each
            for pane in (".log", ".view", ".response", ".verdict", "#item-title"):
                assert each in browser.text(pane), (pane, each)
        assert browser.ask("document.querySelectorAll('.log mark').length") > 0
    elif part != "#overview":
        assert SHOWN[0] in body
    assert "\u202e" not in body
    assert "49" not in body


def test_changes_show_facts_lost_with_links_to_both_items(browser, page):
    browser.open(page, "#changes?from=anchored&to=truncate")
    assert "facts of the view: 3 lost, 0 gained" in browser.text("#difference")
    first = browser.text("#changed tr")
    assert first.startswith("−4.00")
    assert "the retry limit is 45 seconds" in first
    links = browser.ask(
        "[...document.querySelectorAll('#changed tr:first-child a')].map(a => a.hash)"
    )
    assert links == [ITEM, "#item=truncate%2Flease%2Flimits"]
    browser.open(page, "#changes?from=truncate&to=anchored")
    assert "0 lost, 3 gained" in browser.text("#difference")


def test_two_runs_of_one_strategy_are_compared_first(browser, tmp_path):
    def worse(each):
        if each["overall"] is not None and each["case"] == "lease":
            scores = each["dimensions"]
            each["overall"] -= 0.25
            each["criteria"] = []
            scores |= {name: score - 0.25 for name, score in scores.items() if score is not None}

    runs = []
    for name, change in (("main", None), ("branch", worse)):
        (folder := tmp_path / name).mkdir()
        runs.append(PageRun(name, load_run(write_small_run(folder, change=change)), folder))
    target = tmp_path / "both.html"
    write_page(target, runs)
    browser.open(target, "#changes")
    chosen = "[...document.querySelectorAll('#pair select')].map(e => e.selectedOptions[0].text)"
    before, after = browser.ask(chosen)
    assert before.endswith("& &amp; (main)")
    assert after.endswith("& &amp; (branch)")
    query = urlencode({"from": "anchored (main)", "to": "anchored (branch)"})
    browser.open(target, f"#changes?{query}")
    assert browser.ask(chosen) == ["anchored (main)", "anchored (branch)"]
    assert browser.texts("#changed tr td.change") == ["−0.25\nworse"] * 2
    browser.click("#changed tr td[data-head=to] a")
    assert browser.text(".over").startswith("anchored (branch)")
    assert browser.text(".log mark") is not None


@pytest.mark.parametrize("address", ["#overview", "#items", ITEM, "#changes"])
@pytest.mark.parametrize(("media", "size"), [("", PHONE), ("print", SHEET)], ids=["phone", "print"])
def test_nothing_stands_outside_of_a_narrow_page(browser, page, address, media, size):
    browser.open(page, address, size, media=media)
    assert browser.ask("document.documentElement.scrollWidth") <= size[0]


def test_a_printed_item_has_its_whole_panes(browser, page):
    browser.open(page, ITEM, media="print")
    heights = (
        "[...document.querySelectorAll('.messages')].map(e => e.scrollHeight - e.clientHeight)"
    )
    assert browser.ask(heights) == [0, 0]
    assert browser.ask("getComputedStyle(document.querySelector('.crumbs')).display") == "none"


def luminance(colour):
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(", ")]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


CONTRASTS = """
(() => {
  const back = (e) => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor; if (!c.startsWith('rgba(')) return c; } };
  const found = [];
  for (const e of document.querySelectorAll('main :not(svg *), header.top *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    const box = e.getBoundingClientRect();
    if (own && box.width && !e.closest('[hidden], .unseen, [aria-disabled]'))
      found.push([getComputedStyle(e).color, back(e), e.className || e.tagName]);
  }
  return found;
})()
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("address", ["#overview", "#items", ITEM, FAILURES, "#changes"])
def test_text_has_enough_contrast_in_both_themes(browser, page, theme, address):
    """Source: W3C, "Web Content Accessibility Guidelines 2.2" (2023), 1.4.3: at least 4.5."""
    browser.open(page, address, theme=theme)
    found = browser.ask(CONTRASTS.strip())
    assert len(found) > 10
    for colour, back, where in found:
        low, high = sorted((luminance(colour), luminance(back)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (where, colour, back)


def test_the_theme_can_be_chosen(browser, page):
    browser.open(page, theme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = browser.ask(paper)
    browser.click("#theme")
    assert browser.text("#theme") == "Theme: light"
    browser.click("#theme")
    assert browser.text("#theme") == "Theme: dark"
    dark = browser.ask(paper)
    browser.click("#theme")
    assert browser.ask(paper) == light
    browser.open(page, theme="dark")
    assert browser.ask(paper) == dark != light


NAMELESS = """
[...document.querySelectorAll(
  'button, a, input, select, nav, section, table.list, [role=region], [role=group]')]
  .filter(e => e.offsetParent && !(
    document.getElementById(e.getAttribute('aria-labelledby'))?.innerText
    || e.getAttribute('aria-label') || e.labels?.length
    || (e.matches('a, button') && e.innerText.trim())))
  .map(e => e.outerHTML)
"""


@pytest.mark.parametrize("address", ["#overview", "#items", ITEM, "#changes"])
def test_every_control_and_region_has_a_name(browser, page, address):
    browser.open(page, address)
    assert browser.ask(NAMELESS.strip()) == []
    headings = browser.ask(
        "[...document.querySelectorAll('h1')].filter(e => e.offsetParent).length"
    )
    assert headings == 1


def test_a_run_without_texts_shows_the_rest_of_an_item(browser, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    path = write_small_run(there)
    target = tmp_path / "old.html"
    write_page(target, [PageRun("old", load_run(path), tmp_path)])
    browser.open(target, ITEM)
    assert "are not there" in browser.text(".panes")
    assert browser.text(".response") == "The answer of anchored."
    browser.press("1")
    assert browser.text("#said") == "fact 1, survived"
    assert HOSTILE[:9] not in browser.text("#item-title")
