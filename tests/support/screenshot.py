"""The picture of the page: ``PYTHONPATH=tests python -m support.screenshot [OUT.png [RUN.jsonl]]``.

It shows an item of a run of four strategies over the shipped cases, which is made first if no run
is named. It needs the extra ``browser``, Chromium and its driver.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from support.browser import chromium
from support.paths import CASES, ROOT

from pytest_compaction.records import load_run
from pytest_compaction.reports.page.arms import PageRun
from pytest_compaction.reports.page.page import page_of

STRATEGIES = "anchored,truncate,said-only,mask-observations"
ITEM = "#item=anchored%2Fsync_to_generator%2Funder-pressure"
FACT = "1"
"""What the picture shows, and the key of the fact that is chosen there."""
SIZE = (1320, 780)


def measured(folder):
    """The file of a new run of the four strategies."""
    command = [sys.executable, "-m", "pytest", f"--rootdir={folder}", "-p", "no:cacheprovider"]
    command += ["--pyargs", "pytest_compaction.benchmark", f"--compactor={STRATEGIES}"]
    command += [f"--compaction-cases={CASES}", "-n", "2", "-q", "--tb=no"]
    # Items below the pass score fail where there is no gate.
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    (run,) = (folder / ".pytest_compaction/runs").glob("*.jsonl")
    return run


def photograph(run, picture, item=ITEM, fact=FACT, size=SIZE):
    """Write the page of a run beside nothing else, and a picture of one of its items."""
    with tempfile.TemporaryDirectory(prefix="page-") as folder, chromium() as browser:
        page = Path(folder, "page.html")
        shown = [PageRun("four strategies", load_run(run), run.parent)]
        page.write_text(page_of(shown), "utf-8")
        browser.open(page, item, size)
        browser.press(fact)
        browser.screenshot(picture)


def main(arguments):
    picture = Path(arguments[0]) if arguments else ROOT / "docs/page.png"
    if len(arguments) > 1:
        photograph(Path(arguments[1]), picture)
        return
    with tempfile.TemporaryDirectory(prefix="run-") as folder:
        photograph(measured(Path(folder)), picture)


if __name__ == "__main__":
    main(sys.argv[1:])
