import pytest

from larder.cli import main


@pytest.fixture
def run(folder, capsys):
    def call(*arguments):
        code = main(["--root", str(folder.parent), *arguments])
        captured = capsys.readouterr()
        return code, (captured.out + captured.err).splitlines()

    return call


def test_list(run):
    assert run("list", "--tag", "soup") == (0, ["pea-soup\tPea soup"])


def test_show(run):
    code, lines = run("show", "pea-soup", "--serves", "8")
    assert code == 0
    assert lines[:5] == [
        "Pea soup",
        "========",
        "serves 8 | 20 minutes | soup, quick",
        "",
        "  1000 g    peas",
    ]


def test_shop(run):
    assert run("shop", "rice-pudding:8") == (0, ["milk: 1000 ml", "rice: 200 g"])


def test_find_prints_id_tab_title(run):
    assert run("find", "tart") == (0, ["onion-tart\tOnion tart"])


def test_find_nothing(run):
    assert run("find", "fish") == (4, ["larder: LAR-201 nothing found: 'fish'"])


def test_tags(run):
    assert run("tags")[1][0] == "dessert  1"


def test_check(run):
    assert run("check") == (0, ["3 recipes, 4 tags, 1 without minutes"])
