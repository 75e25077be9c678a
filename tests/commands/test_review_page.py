"""The local page of a review, and the answers that it saves."""

import json
import re

import pytest
from support.browser import chromium
from support.proposed import candidate, case, write

from pytest_compaction import cli

HOSTILE = "</script><img src=x onerror='stolen=1'>\x1b[2J\u202e<!--"


def run(*arguments):
    return cli.main(["review", *map(str, arguments)])


@pytest.fixture
def page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    second = candidate(2)
    second["question"] += HOSTILE
    second["facts"][0]["needed"]["act"] = HOSTILE
    write(tmp_path / "case.json", case(title=HOSTILE, proposed=[candidate(1), second]))
    assert run("case.json", "--web") == 0
    assert capsys.readouterr().out == "written: review.html, 2 questions\n"
    return tmp_path / "review.html"


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def answer(page, number, **more):
    question = data_of(page.read_text("utf-8"))["questions"][number]
    return {key: question[key] for key in ("case", "id", "mark")} | more


def test_the_page_holds_the_questions_and_lets_nothing_in(page):
    text = page.read_text("utf-8")
    assert len(re.findall("<script", text)) == 2 and "<img" not in text
    assert "default-src 'none'; script-src 'sha256-" in text
    assert not re.search(r"(?:src|href)=[\"']?(?!x )", text.replace("link.href", ""))
    data = data_of(text)
    assert data["command"] == "pytest-compaction review case.json --answers review-answers.json"
    first, second = data["questions"]
    assert first["facts"][0]["why"] == "needed by m900: edit of a.py, 3 calls later"
    assert first["facts"][0]["evidence"][0]["where"] == "m5 user"
    assert "\\x1b[2J\\u202e" in second["asked"]


@pytest.fixture
def take(page, tmp_path):
    """Take saved answers; the exit code."""

    def run_with(answers):
        text = answers if isinstance(answers, str) else json.dumps({"answers": answers})
        (tmp_path / "a.json").write_text(text, "utf-8")
        return run("case.json", "--answers", "a.json")

    return run_with


def test_saved_answers_are_taken(page, take, tmp_path, capsys):
    edited = answer(page, 1, answer="yes", text="question: What is the second limit?\n"
                    "fact: the limit of src/module_2.py is 102\ntype: value\n"
                    "keys: src/module_2.py + 102\n")  # fmt: skip
    assert take([answer(page, 0, answer="no"), edited]) == 0
    assert capsys.readouterr().out.endswith("1 confirmed, 1 declined; 0 questions left\n")
    made = json.loads((tmp_path / "case.json").read_text("utf-8"))
    assert [each["id"] for each in made["declined"]] == ["limit-1"]
    assert made["probes"][1]["question"] == "What is the second limit?"
    assert made["probes"][1]["facts"][0]["needed"]["confirmed"] is True


def test_answers_that_do_not_fit_are_named_and_the_others_taken(page, take, capsys):
    answers = [
        answer(page, 0, answer="yes", mark="older"),
        answer(page, 1, answer="yes", id="\x1bgone"),
        answer(page, 0, answer="yes", text="fact: x"),
        *[answer(page, 1, answer="no")] * 2,
    ]
    assert take(answers) == 1
    out, err = capsys.readouterr()
    assert "1 declined; 1 question left" in out
    named, gone, shape, twice = err.splitlines()
    assert "limit-1 of small is not taken: it was changed since the page was written" in named
    assert "\\x1bgone of small is not taken: no such question waits" in gone
    assert "limit-1 of small is not taken: there is no line question:" in shape
    assert "limit-2 of small is not taken: no such question waits" in twice


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "expected valid JSON"),
        ("[]", "/answers is no list"),
        ('{"answers": [{"case": "a", "id": "x", "mark": "y", "answer": "maybe"}]}', "answers/0"),
        ('{"answers": [{"case": ["a"], "id": "x", "mark": "y", "answer": "no"}]}', "answers/0"),
        ('{"answers": ' + "[" * 100_000, "nesting too deep"),
    ],
)
def test_a_file_that_is_none_of_answers_is_refused(take, tmp_path, capsys, text, reason):
    before = (tmp_path / "case.json").read_bytes()
    assert take(text) == 1
    assert reason in capsys.readouterr().err
    assert (tmp_path / "case.json").read_bytes() == before


def test_the_page_is_never_written_over_a_case(page, tmp_path):
    before = (tmp_path / "case.json").read_bytes()
    with pytest.raises(SystemExit):
        run("case.json", "--web", "-o", "case.json")
    assert (tmp_path / "case.json").read_bytes() == before


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_keys_answer_and_the_answers_can_be_saved(page, tmp_path, theme):
    from selenium.webdriver.common.keys import Keys

    with chromium() as browser:
        folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
        browser.driver.execute_cdp_cmd("Page.setDownloadBehavior", folder)
        browser.open(page, size=(420, 800), theme=theme)
        assert browser.ask("document.documentElement.scrollWidth") <= 420
        dark = browser.ask(
            "parseInt(getComputedStyle(document.body).backgroundColor.slice(4)) < 128"
        )
        assert dark == (theme == "dark")
        browser.press("n", "j", "k", "y", "k", "u", "k", "n", "e")
        browser.press(Keys.CONTROL, Keys.END)
        browser.press("\nkeys: src/module_2.py + 102", Keys.ESCAPE, "k")
        assert browser.text("#count") == "2 of 2 answered"
        browser.click("#save")
        browser.until("!document.getElementById('next').hidden")
        assert browser.ask("window.stolen === undefined")
        assert browser.complaints() == []
        assert [url for url in browser.requests() if not url.startswith(("file:", "blob:"))] == []
    saved = json.loads((tmp_path / "review-answers.json").read_text("utf-8"))["answers"]
    assert [each["answer"] for each in saved] == ["no", "yes"]
