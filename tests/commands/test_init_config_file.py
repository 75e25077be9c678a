"""Lines that init adds to the settings of a project: nothing else of the file changes."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.commands.init.command import threshold_below
from pytest_compaction.commands.init.config_file import config_file

ADDED = {"compaction_cases": ["shipped"], "compaction_threshold": ["overall>=2.4"]}
COMMENT = "measured"
PROJECT = '[project]\nname = "x"  # ours\n'


def place(folder, name, text):
    (folder / name).write_bytes(text.encode())
    return config_file(folder)


@pytest.mark.parametrize(
    ("name", "text", "table"),
    [
        ("pyproject.toml", PROJECT, "tool.pytest"),
        ("pyproject.toml", '[project]\nname = "x"', "tool.pytest"),
        ("pyproject.toml", f'{PROJECT}[tool.pytest]\naddopts = ["-q"]\n', "tool.pytest"),
        ("pyproject.toml", f"{PROJECT}[ tool.pytest ]  # settings", "tool.pytest"),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\nline-length = 90\n',
            "tool.pytest.ini_options",
        ),
        ("pyproject.toml", '[tool.pytest]\r\naddopts = ["-q"]\r\n', "tool.pytest"),
        ("pyproject.toml", "", "tool.pytest"),
        ("pytest.ini", "[pytest]\naddopts =\n  -q\n  -v\n", "pytest"),
        ("pytest.ini", "", "pytest"),
        ("tox.ini", "[tox]\nenvlist = py\n[pytest]\n", "pytest"),
        ("setup.cfg", "[metadata]\nname = x\n\n[tool:pytest]\naddopts = -q", "tool:pytest"),
        ("pytest.toml", '[pytest]\naddopts = ["-q"]\n', "pytest"),
    ],
)
def test_lines_are_added_below_the_heading_and_every_other_byte_stays(tmp_path, name, text, table):
    found = place(tmp_path, name, text)
    assert (found.path.name, found.table) == (name, table)
    changed = found.with_lines(ADDED, COMMENT)
    newline = "\r\n" if "\r\n" in text else "\n"
    added = newline.join(found.lines(ADDED, COMMENT)) + newline
    assert "".join(changed.split(added)).startswith(text)
    assert len(changed) - len(text) < 140
    values = place(tmp_path, name, changed).values()
    as_list = name.endswith(".toml")
    assert {key: values[key] for key in ADDED} == {
        key: value if as_list else value[0] for key, value in ADDED.items()
    }
    assert {k: v for k, v in values.items() if k not in ADDED} == dict(found.values())


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ("pytest.ini", True)),
        ({"setup.cfg": "[metadata]\n", "tox.ini": "[tox]\n"}, ("pytest.ini", True)),
        ({"pyproject.toml": PROJECT, "tox.ini": "[pytest]\n"}, ("tox.ini", False)),
        ({"pyproject.toml": "[tool.pytest]\n", "pytest.ini": ""}, ("pytest.ini", False)),
    ],
)
def test_the_file_is_the_one_that_pytest_reads(tmp_path, files, expected):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = config_file(tmp_path)
    assert (found.path.name, found.is_new) == expected


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", "[tool.pytest\nx = 1\n", "pyproject.toml cannot be read"),
        ("pytest.ini", "addopts = -q\n", "pytest.ini cannot be read"),
        ("pyproject.toml", 'tool.pytest.minversion = "9"\n', "add there yourself: "),
        ("pyproject.toml", 'text = """\n[tool.pytest]\n"""\n', "add there yourself: "),
    ],
)
def test_a_file_that_lines_cannot_be_added_to_is_left_with_a_sentence(tmp_path, name, text, said):
    with pytest.raises(CommandError, match=said):
        place(tmp_path, name, text).with_lines(ADDED)
    (tmp_path / name).write_bytes(b"\xff")
    with pytest.raises(CommandError, match="cannot be read"):
        config_file(tmp_path)


@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 99) | st.text("x'\n[]#", max_size=4))
)
def test_a_table_of_any_values_keeps_them(tmp_path_factory, values):
    lines = "".join(f"{key} = {_as_toml(value)}\n" for key, value in values.items())
    text = f"[tool.pytest]\n{lines}\n[tool.other]\nx = 1\n"
    changed = place(tmp_path_factory.mktemp("p"), "pyproject.toml", text).with_lines(ADDED)
    after = tomllib.loads(changed)["tool"]
    assert after["other"] == {"x": 1}
    assert after["pytest"] == {**values, **ADDED}


def _as_toml(value):
    if isinstance(value, int):
        return str(value)
    return '"' + value.replace("\n", "\\n") + '"'


@pytest.mark.parametrize(
    ("overall", "threshold"), [(2.57, 2.4), (1.2, 1.1), (0.29, 0.25), (2.0, 1.9), (0.04, 0)]
)
def test_the_threshold_is_five_per_cent_below_the_score_rounded_down(overall, threshold):
    assert threshold_below(overall) == threshold
