"""Measured blocks of the documentation; ``PYTHONPATH=tests python -m support.readme_blocks``.

Each block stands on one page between ``<!-- name -->`` and ``<!-- /name -->``.
"""

import re
from dataclasses import replace

from support.pages import DOCS, README
from support.paths import ROOT

CASES_README = ROOT / "cases/README.md"
PAGE_OF = {
    "summary": README,
    "comparison": README,
    "invariants": DOCS / "invariants.md",
    "suitability": DOCS / "dialogues.md",
    "dialogue-strategies": DOCS / "dialogues.md",
    "cases": CASES_README,
}
"""The page that holds each block."""
MARKDOWN = {"invariants", "cases"}
"""Blocks that are Markdown tables; the others show what a terminal shows."""
STRATEGIES = [
    "none",
    "said-only",
    "random",
    "window",
    "truncate",
    "regenerate",
    "anchored",
    "anchored+ledger",
]
DIFFICULTY = ("none", "truncate", "anchored")


def summary_block():
    """The end of a run of one strategy and the control."""
    from support.measuring import records_of

    from pytest_compaction.reports.terminal import summary

    records = [*records_of("anchored"), *records_of("none")]
    return _until_blank(summary(records, ["anchored"], control=True), 2)


def comparison_block():
    """The end of a run of several strategies."""
    from support.measuring import records_of

    from pytest_compaction.reports.terminal import summary

    records = [record for name in STRATEGIES for record in records_of(name)]
    return _until_blank(summary(records, STRATEGIES, control=False), 2)


def invariants_block():
    """The table of all invariants."""
    from pytest_compaction.checking.invariants.invariants import INVARIANTS

    rows = ["| invariant | group | what must hold |", "|---|---|---|"]
    for invariant in INVARIANTS:
        sentence = invariant.sentence.replace("|", "\\|")
        rows.append(f"| `{invariant.name}` | {invariant.group} | {sentence} |")
    return "\n".join(rows)


def dialogue_blocks():
    """The blocks on dialogues, measured by replaying public data; takes about a minute."""
    from support.measuring_dialogues import of_mt_bench, of_tau_bench

    from pytest_compaction.reports.dialogue_breakdowns import strategies_table
    from pytest_compaction.reports.dialogue_page import plain_table

    sets = (of_mt_bench(), of_tau_bench())
    titles = ("MT-Bench-101", "τ-bench, airline agent")
    tables = [
        "\n".join(plain_table(replace(strategies_table(found), title=title)))
        for title, found in zip(titles, sets, strict=True)
    ]
    return {
        "suitability": suitability(sets[0][0]),
        "dialogue-strategies": "\n\n".join(tables),
    }


def suitability(evaluation):
    """The table of tasks, without its notes."""
    from pytest_compaction.reports.dialogue_breakdowns import suitability_table
    from pytest_compaction.reports.dialogue_page import plain_table

    return "\n".join(plain_table(replace(suitability_table(evaluation), notes=())))


def difficulty():
    """The table of cases/README.md, one row for each case."""
    from support.measuring import records_of

    from pytest_compaction.case.files import load_cases
    from pytest_compaction.conversation.tokens import TokenCounter
    from pytest_compaction.session.session import shipped_cases

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


def shown(name):
    """The block ``name`` as its page shows it, without its fence; None if the page lacks it."""
    text = PAGE_OF[name].read_text("utf-8")
    pattern = rf"<!-- {name} -->\n(?:```text\n)?(.*?)(?:\n```)?\n<!-- /{name} -->"
    match = re.search(pattern, text, re.DOTALL)
    return match[1] if match else None


def write(name, block):
    """Put a measured block into its page."""
    page = PAGE_OF[name]
    fenced = block if name in MARKDOWN else f"```text\n{block}\n```"
    new = f"<!-- {name} -->\n{fenced}\n<!-- /{name} -->"
    old = page.read_text("utf-8")
    pattern = rf"<!-- {name} -->.*?<!-- /{name} -->"
    page.write_text(re.sub(pattern, lambda _: new, old, flags=re.DOTALL), "utf-8")


def main():
    measured = {
        "summary": summary_block(),
        "comparison": comparison_block(),
        "invariants": invariants_block(),
        "cases": difficulty(),
        **dialogue_blocks(),
    }
    for name, block in measured.items():
        write(name, block)


if __name__ == "__main__":
    main()
