"""The picture of the page: ``PYTHONPATH=tests python -m support.screenshot [OUT.png]``.

It shows the page of a gated run over the shipped cases: ``said-only`` against ``anchored``.
It needs the extra ``browser``, Chromium and its driver.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from support.browser import chromium
from support.paths import CASES, ROOT

SIZE = (1280, 1060)


def run(folder, *options):
    """Measure the shipped cases in a folder."""
    command = [sys.executable, "-m", "pytest", f"--rootdir={folder}", "-p", "no:cacheprovider"]
    command += ["--pyargs", "pytest_compaction.benchmark", f"--compaction-cases={CASES}"]
    # A gate that fails has an exit code of its own, and is what the picture shows.
    quiet = ["-n", "2", "-q", "--tb=no", *options]
    subprocess.run([*command, *quiet], cwd=folder, check=False, stdout=subprocess.DEVNULL)


def photograph(picture):
    """Write the picture of the page of a gate that failed."""
    with tempfile.TemporaryDirectory(prefix="page-") as folder, chromium() as browser:
        page = Path(folder, "page.html")
        run(folder, "--compactor=anchored", "--compaction-runs=main")
        against = ["--compaction-baseline=main@anchored", "--compaction-max-newly-gone=10"]
        run(folder, "--compactor=said-only", *against, f"--compaction-report={page}")
        browser.open(page, "", SIZE)
        browser.screenshot(picture)


if __name__ == "__main__":
    photograph(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/page.png")
