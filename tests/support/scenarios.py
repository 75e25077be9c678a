"""Scenarios for pytester: tiny case files, strategies and models, and runs with them."""

import copy
import json
import re

import pytest

from pytest_compaction.conversation import TokenCounter
from pytest_compaction.records import load_run

TokenCounter().text("")

LEFT_OUT = (
    "hypothesispytest",
    "syrupy",
    "anyio",
    "platformdirs",
    "xdist.looponfail",
    "cacheprovider",
    "faulthandler",
    "unraisableexception",
    "threadexception",
    "doctest",
    "legacypath",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
    "subtests",
    "unittest",
)
"""Plugins that a run in a test does without."""
MODULE = "strategies"
PROBES = ("decided", "files", "limit", "next")
"""Ids of the probes of a case, in the order of its file; one of each kind."""

STRATEGIES = '''
"""Strategies that tests name on the command line."""

import os
import time
from pathlib import Path

from pytest_compaction.compactors.base.history import HistoryCompactor, unchanged
from pytest_compaction.compactors.protocol import Traits

LOG = Path(__file__).parent / "calls.log"


def _note(name, messages):
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with LOG.open("a") as log:
        log.write(f"{name} {messages[-1]['content'].split()[-1]} {worker}\\n")


def asked_about(messages):
    """All messages, shorter by what no probe and no dialogue asks about."""
    request = "the retry limit in src/queue.py."
    return [
        {**m, "content": str(m["content"]).replace(request, "it").removesuffix("?")}
        if m["role"] == "user"
        else m
        for m in messages
    ]


def keep(messages, budget):
    """Keeps everything that is asked about."""
    return asked_about(messages)


def same(messages, budget):
    """Compacts nothing."""
    return messages


def larger(messages, budget):
    """Returns the conversation eight times."""
    copies = [{"role": "user", "content": str(m.get("content"))} for m in messages]
    return messages + 7 * copies


def forget(messages, budget):
    """Forgets everything."""
    return [{"role": "user", "content": "Let us go on."}]


def noted(messages, budget, note=""):
    """Keeps everything that is asked about, and takes a note."""
    return asked_about(messages)


def forget_limit(messages, budget):
    """Forgets what the retry limit is."""
    return [m for m in messages if "45" not in str(m.get("content"))]


def counted(messages, budget):
    """Keeps everything that is asked about, and notes each call."""
    _note("counted", messages)
    return asked_about(messages)


def counted_too(messages, budget):
    """Another one that notes its calls."""
    _note("counted_too", messages)
    return asked_about(messages)


def raises(messages, budget):
    """Raises."""
    raise ValueError("the summariser is out of order")


def nothing(messages, budget):
    """Returns None."""


def text(messages, budget):
    """Returns text."""
    return "a summary"


def number(messages, budget):
    """Returns a list of something else."""
    return [3]


def orphan(messages, budget):
    """Leaves a tool result without its call."""
    return [m for m in messages if not m.get("tool_calls")]


def forever(messages, budget):
    """Never returns."""
    time.sleep(3600)


async def forever_async(messages, budget):
    """Never returns, asynchronously."""
    import asyncio

    await asyncio.sleep(3600)


def leaves(messages, budget):
    """Wants to end the process."""
    raise SystemExit(3)


def crashes(messages, budget):
    """Ends the process."""
    if "first" in messages[-1]["content"]:
        os._exit(7)
    return asked_about(messages)


class Fails(HistoryCompactor):
    """Cannot reach its model."""

    name = "fails"
    traits = Traits(needs_model=True)

    async def compact(self, state, context):
        return unchanged(state, "the endpoint is away")


def hostile(messages, budget):
    """Raises with terminal escapes."""
    raise ValueError("\\x1b[2J\\x1b]0;owned\\x07 cleared")


def surrogates(messages, budget):
    """Raises with a lone surrogate."""
    raise ValueError("half \\udc80 a character")
'''

