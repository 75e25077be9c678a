"""Two prompts over six real cases, with the summaries of a large language model, replayed."""

import re
import tarfile
from pathlib import Path

import pytest
from support.paths import ROOT

WORDS = Path(__file__).with_name("real_ab")
CASES = (
    "blame_charts checkpoint_dedup float_pixels guidance_file seat_downgrade sidebar_spacing"
).split()


@pytest.mark.exhaustive
def test_a_prompt_that_leaves_out_details_loses_facts_by_name(pytester):
    with tarfile.open(WORDS / "store.tar.xz") as archive:
        archive.extractall(pytester.path, filter="data")
    (pytester.path / "short.md").write_bytes((WORDS / "short.md").read_bytes())
    ran = pytester.runpytest_subprocess(
        "--compactor=anchored,anchored:prompt=short.md",
        "--compaction-model=large",
        "--compaction-responder=offline",
        "--compaction-judge=offline",
        "--compaction-store=store",
        *(f"--compaction-cases={ROOT / 'cases' / 'real' / name}.json" for name in CASES),
        "--compaction-trials=2",
        "--compaction-replay",
        "--compaction-threshold=overall@anchored>=0",
        "--compaction-report=ab.md",
        "-n2",
        "-q",
    )
    assert ran.ret == 0
    ran.stdout.fnmatch_lines(["this run: 0 calls made; 68 came from the store"])
    text = (pytester.path / "ab.md").read_text("utf-8").replace("\\", "").replace("\u200b", "")
    said = re.search(r"^\*\*anchored:prompt=short\.md: (.+)\*\*$", text, re.MULTILINE)
    assert said is not None
    assert said[1] in " ".join((ROOT / "docs" / "ab.md").read_text("utf-8").split())
    noise = re.search(r"^\| overall \|.*±([\d.]+)", text, re.MULTILINE)
    assert noise is not None
    assert f"The A/A noise was {noise[1]}." in (ROOT / "docs" / "ab.md").read_text("utf-8")
    lost = re.search(r"Facts lost \((\d+)\).*?Facts gained \((\d+)\)", text, re.DOTALL)
    assert lost is not None
    assert int(lost[1]) > 10 * int(lost[2])
    for fact in ("strict mode is on", "the page failed with SyntaxError: Unexpected number"):
        assert fact in lost[0]
