"""Code review: a branch that migrates the loan files of a library of things to schema 4.

Cents get lost, a migration that fails stays half done, and the way back empties a table.
The reviewer takes one finding back after an experiment, repairs the rest on request, and
the way back gives way to the backup. The branch, SQLite, git and pytest are real; see
``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from functools import partial

from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

SYSTEM = """You help a developer with one repository. Shell commands and file edits are at your disposal.
Try a thing out before you claim it, change no more than was asked for, and be brief."""

TOVE = "Tove Reinholt <tove@example.org>"

FRESH_ITEMS = """CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    shelf TEXT NOT NULL
);
CREATE TABLE copies (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    barcode TEXT NOT NULL UNIQUE
);
CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    copy_id INTEGER NOT NULL REFERENCES copies (id),
"""

M004 = '''"""A row for every physical copy."""

VERSION = 4

UP = """
CREATE TABLE copies (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    barcode TEXT NOT NULL UNIQUE
);
INSERT INTO copies (item_id, barcode)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20)
SELECT items.id, printf('%04d-%02d', items.id, n)
FROM items JOIN numbers ON n <= items.copies
ORDER BY items.id, n;

CREATE TABLE loans_new (
    id INTEGER PRIMARY KEY,
    copy_id INTEGER NOT NULL REFERENCES copies (id),
    member_id INTEGER NOT NULL REFERENCES members (id),
    out_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    back_on TEXT,
    fee REAL NOT NULL DEFAULT 0
);
INSERT INTO loans_new
SELECT loans.id,
    (SELECT min(copies.id) FROM copies WHERE copies.item_id = loans.item_id),
    loans.member_id, loans.out_on, loans.due_on, loans.back_on, loans.fee
FROM loans;
DROP TABLE loans;
ALTER TABLE loans_new RENAME TO loans;
CREATE INDEX loans_due_idx ON loans (due_on) WHERE back_on IS NULL;

CREATE TABLE items_new (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    shelf TEXT NOT NULL
);
INSERT INTO items_new SELECT id, title, shelf FROM items;
DROP TABLE items;
ALTER TABLE items_new RENAME TO items;
"""
'''

DOWN = '''
DOWN = """
DROP INDEX loans_due_idx;
CREATE TABLE items_old (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    shelf TEXT NOT NULL,
    copies INTEGER NOT NULL DEFAULT 1
);
INSERT INTO items_old
SELECT id, title, shelf, (SELECT count(*) FROM copies WHERE copies.item_id = items.id)
FROM items;
CREATE TABLE loans_old (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items_old (id),
    member_id INTEGER NOT NULL REFERENCES members (id),
    out_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    back_on TEXT,
    fee REAL NOT NULL DEFAULT 0
);
INSERT INTO loans_old
SELECT loans.id, copies.item_id, loans.member_id, loans.out_on, loans.due_on, loans.back_on,
    loans.fee_cents / 100.0
FROM loans JOIN copies ON copies.id = loans.copy_id;
DROP TABLE loans;
DROP TABLE copies;
DROP TABLE items;
ALTER TABLE items_old RENAME TO items;
ALTER TABLE loans_old RENAME TO loans;
CREATE INDEX ix_loans_due_on ON loans (due_on) WHERE back_on IS NULL;
CREATE INDEX ix_loans_member_id ON loans (member_id);
CREATE TRIGGER tr_loans_closed BEFORE UPDATE OF due_on, back_on ON loans
WHEN OLD.back_on IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a closed loan stays as it is');
END;
"""
'''

ADD_ITEM = """    with store.change() as connection:
        added = connection.execute(
            "INSERT INTO items (title, shelf) VALUES (?, ?)", (title, shelf)
        ).lastrowid
        connection.executemany(
            "INSERT INTO copies (item_id, barcode) VALUES (?, ?)",
            [(added, f"{added:04d}-{number:02d}") for number in range(1, copies + 1)],
        )
"""

ITEMS_QUERY = '''_ITEMS = """
SELECT items.id, items.title, items.shelf,
    (SELECT count(*) FROM copies WHERE copies.item_id = items.id) AS copies,
    (SELECT count(*) FROM loans JOIN copies ON copies.id = loans.copy_id
        WHERE copies.item_id = items.id AND loans.back_on IS NULL) AS out
FROM items
"""
'''

LEND = """        connection.execute(
            "INSERT INTO loans (copy_id, member_id, out_on, due_on)"
            " SELECT min(id), ?, ?, ? FROM copies WHERE item_id = ?"
            " AND id NOT IN (SELECT copy_id FROM loans WHERE back_on IS NULL)",
            (borrower.id, on, due_on, thing.id),
        )
"""

COPIES_REPORT = '''

def copies(store: Store, title: str) -> list[str]:
    """The copies of a thing, each with the cards that have it."""
    rows = store.rows(
        "SELECT copies.barcode, coalesce(group_concat(members.card, ' '), 'on the shelf') AS place"
        " FROM copies JOIN items ON items.id = copies.item_id"
        " LEFT JOIN loans ON loans.copy_id = copies.id AND loans.back_on IS NULL"
        " LEFT JOIN members ON members.id = loans.member_id"
        " WHERE items.title = ? GROUP BY copies.id ORDER BY copies.barcode",
        title,
    )
    return [f"{row['barcode']}  {row['place']}" for row in rows]
'''

COPIES_TEST = """

def test_copies(store):
    lend(store, "4017", "tent for four", "2025-05-02")
    assert copies(store, "tent for four") == ["0002-01  4017", "0002-02  on the shelf"]
"""

ROLLBACK = '''

def rollback(store: Store, target: int) -> int:
    """Bring an open file back down and return its version."""
    version = version_of(store.connection)
    for step in reversed(known()):
        if target < step.version <= version:
            if step.down is None:
                raise FileError("M13", step.name)
            store.connection.executescript(step.down)
            store.connection.execute(f"PRAGMA user_version = {step.version - 1}")
            store.connection.commit()
    return version_of(store.connection)
'''

ROLLBACK_TESTS = '''"""The way back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tinshelf.errors import FileError
from tinshelf.migrate import migrate, rollback
from tinshelf.store import Store

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture
def migrated(tmp_path):
    path = tmp_path / "eastgate.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SAMPLES / "eastgate.sql").read_text())
    migrate(path)
    store = Store.open(path)
    yield store
    store.close()


def test_back_to_schema_3(migrated):
    assert rollback(migrated, 3) == 3
    assert migrated.count("loans") == 58
    assert migrated.count("items") == 13
    assert [row["name"] for row in migrated.rows("PRAGMA table_info(items)")][-1] == "copies"


def test_no_way_further_down(migrated):
    with pytest.raises(FileError, match="M13 no way back: m003_reservations"):
        rollback(migrated, 2)