JUDGES = '''
"""Models that a test names on the command line."""

import pytest

from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import (
    AnswerReply, CriterionScore, JudgeReply, ModelError, ReadReply
)
from pytest_compaction.text import Reading


class Judge(OfflineModel):
    def __init__(self, name, decide):
        super().__init__()
        self.name = name
        self._decide = decide

    async def judge(self, request):
        reply = await super().judge(request)
        return self._decide(request, reply)


def refuses(request, reply):
    return JudgeReply(unscored="the reply was no JSON")


def refuses_files(request, reply):
    return refuses(request, reply) if request.kind == "file" else reply


def dead(request, reply):
    raise ModelError("the endpoint http://localhost:9 refused the connection")


def too_high(request, reply):
    return JudgeReply(criteria=(CriterionScore("completeness_coverage", 7.0, "generous"),))


def not_a_number(request, reply):
    return JudgeReply(criteria=(CriterionScore("completeness_coverage", float("nan"), "unsure"),))


def invented(request, reply):
    return JudgeReply(criteria=(CriterionScore("charm", 5.0, "charming"),))


def silent(request, reply):
    return JudgeReply()


def miscounts(request, reply):
    return JudgeReply(reply.criteria, stated=(True, True, True))


def has_a_bug(request, reply):
    return {"criteria": []}[request.kind]


def hostile(request, reply):
    return JudgeReply(unscored="\\x1b[2J\\udc80 gone")


class Mute(OfflineModel):
    name = "mute"

    async def answer(self, request):
        return AnswerReply("")


class Echo(OfflineModel):
    name = "echo"

    async def answer(self, request):
        return AnswerReply("\\x1b[2J\\x1b]0;owned\\x07 \\udc80 " + str(request.view))


class Reads(OfflineModel):
    name = "reads"

    async def read(self, request):
        return ReadReply((Reading("stated", "all of it"),) * len(request.claims))


class Unreachable(OfflineModel):
    name = "unreachable"

    async def answer(self, request):
        raise ModelError("the endpoint http://localhost:9 refused the connection")


ALL = (
    refuses, refuses_files, dead, too_high, not_a_number, invented, silent, miscounts,
    has_a_bug, hostile,
)


def pytest_compaction_models(config):
    judges = {decide.__name__: Judge(decide.__name__, decide) for decide in ALL}
    others = (Mute(), Reads(), Echo(), Unreachable())
    return {**judges, **{each.name: each for each in others}}
'''


def case(id="first", **changes):
    """A case of eight messages, two compaction points and four probes, one of each kind."""
    data = {
        "id": id,
        "task": "debugging",
        "window": 4000,
        "budget": 1000,
        "messages": [
            {"id": "ask", "role": "user", "content": "Raise the retry limit in src/queue.py."},
            {
                "id": "edit",
                "role": "assistant",
                "content": "I set the retry limit to 30 for now.",
                "tool_calls": [
                    {
                        "id": "call-1",
                        "type": "function",
                        "function": {
                            "name": "edit_file",
                            "arguments": json.dumps({"path": "src/queue.py", "content": "30"}),
                        },
                    }
                ],
            },
            {
                "id": "edited",
                "role": "tool",
                "tool_call_id": "call-1",
                "content": "edited src/queue.py",
            },
            {"id": "done", "role": "assistant", "content": "The edit of src/queue.py is done."},
            {
                "id": "again",
                "role": "user",
                "content": "The retry limit must be 45 because the broker restarts slowly.",
            },
            {
                "id": "agreed",
                "role": "assistant",
                "content": "We decided to use 45 because the broker restarts slowly.",
            },
            {
                "id": "plan",
                "role": "assistant",
                "content": "Next step: update docs/retries.md with the new limit.",
            },
            {"id": "end", "role": "user", "content": f"Good, go on with {id}"},
        ],
        "compaction_points": [{"id": "early", "after": "done"}, {"id": "late", "after": "end"}],
        "probes": [
            {
                "id": "limit",
                "kind": "recall",
                "question": "What is the retry limit now?",
                "facts": [{"text": "45", "evidence": ["again", "agreed"]}],
                "traps": [{"text": "the retry limit is 30", "current": "45"}],
            },
            {
                "id": "files",
                "kind": "file",
                "question": "Which files were edited?",
                "point": "early",
                "facts": [
                    {
                        "text": "src/queue.py",
                        "evidence": ["done"],
                        "type": "path",
                        "change": "modified",
                    }
                ],
            },
            {
                "id": "next",
                "kind": "continuation",
                "question": "What is the next step?",
                "facts": [{"text": "docs/retries.md", "evidence": ["plan"], "type": "next_step"}],
            },
            {
                "id": "decided",
                "kind": "decision",
                "question": "Why was 45 chosen as the limit?",
                "facts": [
                    {"text": "the broker restarts slowly", "evidence": ["agreed"], "type": "reason"}
                ],
            },
        ],
    }
    data = copy.deepcopy(data)
    data.update(changes)
    return data


