"""Data science: a churn baseline that is too good to be true.

A value date lets refunds of the future into a feature, ties flatter the AUC, an empty
survey answer is read as a rating of zero, and the next export has other formats. The
tables are generated here (``history``); programs, git and pytest really run; see
``tests/recordings/recorder.py``.
"""

from __future__ import annotations

import hashlib
import math
import random
from datetime import date, timedelta

from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

SYSTEM = """You are a coding agent working in a git checkout with shell and file tools. Measure before
you conclude, keep experiments out of the tree, run the tests after every change, and report figures as
you saw them. Commit in small steps when a step is done."""

# The exports --------------------------------------------------------------------

MARCH = date(2025, 1, 31)
APRIL = date(2025, 3, 31)
HORIZON = 45
PRICES = {"solo": 18.5, "duo": 27.0, "family": 38.5}
CUSTOMER_HEADER = (
    "customer_id;joined;zone;plan;price_eur;pauses;deliveries;skipped;complaints;rating;mail_hash;"
    "left_on"
)
BOOKING_HEADER = "customer_id;booked_on;valued_on;kind;amount_eur"

Cells = dict[str, str]


def make_customer(number: int, draw: random.Random, snapshot: date, horizon: int) -> Cells:
    """One row of customers.csv; nobody leaves when the horizon is 0."""
    plan = draw.choices(("solo", "duo", "family"), (5, 4, 3))[0]
    zone = draw.choices(("inner", "outer"), (3, 2))[0]
    tenure = min(int(draw.expovariate(1 / 420)) + 20, 2400)
    pauses = min(int(draw.expovariate(1.1)), 6)
    deliveries = draw.randint(22, 48)
    skipped = min(int(deliveries * draw.betavariate(1.6, 9)), deliveries)
    complaints = min(int(draw.expovariate(1.4)), 5)
    mood = draw.gauss(0, 1)
    rating = "" if draw.random() < 0.09 else str(max(1, min(5, round(3.9 + 0.9 * mood))))
    drive = -3.05 + 0.55 * pauses + 5.2 * skipped / deliveries + 0.5 * complaints
    drive += -0.55 * mood - tenure / 900 + 0.35 * (zone == "outer")
    leaves = horizon > 0 and draw.random() < 1 / (1 + math.exp(-drive))
    if leaves and draw.random() < 0.22:
        rating = ""
    left = snapshot + timedelta(days=draw.randint(1, horizon)) if leaves else None
    if not leaves and horizon > 0 and draw.random() < 0.02:
        left = snapshot + timedelta(days=horizon + draw.randint(1, 6))
    id = f"B{number:05d}"
    return {
        "customer_id": id,
        "joined": (snapshot - timedelta(days=tenure)).isoformat(),
        "zone": zone,
        "plan": plan,
        "price_eur": f"{PRICES[plan] + draw.randint(-3, 5) * 0.5:.2f}",
        "pauses": str(pauses),
        "deliveries": str(deliveries),
        "skipped": str(skipped),
        "complaints": str(complaints),
        "rating": rating,
        "mail_hash": hashlib.sha256(id.encode()).hexdigest()[:8],
        "left_on": left.isoformat() if left else "",
    }