'''

ROLLBACK_DOC = """# The way back

    python -m tinshelf --file eastgate.db rollback --to 3

brings a file of schema 4 back to schema 3 when the new program has to be taken off
a desk. Loans of the day are kept.
"""

SCHEMA_ROW = "| 4 | m004_split | a row for every copy, fees in cents |\n"


def history(repo: Repository) -> None:
    """What happened before the session: Tove's branch of four commits."""

    commit = partial(repo.commit, author=TOVE)
    repo.git("checkout", "-q", "-b", "schema-4")
    text = repo.text("src/tinshelf/schema.py")
    old = text[text.index("CREATE TABLE items") : text.index("    member_id INTEGER NOT NULL")]
    repo.change("src/tinshelf/schema.py", old, FRESH_ITEMS)
    repo.change("src/tinshelf/schema.py", "LATEST = 3", "LATEST = 4")
    repo.change(
        "src/tinshelf/schema.py",
        "CREATE TRIGGER",
        "CREATE UNIQUE INDEX ux_loans_copy_id ON loans (copy_id) WHERE back_on IS NULL;\nCREATE TRIGGER",
    )
    repo.put("src/tinshelf/migrations/m004_split.py", M004)
    text = repo.text("src/tinshelf/catalogue.py")
    repo.change(
        "src/tinshelf/catalogue.py",
        text[text.index("_ITEMS = ") : text.index("\n\ndef add_item")],
        ITEMS_QUERY,
    )
    repo.change(
        "src/tinshelf/catalogue.py",
        text[text.index("    with store.change") : text.index("    return item(")],
        ADD_ITEM,
    )
    text = repo.text("src/tinshelf/loans.py")
    start = text.index("        connection.execute(\n")
    repo.change(
        "src/tinshelf/loans.py",
        text[start : text.index("    return open_loans(store, card)[-1]")],
        LEND,
    )
    repo.change(
        "src/tinshelf/loans.py",
        "JOIN items ON items.id = loans.item_id",
        "JOIN copies ON copies.id = loans.copy_id\nJOIN items ON items.id = copies.item_id",
    )
    text = repo.text("src/tinshelf/report.py")
    repo.put(
        "src/tinshelf/report.py",
        text.replace(
            '        " JOIN items ON items.id = loans.item_id"\n',
            '        " JOIN copies ON copies.id = loans.copy_id"\n'
            '        " JOIN items ON items.id = copies.item_id"\n',
        )
        .replace("copies {_copies(store)}", "copies {store.count('copies')}")
        .replace(text[text.index("def _copies") : text.index("def overdue")], "")
        + COPIES_REPORT,
    )
    repo.change("tests/test_report.py", "import overdue", "import copies, overdue")
    repo.append("tests/test_report.py", COPIES_TEST)
    repo.change(
        "src/tinshelf/cli.py",
        '    find = commands.add_parser("find")',
        '    each = commands.add_parser("copies")\n    each.add_argument("title")\n'
        '    find = commands.add_parser("find")',
    )
    repo.change(
        "src/tinshelf/cli.py",
        '    if options.command == "overdue"',
        '    if options.command == "copies":\n        return report.copies(store, options.title)\n'
        '    if options.command == "overdue"',
    )
    commit("copies: a row for every physical copy")

    repo.change(
        "src/tinshelf/migrations/m004_split.py",
        "    fee REAL NOT NULL DEFAULT 0",
        "    fee_cents INTEGER NOT NULL DEFAULT 0",
    )
    repo.change(
        "src/tinshelf/migrations/m004_split.py",
        "loans.back_on, loans.fee\n",
        "loans.back_on, CAST(loans.fee * 100 AS INTEGER)\n",
    )
    repo.change(
        "src/tinshelf/migrations/m004_split.py",
        "every physical copy.",
        "every physical copy, fees in cents.",
    )
    repo.change("src/tinshelf/schema.py", "fee REAL", "fee_cents INTEGER")
    repo.change(
        "src/tinshelf/fees.py",
        "PER_DAY = 0.29\nCAP = 14.5\nLIMIT = 20.0",
        "PER_DAY = 29\nCAP = 1450\nLIMIT = 2000",
    )
    repo.change(
        "src/tinshelf/fees.py",
        'back_on: str) -> float:\n    """The fee of a loan in euros."""',
        'back_on: str) -> int:\n    """The fee of a loan in cents."""',
    )
    repo.change(
        "src/tinshelf/fees.py",
        "round(min(CAP, max(0, days) * PER_DAY), 2)",
        "min(CAP, max(0, days) * PER_DAY)",
    )
    repo.change(
        "src/tinshelf/fees.py",
        'def shown(fee: float) -> str:\n    """A fee as the desks show it."""\n    return f"{fee:.2f}"',
        'def shown(cents: int) -> str:\n    """A fee as the desks show it, in euros."""\n    return f"{cents / 100:.2f}"',
    )
    loans = repo.text("src/tinshelf/loans.py")
    repo.put(
        "src/tinshelf/loans.py",
        loans.replace("fee: float", "fee_cents: int")
        .replace("-> float", "-> int")
        .replace("loans.fee\n", "loans.fee_cents\n")
        .replace("loan.fee ", "loan.fee_cents ")
        .replace("fee = ", "fee_cents = "),
    )
    report = repo.text("src/tinshelf/report.py")
    repo.put(
        "src/tinshelf/report.py",
        report.replace("sum(fee)", "sum(fee_cents)")
        .replace("loans.fee ", "loans.fee_cents ")
        .replace("row['fee']", "row['fee_cents']"),
    )
    repo.change("src/tinshelf/cli.py", "shown(loan.fee)", "shown(loan.fee_cents)")
    repo.change("tests/test_loans.py", 'owes(store, "4017") == 14.5', 'owes(store, "4017") == 1450')
    repo.change("tests/test_loans.py", 'pay(store, "4017") == 14.5', 'pay(store, "4017") == 1450')
    commit("fees: whole cents")

    repo.append("src/tinshelf/migrations/m004_split.py", DOWN)
    repo.change(
        "src/tinshelf/migrate.py", "    up: str\n", "    up: str\n    down: str | None = None\n"
    )
    repo.change(
        "src/tinshelf/migrate.py",
        "Migration(module.VERSION, info.name, module.UP)",
        'Migration(module.VERSION, info.name, module.UP, getattr(module, "DOWN", None))',
    )
    repo.change(
        "src/tinshelf/migrate.py",
        "from tinshelf.schema import LATEST\n",
        "from tinshelf.schema import LATEST\nfrom tinshelf.store import Store\n",
    )
    repo.append("src/tinshelf/migrate.py", ROLLBACK)
    repo.change(
        "src/tinshelf/errors.py",
        '    "M12": "migration failed",\n',
        '    "M12": "migration failed",\n    "M13": "no way back",\n',
    )
    repo.change("src/tinshelf/cli.py", "migrate import migrate", "migrate import migrate, rollback")
    repo.change(
        "src/tinshelf/cli.py",
        '    for name in ("lend"',
        '    down = commands.add_parser("rollback")\n'
        '    down.add_argument("--to", type=int, required=True)\n    for name in ("lend"',
    )
    repo.change(
        "src/tinshelf/cli.py",
        '    if options.command == "lend"',
        '    if options.command == "rollback":\n'
        '        return [f"schema {rollback(store, options.to)}"]\n    if options.command == "lend"',
    )
    repo.put("tests/test_rollback.py", ROLLBACK_TESTS)
    repo.put("docs/rollback.md", ROLLBACK_DOC)
    commit("migrate: a way back to schema 3")

    repo.append("docs/schema.md", SCHEMA_ROW)
    commit("docs: schema 4")
    repo.git("tag", "-f", "start")


LOAD = '''"""Builds a file of schema 3 from samples/NAME.sql as ../lab/NAME.db."""

import sqlite3
import sys
from pathlib import Path

for name in sys.argv[1:]:
    path = Path(f"../lab/{name}.db")
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(Path(f"samples/{name}.sql").read_text())
    connection.close()
'''

ROW_BY_ROW = """python - <<'END'
import sqlite3

old = sqlite3.connect('../lab/eastgate.db.keep-3').execute('SELECT id, fee FROM loans ORDER BY id')
new = sqlite3.connect('../lab/eastgate.db').execute('SELECT id, fee_cents FROM loans ORDER BY id')
old, new = dict(old), dict(new)
print('loans before and after:', len(old), len(new), 'same ids:', list(old) == list(new))
for id, fee in old.items():
    if f'{fee:.2f}' != f'{new[id] / 100:.2f}':
        print(f'loan {id}: {fee:.2f} became {new[id]}, fee * 100 is {fee * 100!r}')
END"""

HALF = """python - <<'END'
import sqlite3

connection = sqlite3.connect('../lab/cobble_lane.db')
print('user_version', connection.execute('PRAGMA user_version').fetchone()[0])
for kind, name in connection.execute('SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name'):
    print(kind, name)
print('copies', connection.execute('SELECT count(*) FROM copies').fetchone()[0])
kept = sqlite3.connect('../lab/cobble_lane.db.keep-3')
print('tables named copies in the backup:', kept.execute("SELECT count(*) FROM sqlite_master WHERE name = 'copies'").fetchone()[0])
END"""

CASCADE = """python ../lab/load.py eastgate
python - <<'END'
import sqlite3
from pathlib import Path
from tinshelf.migrate import connect, migrate, rollback
from tinshelf.store import Store

path = Path('../lab/eastgate.db')
bare = connect(path)
print('foreign_keys in migrate.connect:', bare.execute('PRAGMA foreign_keys').fetchone()[0])
bare.close()
migrate(path)
store = Store.open(path)
print('foreign_keys in Store.open:', store.rows('PRAGMA foreign_keys')[0][0])
print('reservations after migrate:', store.count('reservations'))
rollback(store, 3)
print('reservations after rollback:', store.count('reservations'))
END"""

PARITY = """rm -f ../lab/fresh.db; python -m tinshelf --file ../lab/fresh.db status | head -n 1
python ../lab/load.py eastgate; python -m tinshelf --file ../lab/eastgate.db migrate | tail -n 1
for name in fresh eastgate; do python - $name <<'END'
import sqlite3, sys

rows = sqlite3.connect(f'../lab/{sys.argv[1]}.db').execute(
    "SELECT type, name FROM sqlite_master WHERE type != 'table' AND sql IS NOT NULL ORDER BY name"
)
print(sys.argv[1], *(f'{kind} {name}' for kind, name in rows), sep='\\n  ')
END
done"""

FINDINGS = """# Schema 4: findings

Verdicts: **stop** (not on a desk like this), **before release**, **later**.

## S4-1 Fees lose a cent (stop)
m004_split.py, `CAST(loans.fee * 100 AS INTEGER)`. 0.29 * 100 is 28.999999999999996, the cast
cuts it off. Eastgate: eight loans, one cent each, 26.39 becomes 26.31. Breaks rule 3.
Proposal: round before the cast.

## S4-2 A migration that fails stays half done (stop)
migrate.py, `_apply`. `executescript` commits first and then runs statement by statement, the
rollback has nothing to take back. Cobble Lane: user_version 3 with a table `copies`; the next
try ends with `table copies already exists`. Breaks rule 2.
Proposal: one transaction around all statements and the version.

## S4-3 Migrating empties the reservations (stop)
m004_split.py, `DROP TABLE items`. With foreign keys on that deletes every item first, and
`reservations.item_id` has ON DELETE CASCADE.
Proposal: foreign keys off while a table is rebuilt.

## S4-4 The second try replaces the good backup (before release)
backup.py, `back_up`. The copy of the half-done file takes the name `keep-3` as well.
Proposal: follows from S4-2; otherwise never replace a copy.

## S4-5 Withdrawn items cannot be migrated (stop)
m004_split.py. An item with copies = 0 has no row in `copies`, its old loans have nowhere to go:
`NOT NULL constraint failed: loans_new.copy_id`. Cobble Lane, steam mop, two loans of 2024.
Proposal: to be discussed.
"""

S3_OLD = FINDINGS[FINDINGS.index("## S4-3") : FINDINGS.index("## S4-4")]

S3_NEW = """## S4-3 Rolling back empties the reservations (stop)
Reworded: the way up is innocent, `migrate.connect` leaves foreign keys off and Eastgate keeps
its 7 reservations. The way down is guilty: `rollback` gets a `Store`, which has them on, and
`DROP TABLE items` cascades: 7 become 0. tests/test_rollback.py counts loans and items only.
Proposal: to be discussed together with S4-8.

"""

MORE_FINDINGS = """
## S4-6 Indexes and the trigger get lost (stop)
m004_split.py. `DROP TABLE loans` takes its indexes and triggers along. Back comes only
`loans_due_idx`, whose name is wrong (rule 4). Missing: ix_loans_due_on, ix_loans_member_id,
ux_loans_copy_id, tr_loans_closed. `overdue` dies with `no such index: ix_loans_due_on`, a
closed loan can be changed. Breaks rule 1; the tests use fresh files only.
Proposal: create all four, and a test that compares fresh and migrated.

## S4-7 All open loans land on the first copy (stop)
m004_split.py, `min(copies.id)`. Eastgate: 0002-01 is with 4017, 4021 and 4025 at once while
0002-02 and 0002-03 are on the shelf. ux_loans_copy_id would have refused it.
Proposal: number the open loans of an item and give each its own copy.

## S4-8 A fresh file has no way back (later)
m004_split.py, `DROP INDEX loans_due_idx`: a fresh file calls it ix_loans_due_on and rollback
ends with a traceback, not with an exit code of docs/desks.md.

## S4-9 Copies past number 20 are forgotten (before release)
m004_split.py, `n < 20`. Eastgate has 24 folding chairs, 45 copies become 41.
Proposal: 99, which is what the two digits of a barcode can hold.

## S4-10 A short wait for the lock (before release)
migrate.py, `LOCK_WAIT_MS = 2000`. The sync job holds its read lock for longer than that.
Proposal: to be discussed.
"""

INTERRUPTED = '''"""A migration happens as a whole or not at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tinshelf import migrate as module
from tinshelf.errors import FileError
from tinshelf.migrate import Migration, migrate

SAMPLES = Path(__file__).parents[1] / "samples"


def load(path, name):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SAMPLES / f"{name}.sql").read_text())


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump()), connection.execute("PRAGMA user_version").fetchone()


STEPS = [
    "CREATE TABLE crates (id INTEGER PRIMARY KEY); SELECT * FROM nowhere;",
    "DELETE FROM loans; INSERT INTO members (card) VALUES (NULL);",
    "DROP TABLE items;",
]


@pytest.mark.parametrize("script", STEPS)
def test_a_step_that_fails_leaves_no_trace(tmp_path, monkeypatch, script):
    path = tmp_path / "eastgate.db"
    load(path, "eastgate")
    before = dump(path)
    monkeypatch.setattr(module, "known", lambda: [Migration(4, "m004_broken", script)])
    for _ in range(2):
        with pytest.raises(FileError, match="M12 migration failed: m004_broken"):
            migrate(path)
        assert dump(path) == before
'''

STATEMENTS = '''"""Cuts a script into statements."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one after the other.

    SQLite itself says where one ends, so the semicolons inside a trigger or a text do not
    count. Raises ValueError when the last one has no end.
    """
    begun = ""
    for piece in script.split(";")[:-1]:
        begun += piece + ";"
        if sqlite3.complete_statement(begun):
            yield begun.strip()
            begun = ""
    rest = begun + script.rpartition(";")[2]
    if rest.strip():
        raise ValueError(f"no end: {rest.strip()}")
'''

STATEMENTS_TESTS = """import pytest