def long_case(id):
    """A case of a few messages that are too much for its budget."""
    data = case(id, budget=300)
    for message in data["messages"]:
        if message["id"] in {"edited", "plan"}:
            message["content"] += "\n" + " ".join(f"{message['id']}{i}" for i in range(200))
    return data


def write_cases(pytester, *cases, folder="cases"):
    """Write each case to a file named after its id; a text is written verbatim."""
    place = pytester.path / folder
    place.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(cases):
        if isinstance(data, str):
            (place / f"text_{number}.json").write_text(data, "utf-8", "surrogatepass")
        else:
            (place / f"{data['id']}.json").write_text(json.dumps(data), "utf-8")
    return place


def set_up(pytester, *ids):
    """Set up a project with strategies, models, and the named cases (``first`` and ``second``)."""
    return set_up_with(pytester, *map(case, ids or ("first", "second")))


def set_up_with(pytester, *cases):
    """Set up a project with strategies, models, and these cases."""
    pytester.makepyfile(**{MODULE: STRATEGIES})
    pytester.makeconftest(JUDGES)
    return write_cases(pytester, *cases)


def own(name, **parameters):
    """The name of a strategy of this module on the command line."""
    return ":".join([f"{MODULE}:{name}", *(f"{k}={v}" for k, v in parameters.items())])


def run(pytester, *arguments, compactor="keep", cache=False, **how):
    """One run in this process."""
    given = [f"--compactor={own(compactor)}"] if compactor else []
    needed = ["cacheprovider"] if cache else []
    return pytester.runpytest_inprocess(*lean(*needed), *given, *arguments, **how)


def lean(*needed):
    """Arguments that switch off everything that these tests are not about, but what is needed.

    Assertions of the run's own modules are not rewritten, and no process collects garbage
    over and over at its end to find exceptions that nobody raised: both take longer than most
    runs. Such exceptions in a run in this process fail the test around it.
    """
    return ["--assert=plain", *(f"-pno:{name}" for name in LEFT_OUT if name not in needed)]


def run_files(pytester):
    """The files of all runs, oldest first."""
    return sorted((pytester.path / ".pytest_compaction" / "runs").glob("*.jsonl"))


def records(pytester):
    """The records of the last run."""
    return load_run(run_files(pytester)[-1])


def last_line(result):
    """The last line of the output that is not empty."""
    return next(line for line in reversed(result.outlines) if line.strip())


def failure(result, item):
    """The text that the run shows for a failed item, without its heading and its worker."""
    lines = result.outlines
    begin = next(i for i, line in enumerate(lines) if f"[{item}] ___" in line) + 1
    end = next(i for i in range(begin, len(lines)) if re.match(r"(___+ |===+ )", lines[i]))
    return [line for line in lines[begin:end] if not line.startswith("[gw")]


def flat(lines):
    """Join lines into one text, so that wrapping does not matter."""
    return " ".join(" ".join(lines).split())


def refused(result):
    """What a run says that was refused before it started."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR, str(result.stdout)
    return flat(result.errlines)


def node_ids(result):
    """The node ids listed by a run with ``--collect-only -q``."""
    return [line for line in result.outlines if re.search(r"::\w+\[", line)]


def ran(result):
    """The parameter ids of the items reported by a run with ``-v``, in order."""
    word = "(?:PASSED|FAILED|UNSCORED|SKIPPED|ERROR)"
    return re.findall(rf"::\w+\[(\S+)\] (?:<- \S+ )?{word}", str(result.stdout))
