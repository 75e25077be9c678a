"""The choice of an importer by what it reads: one that reads too little hands the file on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pytest_compaction.importers import (
    Importer,
    ImportFormatError,
    ImportTally,
    Transcript,
    importer_for,
    read_by_best,
)


class Reading:
    """An importer that recognises everything, and reads so many of ten records."""

    description = "a test"

    def __init__(self, name, read, specificity=20, fault=""):
        self.name, self.known, self.specificity, self.fault = name, read, specificity, fault

    def recognises(self, head):
        return True

    def read(self, path):
        if self.fault:
            raise ImportFormatError(f"{path}, message 3: {self.fault}; fix or remove it")
        unread = {"unknown record type 'x'": 9 - self.known, "unknown part 'y'": 1}
        tally = ImportTally(10, self.known, {"header": 9}, {}, unread if self.known < 10 else {})
        return Transcript((), str(path), tally)


def chosen(tmp_path, *importers):
    path = tmp_path / "log.json"
    path.write_text("{}", "utf-8")
    known: Mapping[str, Importer] = {importer.name: importer for importer in importers}
    importer, transcripts = read_by_best(path, known)
    assert len(list(transcripts)) == 1
    return importer.name


@pytest.mark.parametrize(
    ("importers", "name"),
    [
        ([Reading("a", 10), Reading("b", 10)], "a"),
        ([Reading("a", 9), Reading("b", 10)], "a"),
        ([Reading("a", 8, 30), Reading("b", 10)], "b"),
        ([Reading("a", 0, 30, "no id"), Reading("b", 9, 0)], "b"),
    ],
)
def test_the_first_that_reads_nine_tenths_of_the_records_reads_the_file(tmp_path, importers, name):
    assert chosen(tmp_path, *importers) == name


def test_of_equally_specific_importers_the_first_by_name_reads(tmp_path):
    path = tmp_path / "log.json"
    path.write_text("{}", "utf-8")
    known = {
        one.name: one for one in (Reading("z", 10, 30), Reading("b", 10, 30), Reading("a", 10))
    }
    assert importer_for(path, known).name == "b"


def test_a_file_that_none_reads_is_refused_with_the_nearest_and_what_it_cannot_read(tmp_path):
    with pytest.raises(ImportFormatError) as caught:
        chosen(tmp_path, Reading("a", 3), Reading("b", 7), Reading("c", 0, 30, "no id"))
    said = str(caught.value)
    assert "the nearest is 'b': it reads 7 of 10 records and does not know 2 × unknown rec" in said
    assert "1 × unknown part 'y'" in said
    assert "header" not in said


@pytest.mark.parametrize(("specificity", "sure"), [(30, True), (20, False)])
def test_a_line_is_to_be_mended_only_in_a_file_that_is_surely_of_the_format(
    tmp_path, specificity, sure
):
    with pytest.raises(ImportFormatError, match="message 3: no id") as caught:
        chosen(tmp_path, Reading("a", 0, specificity, "no id"))
    assert ("fix or remove it" in str(caught.value)) == sure
