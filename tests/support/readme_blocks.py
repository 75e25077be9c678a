"""Measured blocks of the pages: ``PYTHONPATH=tests python -m support.readme_blocks [NAME …]``.

Each block stands on one page between ``<!-- name -->`` and ``<!-- /name -->``.
"""

import functools
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from support.pages import DOCS, README
from support.paths import CASES, ROOT

from pytest_compaction.metrics import (
    aggregate,
    cluster_interval,
    is_over_budget,
    known,
    overall_mean,
)
from pytest_compaction.metrics.intervals import case_key, clustered
from pytest_compaction.models import Archive, RecordedVerdict
from pytest_compaction.records import load_run
from pytest_compaction.settings import CONTROL

CASES_README = ROOT / "cases/README.md"
REAL_CASES = CASES / "real"
PAGE_OF = {
    "production": DOCS / "how-it-measures.md",
    "summary": DOCS / "reports.md",
    "comparison": DOCS / "reports.md",
    "changed-summaries": DOCS / "developers/instrument.md",
    "over-budget": DOCS / "how-it-measures.md",
    "invariants": DOCS / "invariants.md",
    "suitability": DOCS / "dialogues.md",
    "dialogue-strategies": DOCS / "dialogues.md",
    "worse": DOCS / "comparing.md",
    "cases": CASES_README,
    "words": README,
    "rules": DOCS / "words.md",
    "writings": DOCS / "words.md",
    "verdicts": DOCS / "how-it-measures.md",
    "tutorial-init": DOCS / "tutorial.md",
    "tutorial-worse": DOCS / "tutorial.md",
    "tutorial-show": DOCS / "tutorial.md",
}
"""The page that holds each block."""
MARKDOWN = {
    "production",
    "changed-summaries",
    "over-budget",
    "invariants",
    "cases",
    "words",
    "rules",
    "writings",
    "verdicts",
}
"""Blocks that are Markdown tables; the others show what a terminal shows."""
BASELINES = ("none", "said-only", "window", "truncate")
"""Strategies that ask no model, in the tables beside those with recorded words."""
WORDS = ("anchored", "regenerate", "claude-code", "codex:mode=local")
"""Strategies of which the shipped archive has the words for every case."""
STRATEGIES = [*BASELINES, *WORDS]
PRODUCTION = ("recorded", "said-only")
"""Strategies of the table of what production compaction lost."""
DIFFICULTY = ("none", "truncate", "anchored")


def production_block(folder=REAL_CASES, strategies=PRODUCTION):
    """What production compaction lost in real cases, with a sentence before the table.

    Empty as long as no case of the folder holds a compaction on record.
    """
    from support.measuring import records_at_recorded_budget

    from pytest_compaction.metrics import production_loss
    from pytest_compaction.reports.table import markdown_table
    from pytest_compaction.reports.tables import production_table

    if not has_records(folder):
        return ""
    records = [r for name in strategies for r in records_at_recorded_budget(name, folder)]
    lost = production_loss(records)
    sessions = "one session" if lost.cases == 1 else f"{lost.cases} sessions"
    lead = (
        f"What production compaction lost: in {sessions} of real agents, {lost.facts['overall']} "
        "facts were asked for right after a compaction that the agent had really made. `recorded` "
        "is what it went on with; every other strategy got the same token budget:"
    )
    _, table, *notes = markdown_table(production_table(lost))
    return "\n\n".join([lead, table, " ".join(notes)])


def has_records(folder=REAL_CASES):
    """Whether a case of the folder holds a compaction on record."""
    points = (
        point
        for path in sorted(folder.rglob("*.json"))
        for point in json.loads(path.read_text("utf-8")).get("compaction_points", ())
    )
    return any("recorded" in point for point in points)


POWER_80 = 2.8
"""Standard errors of a difference that is told at 5 % in 80 of 100 samples."""
CLASSES = ("path", "identifier", "number", "error", "decision", "instruction")


WRITINGS = 3
"""Each summary of a real case was written so often."""


