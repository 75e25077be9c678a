"""``pytest-compaction generate``: what it writes, its output and its exit code."""

import re

import pytest

from pytest_compaction import cli

FILES = ("chat.json", "probing_questions/probing_questions.json")


def generate(capsys, folder, *arguments):
    code = cli.main(["generate", *map(str, arguments), "-o", str(folder)])
    out, err = capsys.readouterr()
    return code, out, err


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_same_seed_and_length_give_the_same_bytes(tmp_path, capsys):
    for name in ("one", "other"):
        code, _, err = generate(capsys, tmp_path / name, "--tokens", 30_000, "--seed", 7)
        assert (code, err) == (0, "")
    one = contents(tmp_path / "one")
    assert set(one) == {f"30K/7/{name}" for name in FILES}
    assert one == contents(tmp_path / "other")


def test_what_was_written_is_said(tmp_path, capsys):
    where = tmp_path / "chats"
    code, out, err = generate(capsys, where, "--tokens", 20_500, "--seed", 3, "--conversations", 2)
    assert (code, err) == (0, "")
    first, second, run = out.splitlines()
    assert first.startswith(f"{where / '20.5K' / '3'}: 20,")
    assert second.startswith(f"{where / '20.5K' / '4'}: 20,")
    assert second.endswith(" messages, 20 questions")
    assert run.endswith(f"--compaction-cases={where}")


def test_what_is_there_is_not_written_over(tmp_path, capsys):
    kept = tmp_path / "20K" / "2" / "chat.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine", "utf-8")
    code, out, err = generate(
        capsys, tmp_path, "--tokens", 20_000, "--seed", 1, "--conversations", 2
    )
    assert (code, out) == (1, "")
    assert "is there already; remove it, or name another folder or seed" in err
    assert contents(tmp_path) == {"20K/2/chat.json": b"mine"}


def test_a_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    (tmp_path / "file").write_text("", "utf-8")
    code, out, err = generate(capsys, tmp_path / "file", "--tokens", 20_000)
    assert (code, out) == (1, "")
    assert "cannot be written: " in err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--tokens", "19999", "from 20000 to 100000000"),
        ("--tokens", "1e5", "from 20000 to 100000000"),
        ("--seed", "-1", "from 0 to 999999999"),
        ("--conversations", "0", "from 1 to 1000"),
    ],
)
def test_a_number_out_of_range_is_a_usage_error(tmp_path, capsys, option, value, said):
    with pytest.raises(SystemExit) as ended:
        generate(capsys, tmp_path, f"{option}={value}")
    assert ended.value.code == 2
    assert f"{value!r} is not a whole number {said}" in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_an_estimate_says_what_a_model_would_cost_and_asks_it_nothing(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    arguments = ("--tokens", 20_000, "--model=gpt-4o-mini", "--store", tmp_path / "store")
    code, out, err = generate(capsys, tmp_path / "chats", *arguments, "--estimate")
    assert (code, err) == (0, "")
    assert re.fullmatch(
        r"gpt-4o-mini: about \d+ calls, \d+,\d+ tokens read and \d+,\d+ written, "
        r"about \$0\.\d\d at the prices of \d{4}-\d\d-\d\d\n",
        out,
    )
    assert not (tmp_path / "chats").exists()


def test_an_estimate_without_a_model_is_a_usage_error(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        generate(capsys, tmp_path, "--estimate")
    assert ended.value.code == 2
    assert "--estimate needs --model NAME" in capsys.readouterr().err
