import json

from porterq.cli import main


def run(capsys, *arguments):
    code = main(list(arguments))
    return code, capsys.readouterr()


def test_put_and_stats(tmp_path, capsys):
    db = str(tmp_path / "jobs.db")
    assert run(capsys, "--db", db, "put", "mail", json.dumps({"to": 7}))[0] == 0
    code, output = run(capsys, "--db", db, "stats")
    assert code == 0
    assert output.out.splitlines()[0] == "ready   1"


def test_bad_config_is_a_usage_error(tmp_path, capsys):
    config = tmp_path / "porterq.toml"
    config.write_text("[porterq]\nbatch_size = 99\n")
    code, output = run(capsys, "--config", str(config), "rehearse")
    assert code == 64
    assert "PQ-422 batch_size must be between 1 and" in output.err


def test_rehearse_is_clean_with_a_batch_of_one(tmp_path, capsys):
    config = str(tmp_path / "none.toml")
    code, output = run(capsys, "--config", config, "rehearse", "--jobs", "12", "--batch", "1")
    assert code == 0
    assert "ran twice: none" in output.out