def run_of_recorded_words(folder, trials, strategies=WORDS, names=("*",)):
    """A run of real cases with the words of the archive, which lies in the project's root.

    Its gate decides, and may be red.
    """
    cases = folder / "cases" / "real"
    cases.mkdir(parents=True)
    for path in (path for name in names for path in REAL_CASES.glob(f"{name}.json")):
        shutil.copy(path, cases)
    shutil.copy(CASES / "words.zip", folder / "cases")
    command = [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-n2"),
        *(f"--compactor={','.join(strategies)}", f"--compaction-cases={cases}"),
        *(f"--compaction-trials={trials}", "--compaction-threshold=overall>=2"),
        *("--compaction-model=recorded", f"--rootdir={folder}"),
    ]
    ended = subprocess.run(command, cwd=folder, capture_output=True)
    if ended.returncode > 1:
        ended.check_returncode()
    (file,) = Path(folder, ".pytest_compaction/runs").glob("*.jsonl")
    return load_run(file)


def project_of(record):
    """The project of a case; a scripted case is one of its own."""
    return record.get("project") or record["case"]


def least_difference(scores):
    """The least and the largest difference that these cases tell, over pairs of strategies.

    ``scores`` has for each strategy the score of each case, in the same order.
    """
    paired = [
        statistics.stdev(a - b for a, b in zip(scores[x], scores[y], strict=True))
        for x, y in combinations(WORDS, 2)
    ]
    count = len(scores[WORDS[0]])
    return [POWER_80 * each / count**0.5 for each in (min(paired), max(paired))]


def case_means(records):
    """The mean score of each case, in the order of their names."""
    found = {}
    for record in records:
        found.setdefault(record["case"], []).append(record["overall"])
    return [statistics.mean(found[case]) for case in sorted(found)]


def deviation_of_projects(scores, projects):
    """The standard deviation of the mean scores of projects."""
    found = {}
    for case, score in scores.items():
        found.setdefault(projects[case], []).append(score)
    return statistics.stdev(map(statistics.mean, found.values()))


def writings_block(records, of_all_cases):
    """How much the writings of the same summaries differ: facts by class, then scores.

    ``of_all_cases`` has the records of one writing of all cases for each strategy.
    """
    writings = {}
    for record in records:
        key = (record["compactor"], record["case"], record["probe"])
        writings.setdefault(key, {})[record["trial"]] = record
    flips, facts, scores = Counter(), Counter(), {}
    for (strategy, case, _), trials in writings.items():
        each = [trials[trial] for trial in sorted(trials)]
        for same in zip(*(record["facts"] for record in each), strict=True):
            for name in ("all", same[0]["class"], f"`{strategy}`"):
                facts[name] += 1
                flips[name] += len({fact["survived"] for fact in same}) > 1
        scores.setdefault((strategy, case), []).append([record["overall"] for record in each])
    means = {
        key: [statistics.mean(trial) for trial in zip(*s, strict=True)] for key, s in scores.items()
    }
    within = statistics.mean(map(statistics.variance, means.values())) ** 0.5
    of = {name: [m for (strategy, _), m in means.items() if strategy == name] for name in WORDS}
    between = sorted(statistics.stdev(map(statistics.mean, each)) for each in of.values())
    projects = {record["case"]: project_of(record) for record in records}
    apart = sorted(
        deviation_of_projects(
            {case: statistics.mean(m) for (each, case), m in means.items() if each == name},
            projects,
        )
        for name in WORDS
    )
    by_trial = [[statistics.mean(t) for t in zip(*each, strict=True)] for each in of.values()]
    moved = max(max(each) - min(each) for each in by_trial)
    real = least_difference({n: [statistics.mean(m) for m in each] for n, each in of.items()})
    every = least_difference({n: case_means(found) for n, found in of_all_cases.items()})
    rows = ["| facts | stated in some writings and not in others |", "|---|---:|"]
    rows += [
        f"| {n} | {flips[n]} of {facts[n]}, {flips[n] / facts[n]:.0%} |" for n in sorted(facts)
    ]
    return "\n".join(rows) + (
        f"\n\nStandard deviation of a case's score between writings: {within:.2f}; between cases: "
        f"{between[0]:.2f} to {between[-1]:.2f}; between projects: {apart[0]:.2f} to "
        f"{apart[-1]:.2f}.\nThe mean of a strategy moved by at most {moved:.2f}.\n"
        "Least difference of two strategies that is told with a power of 80 %: by the real cases "
        f"{real[0]:.2f} to {real[1]:.2f}, by all cases {every[0]:.2f} to {every[1]:.2f}."
    )


