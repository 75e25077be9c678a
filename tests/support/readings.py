"""Facts, and below each what texts say of it.

A fact may have a type, what happened to its file, and its keys: ``the tart is cold (state) [tart +
cold|iced]``. Below it stands each text with a mark, the rest of a long line deeper: ``+`` states
it, ``-`` does not, ``x`` denies it, ``?`` leaves it open, ``!`` does either, ``0`` does neither.
"""

import re

import pytest

from pytest_compaction.text import Statement, TextIndex

FACT = re.compile(r"(?P<text>.+?)( \((?P<type>\w+)( (?P<change>\w+))?\))?( \[(?P<keys>.+)\])?$")
OUTCOMES = {
    "+": {"stated"},
    "-": {"contradicted", "uncertain", "absent"},
    "x": {"contradicted"},
    "?": {"uncertain"},
    "!": {"contradicted", "uncertain"},
    "0": {"absent"},
}


def statement(line):
    """The statement of a line as above."""
    said = FACT.fullmatch(line)
    groups = said["keys"].split(" + ") if said["keys"] else ()
    keys = tuple(tuple(group.split("|")) for group in groups)
    return Statement(said["text"], keys=keys, change=said["change"], type=said["type"])


def statement_of(row):
    """The statement of a labelled fact, as the files of ``tests/calibration`` have it."""
    keys = tuple(map(tuple, row["keys"]))
    against = tuple(
        Statement(other["text"], keys=tuple(map(tuple, other["keys"])))
        for other in row.get("counterparts", ())
    )
    change, type = row.get("change"), row["type"]
    return Statement(row["fact"], keys=keys, counterparts=against, change=change, type=type)


def facts(table):
    """Run a test for each fact of a table: its statement, and its texts with their marks."""
    lines, rows = [], []
    for line in table.strip().replace("\n     ", "").split("\n"):
        if line.startswith("  "):
            rows[-1][1].append((line[2], line[4:].replace(r"\n", "\n")))
        elif line and not line.startswith("#"):
            lines.append(line)
            rows.append((statement(line), []))
    return pytest.mark.parametrize(("fact", "texts"), rows, ids=lines)


def misread(fact, texts):
    """The texts that are not read as their mark says, with their outcomes."""
    read = [(mark, text, TextIndex(text).read(fact).outcome) for mark, text in texts]
    return [(text, outcome) for mark, text, outcome in read if outcome not in OUTCOMES[mark]]
