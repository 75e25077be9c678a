"""The report of a run says what its strategy lost and what that costs."""

import json

from support.scenarios import run, run_files, set_up

from pytest_compaction import cli


def test_the_tables_of_a_report_are_in_its_json_too(pytester, capsys):
    set_up(pytester, "first")
    run(pytester, "--compaction-report=r.json", compactor="forget")
    tables = json.loads((pytester.path / "r.json").read_text())["tables"]
    capsys.readouterr()
    for name in ("losses", "most_lost", "cost"):
        asked = ["report", str(run_files(pytester)[0]), "--format", "json", "--table", name]
        assert cli.main(asked) == 0
        assert json.loads(capsys.readouterr().out)["tables"][name] == tables[name]
    assert tables["losses"]["rows"][0]["dropped"] > 0
    assert tables["cost"]["rows"][0]["removed"] > 0
