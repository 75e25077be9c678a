"""The tutorial, followed word for word, with a model that summarises by rules."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

from support.endpoint_replies import Answer, completion
from support.endpoint_server import serving
from support.pages import DOCS, blocks
from support.paths import ROOT

PAGE = DOCS / "tutorial.md"
LISTS = "every file"
"""The words of the prompt without which the model tells little."""
ELSEWHERE = ("python -m pip ", "export ", "git push ", "gh ")
"""Commands that need a network."""
ANSWERING = """
import builtins, sys, types

answers = iter("yny")
sys.stdin = types.SimpleNamespace(isatty=lambda: True)


def answer(question):
    print(f"{question}{(given := next(answers))}")
    return given


builtins.input = answer
from pytest_compaction.cli import main

sys.exit(main(sys.argv[1:]))
"""
_TELLING = re.compile(
    r"\d|[\w.]+/[\w.]+|\b(?:must|never|because|decided|instead|next|error)\b", re.I
)


def answer(asked):
    """A summary of what the request holds, as long as the prompt allows."""
    prompt, log = (message["content"] for message in asked.body["messages"])
    most = int(re.search(r"(\d+) words", prompt)[1])
    sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n", log) if part.strip()]
    if LISTS in prompt:
        sentences = [one for one in sentences if _TELLING.search(one) and len(one) < 300]
    else:
        most //= 8
    words, kept = 0, []
    for sentence in dict.fromkeys(sentences):
        words += max(len(sentence.split()), len(sentence.encode()) // 5)
        if words > most:
            break
        kept.append(f"- {sentence}")
    return Answer(completion("\n".join(kept) or "Nothing was done.", usage=(len(log) // 4, words)))


def follow(folder):
    """Do in an empty folder what the page says; each command with its exit code and its output."""
    done = []
    agent = folder / "my_agent.py"
    identity = {f"GIT_{who}_{what}": "you@example.com" for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")}  # fmt: skip
    with serving(answer) as server:
        own = {"OPENAI_API_KEY": "sk-of-the-tutorial-0123456789", "OPENAI_BASE_URL": server.url}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, **identity, **own, "PATH": path, "PYTHONPATH": str(ROOT)}
        for language, block in blocks(PAGE):
            if language == "python" and block.startswith("# my_agent.py"):
                agent.write_text(block, "utf-8")
            elif language == "python":
                before, _, rest = agent.read_text("utf-8").partition('PROMPT = """')
                after = rest.partition('"""\n')[2]
                agent.write_text(f"{before}{block}{after}", "utf-8")
            for line in block.splitlines() if language == "console" else ():
                if line.startswith(ELSEWHERE):
                    continue
                name, *given = shlex.split(line)
                if name == "pytest-compaction":
                    name, given = sys.executable, ["-c", ANSWERING, *given]
                run = subprocess.run(
                    [name, *given],
                    cwd=folder,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    check=False,
                )
                done.append((line, run.returncode, run.stdout))
    return done


def tutorial_blocks(done):
    """What the page shows of the output of its commands."""
    outputs = [output for _, _, output in done]
    init = next(output for line, _, output in done if " init " in line)
    said = [line for line in init.splitlines() if not re.match(r"  (?:\||\d+ s,)", line)]
    red = next(output for output in outputs if "\nGATE FAILED" in output)
    worse = red[red.index("compaction: worse than") :].splitlines()
    start = next(number for number, line in enumerate(worse) if line.startswith("newly gone"))
    item = next(output for line, _, output in done if " show " in line)
    facts = item[item.index("\nfacts ") + 1 :].split("\n\n")[0]
    return {
        "tutorial-init": "\n".join(_wrapped(said)),
        "tutorial-worse": "\n".join(
            [*worse[1 : start + 6], "…", *_wrapped([red.strip().splitlines()[-1]])]
        ),
        "tutorial-show": facts,
    }


def _wrapped(lines):
    return [part for line in lines for part in textwrap.wrap(line, 80, break_on_hyphens=False)]
