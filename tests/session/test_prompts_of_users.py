"""``NAME:prompt=FILE`` and ``NAME:instruction=``: what is sent, shown, recorded and refused.

Also the hash and the text of the prompts that come with the strategies.
"""

import json

import pytest
from support.builders import build_case
from support.pages import DOCS, arguments, commands
from support.paths import CASES
from support.scenarios import own, records, run, set_up, write_cases
from support.stub_endpoint import long_case

from pytest_compaction.compactors import Registry, parse_spec
from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.compactors.told import _found
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models import (
    WORDS_FILE,
    Archive,
    SummaryRequest,
    digest_of,
    frame,
    read_prompt_file,
)
from pytest_compaction.models.chat.summary import asked_for, read_summary

MODEL = "--compaction-model=gpt-4o-mini"
PROMPT = "Say what was done, and to which files. At most $words words."


@pytest.fixture
def measure(pytester, endpoint):
    """A run over one long case, and the requests for summaries that it made."""
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    (pytester.path / "new.md").write_text(PROMPT)

    def measured(*arguments):
        result = run(pytester, "--compaction-over-budget=report", *arguments, compactor=None)
        bodies = [endpoint.bodies[digest]["messages"] for digest in endpoint.calls]
        asked = [body for body in bodies if "Say what was done" in json.dumps(body)]
        return result, asked

    return measured


def summarised(pytester):
    """The view after the last compaction."""
    views = [path.read_text("utf-8") for path in pytester.path.rglob("views/*.json")]
    return next(view for view in views if "Summary of the earlier part" in view)


def test_a_prompt_replaces_the_text_and_the_reply_stands_as_it_was_written(measure, pytester):
    result, asked = measure("--compactor=anchored:prompt=new.md", MODEL)
    [[system, user]] = asked
    assert system["content"].startswith("You keep the notes")
    assert user["content"].startswith("Say what was done, and to which files. At most ")
    assert "$words" not in user["content"]
    assert "Messages:\n<<< messages" in user["content"]
    assert "## Session intent" not in user["content"]
    [digest] = {record["hashes"]["summary_prompt"] for record in records(pytester).records}
    result.stdout.fnmatch_lines([f"*anchored:prompt=new.md: prompt new.md ({digest})*"])
    [said] = records(pytester).header["settings"]["prompts"]
    assert said.pop("replaced").startswith("You keep the notes")
    assert said == {
        "strategy": "anchored:prompt=new.md",
        "digest": digest,
        "file": "new.md",
        "user": PROMPT,
    }
    view = summarised(pytester)
    assert "The retry limit is 45" in view
    assert "## Session intent" not in view
    events = records(pytester).records[0]["compaction"]["events"]
    [event] = [each for each in events if "prompt_tokens" in each]
    fixed = TokenCounter().text(f"{system['content']}\n{user['content'].partition('Messages:')[0]}")
    assert 0 <= event["prompt_tokens"] - fixed <= 5


def test_the_page_shows_the_prompt(measure, pytester):
    (pytester.path / "new.md").write_text(f"{PROMPT} <b>Copy names.</b>")
    given = "--compactor=anchored:prompt=new.md:instruction=briefly"
    measure(given, MODEL, "--compaction-report=page.html")
    page = (pytester.path / "page.html").read_text("utf-8")
    assert "What anchored:prompt=new.md:instruction=briefly tells the model" in page
    assert f"<pre>{PROMPT} &lt;b&gt;Copy names.&lt;/b&gt;</pre>" in page
    assert "<p>Instruction: briefly</p>" in page


def test_the_prompt_of_a_strategy_is_in_header_records_and_page(measure, pytester):
    named = "--compactor=anchored,regenerate,truncate"
    result, _ = measure(named, MODEL, "--compaction-report=page.html")
    run = records(pytester)
    digests = {each["strategy"]: each["digest"] for each in run.header["settings"]["prompts"]}
    assert digests.keys() == {"anchored", "regenerate"}
    assert len(set(digests.values())) == 2
    shown = ", ".join(f"{name} {digest}" for name, digest in digests.items())
    result.stdout.fnmatch_lines([f"*prompts of the strategies: {shown}"])
    found = {r["compactor"]: r["hashes"].get("summary_prompt") for r in run.records}
    assert found == {**digests, "truncate": None}
    page = (pytester.path / "page.html").read_text("utf-8")
    assert f"What anchored tells the model ({digests['anchored']})" in page
    assert "\n## Session intent\nWhat the user wants" in page
    assert "What truncate tells the model" not in page


def test_rules_are_told_nothing(pytester):
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    options = ("--compaction-over-budget=report", "--compaction-model=offline")
    result = run(pytester, "--compactor=anchored", *options, compactor=None)
    result.stdout.no_fnmatch_line("*prompts of the strategies*")
    assert "prompts" not in records(pytester).header["settings"]
    assert not any("summary_prompt" in each["hashes"] for each in records(pytester).records)


STRATEGIES = ["anchored", "regenerate", "claude-code", "codex:mode=local", "roo", "pi", "opencode"]


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_recorded_words_answered_the_prompt_that_is_told(name):
    asked = Registry().prompts(parse_spec(name))
    recorded = Archive(CASES / WORDS_FILE).manifest.strategies[name]
    assert digest_of(each.digest for each in asked) == recorded.digest


def test_each_strategy_that_asks_the_model_of_the_run_tells_its_prompt():
    registry = Registry()
    specs = [parse_spec(name) for name in registry.names() if name != "external"]
    for spec in specs:
        traits = registry.traits(spec)
        asks = traits.needs_model and not (traits.opaque or traits.by_server)
        assert bool(registry.prompts(spec)) == asks, spec.text


