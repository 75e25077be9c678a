"""The public data in tests/data is what its sources publish, under their licences, and small."""

import hashlib
import tomllib

import pytest
from support.paths import DATA, public_data

SOURCES = sorted(path.name for path in DATA.iterdir() if path.is_dir())
MAX_BYTES = 3_000_000


def source_of(name):
    return tomllib.loads((DATA / name / "SOURCE.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", SOURCES)
def test_each_file_is_the_one_that_its_source_names(name):
    files = source_of(name)["files"]
    for file, stated in files.items():
        content = public_data(f"{name}/{file}").read_bytes()
        assert hashlib.sha256(content).hexdigest() == stated["sha256"], file
    shipped = {
        path.relative_to(DATA / name).as_posix().removesuffix(".gz")
        for path in (DATA / name).rglob("*")
        if path.is_file()
    }
    assert shipped == {*files, "LICENSE", "SOURCE.toml"}


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_comes_with_the_text_of_its_permissive_licence(name):
    words = {"MIT": "Permission is hereby granted, free of charge", "Apache-2.0": "Apache License"}
    text = " ".join((DATA / name / "LICENSE").read_text("utf-8").split())
    assert words[source_of(name)["license"]] in text


def test_the_readme_of_the_data_names_each_source_once():
    rows = (DATA / "README.md").read_text("utf-8").splitlines()
    assert [row.split("`")[1].rstrip("/") for row in rows if row.startswith("| `")] == SOURCES


def test_all_of_it_stays_small():
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < MAX_BYTES
