import pytest

from boxleave.errors import CellError, HeaderError, MissingFileError
from boxleave.table import BOOKING_COLUMNS, CUSTOMER_COLUMNS, read_table

LINE = "B00001;2023-05-01;inner;solo;19.50;0;40;4;0;4;h1;"
BOOKING = "B00001;2025-01-10;2025-01-10;K2;4.00"


def export(folder, *lines, bookings=(BOOKING,)):
    (folder / "customers.csv").write_text("\n".join([";".join(CUSTOMER_COLUMNS), *lines]))
    (folder / "bookings.csv").write_text("\n".join([";".join(BOOKING_COLUMNS), *bookings]))
    return folder


def test_reads_both_files(tmp_path):
    found = read_table(export(tmp_path, LINE))
    assert found.customers[0].price_eur == 19.5
    assert found.bookings_of(found.customers[0])[0].kind == "K2"


def test_an_empty_day_of_leaving(tmp_path):
    assert read_table(export(tmp_path, LINE)).customers[0].left_on is None


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("2023-05-01", "soon", "D214 customers.csv line 2: cannot read joined 'soon'"),
        ("inner", "north", "cannot read zone 'north'"),
        ("solo", "trio", "cannot read plan 'trio'"),
        ("19.50", "cheap", "cannot read price_eur 'cheap'"),
    ],
)
def test_cells_that_cannot_be_read(tmp_path, old, new, problem):
    with pytest.raises(CellError, match=problem):
        read_table(export(tmp_path, LINE.replace(old, new)))


def test_a_missing_file(tmp_path):
    with pytest.raises(MissingFileError, match=r"D104 no .*/customers.csv"):
        read_table(tmp_path)


def test_other_columns(tmp_path):
    export(tmp_path, LINE)
    (tmp_path / "bookings.csv").write_text("id;amount\n")
    with pytest.raises(HeaderError, match="D210 bookings.csv"):
        read_table(tmp_path)
