"""A small web of made-up pages, with the tools ``search`` and ``open_page``.

Each page is a Markdown file: its first lines are ``url: ...`` and ``title: ...``, then a
blank line and the text. What the tools answer depends on the pages alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from repository import Tool

RESULTS = 6
"""Pages that a search lists at most."""
SNIPPET = 260
"""Characters of a page that a search shows."""
_WORD = re.compile(r"[a-z0-9]{3,}")


@dataclass(frozen=True)
class Page:
    """One page of the web."""

    url: str
    title: str
    text: str

    def section(self, heading: str) -> str | None:
        """The text below the first heading that contains these words; None if there is none."""
        wanted = heading.casefold()
        parts = re.split(r"^(?=## )", self.text, flags=re.MULTILINE)
        found = (part for part in parts if wanted in part.partition("\n")[0].casefold())
        return next((part.strip() for part in found if part.startswith("## ")), None)


class Web:
    """The pages of a folder; ``tools`` goes into the tools of the repository."""

    def __init__(self, folder: Path) -> None:
        self.pages = [_page(file) for file in sorted(folder.glob("*.md"))]
        self.tools: Mapping[str, Tool] = {"search": self._search, "open_page": self._open_page}

    def call(self, tool: str, arguments: Mapping[str, str]) -> tuple[str, bool]:
        """Run a tool. Returns its output, and whether it failed."""
        return self.tools[tool](**arguments)

    def _search(self, query: str) -> tuple[str, bool]:
        words = set(_words(query))
        scored = [(_score(page, words), page) for page in self.pages]
        best = sorted(
            (item for item in scored if item[0]), key=lambda item: (-item[0], item[1].url)
        )
        lines = [f"{len(best)} pages for: {query}"]
        for number, (_, page) in enumerate(best[:RESULTS], 1):
            lines += [
                f"{number}. {page.title}",
                f"   {page.url}",
                f"   ... {_snippet(page, words)} ...",
            ]
        return "\n".join(lines), False

    def _open_page(self, url: str, section: str | None = None) -> tuple[str, bool]:
        page = next((page for page in self.pages if page.url == url), None)
        if page is None:
            return f"open_page: 404 not found: {url}", True
        text = page.text if section is None else page.section(section)
        if text is None:
            return f"open_page: no section {section!r} on {url}", True
        return f"{page.title}\n{page.url}\n\n{text}", False


def _page(file: Path) -> Page:
    head, _, text = file.read_text(encoding="utf-8").partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Page(fields["url"], fields["title"], text.strip())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _score(page: Page, words: set[str]) -> int:
    """Words of the query on the page, each counted up to five times; the title counts most."""
    counts = Counter(_words(page.text))
    title = set(_words(page.title))
    return sum(min(counts[word], 5) + 10 * (word in title) for word in words)


def _snippet(page: Page, words: set[str]) -> str:
    """The part of the page around its line with the most words of the query."""
    lines = [line for line in page.text.splitlines() if line and not line.startswith("#")]
    best = max(lines, key=lambda line: len(words & set(_words(line))), default="")
    return best[:SNIPPET].strip()
