"""Tables and filed files."""

from datetime import date, datetime

import pytest

from hourfold.average import Hour
from hourfold.errors import AlreadyFiledError
from hourfold.report import filed_text, hour_lines, publish

HOURS = [Hour(datetime(2024, 3, 1, 0), 3.4567, 4, ""), Hour(datetime(2024, 3, 1, 1), None, 0, "")]


def test_lines():
    assert hour_lines(HOURS, 3) == ["2024-03-01T00:00Z;3.457;4;", "2024-03-01T01:00Z;;0;"]


def test_filed_form():
    first, header, *rows = filed_text(HOURS, 3).splitlines()
    assert first.startswith("# hourfold 1 ")
    assert len(first.split()[-1]) == 12
    assert header == "hour;flow;count;flag"
    assert len(rows) == 2


def test_what_is_filed_stays(tmp_path):
    publish(tmp_path, "torv-outlet", date(2024, 3, 1), HOURS, 3)
    with pytest.raises(AlreadyFiledError, match="HF-40 already filed: filed/torv-outlet-2024-03-01.csv"):
        publish(tmp_path, "torv-outlet", date(2024, 3, 1), HOURS, 3)
