"""The page as a file: nothing in it ends an element or leaves it, and it is whole or not there."""

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import record
from support.page_runs import HOSTILE, write_small_run

from pytest_compaction.folders import write_whole
from pytest_compaction.records import Run, finite, load_run
from pytest_compaction.reports.page.page import inert_json, page_of
from pytest_compaction.reports.page.runs import PageRun


class Parts(HTMLParser):
    """The scripts, styles and tags of a page, as a browser tells them apart."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.styles, self.tags, self.attributes = [], [], [], []
        self.policy = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        given = dict(attrs)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]

    def handle_data(self, data):
        if self.tags[-1:] == ["script"]:
            self.scripts.append(data)
        elif self.tags[-1:] == ["style"]:
            self.styles.append(data)

    def handle_endtag(self, tag):
        if tag in {"script", "style"}:
            self.tags.append(f"/{tag}")


@pytest.fixture
def small(tmp_path):
    path = write_small_run(tmp_path)
    return PageRun("small", load_run(path), tmp_path)


@pytest.fixture
def text(small):
    return page_of([small])


def data_of(text):
    return json.loads(Parts(text).scripts[0])


def block_of(text, case=0):
    return json.loads(zlib.decompress(base64.b64decode(data_of(text)["blocks"][case])))


def test_the_policy_lets_in_this_script_and_this_style_alone(text):
    parts = Parts(text)
    assert len(parts.scripts) == 2
    assert len(parts.styles) == 1
    for source, content in (("script-src", parts.scripts[1]), ("style-src", parts.styles[0])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in parts.policy.split("; ")
    assert parts.policy.startswith("default-src 'none'; ")
    assert "unsafe" not in parts.policy


def test_the_page_names_no_place_outside_of_itself(text):
    parts = Parts(text)
    names = {"src", "srcset", "action", "data", "poster", "background", "style"}
    assert not [found for found in parts.attributes if found[1] in names or found[1][:2] == "on"]
    links = {value for _, name, value in parts.attributes if name == "href"}
    assert links and all(link.startswith("#") for link in links)
    assert not {"link", "img", "iframe", "object", "form/action"} & set(parts.tags)
    code = parts.scripts[1] + parts.styles[0]
    assert not re.search(r"https?:|url\(|@import|innerHTML|outerHTML|document\.write|eval\(", code)


def test_what_a_case_says_stays_text(text):
    assert "<img src=x" not in text
    assert "<script>window" not in text
    assert text.count("<script") == text.count("</script") == 2
    assert "\u202e" not in text
    assert "49" not in [probe["question"] for probe in data_of(text)["probes"]]


def test_data_comes_back_as_it_was(text, small):
    data = data_of(text)
    assert {probe["question"] for probe in data["probes"]} >= {HOSTILE}
    assert len(data["items"]) == len(small.run.records)
    block = block_of(text, [case["id"] for case in data["cases"]].index("lease"))
    assert [message["id"] for message in block["log"]["messages"]] == [f"m{n}" for n in range(8)]
    shapes = {tuple(sorted(message)) for view in block["views"].values() for message in view}
    assert shapes == {("id", "origin", "role"), ("id", "origin", "role", "text")}
    outcomes = Counter(item["outcome"] for item in data["items"])
    assert outcomes == {"passed": 1, "below": 5, "unscored": 1, "error": 1}
    assert page_of([small]) == text, "the same run gives the same bytes"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_json_in_a_page_is_inert_and_whole(data):
    text = inert_json(data)
    assert not set("<>&\u2028\u2029") & set(text)
    assert text.isascii()
    assert json.loads(text) == finite(data)


def test_two_runs_of_one_strategy_are_told_apart(tmp_path, small):
    other = PageRun("later", small.run, tmp_path)
    labels = [arm["label"] for arm in data_of(page_of([small, other]))["arms"]]
    assert len(set(labels)) == len(labels) == 6
    assert {"anchored (small)", "anchored (later)"} <= set(labels)
    twins = [arm["label"] for arm in data_of(page_of([small, small]))["arms"]]
    assert len(set(twins)) == 6


def test_runs_that_cannot_be_compared_are_said(tmp_path, small):
    header = {**small.run.header, "settings": {"model": "gpt-5"}}
    other = PageRun("later", Run(header, small.run.by_item), tmp_path)
    text = page_of([small, other])
    assert "cannot be compared: the model differs: " in text
    assert "cannot be compared" not in page_of([small, PageRun("later", small.run, tmp_path)])


def test_what_a_file_lacks_is_said_without_its_folder(tmp_path):
    path = write_small_run(tmp_path)
    path.write_text(path.read_text("utf-8") + '{"item": "torn', "utf-8")
    text = page_of([PageRun("small", load_run(path), tmp_path)])
    assert "0001-small.jsonl:10 is cut short; the whole lines before it are used." in text
    assert str(tmp_path) not in text


def test_long_messages_are_cut_when_the_page_would_be_too_large(tmp_path):
    noise = "".join(hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(3000))
    from support import page_runs

    path = write_small_run(tmp_path)
    log = [(id, role, noise + body if id == "m3" else body) for id, role, body in page_runs.LOG]
    page_runs.write_log(tmp_path, page_runs.CASE, "lease", log, "m6")
    run = PageRun("small", load_run(path), tmp_path)
    whole = page_of([run])
    most = len(whole) - 50_000
    smaller = page_of([run], most)
    assert len(smaller) < most
    assert "messages are cut to" not in whole
    (said,) = re.findall(r"messages are cut to ([\d,]+) characters; ([\d,]+) characters", smaller)
    messages = {m["id"]: m for m in block_of(smaller, 1)["log"]["messages"]}
    assert len(messages["m3"]["text"]) == int(said[0].replace(",", ""))
    assert messages["m3"]["cut"] == int(said[1].replace(",", "")) > 0
    assert "cut" not in messages["m1"]
    none = page_of([run], 1)
    assert "they are too large for one page" in none
    assert block_of(none, 1)["log"] is None


def test_a_run_without_texts_says_so_and_shows_the_rest(tmp_path):
    (there := tmp_path / "there").mkdir()
    text = page_of([PageRun("old", load_run(write_small_run(there)), tmp_path)])
    assert "The texts of logs and views are not there" in text
    assert "truncate" in text


@pytest.mark.parametrize(
    "records",
    [
        [],
        [record("a")],
        [record("a", status="unscored", overall=None, dimensions={})],
        [{"item": "i", "compactor": "c", "case": "k", "probe": "p", "trial": 1}],
        [
            record("a", overall=float("nan")),
            record("b", "q", dimensions={"accuracy": float("nan")}),
        ],
        [{**record("a"), "type": "dialogue"}],
    ],
    ids=["empty", "one case", "unscored", "bare", "nan", "dialogue"],
)
def test_a_poor_run_still_makes_a_page(records):
    run = Run({"format": 1}, {each["item"]: each for each in records})
    text = page_of([PageRun("poor", run)])
    assert text.endswith("</html>\n")
    data_of(text)
    if len(records) == 1 and "overall" in records[0] and "type" not in records[0]:
        assert "95 % intervals: none with fewer than 6 cases." in text


def test_an_item_has_its_nuggets_and_the_order_of_events(tmp_path):
    nuggets = [{"text": "the lease", "score": 0.5, "reasoning": "a part of it"}]
    order = {"precision": 1.0, "recall": 0.5, "f1": 0.67, "order": 0.9, "product": 0.6}
    judged = record("talk", score=0.6, nuggets=nuggets, ordering=order)
    run = Run({"format": 1}, {each["item"]: each for each in [judged, record("talk", "q")]})
    items = block_of(page_of([PageRun("long", run, tmp_path)]))["items"]
    assert (items["0"]["nuggets"], items["0"]["ordering"]) == (nuggets, order)
    assert "nuggets" not in items["1"]


def test_an_interrupted_page_leaves_the_one_before(tmp_path, small, monkeypatch):
    target = tmp_path / "pages" / "out.html"
    target.parent.mkdir()
    target.write_text("before")

    def interrupted(self, other):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, page_of([small]).encode())
    assert target.read_text() == "before"
    assert list(target.parent.iterdir()) == [target]
