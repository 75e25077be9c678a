"""The measured blocks of the README. ``python tests/readme_blocks.py`` writes them anew."""

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
STRATEGIES = ["none", "truncate", "regenerate", "anchored"]


def blocks():
    """The text of each measured block by its name."""
    from measuring import records_of

    from pytest_compaction.reports.terminal import summary

    single = [*records_of("anchored"), *records_of("none")]
    several = [record for name in STRATEGIES for record in records_of(name)]
    return {
        "summary": _until_blank(summary(single, ["anchored"], control=True), 2),
        "comparison": _until_blank(summary(several, STRATEGIES, control=False), 2),
    }


def _until_blank(lines, count):
    """The lines before the ``count``-th empty one."""
    text = "\n".join(line.text for line in lines)
    return "\n\n".join(text.split("\n\n")[:count])


def in_readme(text, name):
    """The block of that name as it stands in the README."""
    match = re.search(rf"<!-- {name} -->\n```text\n(.*?)\n```\n<!-- /{name} -->", text, re.DOTALL)
    return match[1] if match else None


def main():
    text = README.read_text("utf-8")
    for name, block in blocks().items():
        new = f"<!-- {name} -->\n```text\n{block}\n```\n<!-- /{name} -->"
        text = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, n=new: n, text, flags=re.S)
    README.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