from tinshelf.migrate import known
from tinshelf.statements import statements


def test_semicolons_inside():
    trigger = "CREATE TRIGGER t BEFORE UPDATE ON a BEGIN SELECT 1; SELECT 2; END;"
    assert list(statements(f"SELECT ';';\\n{trigger}\\nDROP TABLE a;\\n")) == [
        "SELECT ';';",
        trigger,
        "DROP TABLE a;",
    ]


def test_no_end():
    with pytest.raises(ValueError, match="no end: DROP TABLE b"):
        list(statements("DROP TABLE a; DROP TABLE b"))


def test_number_of_statements_in_the_frozen_modules():
    assert [len(list(statements(step.up))) for step in known()[:3]] == [5, 3, 2]
"""

APPLY_OLD = """    try:
        connection.executescript(step.up)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.commit()
    except sqlite3.Error as error:
        connection.rollback()
        raise FileError("M12", f"{step.name}: {error}") from error
"""

APPLY_SCRIPT = """    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.executescript(step.up)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.commit()
    except sqlite3.Error as error:
        connection.rollback()
        raise FileError("M12", f"{step.name}: {error}") from error
"""

APPLY_NEW = """    try:
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements(step.up):
            connection.execute(statement)
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        if orphans:
            raise sqlite3.IntegrityError(f"{len(orphans)} rows refer to nothing")
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.commit()
    except sqlite3.Error as error:
        connection.rollback()
        raise FileError("M12", f"{step.name}: {error}") from error
"""

PARITY_TESTS = '''"""A fresh file and a migrated one are the same (docs/schema.md, rule 1)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tinshelf.loans import owes
from tinshelf.migrate import migrate
from tinshelf.report import copies, overdue, statement, status
from tinshelf.store import Store

SAMPLES = Path(__file__).parents[1] / "samples"


def migrated(tmp_path, name):
    path = tmp_path / f"{name}.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SAMPLES / f"{name}.sql").read_text())
    migrate(path)
    return Store.open(path)


def shape(store):
    """Everything that makes a schema, by name."""
    found = {}
    for row in store.rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"):
        if row["type"] == "table":
            columns = [tuple(each) for each in store.rows(f"PRAGMA table_info({row['name']})")]
            keys = [tuple(each) for each in store.rows(f"PRAGMA foreign_key_list({row['name']})")]
            found[row["name"]] = (columns, keys)
        else:
            found[row["name"]] = (row["tbl_name"], row["sql"])
    return found


@pytest.mark.parametrize("name", ["eastgate", "cobble_lane"])
def test_same_shape(tmp_path, name):
    assert shape(migrated(tmp_path, name)) == shape(Store.open(":memory:"))


def test_eastgate_keeps_every_value(tmp_path):
    store = migrated(tmp_path, "eastgate")
    assert status(store)[1:] == [
        "members 12",
        "items 13, copies 45",
        "loans 58, open 14",
        "reservations 7",
        "fees 26.39",
    ]
    assert owes(store, "4022") == 0


def test_every_open_loan_has_its_own_copy(tmp_path):
    store = migrated(tmp_path, "eastgate")
    assert copies(store, "tent for four") == ["0002-01  4017", "0002-02  4021", "0002-03  4025"]
    assert len(overdue(store, "2025-06-12")) == 12


def test_what_was_given_away_is_still_in_a_statement(tmp_path):
    store = migrated(tmp_path, "cobble_lane")
    assert statement(store, "7101", 2024) == ["2024-11-02  2024-11-27  steam mop  1.16"]
    assert status(store)[2] == "items 4, copies 4"