def recorded(name):
    """The records of a strategy over the cases of which the archive has its words."""
    from support.measuring import records_of

    return records_of(name, True, True)


def overran(records):
    """Whether a view is over the budget, so that these scores are ranked apart."""
    return any(map(is_over_budget, records))


MOST_OVER = 0.75
"""With a larger share of views over their budgets a strategy is not in the table of words."""


def measured_words(names=None):
    """Origin, strategy and records for each with words of all cases of an origin, null and control.

    One with hardly a view within its budget is left out.
    """
    if names is None:
        written = Archive(CASES / "words.zip").words
        asked = sorted({row.strategy for row in written if row.role == "summary"})
        names = [CONTROL, "said-only", *asked]
    for origin in ("real", "scripted"):
        cases = {r["case"] for r in recorded("none") if r["origin"] == origin}
        rows = [(n, [r for r in recorded(n) if r["origin"] == origin]) for n in names]
        whole = [
            (n, own)
            for n, own in rows
            if {r["case"] for r in own} == cases
            and statistics.mean(map(is_over_budget, own)) <= MOST_OVER
        ]
        for name, own in sorted(
            whole, key=lambda row: (overran(row[1]), -overall_mean(row[1]).value)
        ):
            yield origin, name, own


@functools.cache
def verdicts_of_model():
    """The overall score of each recorded verdict, 0 to 5, by strategy, case and probe."""
    return {
        (row.strategy, row.case, row.probe): statistics.mean(
            RecordedVerdict.read(row.words).dimensions.values()
        )
        for row in Archive(CASES / "words.zip").words
        if row.role == "verdict"
    }


def judged(records):
    """The mean score of the model's own verdicts on its answers from these views, 0 to 5."""
    given = verdicts_of_model()
    keys = [(record["compactor"], record["case"], record["probe"]) for record in records]
    if not any(key in given for key in keys):
        return "-"
    found = [{**r, "overall": given[k]} for r, k in zip(records, keys, strict=True)]
    return f"{overall_mean(found).value:.2f}"


def words_block():
    """What the recorded words of each strategy state, real and scripted cases apart."""
    rows = []
    for origin, name, own in measured_words():
        mean, size = overall_mean(own), aggregate(name, own)
        low, high = known()["overall"].within(mean.interval)
        facts = [fact for record in own for fact in record["facts"]]
        kept = [facts, *([f for f in facts if f["class"] == each] for each in CLASSES)]
        shares = [f"{sum(f['survived'] for f in some) / len(some):.0%}" for some in kept]
        by_case = clustered((case_key(r), float(f["survived"])) for r in own for f in r["facts"])
        least, most = cluster_interval(by_case)
        shares[0] += f" [{max(least, 0):.0%}, {min(most, 1):.0%}]"
        score = f"{mean.value:.2f} [{low:.2f}, {high:.2f}]"
        row = [f"| {origin}", f"`{name}`", score, judged(own), *shares]
        mark = "! " if overran(own) else ""
        rows.append(" | ".join([*row, f"{mark}{size.view_tokens:,.0f} |"]))
    heads = ("cases", "strategy", "overall, 0 to 5", "judged", "facts", *CLASSES, "tokens")
    return "\n".join([f"| {' | '.join(heads)} |", "|---|---|" + "---:|" * (len(heads) - 2), *rows])