def make_bookings(cells: Cells, draw: random.Random, snapshot: date, horizon: int) -> list[str]:
    """Lines of bookings.csv; crate deposits are valued on the first day of the quarter."""
    end = snapshot + timedelta(days=horizon)
    left = date.fromisoformat(cells["left_on"]) if cells["left_on"] else None
    leaves = left is not None and left <= end
    quarter = date(snapshot.year, (snapshot.month - 1) // 3 * 3 + 1, 1)
    found: list[tuple[date, date, str, float]] = []
    for kind, chance, amount in (("K2", 0.35, 3.0), ("K4", 0.3, 6.5), ("K9", 0.12, 5.0)):
        while draw.random() < chance:
            day = snapshot - timedelta(days=draw.randint(1, 150))
            found.append((day, day, kind, amount + draw.randint(-4, 6) * 0.25))
    if draw.random() < (0.3 if leaves else 0.05):
        found.append((quarter + timedelta(days=draw.randint(3, 27)), quarter, "K7", 18.5))
    if left is not None and leaves and draw.random() < 0.93:
        found.append((left + timedelta(days=draw.randint(2, 6)), quarter, "K7", 18.5))
    id = cells["customer_id"]
    return [f"{id};{entry};{value};{kind};{amount:.2f}" for entry, value, kind, amount in found]


def march_export() -> tuple[str, str]:
    """The export that the model learns from, with the usual dirt."""
    draw = random.Random(31)
    rows: list[Cells] = []
    bookings: list[str] = []
    for number in range(10001, 10721):
        cells = make_customer(number, draw, MARCH, HORIZON)
        rows.append(cells)
        bookings += make_bookings(cells, draw, MARCH, HORIZON)
    for first in draw.sample(range(720), 42)[:21]:
        rows[(first + 311) % 720]["mail_hash"] = rows[first]["mail_hash"]
    dirt = [make_customer(number, draw, MARCH, 0) for number in range(20001, 20021)]
    for cells in dirt[:9]:
        cells["left_on"] = (MARCH - timedelta(days=draw.randint(0, 40))).isoformat()
    for cells in dirt[9:13]:
        cells["joined"] = (MARCH + timedelta(days=draw.randint(1, 30))).isoformat()
    for cells, price in zip(
        dirt[13:], ("0.00", "0.00", "1950.00", "2.50", "185.00", "0.00", "270.00"), strict=True
    ):
        cells["price_eur"] = price
    dirt += [rows[index] | {"pauses": "0"} for index in draw.sample(range(300, 720), 8)]
    for cells in dirt:
        rows.insert(draw.randint(0, 299), cells)
    lines = [";".join(cells.values()) for cells in rows]
    return as_text(CUSTOMER_HEADER, lines), as_text(BOOKING_HEADER, bookings)


def april_export() -> tuple[str, str]:
    """The export to score; a new front end of the shop wrote some of its rows."""
    draw = random.Random(29)
    rows: list[Cells] = []
    bookings: list[str] = []
    for number in range(30001, 30341):
        cells = make_customer(number, draw, APRIL, 0)
        rows.append(cells)
        bookings += make_bookings(cells, draw, APRIL, 0)
    for index in (36, 59, 95, 130, 168, 177, 212, 241, 268, 301, 326):
        year, month, day = rows[index]["joined"].split("-")
        rows[index]["joined"] = f"{day}.{month}.{year}"
        rows[index]["price_eur"] = rows[index]["price_eur"].replace(".", ",")
    rows[36]["joined"] = "14.11.2024"
    rows[95]["joined"] = "31.02.2025"
    rows[212]["joined"] = "29.02.2023"
    rows[168]["plan"] = "trio"
    lines = [";".join(cells.values()) for cells in rows]
    return as_text(CUSTOMER_HEADER, lines), as_text(BOOKING_HEADER, bookings)


def as_text(header: str, lines: list[str]) -> str:
    """The text of a table."""
    return "\n".join([header, *lines]) + "\n"


# File contents --------------------------------------------------------------------

CREDITS_OLD = """

def matrix("""

CREDITS_NEW = '''

def credits(customer: Customer, table: Table, snapshot: date) -> float:
    """The sum of the credits of the last 90 days before the snapshot."""
    start = snapshot - timedelta(days=CREDIT_DAYS)
    return sum(
        booking.amount_eur
        for booking in table.bookings_of(customer)
        if start < booking.valued_on <= snapshot
    )


def matrix('''

CREDITS_TESTS = """

def test_credits():
    bookings = [
        booking(1, date(2024, 10, 1), amount_eur=5.0),
        booking(1, date(2024, 12, 1), amount_eur=3.0),
        booking(1, date(2025, 1, 31), amount_eur=1.5),
        booking(1, date(2025, 2, 1), amount_eur=9.0),
        booking(2, date(2025, 1, 5), amount_eur=7.0),
    ]
    assert credits(customer(1), table(bookings=bookings), SNAPSHOT) == 4.5


def test_no_credits():
    assert credits(customer(1), table(), SNAPSHOT) == 0
"""

ONE_ROW_A_PERSON = """python - <<'EOF'
from collections import Counter
from dataclasses import replace
from pathlib import Path
from boxleave.cleaning import clean
from boxleave.evaluate import evaluate
from boxleave.settings import load_settings
from boxleave.table import read_table

settings = load_settings(Path("experiment.ini"))
table = clean(read_table(Path("data/march")), settings.snapshot).table
seen = Counter(item.mail_hash for item in table.customers)
print("hashes that occur twice:", sum(count == 2 for count in seen.values()), "more:", max(seen.values()))
alone = {item.mail_hash: item for item in table.customers}
single = replace(table, customers=tuple(alone.values()))
for name, rows in (("all rows", table), ("one row a person", single)):
    found = evaluate(rows, settings)
    print(f"{name}: {len(rows.customers)} customers, auc {found.auc:.3f}, brier {found.brier:.3f}")
EOF"""

SINGLE_FEATURE = '''"""How well does each feature rank the leavers alone? ``single_feature.py FOLDER``.

A value near 0.5 says nothing; one near 1 is a reason to ask where the feature comes
from. Features that fall with the risk are turned round.
"""

from __future__ import annotations

import sys
from pathlib import Path

from boxleave import features
from boxleave.cleaning import clean
from boxleave.scores import auc
from boxleave.settings import load_settings
from boxleave.table import read_table


def main(folder: str) -> None:
    """Print the features, strongest first."""
    settings = load_settings(Path("experiment.ini"))
    table = clean(read_table(Path(folder)), settings.snapshot).table
    truth = features.labels(table, settings.snapshot, settings.horizon_days)
    columns = zip(*features.matrix(table, settings.snapshot), strict=True)
    found = []
    for name, column in zip(features.NAMES, columns, strict=True):
        value = max(auc(column, truth), auc([-cell for cell in column], truth))
        found.append((value, name))
    for value, name in sorted(found, reverse=True):
        print(f"{name:<14} {value:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
'''

KINDS = """python - <<'EOF'
from collections import Counter
from datetime import date
from pathlib import Path
from boxleave import features
from boxleave.cleaning import clean
from boxleave.table import read_table

day = date(2025, 1, 31)
table = clean(read_table(Path("data/march")), day).table
truth = features.labels(table, day, 45)
sums, late = Counter(), Counter()
for customer, label in zip(table.customers, truth):
    for booking in table.bookings_of(customer):
        if date(2024, 11, 2) < booking.valued_on <= day:
            sums[booking.kind, label] += 1
            late[booking.kind, label] += booking.booked_on > day
print("kind  label  bookings  entered after the snapshot")
for kind, label in sorted(sums):
    print(f"{kind}    {label}      {sums[kind, label]:>4}      {late[kind, label]:>4}")
print("customers", Counter(truth))
EOF"""

VARIANTS = """python - <<'EOF'
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from boxleave.evaluate import evaluate
from boxleave.settings import load_settings
from boxleave.table import read_table

settings = load_settings(Path("experiment.ini"))
table = read_table(Path("data/march"))
variants = {
    "as it is": lambda booking: True,
    "without K7": lambda booking: booking.kind != "K7",
    "entered by the snapshot": lambda booking: booking.booked_on <= settings.snapshot,
    "no credits at all": lambda booking: False,
}
for name, known in variants.items():
    kept = {id: tuple(filter(known, found)) for id, found in table.bookings.items()}
    known_table = replace(table, bookings=kept)
    found = [evaluate(known_table, replace(settings, seed=seed)) for seed in range(7119, 7123)]
    print(f"{name:<24} auc {found[0].auc:.3f}, mean of four seeds {fmean(run.auc for run in found):.3f}")
EOF"""

LEAKAGE_TESTS = '''"""Nothing that became known after the snapshot may reach a feature."""

from dataclasses import replace
from datetime import date
from pathlib import Path

from boxleave.features import credits, matrix
from boxleave.table import read_table
from builders import SNAPSHOT, booking, customer, table

DATA = Path(__file__).parents[1] / "data" / "march"
FEBRUARY = date(2025, 2, 20)
QUARTER = date(2025, 1, 1)


def test_a_refund_entered_later_is_unknown():
    refund = booking(1, FEBRUARY, valued_on=QUARTER, kind="K7", amount_eur=18.5)
    assert credits(customer(1), table(bookings=[refund]), SNAPSHOT) == 0


def test_a_crate_returned_before_the_snapshot_is_known():
    refund = booking(1, date(2025, 1, 20), valued_on=QUARTER, kind="K7", amount_eur=18.5)
    assert credits(customer(1), table(bookings=[refund]), SNAPSHOT) == 18.5


def test_the_export_without_later_bookings_has_the_same_features():
    export = read_table(DATA)
    known = {
        id: tuple(item for item in found if item.booked_on <= SNAPSHOT)
        for id, found in export.bookings.items()
    }
    assert matrix(replace(export, bookings=known), SNAPSHOT) == matrix(export, SNAPSHOT)


def test_the_day_of_leaving_is_no_feature():
    export = read_table(DATA)
    blind = tuple(replace(item, left_on=None) for item in export.customers)
    assert matrix(replace(export, customers=blind), SNAPSHOT) == matrix(export, SNAPSHOT)
'''

HITS = '''

def hits_at(scores: Sequence[float], labels: Sequence[int], count: int = CAPACITY) -> float:
    """Leavers among the ``count`` highest scores.

    Rows that tie at the cut share the places that are left, so the order of the rows
    does not matter.
    """
    ranked = sorted(zip(scores, labels, strict=True), reverse=True)
    if len(ranked) <= count:
        return float(sum(labels))
    cut = ranked[count - 1][0]
    above = [label for score, label in ranked if score > cut]
    tied = [label for score, label in ranked if score == cut]
    return sum(above) + sum(tied) * (count - len(above)) / len(tied)
'''

HITS_TESTS = """

def test_hits_at():
    assert hits_at([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 1], 2) == 1.0


@pytest.mark.parametrize("labels", [[1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]])
def test_ties_at_the_cut_share_the_places(labels):
    assert hits_at([0.9, 0.3, 0.3, 0.3], labels, 2) == pytest.approx(1 + 1 / 3)


def test_fewer_rows_than_places():
    assert hits_at([0.4, 0.2], [1, 1]) == 2.0
"""


TIES_TEST = """

def test_ties_count_half():
    assert auc([0.2, 0.2], [0, 1]) == 0.5
    assert auc([0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1]) == 0.5
"""

FORMATS = '''def _date(text: str) -> date:
    """ISO, or day first as the new front end writes it; nothing is guessed."""
    if _DAY_FIRST.fullmatch(text):
        day, month, year = map(int, text.split("."))
        return date(year, month, day)
    return date.fromisoformat(text)


def _amount(text: str) -> float:
    """A number with a decimal point or a decimal comma; thousands have no separator."""
    return float(text.replace(",", ".", 1))
'''

FORMAT_TESTS = """

def test_rows_of_the_new_front_end(tmp_path):
    line = LINE.replace("2023-05-01", "03.04.2023").replace("19.50", "19,50")
    found = read_table(export(tmp_path, line)).customers[0]
    assert (found.joined, found.price_eur) == (date(2023, 4, 3), 19.5)
"""

REJECTS = '''"""Rows that cannot be read are set aside, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from boxleave.errors import CellError, TooManyRejectsError

MAX_SHARE = 0.02
"""A larger share of bad rows means a wrong file rather than wrong rows."""

Raw = TypeVar("Raw")
Value = TypeVar("Value")


def convert_all(
    rows: Iterable[Raw], convert: Callable[[Raw], Value], name: str
) -> tuple[list[Value], list[str]]:
    """The rows that can be converted, and what is wrong with the others."""
    good: list[Value] = []
    problems: list[str] = []
    for row in rows:
        try:
            good.append(convert(row))
        except CellError as error:
            problems.append(error.text)
    total = len(good) + len(problems)
    if len(problems) > MAX_SHARE * total:
        raise TooManyRejectsError(
            f"{name}: {len(problems)} of {total} rows rejected, limit {MAX_SHARE:.0%}; "
            f"first: {problems[0]}"
        )
    return good, problems


def write_rejects(problems: Sequence[str], path: Path) -> None:
    """One line a row; an empty list removes the file of an earlier run."""
    if not problems:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\\n".join(problems) + "\\n", encoding="utf-8")
'''

REJECT_TESTS = '''"""Bad rows: set aside below the limit, an error above it."""

import pytest

from boxleave.errors import TooManyRejectsError
from boxleave.rejects import write_rejects
from boxleave.table import read_table
from test_table import LINE, export

BAD = LINE.replace("2023-05-01", "31.02.2025")


def test_a_few_bad_rows_are_set_aside(tmp_path):
    found = read_table(export(tmp_path, *[LINE] * 49, BAD))
    assert len(found.customers) == 49
    assert found.rejects == ("customers.csv line 51: cannot read joined '31.02.2025'",)


def test_too_many_bad_rows(tmp_path):
    with pytest.raises(TooManyRejectsError, match="D222 customers.csv: 2 of 50 rows rejected"):
        read_table(export(tmp_path, *[LINE] * 48, BAD, BAD))


def test_bookings_have_a_limit_of_their_own(tmp_path):
    with pytest.raises(TooManyRejectsError, match="bookings.csv: 1 of 1 rows"):
        read_table(export(tmp_path, LINE, bookings=["B00001;soon;soon;K2;4.00"]))


def test_file_of_rejects(tmp_path):
    path = tmp_path / "out" / "rejects.txt"
    write_rejects(["line 2: bad"], path)
    assert path.read_text() == "line 2: bad\\n"
    write_rejects([], path)
    assert not path.exists()
'''

SCALER_OLD = '''@dataclass(frozen=True)
class Scaler:
    """Means and standard deviations of the columns."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]

    @classmethod
    def fit(cls, rows: Sequence[Vector]) -> Scaler:
        """Learn the columns of some rows. A constant column gets the deviation 1."""
        columns = list(zip(*rows, strict=True))
        means = tuple(statistics.fmean(column) for column in columns)
        deviations = tuple(
            statistics.pstdev(column, mean) or 1.0
            for column, mean in zip(columns, means, strict=True)
        )
        return cls(means, deviations)

    def apply(self, rows: Sequence[Vector]) -> list[Vector]:
        """Scale rows of the same columns."""
        return [
            [
                (value - mean) / deviation
                for value, mean, deviation in zip(row, self.means, self.deviations, strict=True)
            ]
            for row in rows
        ]
'''

SCORE = "python -m boxleave score data/april --train data/march --snapshot 2025-03-31"

SCALER_NEW = '''@dataclass(frozen=True)
class Scaler:
    """Medians, means and standard deviations of the columns."""

    medians: tuple[float, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]

    @classmethod
    def fit(cls, rows: Sequence[Vector]) -> Scaler:
        """Learn the columns of some rows. A constant column gets the deviation 1."""
        columns = list(zip(*rows, strict=True))
        medians = tuple(
            statistics.median([value for value in column if not math.isnan(value)] or [0.0])
            for column in columns
        )
        filled = [_filled(column, median) for column, median in zip(columns, medians, strict=True)]
        means = tuple(statistics.fmean(column) for column in filled)
        deviations = tuple(
            statistics.pstdev(column, mean) or 1.0
            for column, mean in zip(filled, means, strict=True)
        )
        return cls(medians, means, deviations)

    def apply(self, rows: Sequence[Vector]) -> list[Vector]:
        """Scale rows of the same columns; a missing value is the median of the fitted rows."""
        learned = list(zip(self.medians, self.means, self.deviations, strict=True))
        return [
            [
                ((median if math.isnan(value) else value) - mean) / deviation
                for value, (median, mean, deviation) in zip(row, learned, strict=True)
            ]
            for row in rows
        ]


def _filled(column: Sequence[float], median: float) -> list[float]:
    return [median if math.isnan(value) else value for value in column]
'''

SCALER_TESTS = """

def test_a_missing_rating_gets_the_median_of_the_fitted_rows():
    scaler = Scaler.fit([[1.0], [3.0], [math.nan], [5.0]])
    assert scaler.apply([[math.nan]]) == scaler.apply([[3.0]])


def test_a_missing_rating_is_flagged():
    assert feature("no_rating", customer(rating=None)) == 1.0
    assert feature("no_rating", customer(rating=1)) == 0.0
"""

RATINGS = """python - <<'EOF'
from datetime import date
from pathlib import Path
from boxleave import features
from boxleave.cleaning import clean
from boxleave.table import read_table

day = date(2025, 1, 31)
table = clean(read_table(Path("data/march")), day).table
truth = features.labels(table, day, 45)
for stars in range(6):
    found = [label for customer, label in zip(table.customers, truth) if customer.rating == stars]
    print(f"rating {stars}: {len(found):>3} customers, {sum(found):>2} leave ({sum(found) / len(found):.0%})")
EOF"""

DATES_OLD = """| `booked_on`   | day of entry                                                |
| `valued_on`   | value date                                                  |
"""

DATES_NEW = """| `booked_on`   | day of entry; the only date that a feature may look at      |
| `valued_on`   | value date; crate deposits get the first day of the quarter |
"""

FORMATS_DOC = """
## Formats

Since 1 March the new front end writes some rows with the day first (`14.11.2024`) and
a decimal comma. Both formats are read, nothing else is guessed. A row that cannot be
read is set aside in `rejects.txt`; more than 2 percent of them are an error (D222).

## Cleaning
"""

NOTES = """- Measure: leavers among the first 40 of a list, because the desk phones 40 customers a
  week. Accuracy says nothing here (always 'stays' has 0.866), F1 moves with the band.
- Credits count by `booked_on`. By `valued_on` the refund of a later cancellation leaks
  into the snapshot; the auc was 0.978 then.
- A missing rating is the median plus the flag `no_rating`. Dropping those rows lost 35
  of 98 leavers.
- Leavers weighted 5:1: same ranking, brier 0.157 instead of 0.100.
- Open: `complaints` may be counted on the day of the export.
"""

MODELS = """python - <<'EOF'
from pathlib import Path
from statistics import fmean
from boxleave import features, logistic
from boxleave.cleaning import clean
from boxleave.metrics import auc, brier, hits_at
from boxleave.neighbours import Neighbours
from boxleave.settings import load_settings
from boxleave.split import pick, split_rows
from boxleave.table import read_table

settings = load_settings(Path("experiment.ini"))
table = clean(read_table(Path("data/march")), settings.snapshot).table
truth = features.labels(table, settings.snapshot, settings.horizon_days)
raw = features.matrix(table, settings.snapshot)

def weighted(rows, labels, times):
    rows = rows + [row for row, label in zip(rows, labels) if label for _ in range(times - 1)]
    return logistic.fit(rows, labels + [1] * (sum(labels) * (times - 1)))

models = {
    "logistic": lambda rows, labels: logistic.fit(rows, labels),
    "leavers 5:1": lambda rows, labels: weighted(rows, labels, 5),
    "neighbours 15": lambda rows, labels: Neighbours(rows, labels, 15),
}
for name, fit in models.items():
    found = []
    for seed in (7119, 7120, 7121, 7122):
        train, test = split_rows(truth, settings.test_share, seed)
        rows = features.Scaler.fit(pick(raw, train)).apply(raw)
        scores = fit(pick(rows, train), pick(truth, train)).probabilities(pick(rows, test))
        scores = [round(score, 2) for score in scores]
        expected = pick(truth, test)
        found.append((auc(scores, expected), hits_at(scores, expected), brier(scores, expected)))
    means = [fmean(column) for column in zip(*found)]
    print(f"{name:<14} auc {means[0]:.3f}  hits at 40 {means[1]:.1f}  brier {means[2]:.3f}")
EOF"""

REPORT = '''"""Writes the report on the baseline as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from boxleave.evaluate import Evaluation, evaluate
from boxleave.metrics import CAPACITY
from boxleave.settings import Settings
from boxleave.table import Table

RUNS = 10
"""Splits that the report averages over; the first has the seed of the settings."""


def report(table: Table, settings: Settings) -> str:
    """The report as text."""
    runs = [
        evaluate(table, replace(settings, seed=settings.seed + offset)) for offset in range(RUNS)
    ]
    first = runs[0]
    chance = first.leavers * CAPACITY / first.test_rows
    lines = [
        "# Baseline",
        "",
        f"Snapshot {settings.snapshot}, {settings.horizon_days} days, "
        f"{first.train_rows + first.test_rows} customers after cleaning.",
        "",
        f"| Measure | Seed {settings.seed} | Mean of {RUNS} | Lowest | Highest |",
        "| --- | --- | --- | --- | --- |",
        _line(f"hits among {CAPACITY}", [run.hits for run in runs], 1),
        _line("auc", [run.auc for run in runs], 3),
        _line("brier", [run.brier for run in runs], 3),
        "",
        f"By chance {CAPACITY} calls reach {chance:.1f} leavers.",
        "",
        f"Bands: call from {settings.call:.2f}, watch from {settings.watch:.2f}.",
        "",
        *_weights(first),
    ]
    return "\\n".join(lines) + "\\n"


def _line(name: str, values: Sequence[float], digits: int) -> str:
    cells = (values[0], fmean(values), min(values), max(values))
    return f"| {name} | " + " | ".join(f"{cell:.{digits}f}" for cell in cells) + " |"


def _weights(result: Evaluation) -> list[str]:
    ranked = sorted(result.weights.items(), key=lambda item: -abs(item[1]))
    rows = [f"| {name} | {weight:+.2f} |" for name, weight in ranked]
    return ["| Feature | Weight |", "| --- | --- |", *rows]
'''

REPORT_TESTS = """import pytest

from boxleave.features import NAMES
from boxleave.report import report
from boxleave.settings import Settings
from builders import SNAPSHOT, mixed_table


@pytest.fixture(scope="module")
def text():
    return report(mixed_table(), Settings(SNAPSHOT, iterations=20))


def test_measures(text):
    assert "| Measure | Seed 7119 | Mean of 10 | Lowest | Highest |" in text
    assert "| hits among 40 | 4.0 | 4.0 | 4.0 | 4.0 |" in text


def test_all_weights(text):
    assert all(f"| {name} | " in text for name in NAMES)


def test_bands(text):
    assert "Bands: call from 0.50, watch from 0.25." in text
"""


def history(repo: Repository) -> None:
    """What happened before the session: commits that are only seen through git."""

    customers, bookings = march_export()
    repo.put("data/march/customers.csv", customers)
    repo.put("data/march/bookings.csv", bookings)
    repo.commit("data: March export of the northern depot")
    repo.change("src/boxleave/features.py", CREDITS_OLD, CREDITS_NEW)
    repo.change(
        "src/boxleave/features.py", '    "zone_outer",\n', '    "zone_outer",\n    "credits_eur",\n'
    )
    repo.change(
        "src/boxleave/features.py",
        "DAYS_OF_A_MONTH = 30.44\n",
        "DAYS_OF_A_MONTH = 30.44\nCREDIT_DAYS = 90\n",
    )
    flag = '        float(customer.zone == "outer"),\n'
    repo.change(
        "src/boxleave/features.py", flag, flag + "        credits(customer, table, snapshot),\n"
    )
    repo.change("tests/test_features.py", "NAMES, Scaler, labels", "NAMES, Scaler, credits, labels")
    repo.change("tests/test_features.py", "SNAPSHOT, customer", "SNAPSHOT, booking, customer")
    repo.append("tests/test_features.py", CREDITS_TESTS)
    repo.commit("features: add credits_eur", "By far the strongest feature, the auc jumps.")
    customers, bookings = april_export()
    repo.put("data/april/customers.csv", customers)
    repo.put("data/april/bookings.csv", bookings)
    repo.commit("data: April export of the southern depot")
    repo.git("tag", "-f", "start")


def investigate(session: Recorder) -> None:
    """Act 1: the report, a dead end, the leak."""
    session.system(SYSTEM)
    session.user(
        "I don't believe our churn baseline. `python -m boxleave train data/march` says auc 0.978 and "
        "precision 0.750, so in the pilot week the retention desk phoned the 24 customers of a call "
        "band and expected 18 who want to leave. It was 3. Second problem: since this morning "
        "scoring the southern depot dies with\n\n"
        "    boxleave: D214 customers.csv line 38: cannot read joined '14.11.2024'\n\n"
        "and exit code 2. What must stay as it is: the signature `evaluate(table, settings)`, the "
        "desk's notebooks import it, and the columns `customer_id;score;band` of scores.csv, the "
        "phone list is imported from them. Only the standard library (the desk's machine has no "
        "network), and the split seed 7119 stays so that we can compare figures with the old ones. "
        "Please start with the auc, the D214 comes after that."
    )
    session.together(
        [
            bash("git log --oneline && git status --short"),
            bash("git ls-files | xargs wc -l"),
        ],
        "First an overview: history, size, documentation, settings.",
    )
    session.together(
        [
            read_file("docs/data.md"),
            read_file("docs/notes.md"),
            read_file("experiment.ini"),
        ],
    )
    session.together(
        [
            bash("python -m pytest -q --tb=short"),
            bash("python -m boxleave describe data/march; python -m boxleave train data/march"),
        ],
        "Are the tests green, and do I get your figures?",
    )
    session.together(
        [
            read_file("src/boxleave/evaluate.py"),
            read_file("src/boxleave/split.py"),
        ],
        "Same 0.978 here. 13.6% of the customers leave, so always saying 'stays' already has "
        "an accuracy "
        "of about 0.87; that number is no comfort. An auc this high usually means that the test rows "
        "know something. How are the parts made?",
    )
    session.read(
        "src/boxleave/cleaning.py",
        "The split goes by row. My first hypothesis: the same person is on both sides. People who move "
        "get a new customer id, and C05 only looks at the id; `mail_hash` would tell. I want to know "
        "what cleaning does about it.",
    )
    session.bash(
        ONE_ROW_A_PERSON,
        "Nothing looks at `mail_hash`. The experiment: keep one row for each hash, and "
        "measure again with "
        "the same seed.",
    )
    session.write(
        "tools/single_feature.py",
        SINGLE_FEATURE,
        "That hypothesis is dead. 21 hashes occur twice, and with one row a person the auc "
        "does not fall, it is 0.979. Repeated people are a blemish, but they do not explain "
        "0.978, so I leave the split alone. If it is not the rows it must be a column. I "
        "write a small tool that ranks the leavers by each feature alone; it can stay in the "
        "repository.",
    )
    session.bash("python tools/single_feature.py data/march")
    session.read(
        "src/boxleave/features.py",
        "`credits_eur` alone ranks the leavers with 0.968, nearly as good as the whole "
        "model. Some credits are plausible before somebody leaves, but not like this. (Odd "
        "at the side: `plan_family`, a yes/no column, alone has 0.822. I come back to that.)",
    )
    session.bash("git log -p --format='%h %s%n%n%b' -S'def credits' -- src")
    session.read(
        "src/boxleave/table.py",
        "What does a booking carry, and where do its two dates come from?",
        lines=(34, 118),
    )
    session.bash(
        KINDS,
        "It sums by `valued_on`, and the commit that added it was glad about the jump. Which "
        "bookings make the difference, and on which day were they entered?",
    )
    session.bash(
        "for id in $(grep -E ';2025-0[23]-[0-9]{2}$' data/march/customers.csv | cut -d';' "
        "-f1 | head -4); do\n"
        '  grep "^$id" data/march/customers.csv | cut -d\';\' -f1,12; grep "^$id.*K7" '
        "data/march/bookings.csv\n"
        "done",
        "There it is: 92 of the 117 K7 bookings of leavers were entered after the snapshot, "
        "and of no other kind a single one. A few cases line by line.",
    )
    session.say(
        "Found it. `credits_eur` takes every booking with a value date up to the snapshot. "
        "Customers who leave get a crate deposit of 18.50 EUR back, entered some days after "
        "they left, but valued on 2025-01-01. B10005 left on 2025-02-04; the refund was "
        "entered on 2025-02-10 and counts as January. So the model sees the refund of the "
        "cancellation it should predict, and in the pilot, where nobody had left yet, there "
        "was nothing to see. That explains 3 of 24.\n\n"
        "Before I change anything: why are these refunds valued on 1 January, and is K7 "
        "always a farewell?"
    )
    session.point("p1")


def mend_measures(session: Recorder) -> None:
    """Act 2: entry day, ties, scaler, the metric, the first change of the threshold."""
    session.user(
        "I asked Ottilie from billing. Deposit refunds are valued on the first day of the "
        "quarter because the auditors want it that way, that won't change. `booked_on` is "
        "the true day. And K7 is not always a farewell: customers can return a spare crate "
        "whenever they like. Wouldn't the safest be to throw K7 out, or the whole feature?"
    )
    session.bash(
        VARIANTS,
        "Let me measure the choices instead of guessing: without K7, only what was entered "
        "by the snapshot, and no credits at all. Four seeds, because 29 leavers in one test "
        "part are few.",
    )
    session.write(
        "tests/test_leakage.py",
        LEAKAGE_TESTS,
        "Counting by the day of entry is best: a mean of 0.772, against 0.755 without K7 and "
        "0.752 with no credits at all. A spare crate that comes back before the snapshot is "
        "an honest early sign, and throwing K7 out would lose it. So I keep the feature and "
        "filter on `booked_on`. First tests that fail, among them one for the whole export, "
        "so that the next feature cannot leak unnoticed.",
    )
    session.bash("python -m pytest -q --tb=short tests/test_leakage.py")
    session.edit(
        "src/boxleave/features.py",
        "        if start < booking.valued_on <= snapshot\n",
        "        if start < booking.booked_on <= snapshot\n",
    )
    session.bash(
        "python -m pytest -q --tb=short && python -m boxleave train data/march && python "
        "tools/single_feature.py data/march",
        "Two tests fail for the right reason: 18.5 for a refund nobody could know. After the change:",
    )
    session.bash(
        "git add -A && git commit -q -m 'features: count credits by the day of entry' && git "
        "show --stat --format=%s HEAD"
    )
    session.read(
        "src/boxleave/scores.py",
        "The auc falls from 0.978 to 0.766, which I believe a good deal more. Now the "
        "oddity: `plan_family` is still at 0.822, `plan_duo` and `zone_outer` hardly lower. "
        "Columns of zeros and ones cannot rank that well, so I suspect the measure.",
    )
    session.bash(
        'python -c "from boxleave.scores import auc; print(auc([0.2] * 4, [0, 1, 0, 1]))"\n'
        "grep -rn 'auc(' src tools tests | grep -v 'def '",
    )
    session.together(
        [
            edit_file(
                "src/boxleave/scores.py",
                "    wins = sum(leaver >= other for leaver in leavers for other in others)\n",
                "    wins = sum(\n"
                "        (leaver > other) + (leaver == other) / 2 for leaver in leavers "
                "for other in others\n"
                "    )\n",
            ),
            edit_file(
                "tests/test_scores.py",
                "\n\ndef test_auc_of_one_class",
                TIES_TEST + "\n\ndef test_auc_of_one_class",
            ),
        ],
        "Confirmed: four equal scores give 1.0 where 0.5 is right. `leaver >= other` counts "
        "a tie as a full win for the leaver, which flatters every column with few values, "
        "and our scores too, since they are rounded to 2 digits. Ties count half.",
    )
    session.bash(
        "python -m pytest -q --tb=short && python -m boxleave train data/march && python "
        "tools/single_feature.py data/march"
    )
    session.say(
        "With ties at one half the auc is 0.754, and `plan_family` alone drops to 0.504, as "
        "it should. So of the 0.978 you started with, 0.212 were the leak and 0.012 the ties."
    )
    session.user(
        "0.754 sounds like life. Please commit, and then rename that module: scores.py next "
        "to scoring.py and scores.csv confuses everybody. metrics.py is what it is. With git "
        "mv, and the test file along with it."
    )
    session.bash(
        "git add -A && git commit -q -m 'scores: count ties as half a win'\n"
        "git mv src/boxleave/scores.py src/boxleave/metrics.py && git mv "
        "tests/test_scores.py tests/test_metrics.py\n"
        "sed -i 's/boxleave\\.scores/boxleave.metrics/' src/boxleave/*.py tests/*.py tools/*.py\n"
        "grep -rn 'boxleave.metrics' src tests tools; python -m pytest -q --tb=short",
    )
    session.bash("git commit -qam 'rename scores to metrics' && git show --stat --format=%s HEAD")
    session.edit(
        "src/boxleave/evaluate.py",
        "    rows = features.Scaler.fit(rows).apply(rows)\n"
        "    train, test = split_rows(truth, settings.test_share, settings.seed)\n",
        "    train, test = split_rows(truth, settings.test_share, settings.seed)\n"
        "    rows = features.Scaler.fit(pick(rows, train)).apply(rows)\n",
        "One more thing in evaluate.py: the scaler is fitted on all rows, so means and "
        "deviations of the test part flow into training. Small, but it costs nothing to do "
        "right.",
    )
    session.bash(
        "python -m pytest -q --tb=short && python -m boxleave train data/march && git commit "
        "-qam 'evaluate: fit the scaler on the training rows'"
    )
    session.say(
        "No change in the third digit, 71 tests pass. Now a question of substance: which "
        "number do we report from here on? Accuracy is out, because always saying 'stays' "
        "reaches 0.866 and our model has 0.870. F1 I would not take either: it needs a "
        "threshold, so it moves whenever somebody moves the band. How does the desk use the "
        "list?"
    )
    session.user(
        "The desk has two people, they can phone 40 customers a week, starting from the top. "
        "Nobody there knows what an auc is."
    )
    session.together(
        [
            edit_file("src/boxleave/metrics.py", "\n\ndef brier(", HITS + "\n\ndef brier("),
            edit_file(
                "src/boxleave/metrics.py",
                "from boxleave.errors import OneClassError\n",
                "from boxleave.errors import OneClassError\n\n"
                "CAPACITY = 40\n"
                '"""Customers that the desk can phone in a week."""\n',
            ),
            bash(
                "cat >> tests/test_metrics.py <<'EOF'" + HITS_TESTS + "EOF\n"
                "sed -i 's/import auc, brier, confusion/import auc, brier, confusion, "
                "hits_at/' tests/test_metrics.py src/boxleave/evaluate.py"
            ),
        ],
        "Then I suggest the hits among the first 40: how many leavers are among the 40 "
        "highest scores, beside what 40 random calls would reach. It is what the desk "
        "experiences, needs no threshold, and the auc stays as the second number. Ties at "
        "the cut share the places, otherwise the order of the rows would decide.",
    )
    session.together(
        [
            edit_file(
                "src/boxleave/evaluate.py",
                "    called: int\n",
                "    called: int\n    hits: float\n",
            ),
            edit_file(
                "src/boxleave/evaluate.py",
                "        called=outcome.hits + outcome.false_alarms,\n",
                "        called=outcome.hits + outcome.false_alarms,\n"
                "        hits=hits_at(scores, expected),\n",
            ),
            read_file("src/boxleave/cli.py", (64, 91)),
        ],
        "`Evaluation` gets a field `hits`; the signature of `evaluate` stays as you asked. "
        "The command line prints it.",
    )
    session.edit(
        "src/boxleave/cli.py",
        "    print(_measures(result))\n",
        "    chance = result.leavers * CAPACITY / result.test_rows\n"
        '    print(f"hits {result.hits:.1f} of the first {CAPACITY}, by chance {chance:.1f}")\n'
        "    print(_measures(result))\n",
    )
    session.bash("python -m pytest -q --tb=short")
    session.edit(
        "src/boxleave/cli.py",
        "from boxleave.evaluate import Evaluation, evaluate\n",
        "from boxleave.evaluate import Evaluation, evaluate\nfrom boxleave.metrics import CAPACITY\n",
        "My mistake, the import is missing.",
    )
    session.bash(
        "python -m pytest -q --tb=short && python -m boxleave train data/march && git add -A "
        "&& git commit -q -m 'train: report the hits among the first 40'"
    )
    session.say(
        "12 hits among the first 40, by chance it would be 5.4. So the honest baseline is a "
        "bit better than twice chance. Note that the call band holds only 5 of 216 now: "
        "without the leak hardly any score reaches 0.50."
    )
    session.user("Five is useless for a phone list. Set call to 0.20 then.")
    session.bash(
        "sed -i 's/^call = 0.50/call = 0.20/' experiment.ini && python -m boxleave train data/march"
    )
    session.read("src/boxleave/settings.py", lines=(14, 48))
    session.say(
        "D305: `watch` has to be below `call`, and 0.25 is not. The check is right, a band "
        "cannot be upside down. Which lower bound for watch? 0.10 would be a bit below the "
        "base rate of 13.6%."
    )
    session.user("0.10 is fine.")
    session.bash(
        "sed -i 's/^watch = 0.25/watch = 0.10/' experiment.ini && python -m boxleave train "
        "data/march && python -m pytest -q --tb=short && git commit -qam 'settings: call "
        "from 0.20, watch from 0.10'"
    )
    session.say(
        "Call starts at 0.20 and watch at 0.10; 47 of 216 are in the call band now, 76 tests "
        "pass. Six commits so far. Next is D214."
    )
    session.point("p2")
    probes_of_p2(session)


def read_april(session: Recorder) -> None:
    """Act 3: formats of the new front end, bad rows, missing ratings."""
    session.user("Good. Now the D214 please. The desk wants the southern list this week.")
    session.bash(SCORE, "Reproduce first.")
    session.together(
        [
            read_file("src/boxleave/table.py", (78, 159)),
            bash(
                "grep -nE '[0-9]{2}[.][0-9]{2}[.][0-9]{4}' data/april/customers.csv; "
                "grep -cE '[0-9]{2}[.][0-9]{2}[.][0-9]{4}|,' data/april/bookings.csv "
                "data/march/*.csv"
            ),
        ],
    )
    session.say(
        "Eleven rows of the April export have dates such as 14.11.2024, and all of them also "
        "have a decimal comma in the price. March has none. Two of the dates cannot exist in "
        "any format, 31.02.2025 in line 97 and 29.02.2023 in line 214. Who writes these "
        "rows, and is 03.10.2024 the third of October?"
    )
    session.user(
        "That's the new front end of the shop, live since 1 March. Always day first, always "
        "decimal comma, the shop team says. I'd rather not have an import fail over a single "
        "bad row: set such rows aside and go on. But if more than 2 percent of a file are "
        "bad then it is the wrong file, and it must stop."
    )
    session.together(
        [
            edit_file(
                "src/boxleave/table.py",
                "def _date(text: str) -> date:\n    return date.fromisoformat(text)\n",
                FORMATS,
            ),
            edit_file(
                "src/boxleave/table.py",
                'Value = TypeVar("Value")\n',
                '_DAY_FIRST = re.compile(r"\\d\\d\\.\\d\\d\\.\\d{4}")\n\n'
                'Value = TypeVar("Value")\n',
            ),
            bash(
                'sed -i \'s/_eur", float)/_eur", _amount)/; s/^import csv$/import '
                "csv\\nimport re/' src/boxleave/table.py\n"
                "sed -i '1i from datetime import date\\n' tests/test_table.py\n"
                "cat >> tests/test_table.py <<'EOF'" + FORMAT_TESTS + "EOF\n"
                "git diff --stat; python -m pytest -q --tb=short tests/test_table.py"
            ),
        ],
        "Two fixed formats then. I decided against trying formats until one fits: 03.04.2024 "
        "would be read as March or April depending on the order of the attempts, and nobody "
        "would notice. A date library such as dateutil is out anyway, since nothing but the "
        "standard library is allowed.",
    )
    session.bash(SCORE)
    session.together(
        [
            write_file("src/boxleave/rejects.py", REJECTS),
            edit_file(
                "src/boxleave/errors.py",
                "class SettingsError(",
                "class TooManyRejectsError(BoxleaveError):\n"
                '    """So many bad rows that the file itself must be wrong."""\n\n'
                '    code = "D222"\n\n\n'
                "class SettingsError(",
            ),
            edit_file(
                "src/boxleave/table.py",
                "    customers = tuple(_customer(row) for row in _rows(folder / "
                '"customers.csv", CUSTOMER_COLUMNS))\n'
                "    bookings: dict[str, list[Booking]] = defaultdict(list)\n"
                '    for row in _rows(folder / "bookings.csv", BOOKING_COLUMNS):\n'
                "        booking = _booking(row)\n"
                "        bookings[booking.customer_id].append(booking)\n"
                "    return Table(customers, {id: tuple(found) for id, found in "
                "bookings.items()})\n",
                '    rows = _rows(folder / "customers.csv", CUSTOMER_COLUMNS)\n'
                '    customers, bad_customers = convert_all(rows, _customer, "customers.csv")\n'
                '    rows = _rows(folder / "bookings.csv", BOOKING_COLUMNS)\n'
                '    entries, bad_bookings = convert_all(rows, _booking, "bookings.csv")\n'
                "    bookings: dict[str, list[Booking]] = defaultdict(list)\n"
                "    for booking in entries:\n"
                "        bookings[booking.customer_id].append(booking)\n"
                "    return Table(\n"
                "        tuple(customers),\n"
                "        {id: tuple(found) for id, found in bookings.items()},\n"
                "        (*bad_customers, *bad_bookings),\n"
                "    )\n",
            ),
            edit_file(
                "src/boxleave/table.py",
                "    bookings: Mapping[str, tuple[Booking, ...]] = field(default_factory=dict)\n",
                "    bookings: Mapping[str, tuple[Booking, ...]] = "
                "field(default_factory=dict)\n"
                "    rejects: tuple[str, ...] = ()\n",
            ),
            edit_file(
                "src/boxleave/table.py",
                "from boxleave.errors import CellError, HeaderError, MissingFileError\n",
                "from boxleave.errors import CellError, HeaderError, MissingFileError\n"
                "from boxleave.rejects import convert_all\n",
            ),
        ],
        "Line 38 is read, and the first impossible date shows up. Now the rows to set aside: "
        "a module of its own with the limit of 2 percent, a new error D222 for a file beyond "
        "it, and `Table` carries what was rejected.",
    )
    session.write("tests/test_rejects.py", REJECT_TESTS)
    session.bash("python -m pytest -q --tb=short")
    session.bash(
        "sed -i 's/CellError, HeaderError, MissingFileError/HeaderError, MissingFileError, "
        'TooManyRejectsError/; s/raises(CellError/raises(TooManyRejectsError/; s/"D214 '
        'customers.csv line 2: cannot read joined/"D222 customers.csv: 1 of 1 rows rejected, '
        "limit 2%; first: customers.csv line 2: cannot read joined/' tests/test_table.py\n"
        "python -m pytest -q --tb=short",
        "Four tests expected D214 for a table of one bad row; that is 1 of 1, so D222 is "
        "right there. They keep the reason in the text.",
    )
    session.edit(
        "src/boxleave/cli.py",
        """    found = scoring.score(
        read_table(options.train), read_table(options.folder), settings, options.snapshot
    )
    scoring.write_scores(found, options.out)
""",
        """    current = read_table(options.folder)
    found = scoring.score(read_table(options.train), current, settings, options.snapshot)
    scoring.write_scores(found, options.out)
    write_rejects(current.rejects, options.out.with_name("rejects.txt"))
    if current.rejects:
        print(f"rejected {len(current.rejects)} rows, see rejects.txt")
""",
    )
    session.bash(
        "sed -i 's/^from boxleave.settings import Settings, load_settings/from "
        "boxleave.rejects import write_rejects\\n&/' src/boxleave/cli.py\n"
        + SCORE
        + "; cat out/rejects.txt; head -3 out/scores.csv; python -m pytest -q --tb=short",
    )
    session.bash(
        "git add -A && git commit -q -m 'table: read the new front end, set bad rows aside' "
        "&& git show --stat --format=%s HEAD"
    )
    session.bash(
        RATINGS,
        "The list is there: 337 customers, 3 set aside, among them a plan `trio` in line 170 "
        "that we don't know. While I was in table.py I noticed `int(text or 0)`: a customer "
        "without a survey answer gets a rating of zero. How many are those?",
    )
    session.together(
        [
            edit_file(
                "src/boxleave/cleaning.py",
                "    ),\n)\nREPEATED",
                "    ),\n"
                '    Rule("C06", "no rating", lambda customer, _: customer.rating == 0),\n'
                ")\n"
                "REPEATED",
            ),
            bash(
                "python -m boxleave describe data/march; python -m boxleave train "
                "data/march; " + SCORE
            ),
        ],
        "101 of 720 have no rating, and 35% of them leave, against 10% of the others. Zero "
        "stars is an invention of ours: it makes silence worse than the worst answer. My "
        "first choice is a rule C06 that drops rows without a rating.",
    )
    session.say(
        "C06 drops 102 rows and 35 of the 98 leavers with them; 7 hits are left among the "
        "first 40. And in April 25 customers get no score at all, 312 instead of 337. I am "
        "no longer sure that dropping is right."
    )
    session.user(
        "No, not like that. A customer without a rating still eats vegetables and must be on "
        "the list. And if silence says so much, don't throw it away. Do something better "
        "than dropping."
    )
    session.together(
        [
            bash("git checkout -q src/boxleave/cleaning.py; git status --short"),
            bash(
                "sed -i 's/^    rating: int$/    rating: int | None/; s/^def "
                "_rating(text: str) -> int:/def _rating(text: str) -> int | None:/; s/^  "
                "  return int(text or 0)/    return int(text) if text else None/' "
                "src/boxleave/table.py\n"
                "sed -i 's/^        float(customer.rating),/        math.nan if "
                "customer.rating is None else float(customer.rating),/; s/^    "
                '"rating",/    "rating",\\n    "no_rating",/; s/^        '
                'float(customer.plan == "duo"),/        float(customer.rating is '
                "None),\\n&/; s/^import statistics/import math\\nimport statistics/' "
                "src/boxleave/features.py\n"
                "git diff -U0 src | grep '^[-+]'"
            ),
            read_file("src/boxleave/features.py", (82, 113)),
        ],
        "Agreed, I take C06 back: dropping loses the most telling third of the leavers. "
        "Instead the median fills the gap and a feature of its own, `no_rating`, says that "
        "there was none. Then a silent customer keeps an average rating and the silence has "
        "its own weight.",
    )
    session.edit(
        "src/boxleave/features.py",
        SCALER_OLD,
        SCALER_NEW,
        "The median must come from the fitted rows only, for the same reason as the means, "
        "so it belongs into `Scaler`. A missing value travels as nan until then.",
    )
    session.edit(
        "tests/test_features.py",
        "\n\ndef test_credits():",
        SCALER_TESTS + "\n\ndef test_credits():",
        "Two tests: the median of the fitted rows, and the flag.",
    )
    session.bash("python -m pytest -q --tb=short tests/test_features.py tests/test_leakage.py")
    session.bash(
        "sed -i '1i import math' tests/test_features.py && python -m pytest -q --tb=short && "
        "python -m boxleave train data/march --weights; " + SCORE,
        "Import again. Then everything, with the weights and the April list.",
    )
    session.bash(
        "git add -A && git commit -q -m 'features: fill missing ratings with the median and "
        "flag them' && git show --stat --format=%s HEAD"
    )
    session.say(
        "`no_rating` has a weight of +0.41. 13 hits instead of 12, while the auc of this "
        "seed goes from 0.754 to 0.735; with 29 leavers I would not read anything into "
        "either. 83 tests pass. The reason for the change is that all 337 customers get a "
        "score and that silence is no longer a rating."
    )
    session.point("p3")
    probes_of_p3(session)


def finish(session: Recorder) -> None:
    """Act 4: models turned down, the second change of the threshold, the report."""
    session.user(
        "Fine with me. Two ideas from our data circle: weight the leavers 5:1 because they "
        "are rare, and take the nearest neighbours from neighbours.py instead. Are they any "
        "better?"
    )
    session.together(
        [
            read_file("src/boxleave/neighbours.py"),
            read_file("src/boxleave/logistic.py"),
        ],
        "A look at what the second one does, and whether `fit` knows weights.",
    )
    session.bash(
        MODELS,
        "It does not, but repeating the leavers five times in the training rows is the same "
        "thing. All three models on four seeds, with the scaler fitted on the training part:",
    )
    session.say(
        "I advise against both. Weighting the leavers 5:1 leaves the ranking as it is (15.2 "
        "against 15.1 hits) and ruins the probabilities: the brier goes from 0.100 to 0.157, "
        "and the bands would mean nothing. The neighbours are worse in everything, 12.2 hits "
        "and auc 0.691, and they have no weights, so nobody can tell the desk why a customer "
        "is on the list."
    )
    session.user(
        "Convincing, we stay with the logistic regression. Delete neighbours.py then, nobody "
        "imports it. And the call band: 66 names for the southern depot, the desk manages 40 "
        "in the week. Move call so that it fits."
    )
    session.bash(
        "grep -rn 'neighbours\\|Neighbours' . --include='*.py' --include='*.md' | grep -v "
        "'^./src/boxleave/neighbours.py'\n"
        "git rm -q src/boxleave/neighbours.py && sed -i '/nearest neighbours/d' "
        "docs/notes.md && python -m pytest -q && git commit -qam 'remove the nearest "
        "neighbours'"
    )
    session.bash(
        "for call in 0.22 0.24 0.25 0.26 0.28; do\n"
        '  sed "s/^call = .*/call = $call/" experiment.ini > out/try.ini\n'
        '  echo "$call $('
        + SCORE.replace("-m boxleave", "-m boxleave --settings out/try.ini")
        + ' --out out/try.csv | tail -1)"\n'
        "done",
        "Which bound gives 40 names on the April list?",
    )
    session.bash(
        "sed -i 's/^call = 0.20/call = 0.26/' experiment.ini && git diff -U0 experiment.ini "
        "| tail -2 && " + SCORE + " && python -m boxleave train data/march"
    )
    session.bash("git commit -qam 'settings: call from 0.26'")
    session.bash(
        "grep -n 'complaints' docs/data.md src/boxleave/*.py",
        "0.26 gives exactly 40, so call goes from 0.20 to 0.26 and watch stays. One doubt is "
        "left from the leak: the other columns. docs/data.md says 'full months only' for "
        "pauses and deliveries, but for complaints 'so far'.",
    )
    session.say(
        "`complaints` is the number so far, so probably counted on the day of the export, "
        "weeks after the snapshot. A complaint in February would be a second leak, a smaller "
        "one. The export has no dates for them, so I cannot check. Do you know who can?"
    )
    session.user(
        "Wenzel from the shop team. I'll ask him for a counter by month, until he answers "
        "complaints stays in as it is. Now I need a report for Thursday's meeting: "
        "reports/baseline.md, written by a command, with more than one split please, 29 "
        "leavers are too few as you said. Ten seeds from 7119 on."
    )
    session.together(
        [
            write_file("src/boxleave/report.py", REPORT),
            write_file("tests/test_report.py", REPORT_TESTS),
            read_file("src/boxleave/cli.py", (36, 62)),
        ],
        "A command `report` with the ten seeds 7119 to 7128: mean, lowest and highest. The "
        "old seed stays the first column, so the comparison with older figures holds.",
    )
    session.together(
        [
            edit_file(
                "src/boxleave/cli.py",
                '    score = commands.add_parser("score"',
                '    written = commands.add_parser("report", help="write the report on '
                'the baseline")\n'
                '    written.add_argument("folder", type=Path)\n'
                '    written.add_argument("--out", type=Path, '
                'default=Path("reports/baseline.md"))\n'
                "    written.set_defaults(run=_report)\n\n"
                '    score = commands.add_parser("score"',
            ),
            edit_file(
                "src/boxleave/cli.py",
                "def _score(options",
                "def _report(options: argparse.Namespace, settings: Settings) -> None:\n"
                "    options.out.parent.mkdir(parents=True, exist_ok=True)\n"
                "    options.out.write_text(report(read_table(options.folder), "
                'settings), encoding="utf-8")\n'
                '    print(f"wrote {options.out}")\n\n\n'
                "def _score(options",
            ),
            edit_file(
                "src/boxleave/cli.py",
                "from boxleave.rejects import write_rejects\n",
                "from boxleave.rejects import write_rejects\nfrom boxleave.report import report\n",
            ),
        ],
    )
    session.bash(
        "python -m pytest -q --tb=short; python -m boxleave report data/march && cat "
        "reports/baseline.md"
    )
    session.say(
        "On ten splits: 15.2 hits in the mean, between 13 and 18, and a mean auc of 0.776. "
        "Seed 7119 happens to be at the low end of the ten, 13.0 hits and 0.735."
    )
    session.user("Good to know. Then update docs/data.md and docs/notes.md, and commit.")
    session.together(
        [
            edit_file("docs/data.md", DATES_OLD, DATES_NEW),
            edit_file("docs/data.md", "\n## Cleaning\n", FORMATS_DOC),
            edit_file("README.md", "over ten features", "over eleven features"),
            bash("cat >> docs/notes.md <<'EOF'\n" + NOTES + "EOF\ncat docs/notes.md"),
        ],
        "The dates get a warning in docs/data.md, the README an eleventh feature, and the "
        "notes what we decided and why.",
    )
    session.read(
        "src/boxleave/scoring.py",
        "Before the commit a look at the way to scores.csv, since we changed nearly "
        "everything above it.",
    )
    session.bash(
        "git diff start -- src/boxleave/evaluate.py src/boxleave/scoring.py experiment.ini; "
        "head -2 out/scores.csv; wc -l < out/scores.csv",
        "scoring.py learns its scaler from the old export only, that is right. And your "
        "ground rules: the "
        "signature, the columns, the seed.",
    )
    session.bash(
        "grep -rhE '^(import|from) ' src tools tests | grep -v boxleave | sort -u",
        "All as agreed: `evaluate(table, settings)` is the same, the header is "
        "customer_id;score;band, seed "
        "7119 is not touched. And nothing foreign is imported?",
    )
    session.bash(
        "git add -A && git commit -q -m 'report: hits and auc over ten splits' && git show "
        "--stat --format=%s HEAD",
        "Only the standard library, and pytest in the tests.",
    )
    session.user(
        "One correction: the people in Thursday's meeting will read 'hits among 40' as a "
        "share. Call the row 'leavers among "
        "the first 40 calls' in the report. And Ottilie wants to know since when the "
        "deposits are valued like "
        "that in our data."
    )
    session.together(
        [
            bash(
                'sed -i \'s/f"hits among {CAPACITY}"/f"leavers among the first {CAPACITY} '
                "calls\"/' src/boxleave/report.py\n"
                "python -m pytest -q --tb=short tests/test_report.py"
            ),
            bash(
                "grep ';K7;' data/march/bookings.csv | cut -d';' -f3 | sort | uniq -c; "
                "grep ';K7;' data/april/bookings.csv | cut -d';' -f3 | sort | uniq -c"
            ),
        ],
    )
    session.edit(
        "tests/test_report.py",
        "| hits among 40 |",
        "| leavers among the first 40 calls |",
        "The test wants the new name too. For Ottilie: every K7 in March is valued on "
        "2025-01-01, every one in "
        "April too, so within our exports there is no other rule to see.",
    )
    session.bash(
        "python -m pytest -q --tb=short && python -m boxleave report data/march && sed -n "
        "5,11p reports/baseline.md && git commit -qam 'report: say what a hit is' && git "
        "status --short"
    )
    session.user(
        "Thanks, that's it for today. For next time: src/boxleave/split.py has no tests of "
        "its own, please write "
        "some. Then the brier by plan, I have the feeling that solo customers come out too "
        "high. And the "
        "repeated people: group the split by mail_hash when the May export is there, not "
        "before. The three "
        "rejected rows I send to the shop team myself, and don't push, I want to read the "
        "commits first."
    )
    session.bash(
        "python -m pytest -q; git log --oneline start..; git status --short",
        "The state for the next session:",
    )
    session.say(
        "86 passed, twelve commits on main, the tree is clean and nothing is pushed. Next "
        "time I start with the "
        "tests for split.py; the other points stand as you listed them, and Wenzel's answer "
        "on the complaints "
        "is still open."
    )
    session.point("p4")
    check_files(session)
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    created = ["reports/baseline.md", "src/boxleave/rejects.py", "src/boxleave/report.py"]
    created += ["tests/test_leakage.py", "tests/test_rejects.py", "tests/test_report.py"]
    created += ["tools/single_feature.py"]
    modified = ["README.md", "docs/data.md", "docs/notes.md", "experiment.ini"]
    modified += [
        f"src/boxleave/{name}.py" for name in ("cli", "errors", "evaluate", "features", "table")
    ]
    modified += ["tests/test_features.py", "tests/test_table.py"]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=["src/boxleave/neighbours.py"],
        renamed=[
            "src/boxleave/metrics.py",
            "tests/test_metrics.py",
        ],
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked in the middle about the dead end."""
    fact = session.fact
    session.probe(
        "same-person",
        "decision",
        "What was the first hypothesis about the same person in the split, and why is it "
        "dead: how many hashes occur twice, and how many customers and which auc are there "
        "with one row a person?",
        [
            fact("the same person is on both sides", "same person on both sides", about="detail"),
            fact("21 hashes occur twice", "21 hashes"),
            fact("auc 0.979 with one row a person", "auc 0.979", "0.979"),
            fact("699 customers", about="detail"),
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked when every customer of April has a score: where the work stands."""
    fact = session.fact
    session.probe(
        "after-ratings",
        "continuation",
        "Where do we stand after the missing ratings: how many customers of April get a "
        "score, how many rows are set aside, at which value does call start, and how many "
        "tests passed in the run of pytest with the weights?",
        [
            fact("337 customers"),
            fact("3 set aside", "3 rows set aside", "rejected 3 rows", "3 rejected rows"),
            fact(
                "call starts at 0.20",
                "call = 0.20",
                "call to 0.20",
                "call from 0.20",
                "call 0.20",
            ),
            fact("83 passed", "83 tests pass"),
        ],
        traps=[
            {
                "text": "76 passed",
                "aliases": ["76 tests pass", "71 tests pass", "81 passed"],
                "current": ["83"],
            },
            {"text": "312 customers", "aliases": ["scored 312"], "current": ["337"]},
        ],
        point="p3",
    )


def recall_probes(session: Recorder) -> None:
    """Exact things: the report, the two errors, the leak, the bands."""
    fact = session.fact
    session.probe(
        "pilot-week",
        "recall",
        "Why did the user not believe the churn baseline: which auc and precision did train say for "
        "data/march, how many customers of a call band did the retention desk phone in the pilot week, "
        "and how many were expected to leave? Answer in one sentence of at most 60 words.",
        [
            fact("auc 0.978", "auc of 0.978"),
            fact("precision 0.750", "precision of 0.750", "precision 0.75"),
            fact("24 customers of a call band", "phoned 24 customers", "24 customers"),
            fact("expected 18", "18 expected", "18 were expected"),
        ],
        answer={"format": "sentence", "max_words": 60},
    )
    session.probe(
        "april-error",
        "recall",
        "With which exact error and exit code did scoring the southern depot die, how many rows have "
        "such dates, and which two dates cannot exist in any format?",
        [
            fact("D214 customers.csv line 38: cannot read joined '14.11.2024'"),
            fact("exit code 2"),
            fact("Eleven rows of the April export", "eleven rows", "11 rows"),
            fact("31.02.2025"),
            fact("29.02.2023"),
        ],
    )
    session.probe(
        "crate-deposits",
        "recall",
        "What was found about the K7 bookings of leavers: how many were entered after the "
        "snapshot, how "
        "large is the crate deposit, on which day is it valued, when did B10005 leave, and what did "
        "credits_eur alone reach?",
        [
            fact("92 of the 117 K7 bookings", "92 of 117"),
            fact("crate deposit of 18.50 EUR", "18.50 EUR", "18.50"),
            fact("valued on 2025-01-01", "value date 2025-01-01"),
            fact("B10005 left on 2025-02-04"),
            fact("credits_eur alone ranks the leavers with 0.968", "credits_eur 0.968"),
        ],
    )
    session.probe(
        "bands-now",
        "recall",
        "Which bound makes the April list come out right, so that call goes there and watch "
        "stays; at which value does watch start; how many names for the southern depot were "
        "there before, and how many customers can the desk phone?",
        [
            fact(
                "call 0.26",
                "call = 0.26",
                "call from 0.26",
                "call from 0.20 to 0.26",
                "call starts at 0.26",
            ),
            fact(
                "watch 0.10",
                "watch = 0.10",
                "watch from 0.10",
                "watch at 0.10",
                "watch starts at 0.10",
            ),
            fact("66 names for the southern depot", "66 names", "call 66"),
            fact("40 customers a week", "40 a week", "40 in the week"),
        ],
        traps=[
            {
                "text": "call from 0.20",
                "aliases": ["call = 0.20", "call starts at 0.20", "call to 0.20", "call is 0.20"],
                "current": ["0.26"],
            },
            {
                "text": "call from 0.50",
                "aliases": ["call = 0.50", "call starts at 0.50", "call is 0.50"],
                "current": ["0.26"],
            },
            {
                "text": "watch from 0.25",
                "aliases": ["watch = 0.25", "watch starts at 0.25", "watch is 0.25"],
                "current": ["0.10"],
            },
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "created",
        "file",
        "Which files were newly created in this session: the tool, the two modules of boxleave and the "
        "written report? Answer as a list and leave the tests out: do not mention test_leakage.py.",
        [
            fact("tools/single_feature.py", about="created"),
            fact("src/boxleave/rejects.py", about="created"),
            fact("src/boxleave/report.py", about="created"),
            fact("reports/baseline.md", about="created"),
        ],
        answer={"format": "list", "forbid": ["test_leakage.py"]},
    )
    session.probe(
        "modified",
        "file",
        "Which existing files were modified in this session, the modules of boxleave and the "
        "ini file with the bands? Answer as a list of at most 12 items.",
        [
            *(
                fact(path, about="modified", said_in=session.doing("edit_file", path))
                for path in (
                    "src/boxleave/features.py",
                    "src/boxleave/evaluate.py",
                    "src/boxleave/table.py",
                    "src/boxleave/cli.py",
                    "src/boxleave/errors.py",
                )
            ),
            fact(
                "experiment.ini",
                about="modified",
                said_in=session.doing("bash", "0.50/call = 0.20/' experiment.ini"),
            ),
        ],
        answer={"format": "list", "max_items": 12},
    )
    session.probe(
        "renamed",
        "file",
        "Which module was renamed with git mv and to what, what became of its test file, why "
        "did the old "
        "name confuse everybody, and which module was deleted because nobody imports it?",
        [
            fact("src/boxleave/metrics.py", about="detail"),
            fact("tests/test_metrics.py", about="detail"),
            fact(
                "next to scoring.py and scores.csv",
                "confused with scoring.py and scores.csv",
                about="reason",
            ),
            fact(
                "neighbours.py",
                about="detail",
                said_in=session.doing("bash", "git rm -q src/boxleave/neighbours.py"),
            ),
        ],
    )


def continuation_probes(session: Recorder) -> None:
    """What holds, where the work stands, what is left."""
    fact = session.fact
    session.probe(
        "ground-rules",
        "continuation",
        "What must stay as it is according to the user: which signature do the notebooks of the desk "
        "import, which columns of scores.csv feed the phone list, which library alone is allowed, and "
        "which split seed stays?",
        [
            fact("evaluate(table, settings)"),
            fact("customer_id;score;band"),
            fact(
                "only the standard library",
                "standard library only",
                "nothing but the standard library",
            ),
            fact("seed 7119"),
        ],
    )
    session.probe(
        "next-time",
        "continuation",
        "What is left for next time: which module has no tests of its own, what about the "
        "brier, when is the split grouped anew, what counter do you ask Wenzel from "
        "the shop team for until complaints stays in, how many tests passed and may I push?",
        [
            fact(
                "split.py has no tests",
                "tests for split.py",
                about="pending",
            ),
            fact("brier by plan", about="pending"),
            fact(
                "mail_hash when the May export is there",
                "group the split by mail_hash with the May export",
                about="pending",
            ),
            fact(
                "counter by month",
                "monthly counter",
                about="pending",
            ),
            fact(
                "don't push", "nothing is pushed", "not pushed", "must not be pushed", about="state"
            ),
            fact("86 passed", "86 tests pass", about="state"),
        ],
        traps=[{"text": "83 passed", "aliases": ["83 tests pass", "76 passed"], "current": ["86"]}],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "keep-k7",
        "decision",
        "Why did we not throw K7 out of credits_eur: what is a spare crate a sign of, what "
        "do the means of "
        "four seeds say with and without K7, and on which date does the feature filter instead?",
        [
            fact("an honest early sign", "honest sign"),
            fact("spare crate that comes back before the snapshot", "return a spare crate"),
            fact("mean of 0.772", "0.772"),
            fact("0.755 without K7", "without K7 0.755"),
            fact(
                "filter on `booked_on`",
                "filters on booked_on",
                "by the day of entry",
                about="detail",
                said_in=session.saying("filter on `booked_on`"),
            ),
        ],
    )
    session.probe(
        "which-measure",
        "decision",
        "Which number do we report from here on, beside what, and why is accuracy out and F1 not taken?",
        [
            fact("hits among the first 40", "leavers among the first 40", about="detail"),
            fact("what 40 random calls would reach", "hits by chance", about="detail"),
            fact(
                "always saying 'stays' reaches 0.866",
                "always 'stays' has 0.866",
                "0.866",
            ),
            fact(
                "it needs a threshold",
                "needs a threshold",
                "F1 moves with the band",
                "moves whenever somebody moves the band",
            ),
        ],
    )
    session.probe(
        "no-rule-c06",
        "decision",
        "Why was rule C06 taken back, which dropped the rows without a rating: how many "
        "leavers and how many "
        "April customers did it lose, and what fills the gap instead?",
        [
            fact("35 of the 98 leavers", "35 of 98 leavers"),
            fact("25 customers get no score", "25 customers without a score"),
            fact("C06 drops 102 rows", "102 rows"),
            fact("the median fills the gap", "filled with the median", about="detail"),
            fact("no_rating", about="detail"),
        ],
        traps=[
            {
                "text": "C06 drops rows without a rating",
                "aliases": ["rows without a rating are dropped"],
                "current": ["median", "no_rating"],
            }
        ],
    )
    session.probe(
        "other-models",
        "decision",
        "Why did you advise against weighting the leavers 5:1 and against the nearest neighbours: what "
        "happens to the brier, how many hits and which auc do the neighbours have, and what "
        "do they lack?",
        [
            fact("brier goes from 0.100 to 0.157", "brier 0.157"),
            fact(
                "leaves the ranking as it is",
                "same ranking",
                "15.2 against 15.1 hits",
                said_in=session.saying("leaves the ranking as it is"),
            ),
            fact("12.2 hits"),
            fact("auc 0.691"),
            fact("they have no weights", "nobody can tell the desk why", "no weights"),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    mend_measures(session)
    read_april(session)
    finish(session)


PLAY = Play(
    record,
    task="data-science",
    title="A churn baseline that is too good to be true, and an export that cannot be read",
    repository="boxleave",
)