def test_a_file_with_a_line_of_dashes_replaces_the_system_message_too(measure, pytester):
    (pytester.path / "new.md").write_text("Be brief.\n---\nSay what was done in $messages")
    _, asked = measure("--compactor=anchored:prompt=new.md", MODEL)
    [[system, user]] = asked
    assert system == {"role": "system", "content": "Be brief."}
    assert user["content"].count("<<< messages") == 1


def test_a_prompt_that_asks_for_the_headings_is_read_by_them(measure, pytester):
    (pytester.path / "new.md").write_text("Say what was done:\n$sections")
    measure("--compactor=anchored:prompt=new.md", MODEL)
    view = summarised(pytester)
    assert "## Session intent" in view


def test_two_prompts_are_two_strategies_named_by_their_files(measure, pytester):
    (pytester.path / "old.md").write_text("Say what was done in one sentence.")
    names = ["anchored:prompt=old.md", "anchored:prompt=new.md"]
    _, asked = measure(f"--compactor={','.join(names)}", MODEL)
    assert len(asked) == 2
    found = {r["compactor"]: r["hashes"]["summary_prompt"] for r in records(pytester).records}
    assert sorted(found) == sorted(names)
    assert len(set(found.values())) == 2


def test_the_prompt_of_the_package_is_sent_and_its_analysis_is_no_part_of_the_notes(measure):
    own = "pytest --compactor=anchored,anchored:prompt=one-shot.md --compaction-model=gpt-4o-mini"
    shown = next(each for each in commands(DOCS / "prompts.md") if each.startswith(own))
    result, _ = measure(*arguments(shown))
    result.stdout.fnmatch_lines(["*anchored:prompt=one-shot.md: prompt one-shot.md (*"])
    prompt = frame().with_text(read_prompt_file(_found("one-shot.md"), "one-shot.md"))
    request = SummaryRequest(build_case().messages, SECTIONS, 300)
    asked = asked_for(request, prompt, 200)
    user = asked.messages[1]["content"]
    assert user.index("## Session intent") < user.index("[user] The nightly report is late.")
    reply = f"<analysis>\nIt was 30.\n</analysis>\n## {SECTIONS[0].title}\n- The limit is 45\n"
    summary = read_summary(reply, request, asked, prompt, TokenCounter().text)
    assert dict(summary.entries) == {SECTIONS[0].id: ("The limit is 45",)} | {
        section.id: () for section in SECTIONS[1:]
    }


def test_a_prompt_in_a_composition_belongs_to_its_part(measure):
    _, asked = measure("--compactor=anchored:prompt=new.md+truncate", MODEL)
    assert len(asked) == 1


def test_a_function_that_asks_the_model_takes_a_prompt(measure, pytester):
    pytester.makepyfile(
        mine="""
        async def compact(messages, budget, model):
            text = await model.summarize(messages)
            return [*messages[:1], {"role": "user", "content": text}]
        """
    )
    _, asked = measure("--compactor=mine:compact:prompt=new.md", MODEL)
    assert asked


def test_an_instruction_is_sent_with_the_request(measure, endpoint):
    measure('--compactor=anchored:instruction="keep the retry limit"', MODEL)
    sent = json.dumps(list(endpoint.bodies.values()))
    assert "Above all: keep the retry limit" in sent


def test_a_product_whose_command_takes_no_instruction_says_so(measure, endpoint):
    result, _ = measure('--compactor=roo:instruction="keep the retry limit"', MODEL)
    result.stdout.fnmatch_lines(["*takes no instruction, so that instruction= has no effect*"])
    assert "keep the retry limit" not in json.dumps(list(endpoint.bodies.values()))


def test_a_prompt_that_holds_facts_of_the_cases_is_told_of(measure, pytester):
    [fact] = long_case("first")["probes"][-1]["facts"]
    (pytester.path / "new.md").write_text(f"Say what was done. {fact['text']}.")
    result, _ = measure("--compactor=anchored:prompt=new.md", MODEL)
    result.stdout.fnmatch_lines(["*its prompt names 1 fact of the cases*first: *"])


@pytest.mark.parametrize(
    ("given", "model", "said"),
    [
        ("anchored:prompt=new.md", (), "rules write the summaries and read no prompt; name one"),
        (
            "anchored:prompt=new.md",
            ("--compaction-check",),
            "rules write the summaries and read no",
        ),
        ("anchored:instruction=brief", (), "anchored:instruction=brief: prompt= and instruction="),
        ("anchored:prompt=none.md", (MODEL,), "the prompt none.md cannot be read: No such file"),
        ("anchored:prompt=odd.md", (MODEL,), "names $message, which nothing fills; the placehol"),
        ("anchored:prompt=odd.md", (MODEL,), "$messages (the conversation as one text)"),
        ("anchored:prompt=sign.md", (MODEL,), "write $$ for the sign itself"),
        ("anchored:prompt=empty.md", (MODEL,), "the prompt empty.md is empty"),
        ("truncate:prompt=new.md", (MODEL,), "it asks the model of the run for no summary"),
        ("openai-compact:prompt=new.md", (MODEL,), "its endpoint writes the summary"),
        ("light:prompt=new.md", (MODEL,), "it reads the notes back by their headings, and new.md"),
        (f"{own('keep')}:prompt=new.md", (MODEL,), "it asks the model of the run for no summary"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_the_run(pytester, given, model, said):
    set_up(pytester, "first")
    for name, text in {
        "new.md": PROMPT,
        "odd.md": "Sum up $message",
        "sign.md": "It costs $5",
        "empty.md": " \n",
    }.items():
        (pytester.path / name).write_text(text)
    result = run(pytester, f"--compactor={given}", *model, compactor=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said.replace('[', '[[]')}*"])