def rules_block():
    """What summaries by rules keep of the facts, and those of the model of the same cases."""
    from support.measuring import records_of

    kept = defaultdict(list)
    for origin, name, words in measured_words(WORDS):
        both = ([r for r in records_of(name) if r["origin"] == origin], words)
        facts = ([f["survived"] for r in each for f in r["facts"]] for each in both)
        kept[origin].append(list(map(statistics.mean, facts)))
    parts = []
    for origin, pairs in kept.items():
        rules, words = (f"{min(each):.0%} to {max(each):.0%}" for each in zip(*pairs, strict=True))
        parts.append(
            f"{rules} of the facts of the {origin} cases, where those of the model\nkeep {words}"
        )
    return f"Summaries that rules write keep {'; and '.join(parts)}."


def summary_block():
    """The end of a run of one strategy."""
    from pytest_compaction.reports.summary import run_summary

    lines = run_summary(recorded("anchored"), ["anchored"], control=False, lowest=0)
    return "\n".join(line.text for line in lines)


def comparison_block():
    """The table of a run of several strategies."""
    from pytest_compaction.reports.summary import run_summary

    records = [r for name in STRATEGIES for r in recorded(name)]
    return _until_blank(run_summary(records, STRATEGIES, control=False, words=True), 1)


def worse_block():
    """What a run over the scripted cases shows in which a strategy keeps half as much as before."""
    from support.measuring import offline_settings, records_of_session

    from pytest_compaction.gate import Decision, decide_baseline
    from pytest_compaction.records import Baseline
    from pytest_compaction.reports.changes import baseline_block, worse_title
    from pytest_compaction.reports.gate_text import Failures, gate_line
    from pytest_compaction.reports.lines import WIDTH
    from pytest_compaction.settings import BaselineRules

    name = "my_compactor:keep_the_newest"
    scripted = tuple(str(path) for path in CASES.glob("*/*.json") if path.parent != REAL_CASES)

    def measured(share):
        settings = offline_settings(
            compactors=(f"support.keeping:newest:share={share}",), cases=scripted
        )
        found = records_of_session(settings, use_shipped=False, compares_nulls=False)
        return [{**record, "compactor": name} for record in found]

    then, now = measured(4), measured(2)
    accepted = Baseline(name, "baseline", "baseline", tuple(then))
    decision = decide_baseline(now, {name: accepted}, BaselineRules())
    lines = [line.text for line in baseline_block(decision, 3.5)][:20]
    rules = gate_line(Decision(), Failures(), now, 3.5, 0.7, decision)
    title = f" {worse_title(decision)} ".center(WIDTH, "=")
    return "\n".join([title, *lines, "…", *textwrap.wrap(rules.text, WIDTH)])


def invariants_block():
    """The table of all invariants."""
    from pytest_compaction.checking import INVARIANTS

    rows = ["| invariant | group | what must hold |", "|---|---|---|"]
    for invariant in INVARIANTS:
        sentence = invariant.sentence.replace("|", "\\|")
        rows.append(f"| `{invariant.name}` | {invariant.group} | {sentence} |")
    return "\n".join(rows)


def dialogue_blocks():
    """The blocks on dialogues, measured by replaying public data; takes about a minute."""
    from support.measuring_dialogues import of_mt_bench, of_tau_bench

    from pytest_compaction.reports.dialogues import strategies_of
    from pytest_compaction.reports.table import plain_table

    sets = (of_mt_bench(), of_tau_bench())
    titles = ("MT-Bench-101", "τ-bench, airline agent")
    tables = [
        "\n".join(plain_table(replace(strategies_of(found), title=title)))
        for title, found in zip(titles, sets, strict=True)
    ]
    return {
        "suitability": suitability(sets[0][0]),
        "dialogue-strategies": "\n\n".join(tables),
    }


def suitability(evaluation):
    """The table of tasks, without its notes."""
    from pytest_compaction.reports.dialogues import suitability_table
    from pytest_compaction.reports.table import plain_table

    return "\n".join(plain_table(replace(suitability_table(evaluation), notes=())))


