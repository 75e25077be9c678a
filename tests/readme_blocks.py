"""The measured blocks of the READMEs. ``python tests/readme_blocks.py`` writes them anew."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
CASES_README = ROOT / "cases/README.md"
STRATEGIES = ["none", "truncate", "regenerate", "anchored", "anchored+ledger"]
DIFFICULTY = ("none", "truncate", "anchored")


def blocks():
    """The text of each measured block of README.md by its name."""
    from measuring import records_of

    from pytest_compaction.reports.terminal import summary

    single = [*records_of("anchored"), *records_of("none")]
    several = [record for name in STRATEGIES for record in records_of(name)]
    return {
        "summary": _until_blank(summary(single, ["anchored"], control=True), 2),
        "comparison": _until_blank(summary(several, STRATEGIES, control=False), 2),
    }


def difficulty():
    """The table of cases/README.md: a row a case."""
    from measuring import records_of

    from pytest_compaction.case_files import load_cases
    from pytest_compaction.session import shipped_cases
    from pytest_compaction.tokens import TokenCounter

    counter = TokenCounter()
    names = ("case", "messages", "tokens", "probes", "facts", *DIFFICULTY, "removed", "dropped")
    rows = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for case in sorted(load_cases([shipped_cases()]).cases, key=lambda c: (c.task, c.id)):
        own = {name: [r for r in records_of(name) if r["case"] == case.id] for name in DIFFICULTY}
        means = [sum(r["overall"] for r in own[name]) / len(own[name]) for name in DIFFICULTY]
        last = max(own["anchored"], key=lambda r: r["tokens"]["log"])["tokens"]
        facts = [fact for record in own["anchored"] for fact in record["facts"]]
        dropped = sum(not fact["used"] and not fact["survived"] for fact in facts)
        cells = [
            f"{case.task}/{case.id}",
            str(len(case.messages)),
            f"{counter.messages(case.messages):,}",
            str(len(case.probes)),
            str(len(facts)),
            *(f"{mean:.2f}" for mean in means),
            f"{1 - last['view'] / last['log']:.0%}",
            str(dropped),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _until_blank(lines, count):
    """The lines before the ``count``-th empty one."""
    text = "\n".join(line.text for line in lines)
    return "\n\n".join(text.split("\n\n")[:count])


def in_readme(text, name):
    """The block of that name as it stands in a README."""
    pattern = rf"<!-- {name} -->\n(?:```text\n)?(.*?)(?:\n```)?\n<!-- /{name} -->"
    match = re.search(pattern, text, re.DOTALL)
    return match[1] if match else None


def _replaced(text, name, block):
    new = f"<!-- {name} -->\n{block}\n<!-- /{name} -->"
    return re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _: new, text, flags=re.S)


def main():
    text = README.read_text("utf-8")
    for name, block in blocks().items():
        text = _replaced(text, name, f"```text\n{block}\n```")
    README.write_text(text, "utf-8")
    cases = _replaced(CASES_README.read_text("utf-8"), "cases", difficulty())
    CASES_README.write_text(cases, "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
