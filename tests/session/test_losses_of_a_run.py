"""A run says what its strategy lost and what that costs: in the summary, its file and a report."""

from support.scenarios import records, run, run_files, set_up

from pytest_compaction import cli


def test_the_summary_the_file_and_the_report_tell_the_same(pytester, capsys):
    set_up(pytester, "first")
    lines = run(pytester, "-v", compactor="forget").outlines
    (lost,) = [line for line in lines if line.startswith("losses ")]
    (cost,) = [line for line in lines if line.startswith("cost ")]
    figures = records(pytester).header["figures"]
    (losses,), (costs,) = figures["losses"].values(), figures["costs"].values()
    assert losses["dropped"] > 0
    assert lost.split()[1:3] == [str(losses["dropped"]), "dropped:"]
    assert cost.split()[1:3] == [f"{costs['tokens']['removed']:,}", "removed;"]
    capsys.readouterr()
    assert cli.main(["report", str(run_files(pytester)[0]), "--table", "most_lost"]) == 0
    assert "Most lost facts" in capsys.readouterr().out


def test_a_run_that_loses_nothing_says_so(pytester):
    set_up(pytester, "first")
    lines = run(pytester, "-v", compactor="keep").outlines
    (lost,) = [line for line in lines if line.startswith("losses ")]
    assert lost.split()[1] == "none"
