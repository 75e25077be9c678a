"""The pages of the documentation: README.md and docs/, and what their text holds."""

import re
import shlex

from support.paths import ROOT

README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (README, *sorted(DOCS.rglob("*.md")))

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(pytest(?:-compaction)?\s[^`]+)`")
_STEP = re.compile(r"^\s*- run: (.+)$", re.MULTILINE)


def text(page):
    return page.read_text("utf-8")


def name(page):
    """How a page is called in the documentation: its path from the root."""
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    """Language and text of every code block of a page."""
    return _FENCED.findall(text(page))


def prose(page):
    """The text of a page without its code blocks."""
    return _FENCED.sub("", text(page))


def code(page, language, mark=""):
    """The one code block of that language on a page that holds ``mark``."""
    found = [block for kind, block in blocks(page) if kind == language and mark in block]
    assert len(found) == 1, f"{name(page)} has {len(found)} {language} blocks with {mark!r}"
    return found[0]


def commands(page):
    """Every command that a page shows: in blocks, in workflow steps and in running text."""
    shown = set()
    for language, block in blocks(page):
        if language == "console":
            shown |= {line for line in block.splitlines() if line.strip()}
        elif language == "yaml":
            shown |= set(_STEP.findall(block))
    return shown | {" ".join(command.split()) for command in _INLINE.findall(prose(page))}


def arguments(command):
    """The arguments of a command, as a shell splits them."""
    return shlex.split(command)[1:]


def step(page, mark):
    """The one command of the workflows on a page that holds ``mark``."""
    (found,) = [command for command in _STEP.findall(text(page)) if mark in command]
    return found