def difficulty():
    """The table of cases/README.md, one row for each case."""
    from pytest_compaction.case import find_cases
    from pytest_compaction.conversation import TokenCounter
    from pytest_compaction.metrics import overall_mean
    from pytest_compaction.session.session import shipped_cases

    counter = TokenCounter()
    names = ("case", "messages", "tokens", "probes", "facts", *DIFFICULTY, "removed", "dropped")
    rows = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    folder = shipped_cases()
    of = {name: recorded(name) for name in DIFFICULTY}
    for case in sorted(find_cases([folder], folder).cases, key=lambda case: case.source):
        own = {name: [r for r in found if r["case"] == case.id] for name, found in of.items()}
        means = [overall_mean(own[name]) for name in DIFFICULTY]
        last = max(own["anchored"], key=lambda r: r["tokens"]["log"])["tokens"]
        facts = [fact for record in own["anchored"] for fact in record["facts"]]
        dropped = sum(not fact["survived"] for fact in facts)
        cells = [
            Path(case.source).with_suffix("").as_posix(),
            str(len(case.messages)),
            f"{counter.messages(case.messages):,}",
            str(len(case.probes)),
            str(len(facts)),
            *("-" if mean is None else f"{mean.value:.2f}" for mean in means),
            f"{1 - last['view'] / last['log']:.0%}",
            str(dropped),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def followed():
    """The blocks of the tutorial, from doing what it says in a fresh folder."""
    import tempfile

    from support.tutorial import follow, tutorial_blocks

    with tempfile.TemporaryDirectory() as folder:
        return tutorial_blocks(follow(Path(folder)))


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


COMPARED = {"summary", "comparison", "words", "rules", "cases"}
"""Blocks that compare with the nulls."""


def main(names=()):
    """Measure the blocks of these names, or all of them, and put them into their pages."""
    from calibration.changed_views import effects_table
    from support.measuring_budgets import OVER_BUDGET, over_budget_block, over_budget_file
    from support.recorded_verdicts import verdicts_block
    from support.shipped import shipped

    from pytest_compaction.run.figures.shipped_nulls import shipped_nulls

    def over_budget():
        OVER_BUDGET.write_text(over_budget_file(), "utf-8")
        return {"over-budget": over_budget_block()}

    def writings():
        with tempfile.TemporaryDirectory() as folder:
            run = run_of_recorded_words(Path(folder), WRITINGS)
            every = {name: recorded(name) for name in WORDS}
            return {"writings": writings_block(run.records, every)}

    sources = (
        ({"changed-summaries"}, lambda: {"changed-summaries": effects_table("anchored")}),
        ({"production"}, lambda: {"production": production_block()}),
        ({"summary"}, lambda: {"summary": summary_block()}),
        ({"comparison"}, lambda: {"comparison": comparison_block()}),
        ({"worse"}, lambda: {"worse": worse_block()}),
        ({"over-budget"}, over_budget),
        ({"invariants"}, lambda: {"invariants": invariants_block()}),
        ({"cases"}, lambda: {"cases": difficulty()}),
        ({"words"}, lambda: {"words": words_block()}),
        ({"rules"}, lambda: {"rules": rules_block()}),
        ({"writings"}, writings),
        ({"verdicts"}, lambda: {"verdicts": verdicts_block()}),
        ({"suitability", "dialogue-strategies"}, dialogue_blocks),
        ({name for name in PAGE_OF if name.startswith("tutorial-")}, followed),
    )
    wanted = set(names) or set(PAGE_OF)
    if wanted & COMPARED and shipped_nulls(shipped()[0]) is None:
        sys.exit("the look-up of the nulls is stale: run python -m support.shipped_nulls renew")
    for held, measure in sources:
        for name, block in measure().items() if held & wanted else ():
            write(name, block)


if __name__ == "__main__":
    main(sys.argv[1:])
