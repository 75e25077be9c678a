"""Runs with judge snapshots, and the files that they keep."""

import json

from support.scenarios import lean, own, records


def run(
    pytester, *arguments, workers=0, compactor="keep", flag=True, judge="shifted", by="answering"
):
    given = [*lean("syrupy"), f"-n{workers}"]
    given += [f"--compactor={own(compactor)}"] if compactor else []
    given += ["--compaction-judge-snapshots"] if flag else []
    given += [f"--compaction-responder={by}"]
    return pytester.runpytest_inprocess(*given, f"--compaction-judge={judge}", *arguments)


def shift(pytester, **how):
    (pytester.path / "shift.json").write_text(json.dumps(how), "utf-8")


def snapshots(pytester, folder="cases"):
    """The bytes of all snapshot files by name."""
    found = (pytester.path / folder).rglob("*.judge.json")
    return {path.relative_to(pytester.path).as_posix(): path.read_bytes() for path in found}


def file_of(probe, case="first", compactor="keep", module="test_probes", test="test_probe"):
    slug = f"strategies%3A{compactor}"
    return f"cases/__snapshots__/{module}/{test}[{slug}-{case}-{probe}].judge.json"


def outcomes(result):
    """The outcomes of the items that were not deselected."""
    return {name: n for name, n in result.parseoutcomes().items() if name != "deselected"}


def statuses(pytester):
    return {record["snapshot"] for record in records(pytester).records}