'''

UP_COPIES = """CREATE TABLE copies (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    barcode TEXT NOT NULL UNIQUE,
    retired INTEGER NOT NULL DEFAULT 0
);
INSERT INTO copies (item_id, barcode)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 99)
SELECT items.id, printf('%04d-%02d', items.id, n)
FROM items JOIN numbers ON n <= items.copies
ORDER BY items.id, n;
INSERT INTO copies (item_id, barcode, retired)
SELECT id, printf('%04d-00', id), 1 FROM items WHERE copies = 0;
"""

UP_LOANS = """INSERT INTO loans_new
SELECT ranked.id, placed.copy_id, member_id, out_on, due_on, back_on,
    CAST(round(fee * 100) AS INTEGER)
FROM (
    SELECT *, CASE WHEN back_on IS NULL
        THEN row_number() OVER (PARTITION BY item_id, back_on IS NULL ORDER BY out_on, id)
        ELSE 1 END AS place
    FROM loans
) AS ranked
JOIN (
    SELECT id AS copy_id, item_id, row_number() OVER (PARTITION BY item_id ORDER BY id) AS place
    FROM copies
) AS placed ON placed.item_id = ranked.item_id AND placed.place = ranked.place
ORDER BY ranked.id;
"""

UP_INDEXES = """CREATE INDEX ix_loans_due_on ON loans (due_on) WHERE back_on IS NULL;
CREATE INDEX ix_loans_member_id ON loans (member_id);
CREATE UNIQUE INDEX ux_loans_copy_id ON loans (copy_id) WHERE back_on IS NULL;
CREATE TRIGGER tr_loans_closed BEFORE UPDATE OF due_on, back_on ON loans
WHEN OLD.back_on IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a closed loan stays as it is');
END;
"""

NIGHT = """# The upgrade night

For each branch, in this order; stop at the first line that is not so.

1. The desk is closed and nobody has the file open.
2. Not between 02:00 and 02:10: the sync job holds a read lock.
3. `status` with the old program; write down loans, reservations, fees.
4. `migrate` ends with `schema 4` and exit code 0. Code 3: the file is as it was, call somebody.
5. `NAME.db.keep-3` is there. Copy it to the head office before the desk opens.
6. `status` again: loans, reservations and fees are the same, copies are the sum of the items.
7. `overdue` prints the same lines as before.

## The way back

Only before the desk opens: `restore --version 3`, then the old program. Loans made after
the migration would be lost; from then on errors are repaired forwards.
"""

KILL = """cat > ../lab/kill.py <<'END'
import os
import shutil
import sqlite3
import sys
from pathlib import Path

from tinshelf import migrate as module
from tinshelf.statements import statements

path = Path('../lab/eastgate.db')
UP = module.known()[3].up
PARTS = list(statements(UP))


def die_before(number):
    def cut(script):
        for count, statement in enumerate(PARTS):
            if count == number:
                os._exit(9)
            yield statement

    return cut


for number, statement in enumerate(PARTS):
    shutil.copy('../lab/kill-3.db', path)
    child = os.fork()
    if child == 0:
        sys.stdout = open(os.devnull, 'w')
        if sys.argv[1] == 'new':
            module.statements = die_before(number)
            module.migrate(path)
        else:
            module.connect(path).executescript(''.join(PARTS[:number]))
        os._exit(9)
    os.waitpid(child, 0)
    db = sqlite3.connect(path)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    loans = db.execute('SELECT count(*) FROM loans').fetchone()[0] if 'loans' in tables else 'no table'
    version = db.execute('PRAGMA user_version').fetchone()[0]
    head = ' '.join(statement.split()[:3])
    print(f'{number:2} before {head}: schema {version}, loans {loans}, copies table {"copies" in tables}')
END
python ../lab/load.py eastgate && cp ../lab/eastgate.db ../lab/kill-3.db
echo new runner; python ../lab/kill.py new; echo old runner; python ../lab/kill.py old"""

WAIT_TEST = """

def test_the_supervisor_is_more_patient_than_the_migration():
    assert LOCK_WAIT_MS < 15_000


def test_a_lock_is_a_failure_like_any_other(eastgate, monkeypatch):
    monkeypatch.setattr(module, "LOCK_WAIT_MS", 1)
    with closing(sqlite3.connect(eastgate)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FileError, match="M12 migration failed: .*: database is locked"):
            migrate(eastgate)
"""


def look(session: Recorder) -> None:
    """Act 1: the request, the dead end, the cents."""
    session.system(SYSTEM)
    session.user(
        "Review please: Tove's branch schema-4 is checked out, four commits. It takes the loan files of our "
        "eleven branches from schema 3 to 4. I ran it on the two samples and got this:\n\n"
        "- Eastgate: `status` says fees 26.39 before and 26.31 after. Eight cents, and I have to explain every one of "
        "them to the auditor.\n"
        "- Cobble Lane: `tinshelf: M12 migration failed: m004_split: NOT NULL constraint failed: loans_new.copy_id`, exit code 3. "
        "When I try again it says `table copies already exists`.\n\n"
        "Put findings into docs/reviews/schema-4.md, numbered S4-1, S4-2 and so on, with a verdict each: stop, before release, "
        "or later. Three things are not up for discussion: m001 to m003 have run on all eleven machines, not a byte changes "
        "in them. `lend` and `give_back` keep their signatures, deskling imports them. And nothing that SQLite 3.31.1 "
        "doesn't know. Don't repair anything before I say so."
    )
    session.together(
        [
            bash("git log --format='%an: %s' main.. && git diff --stat main"),
            read_file("docs/schema.md"),
            read_file("docs/desks.md"),
        ],
        "I start with the size of the branch and with the rules it has to keep.",
    )
    session.together(
        [
            read_file("src/tinshelf/migrations/m004_split.py"),
            read_file("src/tinshelf/migrate.py"),
        ],
        "Five rules in docs/schema.md, three exit codes in docs/desks.md. Now the step itself and the code that runs it.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.bash(
        f"mkdir -p ../lab && cat > ../lab/load.py <<'END'\n{LOAD}END\n"
        "git worktree add -q ../old main && python ../lab/load.py eastgate cobble_lane && ls ../lab",
        "42 passed, so the tests see nothing of what you report. I set up a lab outside of the repository: the samples as "
        "files of schema 3, and a worktree with the old program.",
    )
    session.bash(
        "PYTHONPATH=../old/src python -m tinshelf --file ../lab/eastgate.db status\n"
        "python -m tinshelf --file ../lab/eastgate.db migrate\n"
        "python -m tinshelf --file ../lab/eastgate.db status",
    )
    session.say(
        "Reproduced: 26.39 and 26.31. And a second difference that you didn't mention: copies 45 before, 41 after. My first "
        "suspicion joins the two: four copies vanish, their loans have no row to point to, "
        "and the fees of those loans are the eight cents. If so, loans are missing."
    )
    session.bash(
        ROW_BY_ROW,
        "`status` says 58 loans both times, but a lost row and a doubled one would look the same. So row by row, "
        "backup against migrated file.",
    )
    session.together(
        [
            read_file("src/tinshelf/fees.py"),
            bash("git diff -U1 main -- src/tinshelf/loans.py tests/test_loans.py"),
        ],
        "That suspicion was wrong: no loan is lost, all 58 ids are there. It is eight loans with one cent each. "
        "`CAST(loans.fee * 100 AS INTEGER)` cuts off: 0.29 * 100 is 28.999999999999996. Does the new program have the same "
        "weakness, or only the migration?",
    )
    session.bash(
        "python - <<'END'\n"
        "import sqlite3\n\n"
        "db = sqlite3.connect(':memory:')\n"
        "fees = [round(days * 0.29, 2) for days in range(51)]\n"
        "def wrong(expression):\n"
        "    got = [db.execute(f'SELECT {expression}', (fee,)).fetchone()[0] for fee in fees]\n"
        "    return [days for days, cents in enumerate(got) if cents != days * 29]\n"
        "print('cast:', wrong('CAST(? * 100 AS INTEGER)'))\n"
        "print('round and cast:', wrong('CAST(round(? * 100) AS INTEGER)'))\n"
        "END",
        "fees.py counts in whole cents from the start, it is the migration alone. How many of the possible fees are hit? "
        "Up to 50 days count, then the cap of 14.50 holds.",
    )
    session.say(
        "The eight cents are explained: loans with certain fees lose one cent each in the cast, with `round` before the cast all 51 "
        "possible fees come out right. No rows are lost. That will be S4-1, stop, since rule 3 says a migration keeps every value. The "
        "four copies are another matter, I come back to them. Next is Cobble Lane."
    )
    session.user(
        "Good, that I can tell the auditor. Go on with Cobble Lane. One thing to know: the supervisor starts `migrate` up to three "
        "times when it gets code 3."
    )


def half_done(session: Recorder) -> None:
    """Cobble Lane: what a failure leaves behind."""
    session.together(
        [
            read_file("src/tinshelf/cli.py"),
            read_file("src/tinshelf/errors.py"),
        ],
        "First which errors end as code 3: the commands and the error codes.",
    )
    session.bash(
        'for try in 1 2 3; do python -m tinshelf --file ../lab/cobble_lane.db migrate; echo "try $try: code $?"; done',
        "Three tries then, as on a desk.",
    )
    session.bash(HALF, "What does the file look like now, and the backup?")
    session.bash(
        "sed -n '/INTO items/,$p' samples/cobble_lane.sql",
        "The version is 3 but `copies` and an empty `loans_new` exist: half done. Worse, the second try has "
        "replaced the backup by a copy of the half-done file: `keep-3` has a table `copies`. Nobody could go back. Why does it fail at all?",
    )
    session.bash(
        "python - <<'END'\n"
        "import sqlite3\n\n"
        "db = sqlite3.connect(':memory:', isolation_level=None)\n"
        "db.execute('BEGIN')\n"
        "print('in a transaction:', db.in_transaction)\n"
        "db.executescript('CREATE TABLE a (x);')\n"
        "print('after executescript:', db.in_transaction)\n"
        "END",
        "The steam mop was given away: copies = 0, so no row in `copies`, but two loans of 2024 refer to it. And `_apply` does call "
        "rollback. I believe `executescript` is the reason that there's nothing to take back:",
    )
    session.say(
        "Confirmed: `executescript` commits whatever is open and then runs every statement on its own. So the rollback in "
        "`_apply` is decoration, for every migration that we ever ran; m001 to m003 were lucky. I'd call that the main finding. "
        "The third try changes nothing any more, it is the second one that destroys the backup."
    )
    session.point("p1")


def findings(session: Recorder) -> None:
    """Act 2: the first version of the findings, one of them wrong."""
    session.user(
        "Ouch. That's the runner then, which is mine, not Tove's. Write down what you have, I read along. Then the rest: the way "
        "down, indexes, whether fresh and migrated files are the same."
    )
    session.together(
        [
            read_file("src/tinshelf/schema.py"),
            read_file("src/tinshelf/backup.py"),
            read_file("src/tinshelf/store.py"),
        ],
        "Before I write: the fresh schema, the backup, and how files are opened.",
    )
    session.write(
        "docs/reviews/schema-4.md",
        FINDINGS,
        "One more thing comes to mind while reading: reservations refer to items with ON DELETE CASCADE, foreign keys are on in "
        "`Store`, and with foreign keys on SQLite turns `DROP TABLE items` into a DELETE of every row. That would empty the reservations of "
        "every branch. It goes in as S4-3, stop.",
    )
    session.user(
        "S4-3 scares me, but my run on Eastgate said reservations 7 before and after. Have you tried it or only read it?"
    )
    session.bash(
        CASCADE,
        "Only read. It should not have gone in without an experiment, here it is: up and down, with the setting of each connection.",
    )
    session.edit(
        "docs/reviews/schema-4.md",
        S3_OLD,
        S3_NEW,
        "You were right to ask. I take S4-3 back as it stood: `migrate.connect` is a bare connection with foreign keys off, the "
        "way up keeps all 7 reservations. But the same experiment shows it on the way down: `rollback` works on a `Store`, and 7 reservations become 0. "
        "I reword the finding instead of dropping it.",
    )
    session.together(
        [
            read_file("tests/test_rollback.py"),
            read_file("docs/rollback.md"),
            read_file("tests/test_migrate.py"),
        ],
        "Why do the tests not see that?",
    )
    session.bash(
        PARITY,
        "test_rollback.py counts loans and items, not reservations; and docs/rollback.md promises that loans of the day are kept, with no word "
        "about the rest. Next rule 1, fresh against migrated.",
    )
    session.bash(
        "python -m tinshelf --file ../lab/eastgate.db overdue --on 2025-06-12 2>&1 | tail -n 1\n"
        'python -m tinshelf --file ../lab/fresh.db overdue --on 2025-06-12; echo "fresh: code $?"\n'
        "python -m tinshelf --file ../lab/fresh.db rollback --to 3 2>&1 | tail -n 1\n"
        "python - <<'END'\n"
        "import sqlite3\n"
        "db = sqlite3.connect('../lab/eastgate.db')\n"
        "done = db.execute(\"UPDATE loans SET back_on = '2030-01-01' WHERE id = 1\")\n"
        "print('closed loans that could be changed:', done.rowcount)\n"
        "END",
        "Migrated files lack three indexes and the trigger, and one index has a name of its own. What does that do to the program?",
    )
    session.together(
        [
            read_file("src/tinshelf/report.py"),
            read_file("src/tinshelf/catalogue.py"),
            bash(
                "for title in 'tent for four' 'cool box' 'folding chair'; do python -m tinshelf "
                "--file ../lab/eastgate.db copies \"$title\" | sed -n '1,3p;$p'; done; "
                "grep -n 'folding chair' samples/eastgate.sql"
            ),
        ],
        "`overdue` would have failed on all eleven desks the next morning: `no such index: ix_loans_due_on`. On fresh files, which is "
        "what the tests use, all is well. Now the copies, and the four that vanish.",
    )
    session.bash(
        "cat >> docs/reviews/schema-4.md <<'END'"
        + MORE_FINDINGS
        + "END\ngrep -n '^## ' docs/reviews/schema-4.md",
        "Two findings at once. The four missing copies are folding chairs: there are 24, and the recursion stops at 20. And "
        "`min(copies.id)` gives every open loan the first copy: three members have the same tent 0002-01, two tents stand on the shelf that "
        "are not there. The desk would lend them again. I add S4-6 to S4-10.",
    )
    session.say(
        "Ten findings. Stop: S4-1 cents, S4-2 half-done migration, S4-3 rollback empties reservations, S4-5 withdrawn items, S4-6 indexes and trigger, "
        "S4-7 open loans on the first copy. Before release: S4-4 replaced backup, S4-9 chairs, S4-10 lock wait. Later: S4-8 fresh file has no way back. "
        "What Tove does well: barcodes by item and number, cents in the program, and the code on top of `copies` is tidy."
    )
    session.user(
        "Read it. S4-9 is a stop for me: four chairs that don't exist any more are a phone call per branch. S4-10: at "
        "Millrace the sync takes up to 18 seconds, so set LOCK_WAIT_MS to 20000 when we repair.\n\n"
        "S4-5 needs a decision. What are the options for the steam mop?"
    )
    session.together(
        [
            read_file("src/tinshelf/loans.py"),
            bash(
                "python ../lab/load.py cobble_lane; PYTHONPATH=../old/src python -m tinshelf "
                "--file ../lab/cobble_lane.db statement 7101 2024; grep -n -i 'no longer' -r src docs"
            ),
        ],
        "Who needs those old loans? I look at what reads them.",
    )
    session.say(
        "Three options:\n\n- (a) Drop loans of withdrawn items: simplest, but `statement` promises what the library no longer has, and rule 3 forbids it.\n"
        "- (b) Let `copy_id` be NULL: then every join in loans.py and report.py has to become a LEFT JOIN, and the title is lost anyway.\n"
        "- (c) Give a withdrawn item one retired copy, barcode ending in -00, `copies.retired = 1`, which is never lent and never counted.\n\n"
        "I'd take (c): one column more, no query gets more difficult than `AND retired = 0`."
    )
    session.user(
        "(c), the retired copy. And (a) is out for good, the statement is what people need for their tax. Write that into S4-5, "
        "change S4-9, and then you may repair. Commits on top of Tove's, subject starting with `schema-4: `. She's ill this week."
    )
    session.together(
        [
            edit_file(
                "docs/reviews/schema-4.md",
                "two loans of 2024.\nProposal: to be discussed.\n",
                "two loans of 2024.\nDecided: a retired copy with a barcode ending in -00. Not dropped (`statement` needs them), no\n"
                "NULL in copy_id (every join would become a LEFT JOIN).\n",
            ),
            edit_file(
                "docs/reviews/schema-4.md",
                "## S4-9 Copies past number 20 are forgotten (before release)",
                "## S4-9 Copies past number 20 are forgotten (stop)",
            ),
            bash(
                "git add docs && git commit -q -m 'schema-4: findings of the review' && git show --stat --format='%s' HEAD"
            ),
        ],
    )
    session.point("p2")


def repair(session: Recorder) -> None:
    """Act 3: the runner, on the third approach, and the step."""
    session.user("Start with S4-2. Can't we just put BEGIN and COMMIT into the UP of m004?")
    session.say(
        "It would help m004 only: m001 to m003 are frozen and would stay unprotected, and a machine that was off for "
        "long may still run them. Also the version is set by the runner, after such a COMMIT; a power cut in between leaves schema 4 labelled 3. "
        "So I'd rather repair `_apply` and leave the scripts alone. A test first, with three ways to fail."
    )
    session.write("tests/test_interrupted.py", INTERRUPTED)
    session.bash("python -m pytest -q --tb=line tests/test_interrupted.py")
    session.edit(
        "src/tinshelf/migrate.py",
        APPLY_OLD,
        APPLY_SCRIPT,
        "All three fail as they should. The smallest change: open the transaction before the script.",
    )
    session.bash("python -m pytest -q --tb=short tests/test_interrupted.py 2>&1 | tail -n 22")
    session.say(
        "As I feared after the experiment: 3 failed still, since `executescript` commits my BEGIN IMMEDIATE before it starts. I drop this approach and "
        "execute one statement at a time instead. Splitting at semicolons would cut the trigger of m002 in two; "
        "`sqlite3.complete_statement` knows about triggers and is in the standard library."
    )
    session.together(
        [
            write_file("src/tinshelf/statements.py", STATEMENTS),
            write_file("tests/test_statements.py", STATEMENTS_TESTS),
            edit_file("src/tinshelf/migrate.py", APPLY_SCRIPT, APPLY_NEW),
            edit_file(
                "src/tinshelf/migrate.py",
                "from tinshelf.schema import LATEST\n",
                "from tinshelf.schema import LATEST\nfrom tinshelf.statements import statements\n",
            ),
            edit_file("src/tinshelf/migrate.py", "LOCK_WAIT_MS = 2000\n", "LOCK_WAIT_MS = 20000\n"),
        ],
        "With a `PRAGMA foreign_key_check` before the commit, because foreign keys stay off while tables are rebuilt. `PRAGMA user_version` "
        "takes part in a transaction, so the version is inside as well. And LOCK_WAIT_MS 20000 as you said.",
    )
    session.bash("python -m pytest -q --tb=short")
    session.bash(
        "python ../lab/load.py cobble_lane; for try in 1 2; do python -m tinshelf --file ../lab/cobble_lane.db migrate 2>&1 >/dev/null; done\n"
        "PYTHONPATH=../old/src python -m tinshelf --file ../lab/cobble_lane.db status",
        "48 passed. Cobble Lane must still fail, but leave no trace:",
    )
    session.bash(
        "git diff --stat main -- src/tinshelf/migrations/m00[123]*; git add -A && git commit -q -m 'schema-4: one transaction for a migration and its version' "
        "-m 'Closes S4-2 and with it S4-4.' && git show --stat --format='%s' HEAD",
        "The same error twice and the old program still opens the file as schema 3. S4-4 falls with it: what the second try backs up is the untouched file. "
        "Commit, with a look that m001 to m003 are as they were.",
    )
    session.user("Very nice. Isn't numbering the backups still better? keep-3-1, keep-3-2?")
    session.say(
        "I'd leave that out. With one transaction every backup of version 3 is the same good state, and numbered copies would "
        "fill the small disks of the desks and leave the night crew to guess which one is right. One name, one file."
    )
    session.user("OK, no numbering. Now the step itself: S4-1, S4-5, S4-6, S4-7, S4-9.")
    session.write(
        "tests/test_parity.py",
        PARITY_TESTS,
        "Tests first again: the shape of fresh and migrated compared by name, and Eastgate and Cobble Lane value by value.",
    )
    session.bash("python -m pytest -q --tb=line tests/test_parity.py")
    text = session.repo.text("src/tinshelf/migrations/m004_split.py")
    loans = text[text.index("INSERT INTO loans_new") : text.index("DROP TABLE loans;")]
    copies = text[text.index("CREATE TABLE copies") : text.index("\nCREATE TABLE loans_new")]
    index = "CREATE INDEX loans_due_idx ON loans (due_on) WHERE back_on IS NULL;\n"
    m004 = "src/tinshelf/migrations/m004_split.py"
    session.together(
        [
            edit_file(m004, copies, UP_COPIES),
            edit_file(m004, loans, UP_LOANS),
            edit_file(m004, index, UP_INDEXES),
            edit_file(
                "src/tinshelf/schema.py",
                "    barcode TEXT NOT NULL UNIQUE\n",
                "    barcode TEXT NOT NULL UNIQUE,\n    retired INTEGER NOT NULL DEFAULT 0\n",
            ),
        ],
        "All five fail. For S4-7 I number the open loans of an item with `row_number()`, a window function, which SQLite has since 3.25, so "
        "3.31.1 knows it. Closed loans go to the first copy; nobody knows which one it really was.",
    )
    session.bash(
        "sed -i 's/WHERE copies.item_id = items.id) AS copies/WHERE copies.item_id = items.id AND retired = 0) AS copies/' src/tinshelf/catalogue.py\n"
        "sed -i 's/FROM copies WHERE item_id = ?\"/FROM copies WHERE item_id = ? AND retired = 0\"/' src/tinshelf/loans.py\n"
        "sed -i \"s/store.count('copies')/store.count('copies', 'retired = 0')/; s/WHERE items.title = ? GROUP/WHERE items.title = ? AND retired = 0 GROUP/\" src/tinshelf/report.py\n"
        "git diff -U0 src/tinshelf/catalogue.py src/tinshelf/loans.py src/tinshelf/report.py | grep '^[-+]'\n"
        "python -m pytest -q --tb=short",
        "And the program must not lend or count a retired copy:",
    )
    session.together(
        [
            bash(
                "python ../lab/load.py eastgate cobble_lane; for name in eastgate cobble_lane; do "
                "python -m tinshelf --file ../lab/$name.db migrate; python -m tinshelf --file ../lab/$name.db status; done"
            ),
            bash(
                "python -m tinshelf --file ../lab/cobble_lane.db lend 7102 'steam mop' --on 2025-06-12; echo code $?\n"
                "python -m tinshelf --file ../lab/eastgate.db overdue --on 2025-06-12 > ../lab/new.txt\n"
                "python ../lab/load.py eastgate; PYTHONPATH=../old/src python -m tinshelf --file ../lab/eastgate.db overdue --on 2025-06-12 "
                "| diff - ../lab/new.txt && echo 'overdue: same lines'"
            ),
        ],
        "2 failed, 51 passed. The two are tests/test_rollback.py: the DOWN wants to drop `loans_due_idx`, which is no longer there. That is the way down (S4-3, S4-8), "
        "so I leave them red until you have decided about it. The two samples by hand, as you did it:",
    )
    session.bash(
        "git add -A && git commit -q -m 'schema-4: keep cents, copies, indexes and withdrawn items' -m 'Closes S4-1, S4-5, S4-6, S4-7 and S4-9.' && git show --stat --format='%s' HEAD"
    )
    session.say(
        "Fees 26.39 and 45 copies at Eastgate, Cobble Lane goes through on the first try, and the steam mop is refused with L20. Five findings are closed by this commit. "
        "Open are S4-3 and S4-8, both about the way down."
    )
    session.point("p3")


def way_back(session: Recorder) -> None:
    """Act 4: the rollback goes, the wait changes again, the module gets its name."""
    session.user(
        "Then the way down. I want it to keep the reservations, same as up: bare connection, one transaction. Should be "
        "half an hour?"
    )
    session.bash(
        "python - <<'END'\n"
        "import sqlite3\n"
        "from pathlib import Path\n"
        "from tinshelf.catalogue import add_item, item\n"
        "from tinshelf.migrate import migrate, rollback\n"
        "from tinshelf.store import Store\n"
        "from tinshelf.report import copies\n\n"
        "path = Path('../lab/cobble_lane.db')\n"
        "store = Store.open(path)\n"
        "with store.change() as db:\n"
        "    db.execute(\"UPDATE copies SET barcode = 'EG-77' WHERE barcode = '0001-01'\")\n"
        "print('before:', copies(store, 'bench saw'))\n"
        "store.connection.execute('PRAGMA foreign_keys = OFF')\n"
        "store.connection.execute('DROP INDEX ix_loans_due_on')\n"
        "store.connection.execute('CREATE INDEX loans_due_idx ON loans (due_on)')\n"
        "rollback(store, 3)\n"
        "print('steam mop, copies in schema 3:', store.rows(\"SELECT copies FROM items WHERE title = 'steam mop'\")[0][0])\n"
        "store.close()\n"
        "migrate(path)\n"
        "store = Store.open(path)\n"
        "print('after down and up:', copies(store, 'bench saw'))\n"
        "print('steam mop free:', item(store, 'steam mop').free)\n"
        "END",
        "Let me see first what down and up again would do to a file, with foreign keys off and a label that somebody has changed:",
    )
    session.say(
        "I doubt it is worth it. Even with the reservations kept, schema 3 has no place for barcodes: a label EG-77 comes back as 0001-01, and the "
        "steam mop returns as one that can be lent. Dropping only the columns isn't possible either, DROP COLUMN came with SQLite 3.35. The alternative is the file that we already "
        "have: `restore --version 3` puts the backup back, exactly. Its price: loans made after the migration are gone, so only before the desk opens."
    )
    session.user(
        "Hm. You're right, I change my mind: no rollback, the backup is the way back. In the night nobody lends anything. Take the command out, "
        "with M13 and the DOWN, delete docs/rollback.md and its test. And write me a checklist for the night crew, "
        "docs/upgrade-night.md, with the way back in it."
    )
    session.together(
        [
            bash(
                "grep -rniE 'rollback|M13|DOWN\\b' src tests docs | grep -v '^docs/reviews' | cut -c1-110"
            ),
            read_file("src/tinshelf/reservations.py"),
        ],
        "All places of the word first; and the reservations once, since they were at stake.",
    )
    session.bash(
        "git rm -q docs/rollback.md tests/test_rollback.py\n"
        "python - <<'END'\n"
        "from pathlib import Path\n\n"
        "def cut(path, first, last=None):\n"
        "    text = Path(path).read_text()\n"
        "    start = text.index(first)\n"
        "    end = text.index(last, start) if last else len(text)\n"
        "    Path(path).write_text((text[:start] + text[end:]).rstrip('\\n') + '\\n')\n\n"
        "cut('src/tinshelf/migrations/m004_split.py', '\\nDOWN = ')\n"
        "cut('src/tinshelf/migrate.py', '\\n\\ndef rollback')\n"
        "cut('src/tinshelf/migrate.py', 'from tinshelf.store', '\\nLOCK_WAIT_MS')\n"
        "cut('src/tinshelf/migrate.py', '    down: str', '\\n\\ndef known')\n"
        "cut('src/tinshelf/migrate.py', ', getattr(module', '))\\n    return sorted')\n"
        "cut('src/tinshelf/errors.py', '    \"M13\"', '    \"B50\"')\n"
        "cut('src/tinshelf/cli.py', '    down = ', '    for name in')\n"
        "cut('src/tinshelf/cli.py', '    if options.command == \"rollback\"', '    if options.command == \"lend\"')\n"
        "cut('src/tinshelf/cli.py', ', rollback', '\\nfrom tinshelf.store')\n"
        "END\n"
        "git diff -U0 src/tinshelf/migrate.py src/tinshelf/cli.py | grep '^[-+]'; grep -rn 'rollback\\|M13\\|DOWN' src tests docs --include='*.py'",
    )
    session.bash(
        "python -m pytest -q --tb=short",
        "What is left of the word is `connection.rollback()`. The tests:",
    )
    fix_migrate(session)


def fix_migrate(session: Recorder) -> None:
    """The rest of act 4."""
    session.write(
        "docs/upgrade-night.md",
        NIGHT,
        "51 passed, two fewer with test_rollback.py. Now the checklist; the order matters, the figures to compare are those that were wrong on the samples.",
    )
    session.say(
        "While writing point 2 I noticed something in docs/desks.md that I should have seen when we set the lock wait: the supervisor kills a program that writes "
        "nothing for 15 seconds. With LOCK_WAIT_MS 20000 a migration that waits for the sync never gets to its end; it is killed "
        "after 15 seconds, and the desk sees no M12 but a crash. The wait has to be shorter than 15 seconds, or it has to write something."
    )
    session.user(
        "Good catch. Make LOCK_WAIT_MS 12000. If the lock stays we get code 3, the supervisor tries three times anyway, and that "
        "covers Millrace's 18 seconds. No progress output, the supervisor's log is read by a script.\n\n"
        "Then the name: rule 5 says module names say what changes. m004_split says nothing. git mv it to "
        "m004_copies_and_cents. It hasn't left the house yet, so it's allowed."
    )
    session.bash(
        "sed -i 's/^LOCK_WAIT_MS = 20000/LOCK_WAIT_MS = 12000/' src/tinshelf/migrate.py\n"
        "git mv src/tinshelf/migrations/m004_split.py src/tinshelf/migrations/m004_copies_and_cents.py\n"
        "sed -i 's/| 4 | m004_split | a row for every copy, fees in cents |/| 4 | m004_copies_and_cents | a row for every copy, fees in cents; `items.copies` goes, copies are counted |/' docs/schema.md\n"
        "grep -rn 'm004_split' . --include='*.py' --include='*.md' | cut -c1-90",
        "Both. The table in docs/schema.md names the module, and rule 3 wants named there what goes: `items.copies`.",
    )
    session.together(
        [
            bash(
                "python - <<'END'\n"
                "from pathlib import Path\n\n"
                "path = Path('tests/test_migrate.py')\n"
                "text = path.read_text()\n"
                "text = text.replace('from tinshelf.errors', 'from tinshelf import migrate as module\\nfrom tinshelf.errors')\n"
                "text = text.replace('import known, migrate\\n', 'import LOCK_WAIT_MS, known, migrate\\n')\n"
                f"path.write_text(text + '''{WAIT_TEST}''')\n"
                "END"
            ),
            bash("python -m pytest -q --tb=short"),
        ],
        "The findings keep the old name, they describe what was reviewed. Two tests for the wait: shorter than the supervisor's patience, and a lock ends as M12.",
    )
    session.bash(
        "git add -A && git commit -q -m 'schema-4: the backup is the way back' -m 'Closes S4-3, S4-8 and S4-10.' && git show -M --stat --format='%s' HEAD"
    )
    session.user(
        "Now the thing I lie awake over: a power cut in the middle. Can you kill it after every statement and look at the file?"
    )
    session.bash(
        KILL,
        "Yes. A child process that dies without a word before statement n, for every n, and then a look at the file with a new connection; the same once more "
        "with the runner as it was on Tove's branch.",
    )
    session.say(
        "With the new runner there are 15 places to die, and after every one of them the file is schema 3 with 58 loans and without a table `copies`; SQLite rolls back from its journal on the next "
        "open. The old runner in comparison: had it died after `DROP TABLE loans`, the file would have had no loans table at all."
    )
    session.user(
        "And what happens between the backup and the transaction? If a desk lends something in that moment, it's "
        "in the file and not in keep-3."
    )
    session.bash(
        "grep -n 'back_up\\|BEGIN\\|_apply' src/tinshelf/migrate.py; sed -n 14,27p src/tinshelf/backup.py",
        "Let me look at the order.",
    )
    session.say(
        "True: `back_up` runs before BEGIN IMMEDIATE, and the source connection of the copy is another one, so taking the lock first would "
        "still let it read. It could be turned round, but then the backup of several steps would have to be made inside the first transaction. At night with the desk closed nothing happens in "
        "that moment (point 1 of the checklist). I'd note it as S4-11, later, and not touch it now."
    )
    session.user("Yes, S4-11 as later, don't touch it for 4.0. Bring the findings up to date then.")
    close = {
        "S4-1 Fees lose a cent (stop)": "S4-1 Fees lose a cent (closed)",
        "S4-2 A migration that fails stays half done (stop)": "S4-2 A migration that fails stays half done (closed)",
        "S4-3 Rolling back empties the reservations (stop)": "S4-3 Rolling back empties the reservations (closed: no rollback)",
        "S4-4 The second try replaces the good backup (before release)": "S4-4 The second try replaces the good backup (closed with S4-2)",
        "S4-8 A fresh file has no way back (later)": "S4-8 A fresh file has no way back (closed: no rollback)",
        "S4-10 A short wait for the lock (before release)": "S4-10 A short wait for the lock (closed: 12000)",
    }
    session.together(
        [
            *(edit_file("docs/reviews/schema-4.md", old, new) for old, new in close.items()),
            bash(
                "sed -i -E 's/^(## S4-[5679] .*) \\(stop\\)/\\1 (closed)/' docs/reviews/schema-4.md\n"
                "cat >> docs/reviews/schema-4.md <<'END'\n\n"
                "## S4-11 The backup is older than the lock (later)\n"
                "migrate.py: `back_up` comes before BEGIN IMMEDIATE. What is lent in between is not in keep-3.\n"
                "Harmless while the desk is closed, point 1 of docs/upgrade-night.md.\n"
                "END\ngrep -n '^## ' docs/reviews/schema-4.md"
            ),
        ],
    )
    session.bash(
        "python ../lab/load.py eastgate; python -m tinshelf --file ../lab/eastgate.db migrate\n"
        "python -m tinshelf --file ../lab/eastgate.db lend 4028 'tile cutter' --on 2025-06-12\n"
        "python -m tinshelf --file ../lab/eastgate.db return 4017 'tent for four' --on 2025-06-12\n"
        "python -m tinshelf --file ../lab/eastgate.db copies 'tent for four'\n"
        "python -m tinshelf --file ../lab/eastgate.db status | tail -n 3\n"
        "python -m tinshelf --file ../lab/eastgate.db restore --version 3\n"
        "PYTHONPATH=../old/src python -m tinshelf --file ../lab/eastgate.db status | tail -n 3",
        "A rehearsal of the checklist on Eastgate: up, a day's work, and the way back.",
    )
    session.read(
        "src/tinshelf/migrations/m004_copies_and_cents.py",
        "26.39 is back, and the loan of that day is gone, as the checklist says. One last reading of the step as it will leave the house, statement by statement: window functions are 3.25, "
        "the rewriting of references in RENAME TO is 3.26, partial indexes 3.8.",
    )
    session.together(
        [
            bash(
                "git diff --stat main -- src/tinshelf/migrations/m001_first_tables.py src/tinshelf/migrations/m002_fees_and_notes.py src/tinshelf/migrations/m003_reservations.py\n"
                "git diff main -- src/tinshelf/loans.py | grep '^[-+]def'; grep -rnE 'RETURNING|DROP COLUMN|STRICT' src; true"
            ),
            bash(
                "git add -A && git commit -q -m 'schema-4: findings are closed' && git worktree remove --force ../old && git status --short && git log --format='%an: %s' main.."
            ),
        ],
        "Nothing in it is newer than 3.31.1. Last, your three rules once more: frozen modules, signatures, SQLite.",
    )
    session.user(
        "Perfect. Not done and not yours: I try Millrace's file on Thursday, 31,000 loans, I want to know how long the transaction takes. Tove prints "
        "the labels when she's back, and the label rolls aren't ordered. The tag v4.0.0 I set after Millrace. Give me "
        "the state in three sentences for her."
    )
    session.bash("python -m pytest -q")
    session.say(
        "For Tove: all ten findings of the review are closed, S4-11 (the backup is older than the lock) stays as later, and 53 tests pass. Nothing of what she committed was rewritten, five commits "
        "starting with `schema-4: ` follow it, and the branch is only here, without a tag. Before v4.0.0 come the trial with Millrace's 31,000 loans on Thursday, "
        "her labels and the order for the rolls."
    )
    session.point("p4")


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    created = ["docs/reviews/schema-4.md", "docs/upgrade-night.md", "src/tinshelf/statements.py"]
    created += [f"tests/test_{name}.py" for name in ("interrupted", "parity", "statements")]
    modified = ["docs/schema.md"]
    modified += [
        f"src/tinshelf/{name}.py"
        for name in ("catalogue", "cli", "errors", "loans", "migrate", "report", "schema")
    ]
    modified += ["tests/test_migrate.py"]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=["docs/rollback.md", "tests/test_rollback.py"],
        renamed=["src/tinshelf/migrations/m004_copies_and_cents.py"],
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked before the repair: where the findings stand."""
    fact = session.fact
    session.probe(
        "findings-so-far",
        "continuation",
        "Before the repair: which verdict does S4-9 have now, what was decided in S4-5 for withdrawn items, to what is LOCK_WAIT_MS to be set "
        "when we repair, and with which subject do commits on top of Tove's start?",
        [
            fact(
                "S4-9 is a stop", "S4-9 Copies past number 20 are forgotten (stop)", about="state"
            ),
            fact("retired copy", "copies.retired", about="state"),
            fact(
                "LOCK_WAIT_MS to 20000",
                "LOCK_WAIT_MS 20000",
                "LOCK_WAIT_MS = 20000",
                about="pending",
            ),
            fact(
                "subject starting with `schema-4: `", "subject starts with schema-4:", about="state"
            ),
        ],
        traps=[
            {
                "text": "S4-9 before release",
                "aliases": ["S4-9 chairs before release", "forgotten (before release)"],
                "current": ["S4-9 is a stop", "forgotten (stop)"],
            },
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked late about something early: the dead end of the first act."""
    fact = session.fact
    session.probe(
        "first-suspicion",
        "decision",
        "What was your first suspicion about the eight cents and the copies that vanish, what showed that it was wrong, what does the cast do "
        "to 0.29 * 100, and how many of the possible fees come out right with `round`? Answer in a sentence or two of at most 120 words.",
        [
            fact(
                "four copies vanish, their loans have no row to point to",
                "loans of the vanished copies have no row to point to",
            ),
            fact(
                "no loan is lost, all 58 ids are there", "all 58 ids are there", "no rows are lost"
            ),
            fact("eight loans with one cent each", "eight loans, one cent each", about="detail"),
            fact("all 51 possible fees come out right", "all 51 possible fees", about="detail"),
            fact("28.999999999999996", about="detail"),
        ],
        answer={"format": "sentence", "max_words": 120},
        point="p3",
    )


def probes_of_p4(session: Recorder) -> None:
    """Asked at the end."""
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


def recall_probes(session: Recorder) -> None:
    """Exact things: the report, the failure, what the desks do."""
    fact = session.fact
    session.probe(
        "two-samples",
        "recall",
        "What did I report from my run on the two samples: which fees did `status` say for Eastgate before and after, what did Cobble Lane stop with, "
        "with which exit code, and what did it say when I tried again?",
        [
            fact("fees 26.39 before", "26.39 before"),
            fact("26.31 after"),
            fact("NOT NULL constraint failed: loans_new.copy_id"),
            fact("exit code 3", "code 3"),
            fact("table copies already exists"),
        ],
    )
    session.probe(
        "tent-and-chairs",
        "recall",
        "Three members have the same tent: which barcode is it, and what about the tents on the shelf that the desk would lend again? How many folding chairs are there, at which number does "
        "the recursion stop, and what was the second difference that I didn't mention, copies before and after?",
        [
            fact("0002-01"),
            fact("two tents stand on the shelf that are not there"),
            fact("24 folding chairs", "folding chairs: there are 24"),
            fact("recursion stops at 20", "n < 20"),
            fact("copies 45 before, 41 after", "45 copies become 41"),
        ],
    )
    session.probe(
        "the-wait",
        "recall",
        "Which value did I make LOCK_WAIT_MS in the end after your good catch, how long does the sync take at Millrace, when does the supervisor kill a program that writes nothing, "
        "and how often does it start `migrate` when it gets code 3?",
        [
            fact("12000", "LOCK_WAIT_MS = 12000"),
            fact("up to 18 seconds", "18 seconds"),
            fact("writes nothing for 15 seconds", "kills after 15 seconds", "15 seconds"),
            fact("up to three times", "tries three times"),
        ],
        traps=[
            {
                "text": "LOCK_WAIT_MS 20000",
                "aliases": ["LOCK_WAIT_MS = 20000", "LOCK_WAIT_MS to 20000"],
                "current": ["12000"],
            },
            {"text": "LOCK_WAIT_MS 2000", "aliases": ["LOCK_WAIT_MS = 2000"], "current": ["12000"]},
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "created",
        "file",
        "Which files were created in this session? Answer as a list.",
        [
            fact(path, about="created")
            for path in (
                "docs/reviews/schema-4.md",
                "docs/upgrade-night.md",
                "src/tinshelf/statements.py",
                "tests/test_interrupted.py",
                "tests/test_parity.py",
                "tests/test_statements.py",
            )
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-and-gone",
        "file",
        "Which existing modules of src/tinshelf were modified for the retired copy and the new runner, which file of docs/ was deleted, and what was m004_split "
        "renamed to with git mv? Answer as a list of at most 12 items and leave the tests out: do not mention test_migrate.py.",
        [
            fact(
                "src/tinshelf/migrate.py",
                about="modified",
                said_in=session.doing("edit_file", "src/tinshelf/migrate.py"),
            ),
            fact(
                "src/tinshelf/schema.py",
                about="modified",
                said_in=session.doing("edit_file", "src/tinshelf/schema.py"),
            ),
            fact(
                "src/tinshelf/catalogue.py",
                about="modified",
                said_in=session.doing("bash", "src/tinshelf/catalogue.py"),
            ),
            fact(
                "src/tinshelf/report.py",
                about="modified",
                said_in=session.doing("bash", "src/tinshelf/report.py"),
            ),
            fact(
                "docs/rollback.md",
                about="detail",
                said_in=session.doing("bash", "git rm -q docs/rollback.md"),
            ),
            fact(
                "m004_copies_and_cents",
                "src/tinshelf/migrations/m004_copies_and_cents.py",
                about="detail",
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_migrate.py"]},
    )
    session.probe(
        "runner-change",
        "file",
        "What was changed in `_apply` of src/tinshelf/migrate.py to close S4-2, what knows where a statement with a trigger ends, what is checked before the commit and why, and what stays inside the "
        "transaction as well?",
        [
            fact("BEGIN IMMEDIATE", about="modified"),
            fact("`sqlite3.complete_statement`", "sqlite3.complete_statement", about="modified"),
            fact("PRAGMA foreign_key_check", "foreign_key_check", about="modified"),
            fact("foreign keys stay off while tables are rebuilt", about="reason"),
            fact(
                "`PRAGMA user_version` takes part in a transaction",
                "version is inside as well",
                about="detail",
            ),
        ],
    )
    session.probe(
        "only-read",
        "file",
        "Which files were only read in this session and not changed: the one on desk machines, the one with the backup, the one that opens files, the one with fees, and the one "
        "with the reservations? Answer as a list.",
        [
            fact(path, about="accessed", said_in=session.doing("read_file", path))
            for path in (
                "docs/desks.md",
                "src/tinshelf/backup.py",
                "src/tinshelf/store.py",
                "src/tinshelf/fees.py",
                "src/tinshelf/reservations.py",
            )
        ],
        answer={"format": "list"},
    )


def continuation_probes(session: Recorder) -> None:
    """What holds and what is left."""
    fact = session.fact
    session.probe(
        "three-rules",
        "continuation",
        "Which three things are not up for discussion: what about m001 to m003, which functions keep their signatures and who imports them, and which "
        "SQLite version must know everything?",
        [
            fact(
                "not a byte changes in m001 to m003",
                "m001 to m003: not a byte changes",
                "m001 to m003 are frozen",
                about="state",
            ),
            fact("`lend` and `give_back` keep their signatures", about="state"),
            fact("deskling imports them", "deskling", about="reason"),
            fact("nothing that SQLite 3.31.1 doesn't know", "3.31.1", about="state"),
        ],
    )
    session.probe(
        "still-to-do",
        "continuation",
        "What is not done and not yours: what do I try this week and how many loans are in it, what does Tove print when she's back, what isn't ordered, "
        "which tag do I set after that, which finding stays as later, and how many tests pass?",
        [
            fact("Millrace's file on Thursday", "Millrace on Thursday", about="pending"),
            fact("31,000 loans", about="pending"),
            fact("label rolls aren't ordered", "order for the rolls", about="pending"),
            fact("tag v4.0.0", "v4.0.0", about="pending"),
            fact("S4-11 stays as later", "S4-11 as later", about="pending"),
            fact("53 tests pass", "53 passed", about="state"),
        ],
        traps=[
            {
                "text": "51 passed",
                "aliases": ["48 passed", "42 passed", "51 tests pass", "48 tests pass"],
                "current": ["53 tests pass", "53 passed", "53 pass"],
            },
        ],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "s4-3",
        "decision",
        "Why did you take S4-3 back as it stood: what did the experiment show about the way up and foreign keys, and what happens to the reservations on the way down?",
        [
            fact(
                "bare connection with foreign keys off",
                "`migrate.connect` leaves foreign keys off",
                "migrate.connect is a bare connection",
            ),
            fact("way up keeps all 7 reservations", "reservations after migrate: 7"),
            fact("`rollback` works on a `Store`", "rollback gets a Store"),
            fact(
                "7 reservations become 0",
                "7 become 0",
                "reservations after rollback: 0",
                about="detail",
            ),
        ],
        traps=[
            {
                "text": "Migrating empties the reservations",
                "current": [
                    "way up keeps all 7 reservations",
                    "7 reservations become 0",
                    "the way up is innocent",
                ],
            },
        ],
    )
    session.probe(
        "steam-mop",
        "decision",
        "What are the three options for the steam mop, why is dropping loans of withdrawn items out, why no NULL in `copy_id`, and what did we take?",
        [
            fact(
                "statement is what people need for their tax",
                "`statement` promises what the library no longer has",
                "`statement` needs them",
            ),
            fact("every join would become a LEFT JOIN", "every join has to become a LEFT JOIN"),
            fact("never lent and never counted", about="detail"),
            fact("`copies.retired = 1`", "copies.retired", "retired = 0", about="detail"),
        ],
    )
    session.probe(
        "way-back",
        "decision",
        "Why is there no rollback any more and the backup is the way back: what happens to a label EG-77 and to the steam mop on the way down, since when is there DROP COLUMN, and "
        "what is the price of `restore --version 3`?",
        [
            fact("a label EG-77 comes back as 0001-01", "schema 3 has no place for barcodes"),
            fact("steam mop returns as one that can be lent", "steam mop free: 1"),
            fact("DROP COLUMN came with SQLite 3.35", "DROP COLUMN 3.35", about="detail"),
            fact(
                "loans made after the migration are gone",
                "loans made after the migration would be lost",
            ),
            fact("only before the desk opens", about="detail"),
        ],
        traps=[
            {"text": "rollback --to 3", "current": ["no rollback", "restore --version 3"]},
        ],
    )
    session.probe(
        "begin-commit",
        "decision",
        "A transaction in the UP of m004: why would m001 to m003 have stayed unprotected, what would a power cut in between have left, what does `executescript` do to it, and "
        "why leave out numbered copies for the desks and the night crew?",
        [
            fact("m001 to m003 are frozen"),
            fact("leaves schema 4 labelled 3"),
            fact(
                "`executescript` commits my BEGIN IMMEDIATE before it starts",
                "executescript commits whatever is open",
            ),
            fact("fill the small disks of the desks", "numbered copies would fill the small disks"),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    look(session)
    half_done(session)
    findings(session)
    probes_of_p2(session)
    repair(session)
    probes_of_p3(session)
    way_back(session)
    check_files(session)
    probes_of_p4(session)


PLAY = Play(
    record,
    task="code-review",
    title="Review of a branch that migrates the loan files of a library of things to schema 4",
    repository="tinshelf",
)
