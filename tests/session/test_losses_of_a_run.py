"""A report of a run and its summary with ``-v`` say what its strategy lost and what that costs."""

import json

from support.scenarios import run, run_files, set_up

from pytest_compaction import cli


def test_the_tables_of_a_report_are_in_its_json_and_what_they_count_in_the_summary(
    pytester, capsys
):
    set_up(pytester, "first")
    lines = run(pytester, "-v", "--compaction-report=r.json", compactor="forget").outlines
    tables = json.loads((pytester.path / "r.json").read_text())["tables"]
    capsys.readouterr()
    for name in ("losses", "most_lost", "cost"):
        asked = ["report", str(run_files(pytester)[0]), "--format", "json", "--table", name]
        assert cli.main(asked) == 0
        assert json.loads(capsys.readouterr().out)["tables"][name] == tables[name]
    assert tables["losses"]["rows"][0]["dropped"] > 0
    assert tables["cost"]["rows"][0]["removed"] > 0
    dropped, removed = tables["losses"]["rows"][0]["dropped"], tables["cost"]["rows"][0]["removed"]
    assert any(line.startswith(f"losses: {dropped:,} dropped: ") for line in lines)
    assert any(line.startswith(f"cost: {removed:,} tokens removed; ") for line in lines)
