"""Damaged case files and transcripts give a clear error or a valid case, never a traceback."""

import random
import resource
import shutil
import signal

import pytest
from support.mutations import mutated
from support.transcript_samples import SAMPLES, case

from pytest_compaction import cli
from pytest_compaction.case_making import inspect
from pytest_compaction.importers import importer_for, load_importers

FORMATS = [name for name in SAMPLES if name in load_importers().importers]
KINDS = ["case", *FORMATS]
SLICE = 75
WHOLE, BATCHES = 800, 2
HANGS_S = 30
"""A file that takes so long is taken to hang; ordinary ones take milliseconds."""
MEMORY = 2 * 1024**3
"""Bytes that the process may take more than it has."""


@pytest.fixture
def bounds():
    """No file may hang or take more than 2 GB."""

    def hang(signum, frame):
        raise TimeoutError(f"not done after {HANGS_S} s")

    before = signal.signal(signal.SIGALRM, hang)
    limits = resource.getrlimit(resource.RLIMIT_DATA)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, limits[1]))
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    resource.setrlimit(resource.RLIMIT_DATA, limits)


@pytest.mark.parametrize("name", FORMATS)
def test_the_sample_of_each_format_is_read_as_what_it_is_and_lints(name, tmp_path, capsys):
    path = tmp_path / "sample.txt"
    path.write_text(SAMPLES[name](), "utf-8")
    assert importer_for(path, load_importers().importers).name == name
    assert cli.main(["import", str(path), "-o", str(tmp_path / "cases")]) == 0
    assert capsys.readouterr().err == ""
    assert inspect([tmp_path / "cases"], answer=False).count("error") == 0


def survives(seed, folder, capsys):
    """The outcome of one damaged file: ``refused`` with a reason, or ``accepted`` and sound."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    path = folder / ("damaged.json" if kind == "case" else "damaged.txt")
    path.write_bytes(mutated((case if kind == "case" else SAMPLES[kind])(), rng))
    if kind == "case":
        arguments = ["lint", str(path), "--no-answers"]
    else:
        arguments = ["import", str(path), "-o", str(folder / "cases")]
        arguments += ["--format", kind] if rng.random() < 0.3 else []
    code = cli.main(arguments)
    out, err = capsys.readouterr()
    assert code in {0, 1}
    assert "fault of the importer" not in err, err
    assert "Traceback" not in out + err, err
    shown = (out + err).replace("\n", "")
    assert all(sign.isprintable() for sign in shown)
    if code == 1:
        said = err if kind != "case" else out
        assert said.strip(), "refused without a reason"
        return "refused"
    if kind != "case":
        found = inspect([folder / "cases"], answer=False)
        # A case may wait for a review of its proposals: it has no question until then.
        assert [f for f in found.findings if f.level == "error" and f.pointer != "/probes"] == []
    elif rng.random() < 0.2:
        assert cli.main(["show", str(path)]) == 0
        capsys.readouterr()
    return "accepted"


def check(seeds, folder, capsys):
    """Check all damaged files and name failures by their seed; both outcomes must occur."""
    outcomes = []
    for seed in seeds:
        place = folder / "one"
        place.mkdir()
        signal.setitimer(signal.ITIMER_REAL, HANGS_S)
        try:
            outcomes.append(survives(seed, place, capsys))
        except BaseException as error:
            pytest.fail(f"seed {seed} ({KINDS[seed % len(KINDS)]}): {error!r}"[:2000])
        shutil.rmtree(place)
    assert {"refused", "accepted"} <= set(outcomes)


def test_damaged_files_give_a_clear_error_or_a_case_that_lints(tmp_path, capsys, bounds):
    check(range(SLICE), tmp_path, capsys)


@pytest.mark.exhaustive
@pytest.mark.parametrize("batch", range(BATCHES))
def test_many_more_damaged_files(batch, tmp_path, capsys, bounds):
    size = WHOLE // BATCHES
    check(range(batch * size, (batch + 1) * size), tmp_path, capsys)
