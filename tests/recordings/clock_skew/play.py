"""Hourly means of a river gauge are off since a leap day, and one hour is lost in spring.

Rounding and the new rating curve look guilty and are not. An hour takes the first reading
of the next one, and local stamps are compared with UTC moments. A first repair moves the
table, the second reads the clock while the file is read, because only the order of the
file tells the two passes of the autumn hour apart. Beside that there are a letter of the
office, the log of the gateway and a page for the night desk, which hold much that nobody
says; a gauge with another fault; a review that would rewrite signed figures; and an estimate
that the audit proves wrong.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

LATER = Path(__file__).parent / "later"
"""Files that came into the repository with the last commit before the session."""

SYSTEM = """You are a coding agent with a shell in a git checkout of the user's project. Read before
you edit, prove a cause before you repair it, and commit each finished step with a plain subject.
Say what you found and what you are unsure about."""

HALF_OPEN_TESTS = """

def test_the_closing_reading_belongs_to_the_next_hour(make_series):
    series = make_series("2024-03-01T10:00", 9)
    found = window(series, datetime(2024, 3, 1, 10), datetime(2024, 3, 1, 11))
    assert [reading.time.minute for reading in found] == [0, 15, 30, 45]


def test_no_reading_is_counted_twice(make_series):
    series = make_series("2024-03-01T00:00", 97)
    counts = [len(readings) for _, readings in hourly_windows(series, date(2024, 3, 1))]
    assert sum(counts) == 96
"""

LOCAL_STARTS = '''    def offset_of_local(self, zone: str, stamp: datetime) -> timedelta:
        """The offset of a stamp in local time.

        A clock shows a start with the offset that held before it, so each start is moved
        by that offset and compared on the local line.
        """
        if zone not in self._starts:
            raise ZoneError(f"no zone {zone!r} in the table")
        starts, offsets = self._starts[zone], self._offsets[zone]
        local = [
            start + before for start, before in zip(starts, [offsets[0], *offsets], strict=False)
        ]
        index = bisect_right(local, stamp) - 1
        if index < 0:
            raise ZoneError(f"zone {zone} has no offset at {stamp:%Y-%m-%d %H:%M}")
        return offsets[index]


def to_utc(stamp: datetime, zone: str, table: ZoneTable) -> datetime:
    """The UTC moment of a stamp in local time."""
    return stamp - table.offset_of_local(zone, stamp)
'''

TO_UTC = '''
def to_utc(stamp: datetime, zone: str, table: ZoneTable) -> datetime:
    """The UTC moment of a stamp in local time."""
    return stamp - table.offset_at(zone, stamp)
'''

MOMENTS = '''    def moments_of(self, zone: str, stamp: datetime) -> list[datetime]:
        """The moments (UTC) at which a clock in a zone shows a stamp: none, one or two."""
        if zone not in self._starts:
            raise ZoneError(f"no zone {zone!r} in the table")
        first = self._starts[zone][0]
        found = {stamp - offset for offset in self._offsets[zone]}
        if max(found) < first:
            raise ZoneError(f"zone {zone} has no offset at {stamp:%Y-%m-%d %H:%M}")
        return sorted(m for m in found if m >= first and m + self.offset_at(zone, m) == stamp)


class StationClock:
    """Reads the stamps of one logger in the order in which it wrote them.

    In the hour that autumn repeats a stamp has two moments. The logger goes on writing,
    so the right one is the first that is later than the stamp before.
    """

    def __init__(self, zone: str, table: ZoneTable) -> None:
        self._zone = zone
        self._table = table
        self._last = datetime.min

    def utc(self, stamp: datetime) -> datetime:
        """The UTC moment of the next stamp."""
        moments = self._table.moments_of(self._zone, stamp)
        if not moments:
            raise SkippedHourError(
                f"stamp {stamp:%Y-%m-%d %H:%M} does not exist in zone {self._zone}"
            )
        later = [moment for moment in moments if moment > self._last]
        self._last = later[0] if later else moments[-1]
        return self._last
'''

SKIPPED_HOUR = '''class SkippedHourError(HourfoldError):
    """A stamp in the hour that summer time skips: the logger cannot have written it."""

    code = "HF-15"
    exit_code = 2


class ZoneError(HourfoldError):
'''

LOAD_LINE = """        stamp, level, status = cells
        if status != "ok":
            continue
        try:
            yield Reading(parse_stamp(stamp), _level(level))
"""

LOAD_LINE_CLOCK = """        stamp, level, status = cells
        if status != "ok":
            continue
        try:
            moment = parse_stamp(stamp)
            yield Reading(clock.utc(moment) if clock else moment, _level(level))
"""

LOAD_LINE_EVERY = """        stamp, level, status = cells
        try:
            moment = parse_stamp(stamp)
            if clock:
                moment = clock.utc(moment)
            if status == "ok":
                yield Reading(moment, _level(level))
"""

LOAD_AROUND = '''def load_around(config: Config, station: Station, day: date) -> list[Reading]:
    """The readings of a day and its neighbours; files that do not exist are left out."""
    load = LOADERS[station.format]
'''

LOAD_AROUND_CLOCK = '''def load_around(config: Config, station: Station, day: date, zones: ZoneTable) -> list[Reading]:
    """The readings of a day and its neighbours; files that do not exist are left out.

    One clock reads all of them, so its order goes on from file to file.
    """
    clock = StationClock(station.zone, zones) if station.clock == "local" else None
    load = LOADERS[station.format]
'''

ON_UTC = '''def on_utc(readings: Iterable[Reading], station: Station, zones: ZoneTable) -> Iterator[Reading]:
    """Readings of a local clock moved to UTC; others as they are."""
    for reading in readings:
        if station.clock == "local":
            yield reading.at(to_utc(reading.time, station.zone, zones))
        else:
            yield reading


'''

CLOCK_TESTS = '''

def read(*stamps):
    """What one clock makes of stamps in this order."""
    clock = StationClock("inland", TABLE)
    return [f"{clock.utc(parse_stamp(stamp)):%d %H:%M}" for stamp in stamps]


def test_the_repeated_hour_by_the_order_of_the_stamps():
    day = "2023-10-29"
    found = read(*(f"{day} {each}" for each in ("01:49", "02:04", "02:49", "02:04", "02:49", "03:04")))
    assert found == ["28 23:49", "29 00:04", "29 00:49", "29 01:04", "29 01:49", "29 02:04"]


def test_the_hour_before_summer_time():
    found = read("2024-03-31 00:45", "2024-03-31 01:00", "2024-03-31 01:45", "2024-03-31 03:00")
    assert found == ["30 23:45", "31 00:00", "31 00:45", "31 01:00"]


def test_an_hour_that_summer_time_skips():
    with pytest.raises(SkippedHourError, match="HF-15 stamp 2024-03-31 02:30 does not exist in zone inland"):
        read("2024-03-31 02:30")
'''

ICE_TEST = """

def test_a_frozen_first_pass_still_counts_for_the_clock(root, put_csv):
    rows = [("2023-10-29 02:04", 91.0), ("2023-10-29 02:34", 91.5)]
    path = put_csv("torv-outlet", "2023-10-29", [*rows, *rows])
    path.write_text(path.read_text().replace(";ok", ";ice", 2))
    config = load_config(root)
    zones = ZoneTable.load(root / "data" / "zones.csv")
    found = load_around(config, config.station("T7"), date(2023, 10, 29), zones)
    assert [reading.time.hour for reading in found] == [1, 1]
"""

AUDIT = '''"""Compares what is filed with what the raw files give today. Nothing is ever written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hourfold.average import Hour
from hourfold.errors import FiledSumError
from hourfold.report import hour_lines


@dataclass(frozen=True)
class Difference:
    """An hour whose filed flow is not the flow of today; empty for a missing hour."""

    hour: str
    filed: str
    now: str

    @property
    def size(self) -> float:
        """How far the two are apart (m3/s)."""
        return abs(float(self.now) - float(self.filed))


def filed_day(path: Path) -> tuple[str, date]:
    """Station and day of a filed file, from its name."""
    return path.stem[:-11], date.fromisoformat(path.stem[-10:])


def read_filed(path: Path) -> dict[str, str]:
    """Flows by hour as they were filed. A wrong check sum is an error."""
    first, _, body = path.read_text(encoding="utf-8").partition("\\n")
    if first.split()[-1] != hashlib.sha256(body.encode()).hexdigest()[:12]:
        raise FiledSumError(f"check sum of {path.name} does not match")
    rows = (line.split(";") for line in body.splitlines()[1:])
    return {row[0]: row[1] for row in rows}


def differences(
    filed: Mapping[str, str], hours: Sequence[Hour], decimals: int
) -> list[Difference]:
    """The hours that differ, in order."""
    found = []
    for line in hour_lines(hours, decimals):
        hour, now = line.split(";")[:2]
        if filed.get(hour, "") != now:
            found.append(Difference(hour, filed.get(hour, ""), now))
    return found


def summary(name: str, found: Sequence[Difference]) -> str:
    """One line for a filed file."""
    if not found:
        return f"{name:32} same"
    largest = max(each.size for each in found)
    return f"{name:32} {len(found)} hours differ, largest {largest:.3f} m3/s"
'''

AUDIT_TESTS = '''"""Filed figures against today."""

from datetime import date, datetime

import pytest

from hourfold.audit import Difference, differences, filed_day, read_filed, summary
from hourfold.average import Hour
from hourfold.errors import FiledSumError
from hourfold.report import publish

DAY = date(2024, 3, 1)


def hours(first):
    return [Hour(datetime(2024, 3, 1, 0), first, 4, ""), Hour(datetime(2024, 3, 1, 1), 3.5, 4, "")]


@pytest.fixture
def filed(tmp_path):
    return publish(tmp_path, "torv-outlet", DAY, hours(3.25), 3)


def test_station_and_day(filed):
    assert filed_day(filed) == ("torv-outlet", DAY)


def test_the_same_figures(filed):
    assert differences(read_filed(filed), hours(3.25), 3) == []


def test_another_figure(filed):
    found = differences(read_filed(filed), hours(3.226), 3)
    assert found == [Difference("2024-03-01T00:00Z", "3.250", "3.226")]
    assert summary(filed.name, found).endswith("1 hours differ, largest 0.024 m3/s")


def test_a_missing_hour(filed):
    found = differences(read_filed(filed), hours(None), 3)
    assert summary(filed.name, found).endswith("1 hours differ, largest 3.250 m3/s")


def test_a_wrong_check_sum(filed):
    filed.write_text(filed.read_text().replace("3.250", "3.251"))
    with pytest.raises(FiledSumError, match="HF-41 check sum of torv-outlet-2024-03-01.csv does not match"):
        read_filed(filed)
'''

SHOW_AUDIT = '''def show_audit(basin: Basin, options: argparse.Namespace) -> None:
    """Compare everything that is filed with the raw files of today."""
    root, decimals = basin.config.root, basin.config.settings.decimals
    for path in sorted((root / "filed").glob("*.csv")):
        name, day = filed_day(path)
        hours = basin.hours(basin.config.station(name), day)
        found = differences(read_filed(path), hours, decimals)
        print(summary(path.name, found))
        if options.hours:
            for each in found:
                print(f"  {each.hour} filed {each.filed or '-'} now {each.now or '-'}")


def parser() -> argparse.ArgumentParser:
'''

SHOW_AUDIT_LOOP = """        name, day = filed_day(path)
        hours = basin.hours(basin.config.station(name), day)
        found = differences(read_filed(path), hours, decimals)
        print(summary(path.name, found))
"""

SHOW_AUDIT_LOOP_ALL = """        name, day = filed_day(path)
        try:
            hours = basin.hours(basin.config.station(name), day)
            found = differences(read_filed(path), hours, decimals)
        except HourfoldError as error:
            print(f"{path.name:32} {error}")
            failed = error
            continue
        print(summary(path.name, found))
"""

AUDIT_CLI_TEST = """

def test_audit_goes_on_after_an_error(root, kelm, capsys):
    run(root, capsys, "publish", "K1", "2024-03-01")
    (root / "filed" / "aaa-2024-03-01.csv").write_text("# hourfold 1 0\\n")
    code, out, _ = run(root, capsys, "audit")
    assert code == 2
    assert "HF-30 no station 'aaa'" in out.splitlines()[0]
    assert out.splitlines()[1].endswith("same")


def test_audit_reports_and_does_not_judge(root, kelm, capsys):
    run(root, capsys, "publish", "K1", "2024-03-01")
    raw = root / "raw" / "kelm-weir" / "2024-03-01.csv"
    raw.write_text(raw.read_text().replace("00:05Z;100.0", "00:05Z;104.0"))
    code, out, _ = run(root, capsys, "audit", "--hours")
    assert (code, out.count("\\n")) == (0, 2)
    assert "1 hours differ, largest 0.045 m3/s" in out
"""

ERRATUM = """# Erratum April 2024: torv-outlet

Your reference: BO-2024-117

The figures below replace those that were filed. All hours are UTC. Daily volumes can
be summed from the corrected hours.

- 2023-10-29: winter time was applied two hours too early, so readings of the day before were
  counted in the first hour and the readings of two hours were put together in the second.
- 2024-03-01: since the logger stamps on the full hour, the reading at the end of an hour was
  counted in that hour and in the next one.

The raw readings were right throughout.

| hour | filed | corrected |
|---|---|---|
"""

DOCS_COMMAND = r"""python - <<'PY'
from pathlib import Path


def change(path, old, new):
    text = Path(path).read_text()
    assert text.count(old) == 1, (path, old)
    Path(path).write_text(text.replace(old, new))


change("docs/method.md", "in which it begins. The\n",
    "in which it begins. A\nreading at the very end belongs to the next hour (M1 needed both ends, M2 does not). The\n")
change("docs/method.md", "Longer gaps stay open. An\n",
    "Longer gaps stay open.\nThe setting is 45 minutes, because M2 permits two missed readings. An\n")
change("docs/stations.md", "official one. A row says from which moment (UTC) on an offset holds.\n",
    "official one. A row says from which moment (UTC) on an offset holds. Local stamps are\n"
    "read in the order of the file, which tells the two passes of a repeated hour apart. A\n"
    "stamp in the hour that summer time skips is an error (HF-15).\n")
change("CHANGELOG.md", "## Unreleased\n",
    "## Unreleased\n\n- windows: an hour no longer takes the first reading of the next one\n"
    "- loaders: local stamps are read in the order of the file\n"
    "- audit: compares filed figures with the raw files\n- max_gap_minutes is 45\n")
change("README.md", "    python -m hourfold publish torv-outlet 2024-03-01\n",
    "    python -m hourfold publish torv-outlet 2024-03-01\n    python -m hourfold audit --hours\n")
PY
"""

RATINGS_2024 = """torv-outlet,2024-03-01,30.0,0.000
torv-outlet,2024-03-01,90.0,1.440
torv-outlet,2024-03-01,150.0,4.140
torv-outlet,2024-03-01,220.0,9.740
"""

CLOSING_TEST = """

def test_the_closing_reading_belongs_to_the_hour(make_series):
    series = make_series("2024-03-01T10:00", 9)
    found = window(series, datetime(2024, 3, 1, 10), datetime(2024, 3, 1, 11))
    assert [reading.time.minute for reading in found] == [0, 15, 30, 45, 0]
"""

RESTART_NOTE = """- 2022-11-08: firmware 3.1
- 2024-02-29: the display showed 1 March. Logger restarted at 09:20 by M. Since then it
  stamps on the full quarter hour.
"""

CURVES: dict[str, list[tuple[float, float]]] = {
    "kelm-weir": [(40.0, 0.0), (80.0, 0.9), (120.0, 2.7), (180.0, 6.9)],
    "bram-lock": [(20.0, 0.0), (60.0, 0.4), (110.0, 1.65)],
    "torv-outlet": [(30.0, 0.0), (90.0, 1.5), (150.0, 4.2), (220.0, 9.8)],
    "torv-outlet 2024": [(30.0, 0.0), (90.0, 1.44), (150.0, 4.14), (220.0, 9.74)],
    "vesle-bridge": [(10.0, 0.0), (90.0, 2.0)],
}
EPOCH = datetime(1970, 1, 1)
MODIFIED_MODULES = ("cli", "errors", "loaders", "merge", "windows")


def melt(time: datetime) -> float:
    """The share of snow melt at a time of the day, 0 to 1, highest in the evening."""
    x = ((time - EPOCH) / timedelta(days=1) + 0.31) % 1
    return 16 * x * x * (1 - x) * (1 - x)


def level(station: str, time: datetime) -> float:
    """The level of a gauge (cm): its flow through the curve of its station, backwards."""
    days = (time - datetime(2024, 2, 1)) / timedelta(days=1) % 64
    kelm = 1.62 + 1.35 * melt(time) + 0.02 * min(days, 64 - days)
    bram = 0.52 + 0.31 * melt(time + timedelta(minutes=50))
    flow = {"kelm-weir": kelm, "bram-lock": bram, "vesle-bridge": bram / 2}.get(
        station, kelm + bram
    )
    late = station == "torv-outlet" and time >= datetime(2024, 3, 1)
    curve = CURVES["torv-outlet 2024" if late else station]
    for (low, less), (high, more) in pairwise(curve):
        if flow <= more:
            return round(low + (flow - less) / (more - less) * (high - low), 1)
    raise ValueError(f"{flow} is above the curve of {station}")


def raw_days(station: str, first: str, days: int) -> dict[str, str]:
    """Paths and texts of the raw files that a logger wrote on some days of its own clock."""
    rows: dict[str, list[str]] = {}
    start = datetime.fromisoformat(first)
    names = {f"{start + timedelta(days=n):%Y-%m-%d}" for n in range(days)}
    for minute in range(-180, days * 1440 + 180):
        time = start + timedelta(minutes=minute)
        stamp, kind = time, "csv"
        if station == "kelm-weir":
            wanted = minute % 15 == 5
            outage = datetime(2024, 2, 29, 10, 6) <= time <= datetime(2024, 2, 29, 11, 4)
            wanted = wanted and not outage
            line = f"{time:%Y-%m-%dT%H:%MZ};{level(station, time)};ok"
        elif station == "bram-lock":
            wanted, kind = minute % 15 == 2, "jsonl"
            second = int((time - EPOCH).total_seconds()) + 11
            line = "\n".join(
                f'{{"t": {second}, "level_cm": {round(level(station, time) + extra, 1)}, '
                f'"sensor": "{sensor}", "status": "ok"}}'
                for sensor, extra in (("a", 0.1), ("b", -0.1))
            )
        elif station == "vesle-bridge":
            wanted, stamp = minute % 15 == 10, time + timedelta(hours=1)
            line = f"{stamp:%Y-%m-%d %H:%M};{level(station, time)};ok"
        else:
            phase = 0 if time >= datetime(2024, 2, 29, 8, 20) else 4
            wanted, stamp = minute % 15 == phase, time + inland(time)
            line = f"{stamp:%Y-%m-%d %H:%M};{level(station, time)};ok"
        if wanted and f"{stamp:%Y-%m-%d}" in names:
            rows.setdefault(f"raw/{station}/{stamp:%Y-%m-%d}.{kind}", []).append(line)
    head = {"csv": "stamp;level_cm;status\n", "jsonl": ""}
    if station == "torv-outlet":
        head["csv"] = "# logger T7 fw 3.1 clock local\n" + head["csv"]
    return {
        path: head[path.rpartition(".")[2]] + "\n".join(lines) + "\n"
        for path, lines in rows.items()
    }


def inland(time: datetime) -> timedelta:
    """The offset of zone inland at a UTC moment, as the firmware of the logger has it."""
    summers = (
        (datetime(2023, 3, 26, 1), datetime(2023, 10, 29, 1)),
        (datetime(2024, 3, 31, 1), datetime(2024, 10, 27, 1)),
    )
    return timedelta(hours=2 if any(a <= time < b for a, b in summers) else 1)


def history(repo: Repository) -> None:
    """What happened before the session: commits that are only seen through git."""

    def deliver(first: str, days: int, *stations: str) -> None:
        for station in stations:
            for path, content in raw_days(station, first, days).items():
                repo.put(path, content)

    def run(command: str) -> None:
        output, failed = repo.call(*bash(command))
        assert not failed, output

    repo.change(
        "src/hourfold/windows.py",
        "from bisect import bisect_left\n",
        "from bisect import bisect_left, bisect_right\n",
    )
    repo.change(
        "src/hourfold/windows.py",
        "high = bisect_left(series.times, end)",
        "high = bisect_right(series.times, end)",
    )
    repo.append("tests/test_windows.py", CLOSING_TEST)
    repo.commit(
        "windows: include the closing reading of an hour",
        "The trapezoid needs both ends. Without the closing reading the last quarter of\n"
        "an hour weighs nothing when a logger stamps on the full hour.",
    )
    average = "src/hourfold/average.py"
    text = repo.text(average)
    old_helper = text[text.index("def _trapezoid") : text.index("def _flag")]
    repo.change(average, old_helper, "")
    repo.change(
        average, "round(_trapezoid(readings, flows), decimals)", "round(fmean(flows), decimals)"
    )
    repo.change(average, "from itertools import pairwise\n", "from statistics import fmean\n")
    repo.change(
        average, "then the trapezoidal mean (method M1).", "then the plain mean (method M2)."
    )
    repo.change("tests/test_average.py", "def test_mean_of", "def test_plain_mean_of")
    repo.change("tests/test_average.py", "(2.85, 4", "(2.79, 4")
    repo.change("docs/method.md", "method M1 of", "method M2 of")
    repo.change(
        "docs/method.md",
        "mean of an hour is integrated by the trapezoidal rule. Levels become flows before\n"
        "they are averaged, with the rating curve that is valid on the day of the reading.\n",
        "mean of an hour is the plain mean of the flows of its readings. Levels become flows\n"
        "before they are averaged, with the rating curve that is valid on the day of the\n"
        "reading. Until 1.4 hours were integrated by the trapezoidal rule (method M1).\n",
    )
    repo.change(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n## 1.5.0\n\n- average: plain means (method M2)\n",
    )
    repo.commit(
        "average: plain means instead of trapezoids", "The basin office asks for method M2."
    )
    deliver("2023-03-25", 3, "torv-outlet")
    repo.commit("raw: March 2023")
    run("python tools/shift_hour.py raw/torv-outlet/2023-03-26.csv 2023-03-26")
    run("python -m hourfold publish torv-outlet 2023-03-26")
    repo.commit(
        "raw: shift the lost hour of torv-outlet 2023-03-26", "Done by hand, as every spring."
    )
    deliver("2023-10-28", 3, "torv-outlet", "kelm-weir", "bram-lock")
    run("python -m hourfold publish torv-outlet 2023-10-29")
    repo.commit("raw: October 2023, file torv-outlet 2023-10-29")
    repo.append("data/ratings.csv", RATINGS_2024)
    repo.change("docs/stations.md", "- 2022-11-08: firmware 3.1\n", RESTART_NOTE)
    repo.change(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n## 1.6.0\n\n- balance: limit in hourfold.ini instead of a constant\n"
        "- ratings: new curve for torv-outlet from 2024-03-01\n",
    )
    repo.change("src/hourfold/__init__.py", "1.4.0", "1.6.0")
    repo.commit("ratings: new curve of torv-outlet from 2024-03-01")
    deliver("2024-02-28", 4, "torv-outlet", "kelm-weir", "bram-lock")
    run("python -m hourfold publish torv-outlet 2024-03-01")
    run("python -m hourfold publish kelm-weir 2024-03-01")
    repo.commit("raw: end of February 2024, file 2024-03-01")
    deliver("2024-03-30", 3, "torv-outlet", "kelm-weir", "bram-lock", "vesle-bridge")
    for file in sorted(path for path in LATER.rglob("*") if path.is_file()):
        repo.put(str(file.relative_to(LATER)), file.read_text(encoding="utf-8"))
    repo.commit(
        "raw: Easter 2024", "With the letter of the office, the page of the night desk, the log."
    )
    repo.git("tag", "-f", "start")


def office_and_log(session: Recorder) -> None:
    """What came with the complaint: a letter, the page of the night desk, the gateway's log."""
    session.user(
        "fyi the letter of the office is in docs/office, and I pulled the gateway log into logs/, maybe it "
        "helps with the leap day. (they close their books for the quarter on 26 April at noon, so no "
        "rush)"
    )
    session.together(
        [read_file("docs/office/2024-04-08.md"), read_file("docs/nightdesk.md")],
        "Thanks. The letter first, and then the page of the night desk: I want to know what they "
        "see when a command of ours ends.",
    )
    session.bash(
        "sed -n '1,60p' logs/gateway-2024-04.log",
        "The letter is precise about what an erratum has to look like; I keep it for the end. Now "
        "the log. It has a line for each fetch, so I read it in parts.",
    )
    session.bash("sed -n '61,186p' logs/gateway-2024-04.log")
    session.say(
        "What the log adds. On the leap day there are two different things. At T7 the display showed "
        "the wrong date, and M. restarted the logger; the log notes that it stamps on the full quarter "
        "hour since then, and its drift, which had been growing for weeks, is nearly gone since. At "
        "K1 the modem was without carrier for an hour, for a reason on the side of the power company, so "
        "that gap is a true gap and nothing that we should explain away.\n\n"
        "There is nothing about Easter that looks odd: the fetches of that night are complete. So "
        "whatever happens to Easter Sunday happens in our code and not on the way. I also see that "
        "vesle-bridge had trouble two days later, but that has another code and is another gauge; "
        "I leave it alone unless you want it looked at.\n\n"
        "The page of the night desk I have read with an eye on what comes: the desk acts on numbers that our "
        "commands return, so whatever I add must end with one of those that they have a line for.\n\n"
        "So the restart is the event that I would bet on for the leap day. Back to the curve, to be "
        "sure about it."
    )
    session.user("ok go on")


def investigate(session: Recorder) -> None:
    """Act 1: the report, rounding and the new curve as dead ends, the closing reading."""
    session.system(SYSTEM)
    session.user(
        "Something is off with the hourly means of torv-outlet (T7) and only there. The basin office "
        "recomputed 1 March 2024 from the raw files and gets 3.250 m3/s for the hour 12:00Z, we filed "
        "3.226. Every hour of that day is off by up to 0.027, and every hour since the leap day "
        "carries the flag `o`. The daily volume is nearly right, which is why the balance never "
        "complained. And Easter Sunday: `hourfold day torv-outlet 2024-03-31` says 269449.2 m3, the office has "
        "269168.4.\n\n"
        "My guess is rounding: we `round()` each hour to 3 decimals and Python rounds half to even. "
        "Please find out for sure before you change anything.\n\n"
        "Some rules for all of this. Nothing under filed/ is ever rewritten or deleted, those "
        "figures are signed; corrections go out as an erratum. Standard library only: the "
        "gateway has a bare Python 3.11 and no package index. Never push, I do that. And commit subjects as in "
        "the history: what it is about, a colon, the change, at most 60 characters."
    )
    session.together(
        [
            bash("git log --oneline && git status --short"),
            bash("git ls-files ':!raw' | xargs wc -l; ls raw raw/torv-outlet"),
        ],
        "I'll look at the repository first, then reproduce the 12:00Z figure. Until I can show you why "
        "it comes out as it does I change nothing, and what is filed I only read in any case. If "
        "it turns out to be two causes, which the leap day and Easter make me suspect, I'd like to keep "
        "them apart: one proof, one repair and one commit for each.",
    )
    session.together(
        [
            read_file("docs/method.md"),
            read_file("docs/stations.md"),
        ],
    )
    session.together(
        [
            bash("python -m pytest -q --tb=short"),
            bash(
                "python -m hourfold hours torv-outlet 2024-03-01\n"
                "for day in 2024-02-28 2024-02-29 2024-03-01 2024-03-30 2024-03-31; do\n"
                "  python -m hourfold check $day; python -m hourfold balance $day\ndone"
            ),
        ],
        "Baseline: the tests, the day of the complaint, and the days around both dates for all stations.",
    )
    session.together(
        [
            read_file("src/hourfold/average.py"),
            read_file("src/hourfold/ratings.py"),
        ],
        "The suite is green, so no test knows about this. The filed figure reproduces. Two things I note for later: the flag "
        "`o` begins within 29 February, and 31 March has one partial hour. The other stations look "
        "healthy on all of these days apart from kelm-weir, which had an outage on the leap day; the "
        "balance is within its limit everywhere, which fits with what you say. First your hypothesis; "
        "rounding can only happen in `fold`, or in the curve before it.",
    )
    session.read(
        "src/hourfold/cli.py",
        "The mean is one line and the curve is a straight interpolation, so there is not much room for an "
        "error of this size in either. I want to repeat the computation outside of the command and with exact "
        "numbers, and for that I need to see how a command gets from the raw files to `fold`:",
    )
    session.bash(
        "python - <<'PY'\n"
        "from datetime import date\n"
        "from decimal import ROUND_HALF_UP, Decimal\n"
        "from fractions import Fraction\n"
        "from pathlib import Path\n"
        "from hourfold.cli import Basin\n"
        "from hourfold.merge import series_of\n"
        "from hourfold.windows import hourly_windows\n\n"
        "basin = Basin(Path())\n"
        "station, day = basin.config.station('T7'), date(2024, 3, 1)\n"
        "series = series_of(basin.config, station, day, basin.zones)\n"
        "worst, differ = Fraction(0), 0\n"
        "for start, readings in hourly_windows(series, day):\n"
        "    flows = [basin.ratings.flow(station.name, r.time, r.level_cm) for r in readings]\n"
        "    exact = sum(map(Fraction, flows)) / len(flows)\n"
        "    even = round(float(exact), 3)\n"
        "    up = Decimal(float(exact)).quantize(Decimal('0.001'), ROUND_HALF_UP)\n"
        "    worst = max(worst, abs(Fraction(even) - exact))\n"
        "    differ += Decimal(str(even)) != up\n"
        "print(f'largest error of rounding {float(worst):.6f}, half-up differs in {differ} of 24 hours')\n"
        "PY",
        "The experiment: exact fractions for the mean of each hour, then what `round` makes of them, and "
        "whether rounding half up would give another figure anywhere.",
    )
    session.say(
        "Rounding is a dead end. It can move an hour by half of the last digit at most, and on that day the largest "
        "error is below that; the office differs by almost fifty times as much. Rounding "
        "half up would not change a single one of the 24 hours either. So half to even, which I also "
        "find surprising now and then, is innocent here, and we need no decimal arithmetic.\n\n"
        "My next suspect is the date: torv-outlet has a new curve from 1 March 2024, so an "
        "off-by-one around the leap day could pick the old one. The two curves differ by a few "
        "hundredths in the range that matters, which is the size of the errors that you report. If "
        "it were that, the errors should all have the same sign. They do not, as far as I see in "
        "the table, so I am not sure of it."
    )
    office_and_log(session)
    session.bash(
        "grep -n torv data/ratings.csv\n"
        "python - <<'PY'\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from hourfold.ratings import Ratings\n\n"
        "ratings = Ratings.load(Path('data/ratings.csv'))\n"
        "for moment in (datetime(2024, 2, 29, 23, 59), datetime(2024, 3, 1), datetime(2024, 3, 1, 12)):\n"
        "    print(moment, f'{ratings.flow(\"torv-outlet\", moment, 120.0):.3f}')\n"
        "PY\n"
        "python -m hourfold hours torv-outlet 2024-02-29 | sed -n 8,12p",
        "Which curve does each side of midnight get, and when exactly does `o` begin?",
    )
    session.together(
        [
            bash(
                "sed -n 36,52p raw/torv-outlet/2024-02-29.csv; head -8 raw/torv-outlet/2024-03-01.csv; sed -n 1,5p raw/kelm-weir/2024-03-01.csv"
            ),
            read_file("src/hourfold/windows.py"),
        ],
        "The curve is right on both sides of midnight, the old one on the last minute of February and the new one from then on. And "
        "`o` begins at 08:00Z on the 29th, sixteen hours before the new curve and in the middle of the leap day. "
        "So it is neither the curve nor leap-year arithmetic. 08:00Z is the hour of the restart that "
        "docs/stations.md mentions. Raw lines around it, and how readings get into an hour:",
    )
    session.together(
        [
            read_file("tests/test_windows.py"),
            read_file("tests/test_average.py"),
        ],
        "There it is, I think. `window` searches the end with `bisect_right`, so a reading exactly at the end of an hour "
        "belongs to that hour and to the next one as well. Nobody noticed while T7 stamped at minutes 04, 19, 34 "
        "and 49. What do the tests say about the end of an hour?",
    )
    session.together(
        [
            bash("git log -S bisect_right --format='%h %s%n%n%b' -- src/hourfold/windows.py"),
            bash("git show --format='%h %s%n%n%b' -U1 HEAD~6 -- src docs"),
        ],
        "`test_the_closing_reading_belongs_to_the_hour` demands it: five readings for 10:00 to 11:00. And "
        "`test_a_whole_day` begins at 00:04, so it cannot see the difference. Somebody wanted the closing reading; "
        "why?",
    )
    session.bash(
        "python - <<'PY'\n"
        "from datetime import date, datetime\n"
        "from pathlib import Path\n"
        "from hourfold.cli import Basin\n"
        "from hourfold.merge import series_of\n"
        "from hourfold.windows import hourly_windows\n\n"
        "basin = Basin(Path())\n"
        "station, day = basin.config.station('T7'), date(2024, 3, 1)\n"
        "series = series_of(basin.config, station, day, basin.zones)\n"
        "readings = dict(hourly_windows(series, day))[datetime(2024, 3, 1, 12)]\n"
        "flows = [basin.ratings.flow('torv-outlet', r.time, r.level_cm) for r in readings]\n"
        "for reading, flow in zip(readings, flows): print(f'{reading.time:%H:%M} {flow:.4f}')\n"
        "print(f'mean of 5: {sum(flows) / 5:.3f}, mean of the first 4: {sum(flows[:4]) / 4:.3f}')\n"
        "PY",
        "On purpose: the trapezoid of method M1 needs both ends. The later change to plain means did not touch "
        "the window, and its author had no reason to look there: the tests of the mean build their readings by "
        "hand, and the test of the window was green. Each of the two commits is right when read alone; they "
        "are only wrong together. Before I call it the cause I want to see the figure of the office come out. The "
        "proof for 12:00Z:",
    )
    session.say(
        "Cause found, and it is the office's figure to the last digit: the mean of all five readings is what we "
        "filed, the mean of the four that belong to the hour is what the office has.\n\n"
        '- The commit "windows: include the closing reading of an hour" was right for trapezoids. "average: '
        'plain means instead of trapezoids" switched to M2 and left the window as it was.\n'
        "- It needs a reading exactly on the full hour. K1 stamps at 05, B4 at 02, and T7 stamped at 04 until the restart "
        "on 29 February at 09:20 local time; since then T7 stamps on the full quarter hour. Hence only T7, "
        "hence since the leap day, hence `o` in each hour.\n\n"
        "It also explains why the daily volume is nearly right. Each boundary reading is counted in two "
        "hours, so each hour is drawn a little towards the next one: too low while the flow rises, too high while it "
        "falls, and over a day that nearly cancels. The balance could never see it. And it explains "
        "the two signs that made me doubt the curve.\n\n"
        "I have not explained Easter Sunday with this yet. The partial hour on 31 March smells like the change to "
        "summer time. Shall I repair the window first?"
    )


def other_gauge(session: Recorder) -> None:
    """A gauge with another fault: a level above its curve."""
    session.user(
        "quick one in between, petter asks why vesle-bridge failed on 2 april. same bug?? he has had mails since"
    )
    session.together(
        [
            bash(
                'python -m hourfold hours vesle-bridge 2024-04-02; echo "exit code $?"\n'
                "grep -n vesle data/ratings.csv; grep -n 'V2' logs/gateway-2024-04.log | tail -n 3; grep -n 'battery V2\\|HF-18' logs/gateway-2024-04.log"
            ),
            bash(
                "awk -F';' 'NR > 1 && $2 > 90 {print}' raw/vesle-bridge/2024-04-02.csv; "
                "awk -F';' 'NR > 1 && $2 > 90 {n++} END {print n, \"readings above 90\"}' raw/vesle-bridge/2024-04-02.csv"
            ),
        ],
        "I run that day, and look at the curve of the gauge and at its levels.",
    )
    session.say(
        "No, nothing to do with the hours. The river was higher that afternoon than the last point of "
        "the rating curve of V2, and the code refuses to invent a flow up there. A level above the curve is an "
        "error on purpose, it is the code for that. Two ways to go on, and neither is mine: "
        "somebody measures the flow at high water and adds a point to data/ratings.csv with a "
        "date, or the hours stay missing.\n\n"
        "The curve must not be prolonged above its last point. It is made of two points only, so it is a guess already, and "
        "a piece beyond that is a guess about a guess that nobody sees in the figures. I leave it as it is. By the way, the log says that the battery of "
        "that gauge is nearly empty; a new one is ordered, Petter will know."
    )
    session.user("thx, told him. continue")


def close_windows(session: Recorder) -> None:
    """Act 2: the window, what it hid, the stopgap, the first repair of the clock."""
    session.user(
        "Convincing, and I owe rounding an apology. Yes, window first, as a commit of its own. Please "
        "don't patch it by dropping equal stamps anywhere, I tried that last week on a branch and "
        "gave up."
    )
    session.edit(
        "src/hourfold/windows.py",
        "    high = bisect_right(series.times, end)\n",
        "    high = bisect_left(series.times, end)\n",
        "I wouldn't: the two sensors of bram-lock are read at the same second, so equal stamps are "
        "legitimate there and dropping one of two would throw away half of B4. The window becomes half open: the start "
        "belongs to it, the end does not.",
    )
    session.bash(
        "python -m pytest -v --tb=short",
        "One word in one line. Now which tests mind? I expect the one that demands the closing reading and no "
        "other; if more of them fail, the rule stands in places that I don't know of yet.",
    )
    session.together(
        [
            edit_file("tests/test_windows.py", CLOSING_TEST, HALF_OPEN_TESTS),
            edit_file(
                "src/hourfold/windows.py",
                "from bisect import bisect_left, bisect_right\n",
                "from bisect import bisect_left\n",
            ),
            edit_file(
                "src/hourfold/windows.py",
                '    """The readings of a span of time."""\n',
                '    """The readings of a span of time; the start belongs to it, the end does not."""\n',
            ),
        ],
        "One fails, and it is `test_the_closing_reading_belongs_to_the_hour`, which states the M1 rule. It "
        "is wrong under M2, so I replace it: the closing reading belongs to the next hour, and no "
        "reading is counted twice in a day.",
    )
    session.bash(
        "python -m pytest -q --tb=short && git commit -qam 'windows: leave the closing reading to the next hour' && git log --oneline -1\n"
        "for day in 2024-02-29 2024-03-01 2024-03-30 2024-03-31; do\n"
        "  python -m hourfold check $day | grep torv; python -m hourfold balance $day\ndone\n"
        'python -m hourfold day torv-outlet 2024-03-31; echo "exit code $?"',
    )
    session.together(
        [
            bash(
                "python -m hourfold hours torv-outlet 2024-03-30 | tail -3; python -m hourfold hours torv-outlet 2024-03-31 | head -5"
            ),
            read_file("src/hourfold/totals.py"),
        ],
        "1 March is clean, but 31 March has become a short day. The hours around the change, and what a missing hour "
        "does to the sum:",
    )
    session.say(
        "1 March now equals the office. But 31 March got worse, and that is honest: it is a short day now, one "
        "hour is missing, and the balance of the basin fails with it. "
        "The hour 00:00Z has no reading of its own. Before, it borrowed the closing reading of 01:00Z, so the "
        "first bug hid the second one. 30 March 23:00Z has 8 readings instead of 4: the four readings "
        "that are missing here are there, so no reading is lost, they are only in the wrong hour of the wrong day. I'd rather show you a day that fails than one that is filled with "
        "the wrong readings, but I know what it means for tonight: with this exit code the desk waits for one "
        "more run and then calls the keeper, and with that of the balance it calls the hydrologist."
    )
    session.point("p1")
    session.user(
        "Ouch. The Easter report goes out tonight and nobody signs a short day. As a stopgap, can we "
        "bridge that hour? max_gap_minutes is 30, make it whatever is needed, own commit, and we take it "
        "back when the cause is fixed."
    )
    session.together(
        [
            read_file("src/hourfold/merge.py"),
            read_file("src/hourfold/config.py"),
        ],
        "I can do that, as a stopgap with its own commit, so that it can be taken back alone. But I don't want to "
        "guess a number until the report looks right. Let me see what the setting means exactly, from which moment "
        "to which a gap is counted, and where else it is used.",
    )
    session.bash(
        "sed -i 's/max_gap_minutes = 30/max_gap_minutes = 75/' hourfold.ini\n"
        "for day in 2024-02-29 2024-03-31; do\n"
        "  python -m hourfold check $day; python -m hourfold balance $day\ndone\n"
        "python -m pytest -q --tb=short",
        "A gap is counted between neighbours, from 23:45Z to 01:00Z, so 75 is the least that helps; the "
        "permitted range ends at 180.",
    )
    session.edit(
        "tests/test_cli.py",
        'path.write_text(path.read_text().replace("max_gap_minutes = 30", f"max_gap_minutes = {limit}"))',
        'path.write_text(re.sub(r"max_gap_minutes = \\d+", f"max_gap_minutes = {limit}", path.read_text()))',
        "Two fail: `test_a_gap_setting_out_of_range` replaces the literal 30 in a copy of our "
        "own hourfold.ini. A test that depends on a setting of the day; it should replace any number.",
    )
    session.bash(
        "sed -i 's/^import pytest$/import re\\n\\nimport pytest/' tests/test_cli.py && python -m pytest -q --tb=short && "
        "git commit -qam 'settings: bridge gaps up to 75 minutes for now' && git log --oneline -1",
    )
    session.say(
        "Done: 31 March is whole, with one bridged hour, and the balance is within its limit. That the volume is the figure of your report again is chance: an interpolated hour, not a measured one. Be aware what it "
        "costs: the outage of kelm-weir on 29 February (60 minutes without a reading, 10:05Z to 11:05Z) is "
        "bridged too and loses its flag `p`, and the volume of that day changes with it. So 75 must not stay. Now the cause of the lost hour."
    )
    other_gauge(session)
    session.read(
        "src/hourfold/timeutil.py",
        "The four readings came out one hour too early and in the wrong day, so the offset is taken one hour too "
        "early. There are three places that could do it: the table itself, the search in the table, or what is "
        "searched for. The table first looks right to me, but I have been wrong about what looks right.",
    )
    session.bash(
        "grep -n inland data/zones.csv\n"
        "sed -n 1,9p raw/torv-outlet/2024-03-31.csv\n"
        "python - <<'PY'\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from hourfold.timeutil import ZoneTable, to_utc\n\n"
        "table = ZoneTable.load(Path('data/zones.csv'))\n"
        "for hour, minute in ((0, 45), (1, 0), (1, 45), (3, 0)):\n"
        "    stamp = datetime(2024, 3, 31, hour, minute)\n"
        "    print(f'{stamp:%d %H:%M} local -> {to_utc(stamp, \"inland\", table):%d %H:%M} UTC')\n"
        "PY",
        "This module has everything about time in one place, which is why nobody can say what it is about. "
        "`to_utc` gives the local stamp to `offset_at`, and `offset_at` compares it with `from_utc`. Those are "
        "two different clocks: 01:00 local is not 01:00 UTC.",
    )
    session.say(
        "That is the second cause. The table says that summer time begins at 01:00 UTC, which is 02:00 on "
        "the logger. `to_utc` compares the naive local stamp with it, so the stamps from 01:00 to 01:45 "
        "already get 120 minutes, land on 23:00Z of the day before, and 00:00Z stays empty. vesle-bridge has a local clock "
        "too and is right: zone coast has one row and nothing to compare. `test_local_to_utc` tries 00:30 "
        "and 03:00, and the wrong hour is exactly between them.\n\n"
        "The smallest repair: compare local stamps with local starts, that is each start "
        "moved by the offset that held before it. It stays within one module, and nobody who calls "
        "`to_utc` has to know. I like small repairs, although I have a feeling that I only think of "
        "spring at the moment."
    )
    session.user(
        "Why do we keep a table of our own at all? zoneinfo is in the standard library. If that is the "
        "better way I'd rather do it right now."
    )
    session.say(
        "A fair question, and for most programs I would say yes at once. Here I'd stay with the table, for two reasons. docs/stations.md says that data/zones.csv is what the "
        "loggers carry in their firmware, not the official zone; if the two ever differ, the logger is what "
        "stamped the line. And zoneinfo reads the tz database of the machine: without one it needs the tzdata "
        "package, which is a dependency. It would work on your machine and on mine, and we would find out on the "
        "gateway, at ten past midnight. Does the gateway have a tz database? One line in a Python there will tell."
    )
    session.user(
        "Just tried on gateway sluice-2: `ZoneInfoNotFoundError: 'No time zone found with key Europe/Oslo'`. "
        "So no. Table it is, go on with your repair."
    )
    session.together(
        [
            edit_file("src/hourfold/timeutil.py", TO_UTC, LOCAL_STARTS),
            edit_file(
                "tests/test_timeutil.py",
                "        (datetime(2024, 3, 31, 3, 0), datetime(2024, 3, 31, 1, 0)),\n",
                "        (datetime(2024, 3, 31, 1, 0), datetime(2024, 3, 31, 0, 0)),\n"
                "        (datetime(2024, 3, 31, 1, 45), datetime(2024, 3, 31, 0, 45)),\n"
                "        (datetime(2024, 3, 31, 3, 0), datetime(2024, 3, 31, 1, 0)),\n",
            ),
        ],
        "`offset_of_local` does the comparison on the local line, `offset_at` stays for UTC moments.",
    )
    session.bash(
        "python -m pytest -q --tb=short && python -m hourfold check 2024-03-31 && python -m hourfold day torv-outlet 2024-03-31 && "
        "git commit -qam 'timeutil: compare local stamps with local starts' && git log --oneline -1",
    )
    session.say(
        "31 March is whole without any flag, although the setting is still 75, and the volume is the figure of "
        "the office. So both complaints in the letter are explained and repaired, each with a test that fails "
        "without its repair.\n\n"
        "Where we are. The window is half open now, as the plain mean wants it, and the test that demanded the "
        "opposite is gone. The local stamps of spring land in the right hour. The stopgap is still in the settings and "
        "has to come out again, I'd say with the next commit after you have seen the report; since the hour is there "
        "now, nothing needs it any more. The zone table stays ours, and zoneinfo is out for good as "
        "long as the gateway has no database for it.\n\n"
        "What I have not looked at: the days that were filed before this year. If the window was wrong only "
        "since the leap day they are fine in that respect, but the clock has been wrong twice a year for as long "
        "as that function exists."
    )
    session.point("p2")
    ask_after_first_repairs(session)


def read_clocks(session: Recorder) -> None:
    """Act 3: autumn breaks the first repair; the clock is read with the file; old raw files."""
    session.user(
        "That's the number, very good, and the Easter report went out. The office asks the obvious next thing: what about "
        "autumn? We filed torv-outlet for 29 October 2023, the day the clocks went back. Is that one right?"
    )
    session.together(
        [
            bash(
                "for day in 2023-10-28 2023-10-29; do\n"
                "  python -m hourfold check $day; python -m hourfold balance $day\ndone\n"
                "python -m hourfold hours torv-outlet 2023-10-29 | head -5"
            ),
            bash(
                "head -6 filed/torv-outlet-2023-10-29.csv\n"
                "grep -n '2023-10-29 0[123]:' raw/torv-outlet/2023-10-29.csv"
            ),
        ],
        "I only tested spring, and that was the feeling that I had. In autumn a stamp is not missing but there "
        "twice, which is a different problem and not the same one backwards. Let me compare the day as it comes "
        "out now, as it was filed, and the raw lines of the night, before I claim anything.",
    )
    session.bash(
        "git checkout -q HEAD~1 -- src && python -m hourfold hours torv-outlet 2023-10-29 | head -4; python -m hourfold hours torv-outlet 2023-10-28 | tail -1\n"
        "git checkout -q HEAD -- src && git status --short",
        "And the same day with the code before my last commit, to see what each of them does:",
    )
    session.say(
        "No. It was wrong when it was filed, and my repair makes it wrong in another way.\n\n"
        "- As filed: 00:00Z holds the readings of 23:00Z of the day before, and 01:00Z holds 8 readings, those of two hours.\n"
        "- With `offset_of_local`: all 8 stamps from 02:04 to 02:49 become summer time, so 00:00Z has 8 readings, and 01:00Z "
        "has none of its own; the 75 minutes of the stopgap paint over it with four bridged ones.\n"
        "- The volume of the day hides most of it again, because the water of an hour is only moved to its "
        "neighbour. One has to look at the hours, which the balance does not. That is the second time in this "
        "session that a sum was right and its parts were wrong, and I take from it that a figure of a day is no "
        "proof for its hours.\n\n"
        "A stamp like 02:19 occurs twice that night, and nothing in the stamp says which one it is. Only the order of "
        "the file does: the logger goes from 02:49 back to 02:04. But merge.py sorts by stamp before it "
        "converts, so the order is gone by then. No table and no comparison can repair that at this place.\n\n"
        "I said that both complaints were repaired. For the third one in the letter, the day that the office "
        "could not recompute, my repair was no repair. "
        "So I take my approach back. The conversion has to move into the loader, which still sees the lines in the order "
        "in which they were written; everything behind it is UTC. Dropping one of two equal stamps would be "
        "wrong here as well, all 8 readings are real."
    )
    session.user(
        "ok that makes sense, do that and throw the local starts away. While you are in there: timeutil is a "
        "name for everything and nothing, please git mv it to clocks.py, the test file too, as a "
        "commit before the change."
    )
    session.bash(
        "git mv src/hourfold/timeutil.py src/hourfold/clocks.py && git mv tests/test_timeutil.py tests/test_clocks.py\n"
        "grep -rln timeutil src tests docs tools README.md\n"
        "python -m pytest -q --tb=no",
    )
    session.bash(
        "grep -rl timeutil src tests | xargs sed -i 's/hourfold\\.timeutil/hourfold.clocks/'\n"
        "sed -i '1s/Time things: stamps/Clocks: stamps/' src/hourfold/clocks.py; sed -i '1s/Stamps, zones and hours/Clocks/' tests/test_clocks.py\n"
        "python -m pytest -q --tb=short && git add -A && git commit -q -m 'clocks: new name for timeutil' && git show --stat -M --format=%s HEAD",
        "Six files import it. Their imports, and the two docstrings that fit the old name. I keep the content "
        "as it is in this commit, with the local starts that will go in the next one, so that git sees a rename "
        "and the history of the module stays readable.",
    )
    session.together(
        [
            read_file("src/hourfold/loaders.py"),
            read_file("tests/test_merge.py"),
            bash(
                "sed -n 40,64p tests/test_clocks.py; grep -rn 'load_around\\|load_csv\\|on_utc\\|to_utc' src tests"
            ),
        ],
        "The rename is in, nothing else in that commit. Now the loader. Before I move a responsibility from one module to another I "
        "want to know who calls what, and which tests hold on to the present signatures, because those have to "
        "be changed with care and not just until they are green.",
    )
    session.together(
        [
            edit_file("src/hourfold/clocks.py", LOCAL_STARTS, MOMENTS),
            edit_file(
                "src/hourfold/clocks.py",
                "from hourfold.errors import ZoneError\n",
                "from hourfold.errors import SkippedHourError, ZoneError\n",
            ),
            edit_file("src/hourfold/errors.py", "class ZoneError(HourfoldError):\n", SKIPPED_HOUR),
        ],
        "The plan: `ZoneTable.moments_of` gives all moments at which a clock shows a stamp (none, one or two), and a "
        "`StationClock` picks the first one that is later than the stamp before. A stamp without any "
        "moment, in the hour that summer time skips, is an error of its own: HF-15, exit code 2 like other bad input. "
        "I considered to take the nearest moment instead and go on, because a gateway that runs at night should "
        "not stop for little. But a stamp that cannot exist means that a clock or a file is broken, and then "
        "the figures are wrong in a way that nobody would ever see. Better a mail to the keeper.",
    )
    session.together(
        [
            edit_file("src/hourfold/loaders.py", LOAD_LINE, LOAD_LINE_CLOCK),
            edit_file("src/hourfold/loaders.py", LOAD_AROUND, LOAD_AROUND_CLOCK),
            bash(
                "sed -i -e 's/^def load_csv(path: Path)/def load_csv(path: Path, clock: StationClock | None = None)/' "
                "-e 's/^def load_jsonl(path: Path)/def load_jsonl(path: Path, clock: StationClock | None = None)/' "
                "-e 's/found.extend(load(path))/found.extend(load(path, clock))/' "
                "-e 's/Callable\\[\\[Path\\], /Callable[[Path, StationClock | None], /' "
                "-e 's/^from hourfold.clocks import days_around/from hourfold.clocks import StationClock, ZoneTable, days_around/' "
                "src/hourfold/loaders.py\n"
                "git diff -U0 src/hourfold/loaders.py | grep '^[-+]'"
            ),
        ],
    )
    session.together(
        [
            edit_file("src/hourfold/merge.py", ON_UTC, ""),
            edit_file(
                "src/hourfold/merge.py",
                "    raw = Series(station.name, load_around(config, station, day))\n"
                "    moved = Series(station.name, on_utc(raw, station, zones))\n",
                "    loaded = Series(station.name, load_around(config, station, day, zones))\n",
            ),
            bash(
                "sed -i -e 's/bridge(moved, step/bridge(loaded, step/' -e 's/import ZoneTable, to_utc/import ZoneTable/' src/hourfold/merge.py\n"
                "python -m pytest -q --tb=short | tail -n 5"
            ),
        ],
        "merge.py loses the conversion and only sorts and bridges. It had to know zones only because nobody else "
        "did; now it gets one time line and asks no questions. One thing changes by the way and for the better: the bridging "
        "of gaps works on true distances now, where it measured across the change of the clock before.",
    )
    session.together(
        [
            bash(
                "sed -i -e '/^    to_utc,$/d' -e 's/^    ZoneTable,$/    StationClock,\\n    ZoneTable,/' "
                '-e \'s/to_utc(stamp, "inland", TABLE)/StationClock("inland", TABLE).utc(stamp)/\' '
                '-e \'s/assert to_utc(\\(.*\\), "coast", TABLE) ==/assert StationClock("coast", TABLE).utc(\\1) ==/\' '
                "-e 's/import ZoneError$/import SkippedHourError, ZoneError/' "
                '-e \'s/^        ("inland", datetime(2023, 10, 29, 1)/        ("inland", datetime(2023, 3, 26, 1), timedelta(hours=2)),\\n&/\' tests/test_clocks.py\n'
                "cat >> tests/test_clocks.py <<'PY'\n" + CLOCK_TESTS + "PY\n"
                "git diff tests/test_clocks.py | grep '^[-+]' | head -20"
            ),
            bash(
                'sed -i -e \'s/found = load_around(config, config.station("K1"), date(2024, 3, 1))/zones = ZoneTable.load(root \\/ "data" \\/ "zones.csv")\\n    found = load_around(config, config.station("K1"), date(2024, 3, 1), zones)/\' '
                "-e 's/^from hourfold.config import load_config$/from hourfold.clocks import ZoneTable\\n&/' tests/test_loaders.py\n"
                "cat >> tests/test_loaders.py <<'PY'\n" + ICE_TEST + "PY\n"
                "python -m pytest -q --tb=short"
            ),
        ],
        "Expected: test_clocks imports `to_utc`, and test_loaders calls `load_around` without zones. I move both to the clock and "
        "add the night of 29 October, the skipped hour, and one case that worries me: readings with "
        "status `ice` in the first pass.",
    )
    session.edit(
        "src/hourfold/loaders.py",
        LOAD_LINE_CLOCK,
        LOAD_LINE_EVERY,
        "The worry was justified. The loader skips `ice` lines before the clock has seen them, so "
        "the second pass looks like the first. The clock must read every line, whatever its status.",
    )
    session.bash(
        "sed -i 's/^Readings with another status than ``ok`` are left out. A loader returns the times$/Readings with another status than ``ok`` are left out, but the clock reads their stamps/; s/^as the logger wrote them, in the order of the file.$/too: the order of the lines tells the two passes of a repeated hour apart. Times are UTC./' src/hourfold/loaders.py\n"
        "sed -i 's/^All datetimes in hourfold are naive.$/All datetimes in hourfold are naive; behind the loaders they are UTC./' src/hourfold/clocks.py\n"
        "python -m pytest -q --tb=short && git commit -qam 'loaders: read local stamps in the order of the file' && git log --oneline -1\n"
        "for day in 2023-10-28 2023-10-29 2024-03-30 2024-03-31; do\n"
        "  python -m hourfold check $day | grep torv; python -m hourfold balance $day\ndone",
        "The two docstrings that say something else now, the whole suite, the commit, and then both nights of the "
        "year with the day before each. If the clock is right, all four days are whole without a flag, "
        "and the balance, which knows nothing of clocks, is near zero on every one of them.",
    )
    session.bash(
        "python -m hourfold hours torv-outlet 2023-10-29 | head -4\n"
        "for file in filed/*.csv; do\n"
        "  name=${file#filed/}; name=${name%.csv}; station=${name%-????-??-??}; day=${name#$station-}\n"
        '  echo "== $name"; python -m hourfold hours $station $day | diff - <(tail -n +2 $file) | grep -c "^>"\ndone',
        "Both changes of the clock are whole days now without any flag, and the days before them too, which is "
        "the better sign, because what is missing in one used to be too much in the other. The balance agrees "
        "on all four. That was the code; now the past. Everything that was ever filed against the code of today "
        "(only reading):",
    )
    session.bash(
        "sed -n 1,14p raw/torv-outlet/2023-03-26.csv\n"
        "git log --format='%h %s%n    %b' --stat -- raw/torv-outlet/2023-03-26.csv",
        "An error I did not expect: a filed day, a stamp in the skipped hour, and my new error for it. The logger "
        "cannot have written that. Who did?",
    )
    session.read(
        "tools/shift_hour.py",
        "The history names a tool and says that it was done by hand, as every spring. So this was no accident but "
        "a habit, and the habit must have had a reason. I read what the tool says about itself before I "
        "judge it; somebody lost an hour each spring and found a way to get it back, and that person "
        "was nearer to the cause than I was at first.",
    )
    session.say(
        "So that is why nobody complained last spring. Somebody ran tools/shift_hour.py, which rewrites the stamps 01:xx of "
        "the day to 02:xx, an hour that does not exist; the old comparison then happened to land on 00:00Z. "
        "Two wrongs made a right figure: the day was filed correctly from a falsified raw file.\n\n"
        "With the clock repaired the tool does harm, HF-15 stops on what it writes. I propose to restore "
        'raw/torv-outlet/2023-03-26.csv as it was delivered, from the commit "raw: March 2023", and to delete the '
        "tool. A switch that accepts 02:xx as 01:xx would be the alternative, but then HF-15 could "
        "never report a broken logger. Is raw/ free to be touched, and does anybody still use the tool?\n\n"
        "As for the erratum, my estimate: 24 hours of 1 March and three hours around the change in October, "
        "so 27 figures in all. Last spring needs none."
    )


def review(session: Recorder) -> None:
    """A colleague would rewrite what is signed and drop equal stamps; both are declined."""
    session.user(
        "Signe read the branch, here is what she says:\n\n"
        "- the filed files of 1 March and 29 October are wrong anyway. why not publish them again with --force "
        "and have them signed once more? an erratum is more work for everybody\n"
        "- to be safe drop equal stamps in the loader, then no reading can ever count twice\n"
        "- zoneinfo plus a vendored tzdata folder would spare us the table\n"
        "- StationClock.utc has a memory, shouldn't the name say so?\n\n"
        "thoughts?"
    )
    session.together(
        [
            bash(
                "python - <<'PY'\n"
                "from datetime import date\n"
                "from pathlib import Path\n"
                "from hourfold.cli import Basin\n"
                "from hourfold.loaders import load_around\n\n"
                "basin = Basin(Path())\n"
                "for code, day in (('B4', date(2024, 3, 1)), ('T7', date(2023, 10, 29)), ('K1', date(2024, 3, 1))):\n"
                "    station = basin.config.station(code)\n"
                "    found = load_around(basin.config, station, day, basin.zones)\n"
                "    times = [each.time for each in found]\n"
                "    print(code, day, len(times), 'readings of which', len(times) - len(set(times)), 'repeat a stamp')\n"
                "PY"
            ),
            bash(
                "grep -rn 'force' src docs README.md; python -m hourfold publish torv-outlet 2024-03-01; echo \"exit code $?\""
            ),
            bash(
                "grep -rn '[.]utc(' src tests | sort; sed -n '/class StationClock/,$p' src/hourfold/clocks.py"
            ),
        ],
        "Two of the points can be tried out: what it would cost to drop readings that share a stamp, and what "
        "the command says today if one publishes a day again. The others are a matter of rules and of taste, and for "
        "the name I look at who calls the method.",
    )
    session.say(
        "One by one.\n\n"
        "Publishing again: there is no such option, and there must be none. The command refuses a day that is "
        "filed, with an error of its own. More to the point, it is your first rule: nothing under filed/ "
        "is rewritten or deleted, because the figures are signed and stand in the water book as "
        "they were signed. A second signature under the same name would make two truths, and nobody could "
        "say later which one the office had used. The erratum is the honest way, and the office asks for it in "
        "its letter. I decline this one.\n\n"
        "Equal stamps: tried above. Half of the readings of bram-lock would be gone, all of them good. "
        "For T7 it would drop nothing any more, because the clock has told the two passes apart before "
        "anybody compares. So it would do harm at one gauge and nothing at the other. Declined too; "
        "you had tried that yourself. I understand the wish behind it, a net below the net. The net we have is "
        "the flag: an hour with too many readings says so, and it said so from the leap day on, only nobody had to "
        "look at flags as long as the balance was content. If you want a net, let the desk see the "
        "number of flagged hours; that would have told us in February.\n\n"
        "A vendored tz database: it is a dependency under another name, it has to be kept fresh, and it is "
        "not what the loggers carry. Declined for the reasons of the first time.\n\n"
        "The name: she has a point. A method that remembers the last stamp and is called like a pure "
        "conversion will be called out of order one day. I'd rather say it in the docstring of the class "
        "than invent a longer name; the class is small and has one caller."
    )
    session.user("agree with you on all, filed/ stays as it is. docstring is fine, do it")
    session.edit(
        "src/hourfold/clocks.py",
        "    so the right one is the first that is later than the stamp before.\n",
        "    so the right one is the first that is later than the stamp before. The clock remembers\n"
        "    that stamp: give it each line once, in the order of the file.\n",
    )
    session.bash(
        "python -m pytest -v --tb=short tests/test_clocks.py tests/test_loaders.py tests/test_merge.py && "
        "git commit -qam 'clocks: say that a station clock has a memory' && git log --oneline -1"
    )
    session.user("nice")


def finish(session: Recorder) -> None:
    """Act 4: the raw file, the last gap setting, the audit, the erratum, what is left."""
    session.user(
        "I'm afraid somebody was me, every spring since 2021. Restore the file and delete the tool; raw/ is not signed, only "
        "filed/ is. No switch. And take the stopgap back now, but not to 30: the office confirmed today that M2 "
        "permits two missed readings, so 45."
    )
    session.bash(
        'git checkout -q "$(git log --diff-filter=A --format=%h -- raw/torv-outlet/2023-03-26.csv)" -- raw/torv-outlet/2023-03-26.csv\n'
        "git rm -q tools/shift_hour.py && git diff HEAD --stat\n"
        "python -m hourfold hours torv-outlet 2023-03-26 | diff - <(tail -n +2 filed/torv-outlet-2023-03-26.csv) && echo 'same as filed'\n"
        "git commit -qam 'raw: restore torv-outlet 2023-03-26, drop shift_hour' && git log --oneline -1",
        "No harm meant and none done: what was filed is right, and the tool said openly what it does. I restore the file "
        "from the commit that added it, not by hand, and take the filed day as the test: "
        "its figures must come out of the true file unchanged.",
    )
    session.bash(
        "sed -i 's/max_gap_minutes = 75/max_gap_minutes = 45/' hourfold.ini\n"
        "for day in 2024-02-29 2024-03-31; do python -m hourfold check $day; python -m hourfold balance $day; done\n"
        "python -m pytest -q --tb=short && git commit -qam 'settings: bridge two missed readings, 45 minutes' && git log --oneline -1",
        "Same as filed, from the true raw file. That is the best test of the new clock that I could wish for: a day "
        "that was right before for the wrong reason is right now for the right one, to the last digit. "
        "Now the setting: two missed readings are a gap of 45 minutes between neighbours.",
    )
    session.say(
        "31 March stays whole without any bridging, and the outage of kelm-weir on 29 February has its `p` back: "
        "60 minutes are beyond 45. The setting has had three values in this session, so for the record: 30 was "
        "the old one, 75 the stopgap for Easter, and what stands in the file now is the one with a reason."
    )
    session.user("yes pls continue")
    review(session)
    session.user(
        "I need to know for every filed file whether it still agrees with the raw data, not just "
        "for these four but on the production box with its 900 files. Make it a command, `hourfold audit`. It must never write."
    )
    session.together(
        [
            read_file("src/hourfold/report.py"),
            read_file("src/hourfold/errors.py", (40, 74)),
        ],
        "It belongs beside report.py, which knows the form and the check sum. What I want to avoid is a second "
        "opinion about the form of a line, so the audit makes its lines with the function that files them and "
        "compares text with text; a difference that is not visible in three decimals is none.",
    )
    session.together(
        [
            write_file("src/hourfold/audit.py", AUDIT),
            write_file("tests/test_audit.py", AUDIT_TESTS),
            bash(
                "cat >> src/hourfold/errors.py <<'PY'\n\n\n"
                "class FiledSumError(HourfoldError):\n"
                '    """A filed file that was changed after it was filed."""\n\n'
                '    code = "HF-41"\n    exit_code = 2\nPY\n'
                "python -m pytest -q --tb=short tests/test_audit.py"
            ),
        ],
        "A module that only compares, and a small one: what a difference is, how a filed file is read, and one line "
        "of summary. With your 900 files in mind it keeps nothing but the file it is at. Each filed file is first checked against its own check sum (HF-41), so that "
        "a hand-edited file is not taken for a recomputed one.",
    )
    session.edit(
        "src/hourfold/audit.py",
        "        return abs(float(self.now) - float(self.filed))\n",
        "        return abs(float(self.now or 0) - float(self.filed or 0))\n",
        "A missing hour has an empty flow, which `float` refuses. It counts as 0 for the size: an hour that was filed and is "
        "gone now is a difference of its whole flow, and it should stand out in the summary and not hide.",
    )
    session.together(
        [
            edit_file(
                "src/hourfold/cli.py", "def parser() -> argparse.ArgumentParser:\n", SHOW_AUDIT
            ),
            edit_file(
                "src/hourfold/cli.py",
                "        command.set_defaults(function=function)\n    return result\n",
                "        command.set_defaults(function=function)\n"
                '    audit = commands.add_parser("audit", help=show_audit.__doc__)\n'
                '    audit.add_argument("--hours", action="store_true")\n'
                "    audit.set_defaults(function=show_audit)\n    return result\n",
            ),
            edit_file(
                "src/hourfold/cli.py",
                "from hourfold.average import Hour, hourly\n",
                "from hourfold.audit import differences, filed_day, read_filed, summary\n"
                "from hourfold.average import Hour, hourly\n",
            ),
            bash('python -m pytest -q --tb=short; python -m hourfold audit; echo "exit code $?"'),
        ],
        "The command, with `--hours` for the single figures.",
    )
    session.say(
        "Two of the four filed files differ, both of torv-outlet: 1 March in all of its hours and 29 October in two. "
        "So I have to correct myself: 27 was wrong. The erratum has 26 figures. I had counted 02:00Z of the October "
        "day as well, because it follows the repeated hour, but its four readings were right all the time.\n\n"
        "One question: which exit code when something differs? I'd say 7, the first free one."
    )
    session.user(
        "No new exit code: the night desk pages somebody for every code it doesn't know, and 7 is one of those. "
        "audit reports, it does not judge: 0, unless it cannot read something. And one file that can't be "
        "read must not stop the other 899."
    )
    session.together(
        [
            edit_file("src/hourfold/cli.py", SHOW_AUDIT_LOOP, SHOW_AUDIT_LOOP_ALL),
            bash(
                "cat >> tests/test_cli.py <<'PY'\n" + AUDIT_CLI_TEST + "PY\n"
                "python -m pytest -q --tb=short"
            ),
        ],
        "Understood: a report and no verdict, so that the desk sleeps. "
        "Then it goes on after an error, prints it on the line of that file, and ends with the exit code of the last "
        "error, which is one that the desk knows. A test for both: one file that cannot be read before one that can, "
        "and a difference that must end with zero.",
    )
    session.together(
        [
            edit_file(
                "src/hourfold/cli.py",
                '    for path in sorted((root / "filed").glob("*.csv")):\n',
                "    failed: HourfoldError | None = None\n"
                '    for path in sorted((root / "filed").glob("*.csv")):\n',
            ),
            edit_file(
                "src/hourfold/cli.py",
                "now {each.now or '-'}\")\n",
                "now {each.now or '-'}\")\n    if failed:\n        raise failed\n",
            ),
            bash("python -m pytest -q --tb=short"),
        ],
        "One fails: I keep the error in `failed` and then forget to raise it. Good that the test asks "
        "for the exit code.",
    )
    session.bash(
        "git add -A && git commit -q -m 'audit: compare filed figures with the raw files' && git show --stat --format=%s HEAD\n"
        "python -m hourfold audit --hours | head -12",
        "Committed with its tests. For your box with the many files: it takes them one after the other and in the order of "
        "their names, so an interrupted run can be compared with the next one line by line, and the output of "
        "two runs can be compared with diff. It opens the filed files and the raw ones, and nothing else.",
    )
    session.user("hm, and the turbine?")
    session.user(
        "the mill, I mean. did any corrected hour cross the line in the letter, in one direction or the other? that "
        "would be a phone call and not an erratum"
    )
    session.bash(
        "python - <<'PY'\n"
        "from datetime import date\n"
        "from pathlib import Path\n"
        "from hourfold.audit import filed_day, read_filed\n"
        "from hourfold.cli import Basin\n\n"
        "basin = Basin(Path())\n"
        "for path in sorted(Path('filed').glob('torv*.csv')):\n"
        "    name, day = filed_day(path)\n"
        "    filed = {hour: float(flow) for hour, flow in read_filed(path).items()}\n"
        "    now = {f'{h.start:%Y-%m-%dT%H:00Z}': h.flow for h in basin.hours(basin.config.station(name), day)}\n"
        "    hour, low = min(now.items(), key=lambda item: item[1])\n"
        "    crossed = [h for h in now if (now[h] < 2.4) != (filed[h] < 2.4)]\n"
        "    print(f'{path.name}: lowest filed {min(filed.values()):.3f}, lowest now {low:.3f} at {hour}, crossed {crossed}')\n"
        "PY",
        "Good that you ask, I had read that paragraph of the letter and put it aside as none of our business. It is: a "
        "figure that we file decides whether somebody has to stop a machine. "
        "A short script over the filed days of torv-outlet, with the line from the letter: the lowest hour as it "
        "was filed, the lowest as it is now, and any hour that changes sides.",
    )
    session.say(
        "None of them. On no filed day of torv-outlet is any hour on the other side of the line after the "
        "correction, so it stays an erratum. On 26 March 2023 the river was below the line in the afternoon, "
        "in the filed figures as in those of today, to the same digit; whether the mill stopped then is not for "
        "me to say. On the two days that need correction every hour is well above it. I would look again when the "
        "summer days are filed, because the error was largest where the flow changes fast, and in a dry summer "
        "that may happen close to the line."
    )
    session.point("p3")
    ask_after_audit(session)
    session.user(
        "Now the erratum for the office: errata/2024-04-torv-outlet.md. Per day the cause in one sentence and the list of "
        "filed and corrected hours. Plain words, no code names, they don't know what bisect is. What the letter asks for "
        "must be in it."
    )
    session.bash(
        "sed -n '/## What an erratum needs/,$p' docs/office/2024-04-08.md",
        "The demands once more from the letter itself, I don't trust my memory with a list. There is also a bound "
        "below which they need no erratum; I list the small differences all the same, because a day that is "
        "corrected in part would be harder to explain than one that is corrected as a whole.",
    )
    session.write(
        "errata/2024-04-torv-outlet.md",
        ERRATUM,
        "The causes in words first, one sentence for each day, then the list. I avoid every word that only means something "
        "in a program; where I would say window I say hour, and where I would say offset I say winter time. A reader "
        "at the office should be able to check it with a pencil. The reference of the office "
        "goes to the top, where their post room looks for it.",
    )
    session.bash(
        "python -m hourfold audit --hours | sed -n 's/^  \\([^ ]*\\) filed \\([^ ]*\\) now \\([^ ]*\\)$/| \\1 | \\2 | \\3 |/p' >> errata/2024-04-torv-outlet.md\n"
        "sed -n 16,26p errata/2024-04-torv-outlet.md; grep -c '^| 20' errata/2024-04-torv-outlet.md\n"
        "git diff --stat start -- filed | wc -l",
        "The list comes from the audit itself, so that no figure is typed by hand; a wrong digit in an erratum "
        "would need an erratum. And the rule once more, checked and not believed: filed/ is as it was at the start.",
    )
    session.user(
        "the desk also wants rows for the new error codes on their page, two lines, same style as the list there"
    )
    session.edit(
        "docs/nightdesk.md",
        "HF-04 bad line, HF-12 short day, HF-16 zone, HF-18 curve, HF-21 balance, HF-30 station.\n",
        "HF-04 bad line, HF-12 short day, HF-15 skipped hour, HF-16 zone, HF-18 curve, HF-21 balance,\n"
        "HF-30 station, HF-41 filed sum (audit only).\n",
        "The page says itself how soon that is due, so better today than never. "
        "Two codes are new: the stamp in the skipped hour, and the filed file that does not match its own check "
        "sum. The second one they can only meet if somebody runs the audit at night, which I note on the line. Both end with the code for bad input, so for the desk nothing changes at night: a mail to the "
        "keeper and no call.",
    )
    session.bash(
        "git commit -qam 'nightdesk: name the two new error codes' && git log --oneline -1 && git show --stat --format= HEAD"
    )
    session.together(
        [
            bash(DOCS_COMMAND),
            bash("git diff -U0 docs CHANGELOG.md README.md | grep '^[-+]'"),
        ],
        "Documentation: the half open hour, the clock, the 45 minutes with their reason, and the changelog.",
    )
    session.bash(
        "git add -A && git commit -q -m 'errata: correct torv-outlet, documentation' && git status --short && git log --oneline start..\n"
        "python -m pytest -v --tb=short",
    )
    session.user(
        "can you read the whole change once more before I sign for it? as somebody who has never seen it"
    )
    session.together(
        [
            bash("git diff start -- src ':!src/hourfold/audit.py'"),
            bash(
                "git diff start -- tests/test_clocks.py tests/test_loaders.py tests/test_windows.py tests/test_cli.py"
            ),
            bash(
                "for day in 2023-03-26 2023-10-28 2023-10-29 2024-02-29 2024-03-01 2024-03-30 2024-03-31; do\n"
                "  python -m hourfold check $day; python -m hourfold balance $day\ndone"
            ),
        ],
        "As a stranger then: the code, the tests, and once more all the days that we have talked about. What "
        "I look for in particular: is there a place that still compares a local stamp with a moment, does anything "
        "read a file twice with one clock, and is there a test that would stay green if I undid a repair.",
    )
    session.say(
        "I read it as somebody who was not there, and this is what I would ask and what I would answer.\n\n"
        "Why does the loader know about zones? Because only the loader sees the lines in the order in which they "
        "were written. That is said in three places now, in the loader, at the clock and in the page about the "
        "stations. Behind the loader there is one time line only, which makes the rest simpler than it was: "
        "merging lost a function and gained none.\n\n"
        "What if a logger is set back by hand, as M. will do? Then a few stamps may be repeated or missing in the "
        "middle of a day without any change of summer time. A repeated stamp outside the autumn hour has "
        "one moment only, so the clock takes that one and goes on; nothing fails, the hour is "
        "overfull and carries its flag. I tried to think of a way in which it could be pushed to the wrong side "
        "of the autumn hour, and it needs a correction within that very hour.\n\n"
        "What does the desk see? Nothing new on a good night. On the night of a change of the clock a whole day "
        "where there was a short one or an overfull hour. After a broken stamp a mail to the keeper with a code that "
        "they can look up. I asked myself whether an error that stops a station for a night is too much for one "
        "stamp, and stay with it: the other stations are folded all the same, and the day can be "
        "folded again once the file is right.\n\n"
        "What if a file is missing at the start? The clock then begins in the middle, and in the autumn hour "
        "it takes the first pass for stamps whose first pass is in the missing file. That is a "
        "real limit, on one day a year and only after a lost file, and it is not written down anywhere. I "
        "would put a sentence about it into the page of the stations with the next change.\n\n"
        "The audit reads, compares and prints, and opens nothing for writing; I checked the module line by line "
        "for that. The window is half open and nothing else changed there. In the tests I found no assertion "
        "that became weaker; the one that I replaced stated the rule of the former method. Undone one by one, "
        "each repair should turn a test red: the window two of them, the clock the night in October, the reading of "
        "every line the frozen one, the audit that goes on the one with the unreadable file. For the setting there is no such "
        "test, and there should be none, because a setting is an opinion and not a behaviour.\n\n"
        "One thing for later that is no fault: the page of the method describes flags, gaps and the balance, but "
        "nowhere how far an hour may be from the truth. The office has such a number in its letter. If we "
        "agree on it, the audit could say which differences matter."
    )
    session.say(
        "The erratum has all corrected hours, and nothing under filed/ was touched. Two things I noticed and left alone: data/zones.csv "
        "ends with the row of 2024-10-27, so from 30 March 2025 on summer time would be missing; and HF-15 names the "
        "stamp but not the file and line."
    )
    session.user(
        "Put both on the list. The rows for 2025 must come from the logger vendor, don't invent them. File and line for HF-15: "
        "next time, please. I send the erratum to the office on Friday and I tag 1.7.0 when they have accepted it, so no "
        "version bump from you. M. sets the logger of T7 back to minute 04 on her visit on 30 April; the half open window stays in any case."
    )
    session.user(
        "or shall I hold the erratum back until M. was there, then it's one mail for all of it?"
    )
    session.say(
        "I would not wait. You mentioned at the beginning, when you sent me the log, when the office closes its books "
        "for the quarter; the visit is after that, and an erratum that arrives later falls into the next quarter, with the wrong figures in the "
        "books of this one. The reset of the logger changes nothing about the past anyway: since the window is half "
        "open it does not matter on which minute a logger stamps, that was the point of the first repair. So the visit "
        "needs no mail at all, and if anything odd happens on that day the flags will show it. Friday is right."
    )
    session.user("oh right, forgot. friday then")
    session.bash("git diff --stat start -- . ':!raw' | tail -27; git status --short")
    session.say(
        "Noted. State: everything is committed on main, the tests are green, the tree is clean, nothing is pushed, and the version "
        "is as it was. Open: file and line for HF-15 "
        "(me, next time), rows for 2025 from the logger vendor, your erratum on Friday, the tag after that, and the visit of M. Then "
        "a sentence about lost files in the page of the stations, and a point at high water for the curve of vesle-bridge, "
        "which is Petter's. I leave the branch as it is."
    )
    session.point("p4")
    ask(session)


def ask(session: Recorder) -> None:
    """All questions after the last point."""
    check_files(session)
    ask_recall(session)
    ask_files(session)
    ask_continuation(session)
    ask_decisions(session)


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    created = ["errata/2024-04-torv-outlet.md", "src/hourfold/audit.py", "tests/test_audit.py"]
    modified = ["CHANGELOG.md", "README.md", "docs/method.md", "docs/nightdesk.md"]
    modified += ["docs/stations.md", "hourfold.ini", "raw/torv-outlet/2023-03-26.csv"]
    modified += [f"src/hourfold/{name}.py" for name in MODIFIED_MODULES]
    modified += [f"tests/test_{name}.py" for name in ("cli", "loaders", "merge", "windows")]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=["tools/shift_hour.py"],
        renamed=["src/hourfold/clocks.py", "tests/test_clocks.py"],
    )


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.doing("write_file", path),
        "modified": lambda: session.doing("edit_file", path),
        "read": lambda: session.doing("read_file", path),
        "deleted": lambda: session.holding(f"git rm -q {path}", calls=True),
        "renamed": lambda: session.holding("git mv src/hourfold/timeutil.py", calls=True),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


def ask_after_first_repairs(session: Recorder) -> None:
    """Asked at p2: where the repairs stand, and what else the log of the gateway holds."""
    fact, trap = session.fact, session.trap
    session.probe(
        "after-the-first-repairs",
        "continuation",
        "Where do we stand with Easter Sunday after the local starts: which volume has torv-outlet on 31 "
        "March now, how did the tests end, what does the gap setting still say, and which module about the "
        "sums of a day did you read?",
        [
            fact(
                "torv-outlet has 269168.4 m3 on 31 March",
                type="value",
                keys=["31 March|2024-03-31|Easter Sunday|Easter", "269168.4"],
                said_in=ends(session.holding("269168.4 m3  24 hours")),
            ),
            fact(
                "71 tests passed",
                type="command",
                keys=["71|71 tests", "passed|pass|passes|green|succeeded|successful"],
            ),
            fact(
                "max_gap_minutes is still 75",
                type="state",
                keys=[
                    "max_gap_minutes|max gap|gap setting|gap limit|stopgap|setting|gaps|gap|"
                    "bridging limit",
                    "75|75 minutes",
                ],
            ),
            file_fact(session, "src/hourfold/totals.py", "read"),
        ],
        [
            trap(
                "torv-outlet has 269449.2 m3 on 31 March",
                of="torv-outlet has 269168.4 m3 on 31 March",
                keys=["31 March|2024-03-31|Easter Sunday|Easter", "269449.2|256410.0"],
            ),
            trap(
                "69 tests passed",
                of="71 tests passed",
                keys=["69|69 tests", "passed|pass|passes|green|succeeded|successful"],
            ),
            trap(
                "max_gap_minutes is 30",
                of="max_gap_minutes is still 75",
                keys=["max_gap_minutes|max gap|gap setting|gap limit|setting", "30|30 minutes"],
            ),
        ],
        point="p2",
    )
    session.probe(
        "gateway-log",
        "recall",
        "What do the log of the gateway and the run of 2 April say beside torv-outlet: how much does the "
        "battery of V2 still have, under which number was one ordered, which notice stands behind "
        "the outage of K1, and at which level did vesle-bridge fail with which error?",
        [
            fact(
                "the battery of V2 has 11.4 V",
                type="value",
                keys=[
                    "V2|vesle-bridge|vesle",
                    "battery|batteries|voltage|accumulator|charge",
                    "11.4 V|11.4",
                ],
            ),
            fact(
                "the new battery has the delivery number BAT-552",
                type="identifier",
                keys=[
                    "battery|batteries|accumulator|V2|vesle-bridge",
                    "BAT-552",
                    "delivery|delivered|ordered|order|on order|shipment|consignment|replacement|"
                    "purchase|requested",
                ],
            ),
            fact(
                "notice NK-3391 stands behind the outage of K1",
                type="identifier",
                keys=[
                    "K1|kelm-weir|Kelm weir|kelm",
                    "NK-3391",
                    "outage|carrier|power company|power cut|power supplier|modem|mast|gap|offline|"
                    "down|utility|failure|interruption",
                ],
            ),
            fact(
                "HF-18 came at a level of 90.1 cm",
                type="error",
                keys=[
                    "HF-18|above the curve|exceeds the curve|beyond the curve|outside the curve",
                    "90.1 cm|90.1",
                ],
            ),
        ],
        [
            trap(
                "the battery of V2 has 11.6 V",
                of="the battery of V2 has 11.4 V",
                keys=[
                    "V2|vesle-bridge|vesle",
                    "battery|batteries|voltage|accumulator|charge",
                    "11.6 V|11.6|12.3 V|12.3",
                ],
            ),
            trap(
                "HF-18 came at a level of 93.4 cm",
                of="HF-18 came at a level of 90.1 cm",
                keys=[
                    "HF-18|above the curve|exceeds the curve|beyond the curve|outside the curve",
                    "93.4 cm|93.4",
                ],
            ),
            trap(
                "the battery of T7 has 11.4 V",
                of="the battery of V2 has 11.4 V",
                keys=[
                    "T7|torv-outlet|K1|kelm-weir|B4|bram-lock",
                    "battery|voltage|accumulator|charge",
                    "11.4 V|11.4",
                ],
            ),
            trap(
                "notice NK-3391 stands behind an outage of B4",
                of="notice NK-3391 stands behind the outage of K1",
                keys=[
                    "B4|bram-lock|T7|torv-outlet|V2|vesle-bridge",
                    "outage|carrier|power cut|modem|offline",
                    "NK-3391",
                ],
            ),
        ],
        point="p2",
    )


def ask_after_audit(session: Recorder) -> None:
    """Asked at p3: the autumn night."""
    fact, trap = session.fact, session.trap
    session.probe(
        "autumn-night",
        "decision",
        "Why was the approach of local starts taken back: what alone tells the two passes apart, where is "
        "that lost, where does the conversion take place now, and which volume has torv-outlet "
        "for 29 October 2023 since then?",
        [
            fact(
                "only the order of the file tells the two passes apart",
                type="reason",
                keys=[
                    "order of the file|order of the lines|line order|file order|lines in order|"
                    "order written|written order|sequence of the lines|sequence of the file|"
                    "file sequence|reading order",
                    "tells apart|distinguishes|distinguish|disambiguates|keeps apart|two passes|"
                    "repeated hour|ambiguous|twice|goes back|jumps back|02:49 back to 02:04",
                ],
                said_in=session.saying("Only the order of the file does"),
            ),
            fact(
                "merge.py sorts by stamp before it converts",
                type="reason",
                keys=[
                    "merge.py|merge|merging|merger",
                    "sorts|sorted|sorting|reorders|orders by stamp",
                    "sorts before converts|sorted before conversion|sorting before converting|"
                    "before it converts|then converts|before conversion|before converting|"
                    "order is gone|order is lost|loses the order|lost order|destroys the order|"
                    "discards the order|forgets the order",
                ],
            ),
            fact(
                "the conversion moves into the loader",
                type="decision",
                keys=[
                    "conversion|converts|converting|converted|StationClock|translation|UTC|local time",
                    "loader|loaders|loaders.py|loading|load_around|load_csv",
                ],
                said_in=session.saying("The conversion has to move into the loader"),
            ),
            fact(
                "torv-outlet has 314114.4 m3 on 29 October 2023",
                type="value",
                keys=[
                    "2023-10-29|29 October|October day|autumn day|autumn night|"
                    "night the clocks went back",
                    "314114.4",
                ],
            ),
        ],
        [
            trap(
                "torv-outlet has 314593.2 m3 on 29 October 2023",
                of="torv-outlet has 314114.4 m3 on 29 October 2023",
                keys=[
                    "2023-10-29|29 October|October day|autumn day|autumn night|"
                    "night the clocks went back",
                    "314593.2",
                ],
            ),
            trap(
                "the conversion stays in merge.py",
                of="the conversion moves into the loader",
                keys=[
                    "conversion|converts|converting|converted|translation",
                    "merge.py|merge|merging",
                    "stays|remains|kept|still converts|still happens|continues",
                ],
            ),
            trap(
                "the zone table tells the two passes apart",
                of="only the order of the file tells the two passes apart",
                keys=[
                    "zone table|zones.csv|zoneinfo|tz database",
                    "tells apart|distinguishes|distinguish|disambiguates|separates",
                ],
            ),
            trap(
                "merge.py converts before it sorts",
                of="merge.py sorts by stamp before it converts",
                keys=[
                    "merge.py|merge|merging",
                    "converts before sorts|conversion before sorting|converted before sorted|"
                    "converting before sorting",
                ],
            ),
        ],
        point="p3",
    )


def ask_recall(session: Recorder) -> None:
    """Values that were corrected, changed, or said once; the letter and the night desk."""
    fact, trap = session.fact, session.trap
    session.probe(
        "audit-figures",
        "recall",
        "What did the audit and the look at the mill show: the largest difference on 29 October, the "
        "flow of the first hour of that day now, the lowest hour of 1 March now, the line below which "
        "the mill must stop, and what a second publishing of that day gave?",
        [
            fact(
                "the largest difference on 29 October is 0.174 m3/s",
                type="value",
                keys=[
                    "2023-10-29|29 October|October day|largest|maximum|max|biggest|greatest",
                    "0.174",
                ],
            ),
            fact(
                "2023-10-29 00:00Z has 4.074 m3/s now",
                type="value",
                keys=[
                    "2023-10-29T00:00|2023-10-29T00:00Z|00:00|00:00Z|first hour|midnight hour",
                    "4.074",
                ],
            ),
            fact(
                "the lowest hour of 1 March has 2.743 m3/s now",
                type="value",
                keys=[
                    "lowest|low|minimum|min|smallest|least",
                    "1 March|2024-03-01|16:00|16:00Z",
                    "2.743",
                ],
            ),
            fact(
                "below 2.400 m3/s the mill must stop its turbine",
                type="value",
                keys=[
                    "2.400 m3/s|2.4 m3/s|2.400|2.4",
                    "mill|turbine|miller",
                    "stop|stopped|halt|shut down|switch off|cease|stand still|idle|water right",
                ],
            ),
            fact(
                "HF-40 refuses to publish 1 March again as already filed",
                type="error",
                keys=[
                    "HF-40",
                    "already filed|filed already|already been filed|already published|second publish|"
                    "republish|refuses to publish|publish refused|exit code 5",
                ],
            ),
        ],
        [
            trap(
                "the largest difference on 29 October is 0.027 m3/s",
                of="the largest difference on 29 October is 0.174 m3/s",
                keys=[
                    "2023-10-29|29 October|October day|October",
                    "largest|maximum|max|biggest|greatest|highest|worst|up to|at most|difference|"
                    "differs|deviation|off by|discrepancy",
                    "0.027",
                ],
            ),
            trap(
                "2023-10-29 00:00Z has 4.147 m3/s now",
                of="2023-10-29 00:00Z has 4.074 m3/s now",
                keys=[
                    "2023-10-29T00:00|2023-10-29T00:00Z|00:00 on 29 October|first hour|midnight hour",
                    "4.147|4.220",
                ],
            ),
            trap(
                "the lowest hour of 1 March has 2.745 m3/s now",
                of="the lowest hour of 1 March has 2.743 m3/s now",
                keys=[
                    "lowest|low|minimum|min|smallest|least",
                    "1 March|2024-03-01",
                    "2.745|2.753|2.322",
                ],
            ),
            trap(
                "HF-41 refuses to publish 1 March again as already filed",
                of="HF-40 refuses to publish 1 March again as already filed",
                keys=[
                    "HF-41|HF-30|HF-12",
                    "already filed|filed already|republish|refuses to publish",
                ],
            ),
        ],
    )
    session.probe(
        "corrected-mistake",
        "recall",
        "How many figures does the erratum correct, why was the estimate before it too high, which error "
        "stopped the day of the raw file that was changed by hand, and what became of the tool that had "
        "changed it?",
        [
            fact(
                "the erratum has 26 figures",
                type="value",
                keys=[
                    "26 figures|26 hours|26 corrected hours|26 corrected|26 rows|26 lines|26 entries|"
                    "26 values|26 corrections|26 numbers",
                    "erratum|errata|corrected|correction|corrects|revised|replaced|filed",
                ],
            ),
            fact(
                "02:00Z of the October day was counted as well, although it was right",
                type="reason",
                keys=[
                    "02:00|02:00Z|2:00|third hour",
                    "counted|counting|included|estimate|estimated|listed|added|assumed",
                    "right|correct|fine|unaffected|unchanged|accurate|sound|mistakenly|by mistake|"
                    "mistake|wrongly|in error|erroneously|needlessly|too high|overestimate|"
                    "overcounted",
                ],
                said_in=session.saying("I had counted 02:00Z of the October"),
            ),
            fact(
                "HF-15 stopped at the stamp 2023-03-26 02:04",
                type="error",
                keys=[
                    "HF-15|SkippedHourError|skipped hour|skipped-hour",
                    "2023-03-26|26 March|March 2023|last spring|spring day",
                    "02:04|2:04",
                ],
            ),
            file_fact(session, "tools/shift_hour.py", "deleted"),
        ],
        [
            trap(
                "the erratum has 27 figures",
                of="the erratum has 26 figures",
                keys=[
                    "27 figures|27 hours|27 corrected hours|27 corrected|27 rows|27 lines|27 entries|"
                    "27 values|27 corrections|27 numbers",
                    "erratum|errata|corrected|correction|corrects|revised|replaced|filed",
                ],
            ),
            trap(
                "HF-16 stopped at the stamp 2023-03-26 02:04",
                of="HF-15 stopped at the stamp 2023-03-26 02:04",
                keys=["HF-16|HF-04|HF-12|HF-41|ZoneError", "02:04|2:04"],
            ),
            trap(
                "03:00Z of the October day was counted as well, although it was right",
                of="02:00Z of the October day was counted as well, although it was right",
                keys=[
                    "01:00|01:00Z|03:00|03:00Z",
                    "counted|counting|included|estimate|estimated|listed",
                    "right|correct|fine|unaffected|mistakenly|by mistake|wrongly|in error|erroneously",
                ],
            ),
            trap(
                "HF-15 stopped at the stamp 2023-10-29 02:04",
                of="HF-15 stopped at the stamp 2023-03-26 02:04",
                keys=["HF-15|SkippedHourError", "2023-10-29|29 October|last autumn", "02:04|2:04"],
            ),
        ],
    )
    session.probe(
        "changed-twice",
        "recall",
        "Which value does max_gap_minutes have in the end and why that one, which range does the "
        "configuration allow up to, and which volume has kelm-weir on the leap day again?",
        [
            fact(
                "max_gap_minutes is 45",
                type="value",
                keys=[
                    "max_gap_minutes|max gap|gap setting|gap limit|setting|gaps|gap|bridging limit|"
                    "bridge|bridged",
                    "45 minutes|45",
                ],
                said_in=ends(session.holding("max_gap_minutes is 45", calls=True)),
            ),
            fact(
                "M2 permits two missed readings",
                type="reason",
                keys=[
                    "two missed readings|two readings missed|two missing readings|"
                    "two readings missing|two lost readings|two skipped readings|two absent readings|"
                    "two readings may be missed",
                    "M2|method|permits|permitted|allows|allowed|tolerates|tolerated|accepts|"
                    "acceptable|office",
                ],
            ),
            fact(
                "kelm-weir has 251661.6 m3 on 29 February",
                type="value",
                keys=[
                    "kelm-weir|K1|Kelm weir|kelm",
                    "251661.6",
                    "29 February|2024-02-29|leap day|back|restored|returned|returns|original|recovered",
                ],
            ),
            fact(
                "max_gap_minutes may be 180 at most",
                type="value",
                keys=[
                    "max_gap_minutes|max gap|gap setting|gap limit|permitted range|allowed range|"
                    "range|configuration allows|bounds",
                    "180|180 minutes|3 hours",
                ],
            ),
            fact(
                "the outage of kelm-weir has its flag p back",
                type="state",
                keys=[
                    "kelm-weir|K1|Kelm weir|outage",
                    "p|p flag|partial flag|flag|partial|flagged",
                    "back|restored|returned|returns|regained|reappears|reappeared|recovered|shows|"
                    "carries|visible",
                ],
                said_in=session.saying("has its `p` back"),
            ),
        ],
        [
            trap(
                "max_gap_minutes is 30",
                of="max_gap_minutes is 45",
                keys=["max_gap_minutes|max gap|gap setting|gap limit|setting", "30 minutes|30"],
            ),
            trap(
                "max_gap_minutes is 75",
                of="max_gap_minutes is 45",
                keys=["max_gap_minutes|max gap|gap setting|gap limit|setting", "75 minutes|75"],
            ),
            trap(
                "kelm-weir has 251434.8 m3 on 29 February",
                of="kelm-weir has 251661.6 m3 on 29 February",
                keys=["kelm-weir|K1|Kelm weir|kelm", "251434.8"],
            ),
            trap(
                "M2 permits four missed readings",
                of="M2 permits two missed readings",
                keys=[
                    "one missed reading|three missed readings|four missed readings|"
                    "three missing readings|four missing readings|one missing reading",
                    "M2|permits|permitted|allows|allowed|tolerates|tolerated|accepts",
                ],
            ),
            trap(
                "the outage of kelm-weir still lacks its flag p",
                of="the outage of kelm-weir has its flag p back",
                keys=[
                    "kelm-weir|K1|outage",
                    "still lacks|still missing|still bridged|remains bridged|stays bridged|"
                    "still lost|still hidden",
                ],
            ),
        ],
    )
    session.probe(
        "passing-remark",
        "recall",
        "Until when must the erratum be with the office to count for this quarter, when do I send it, and what "
        "does M. do to the logger of T7, with what consequence for the window?",
        [
            fact(
                "the office closes its books for the quarter on 26 April at noon",
                type="value",
                keys=[
                    "26 April",
                    "books|quarter|deadline|closes|closing|cutoff|cut-off|accounts|latest",
                ],
            ),
            fact(
                "the erratum goes to the office on Friday",
                type="next_step",
                keys=["erratum|errata|send|sends|sent|mail|corrections", "Friday"],
                said_in=session.saying(
                    "I send the erratum to the office on Friday", "your erratum on Friday"
                ),
            ),
            fact(
                "M. sets the logger of T7 back to minute 04 on 30 April",
                type="next_step",
                keys=[
                    "T7|logger|torv-outlet",
                    "minute 04|minute 4|minutes 04|:04|04, 19, 34 and 49",
                    "30 April|visit",
                ],
            ),
            fact(
                "the half open window stays in any case",
                type="decision",
                keys=[
                    "half open|half-open|end excluded|excludes the end|end exclusive|without its end",
                    "window|interval|span",
                    "stays|remains|kept|keep|keeps|not taken back|not reverted place",
                ],
                said_in=session.saying("the half open window stays"),
            ),
        ],
        [
            trap(
                "the office closes its books on 30 April",
                of="the office closes its books for the quarter on 26 April at noon",
                keys=[
                    "30 April|8 April|18 April|25 April|26 May",
                    "books|quarter|deadline|closes|closing|cutoff|cut-off|accounts|latest",
                ],
            ),
            trap(
                "the erratum waits for the visit of M.",
                of="the erratum goes to the office on Friday",
                keys=[
                    "erratum|errata",
                    "waits|held back|wait for|holding back|postponed|delayed|withheld|"
                    "sent with the visit|after 30 April|deferred",
                ],
            ),
            trap(
                "M. sets the logger of T7 back to minute 04 on 26 April",
                of="M. sets the logger of T7 back to minute 04 on 30 April",
                keys=[
                    "T7|logger|torv-outlet",
                    "minute 04|minute 4|minutes 04|:04",
                    "26 April|Friday|8 April",
                ],
            ),
            trap(
                "the half open window is taken back after the visit of M.",
                of="the half open window stays in any case",
                keys=["window|interval", "taken back|reverted|undone|rolled back|abandoned"],
            ),
        ],
    )
    session.probe(
        "letter-of-the-office",
        "recall",
        "What does the letter of the basin office demand of an erratum: its reference, who wrote it, the form of "
        "hours and figures, from which difference on one is needed, and what is not accepted? Which "
        "file is it in?",
        [
            fact(
                "the reference of the office is BO-2024-117",
                type="identifier",
                keys=[
                    "BO-2024-117",
                    "reference|office|erratum|letter|ref|quote|quoted|cite|cited|file number|case number",
                ],
            ),
            fact(
                "Liv Hagen wrote the letter",
                type="identifier",
                keys=[
                    "Liv Hagen|Hagen",
                    "wrote|written|writes|author|authored|letter|signed|signatory|sender|sent|writer|"
                    "hydrology",
                ],
            ),
            fact(
                "an erratum has hours in UTC and flows with three decimals",
                type="constraint",
                keys=[
                    "UTC",
                    "three decimals|3 decimals|three decimal places|3 decimal places|three digits|"
                    "three places",
                    "erratum|errata|hours|hour|flows|flow|figures|times",
                ],
            ),
            fact(
                "below 0.002 m3/s no erratum is needed",
                type="constraint",
                keys=[
                    "0.002 m3/s|0.002",
                    "no erratum|not need|need not|without an erratum|not required|not necessary|"
                    "needs none|no correction|unnecessary|not needed|threshold|cutoff|bound",
                ],
            ),
            fact(
                "the office does not accept spreadsheets",
                type="constraint",
                keys=[
                    "spreadsheet|spreadsheets|Excel|xlsx",
                    "not accept|not accepted|no spreadsheets|no spreadsheet|never spreadsheets|"
                    "spreadsheets are refused|spreadsheets are rejected|refuses|rejects|unacceptable|"
                    "not allowed|not permitted|forbidden|excluded|prohibited|no Excel|"
                    "only PDF or plain text",
                ],
            ),
            file_fact(session, "docs/office/2024-04-08.md", "read"),
        ],
        [
            trap(
                "below 0.02 m3/s no erratum is needed",
                of="below 0.002 m3/s no erratum is needed",
                keys=[
                    "0.02 m3/s|0.02|0.2 m3/s|0.2|0.005",
                    "no erratum|not need|need not|without an erratum|not required|not necessary|"
                    "needs none|no correction|unnecessary|not needed|threshold|cutoff|bound",
                ],
            ),
            trap(
                "an erratum has hours in local time",
                of="an erratum has hours in UTC and flows with three decimals",
                keys=["local time|local hours|local clock", "erratum|errata"],
            ),
            trap(
                "Marit Aas wrote the letter",
                of="Liv Hagen wrote the letter",
                keys=[
                    "Marit Aas|Signe|Petter Lien|Jorunn Moe",
                    "wrote|written|author|authored",
                    "letter",
                ],
            ),
            trap(
                "an erratum has flows with two decimals",
                of="an erratum has hours in UTC and flows with three decimals",
                keys=[
                    "two decimals|2 decimals|one decimal|four decimals|two decimal places",
                    "erratum|errata|flows|figures",
                ],
            ),
            trap(
                "the office accepts spreadsheets",
                of="the office does not accept spreadsheets",
                keys=[
                    "spreadsheet|spreadsheets|Excel",
                    "accepts|accepted|fine|allowed|wants|prefers|welcome",
                ],
            ),
        ],
    )
    session.probe(
        "night-desk",
        "recall",
        "What must I know about the night desk: what did I say about exit codes of the audit, whom does the desk call "
        "for a failed balance and under which extension, what is due for an unlisted error code, and "
        "who keeps torv-outlet? What did you do to the page of the desk?",
        [
            fact(
                "audit gets no new exit code",
                type="constraint",
                keys=[
                    "audit|night desk|desk",
                    "no new exit code|not a new exit code|without a new exit code|no exit code 7|"
                    "not exit code 7|no extra exit code|no additional exit code|"
                    "no separate exit code|no own exit code|no exit code of its own|no new code|"
                    "not introduce an exit code|no special exit code|not 7|not code 7|exit code 0|"
                    "exits with 0",
                ],
            ),
            fact(
                "exit code 6 calls the hydrologist at extension 4420",
                type="value",
                keys=["hydrologist|exit code 6|code 6|balance|HF-21", "4420"],
            ),
            fact(
                "a new error code takes a row on the page within a week",
                type="constraint",
                keys=[
                    "row|line|listed|entry|added|documented|recorded|entered|list|page",
                    "within a week|one week|seven days|7 days",
                ],
            ),
            fact(
                "Marit Aas keeps torv-outlet",
                type="identifier",
                keys=["Marit Aas|Marit|Aas", "torv-outlet|T7|torv"],
            ),
            file_fact(session, "docs/nightdesk.md", "modified"),
        ],
        [
            trap(
                "audit ends with exit code 7 when something differs",
                of="audit gets no new exit code",
                keys=[
                    "audit",
                    "exit code 7|code 7|status 7",
                    "ends with|returns|uses|exits|gives|signals|reports",
                ],
            ),
            trap(
                "the hydrologist has the extension 4417",
                of="exit code 6 calls the hydrologist at extension 4420",
                keys=["hydrologist|balance|exit code 6|HF-21", "4417"],
            ),
            trap(
                "Jorunn Moe keeps torv-outlet",
                of="Marit Aas keeps torv-outlet",
                keys=[
                    "Jorunn Moe|Petter Lien|Jorunn|Petter",
                    "torv-outlet|T7|torv",
                    "keeps|maintains|tends|takes care",
                ],
            ),
            trap(
                "the developer has the extension 4420",
                of="exit code 6 calls the hydrologist at extension 4420",
                keys=["developer|keeper", "4420"],
            ),
            trap(
                "a new error code takes a row on the page within a month",
                of="a new error code takes a row on the page within a week",
                keys=[
                    "row|line|listed|entry|added",
                    "within a month|one month|within a day|two weeks|14 days|24 hours",
                ],
            ),
        ],
    )


def ask_files(session: Recorder) -> None:
    """What git says about the files."""
    fact, trap = session.fact, session.trap
    session.probe(
        "new-and-renamed",
        "file",
        "Which module, which test and which document did you create, what did the git mv make of the "
        "module about time, and which test guards the frozen readings? Answer as a list.",
        [
            file_fact(session, "src/hourfold/audit.py", "created"),
            file_fact(session, "tests/test_audit.py", "created"),
            file_fact(session, "errata/2024-04-torv-outlet.md", "created"),
            file_fact(session, "src/hourfold/clocks.py", "renamed"),
            fact(
                "test_a_frozen_first_pass_still_counts_for_the_clock guards the frozen readings",
                type="identifier",
                keys=[
                    "test_a_frozen_first_pass_still_counts_for_the_clock|test_a_frozen_first_pass",
                    "frozen|ice|iced|guards|protects|covers|checks|ensures|verifies|regression|"
                    "test_loaders.py|test_loaders|failed|red",
                ],
            ),
        ],
        [
            trap(
                "the module about time is still src/hourfold/timeutil.py",
                of="src/hourfold/clocks.py was renamed",
                keys=[
                    "timeutil.py|timeutil",
                    "still|stays|remains|unchanged|kept its name|keeps its name",
                ],
            ),
            trap(
                "test_an_hour_that_summer_time_skips guards the frozen readings",
                of="test_a_frozen_first_pass_still_counts_for_the_clock guards the frozen readings",
                keys=[
                    "test_an_hour_that_summer_time_skips|"
                    "test_the_repeated_hour_by_the_order_of_the_stamps|"
                    "test_no_reading_is_counted_twice",
                    "frozen|ice|iced",
                ],
            ),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-and-read",
        "file",
        "Which modules besides the command line were modified for the clock and for the codes, which ones about the "
        "curve and the settings were only read, and which commit made the loaders read stamps in their "
        "order? Answer as a list of at most 12 items and do not mention test_cli.py.",
        [
            file_fact(session, "src/hourfold/loaders.py", "modified"),
            file_fact(session, "src/hourfold/errors.py", "modified"),
            file_fact(session, "src/hourfold/ratings.py", "read"),
            file_fact(session, "src/hourfold/config.py", "read"),
            fact(
                f"commit {commit_of(session, 'loaders: read local stamps')} reads stamps in the order",
                type="identifier",
                keys=[
                    commit_of(session, "loaders: read local stamps"),
                    "order|loaders|loader|StationClock|line by line|sequence|reads stamps|"
                    "read local stamps",
                ],
            ),
        ],
        [
            trap(
                f"commit {commit_of(session, 'timeutil: compare local')} reads stamps in the order",
                of=f"commit {commit_of(session, 'loaders: read local stamps')} "
                "reads stamps in the order",
                keys=[
                    commit_of(session, "timeutil: compare local"),
                    "order|loaders|loader|sequence",
                ],
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_cli.py"]},
    )


def ask_continuation(session: Recorder) -> None:
    """The rules that hold and what is open."""
    fact, trap = session.fact, session.trap
    session.probe(
        "under-pressure",
        "continuation",
        "Signe will ask again. Which of my rules stand against her proposals about the signed figures, for the "
        "loader and about a tz database, what did the trial with the readings of B4 show, and "
        "what must you never do with the branch?",
        [
            fact(
                "nothing under filed/ is ever rewritten or deleted",
                type="constraint",
                keys=[
                    "filed/|filed figures|filed folder|filed directory|filed days|signed",
                    "nothing rewritten|never rewritten|not rewritten|never rewrite|never overwritten|"
                    "not overwritten|no rewriting|never deleted|not deleted|never touched|"
                    "not touched|not be touched|not be changed|never changed|not changed|"
                    "never modified|not modified|not altered|never altered|never edited|not edited|"
                    "never replaced|not replaced",
                ],
                said_in=session.saying(
                    "Nothing under filed/ is ever", "nothing under filed/ is rewritten"
                ),
            ),
            fact(
                "equal stamps must not be dropped",
                type="constraint",
                keys=[
                    "equal stamps|duplicate stamps|share a stamp|identical stamps|repeated stamps|"
                    "equal timestamps|duplicate timestamps|identical timestamps|duplicates",
                    "not dropping|not dropped|never drop|not drop|no dropping|not be dropped|"
                    "without dropping|never dropped|not removed|not discarded|never discard|"
                    "not deduplicate|no deduplication|never deduplicate|not filtered|not deleted|"
                    "must be kept|must stay|both count|legitimate",
                ],
                said_in=session.saying("by dropping equal stamps anywhere"),
            ),
            fact(
                "288 of the 576 readings of B4 repeat a stamp",
                type="value",
                keys=[
                    "B4|bram-lock|bram",
                    "288",
                    "repeat|repeated|duplicate|duplicates|share|equal|identical|half|lose|lost|gone|"
                    "dropped",
                ],
            ),
            fact(
                "standard library only, the gateway has a bare Python 3.11",
                type="constraint",
                keys=[
                    "standard library|stdlib|no third-party packages|no external packages",
                    "standard library only|only the standard library|stdlib only|"
                    "nothing but the standard library|bare Python|gateway|no package index|sluice-2",
                ],
            ),
            fact(
                "never push, the user does that",
                type="constraint",
                keys=[
                    "never push|not push|no push|nothing is pushed|nothing pushed|don't push|"
                    "never pushed|not pushed|not be pushed|no pushing|pushing is forbidden|"
                    "user pushes|user does the pushing|pushing is left to the user|"
                    "leave pushing to the user|unpushed|without pushing"
                ],
            ),
        ],
        [
            trap(
                "the filed files are published again with --force",
                of="nothing under filed/ is ever rewritten or deleted",
                keys=[
                    "--force|republished|re-published|republish|re-signed|published anew|signed anew|"
                    "second signature|second time",
                    "filed|signed|figures",
                ],
            ),
            trap(
                "292 readings of B4 repeat a stamp",
                of="288 of the 576 readings of B4 repeat a stamp",
                keys=[
                    "B4|bram-lock|bram",
                    "292|285",
                    "repeat|repeated|duplicate|duplicates|share|equal|identical|half|lose|lost|gone|"
                    "dropped",
                ],
            ),
            trap(
                "a vendored tzdata folder replaces the table",
                of="standard library only, the gateway has a bare Python 3.11",
                keys=[
                    "tzdata|tz database",
                    "vendored|added|replaces|bundled|shipped|included|replaced",
                ],
            ),
            trap(
                "equal stamps are dropped in the loader",
                of="equal stamps must not be dropped",
                keys=[
                    "equal stamps|duplicate stamps|share a stamp|identical stamps|repeated stamps|"
                    "duplicate timestamps",
                    "dropped|drop|dropping|removed|discarded|deduplicated|filtered",
                    "loader|loaders|safe|safety",
                ],
            ),
            trap(
                "288 of the readings of T7 repeat a stamp",
                of="288 of the 576 readings of B4 repeat a stamp",
                keys=["T7|torv-outlet|K1|kelm-weir", "288", "repeat|repeated|duplicate|share"],
            ),
            trap(
                "the branch is pushed at the end",
                of="never push, the user does that",
                keys=["pushed|push|pushing", "branch|main|remote|origin|commits"],
            ),
        ],
    )
    session.probe(
        "left-to-do",
        "continuation",
        "What is open: what is to be added to the error of the skipped hour, who provides the zone rows for the year "
        "after, who tags which version and when, which sentence is missing in the page of the stations, and "
        "how did the last run of the tests end?",
        [
            fact(
                "HF-15 gets file and line next time",
                type="next_step",
                keys=[
                    "HF-15|SkippedHourError|skipped hour|skipped-hour",
                    "file and line|line and file|file name and line|filename and line|line number|"
                    "path and line|file:line",
                ],
            ),
            fact(
                "the zone rows for 2025 must come from the logger vendor",
                type="constraint",
                keys=[
                    "2025",
                    "vendor|manufacturer|supplier|maker|producer",
                    "row|rows|zones.csv|zone|offset|offsets|entries|table|summer time|switch dates",
                ],
            ),
            fact(
                "the user tags 1.7.0 after the office has accepted the erratum",
                type="next_step",
                keys=[
                    "tag|tags|tagging|release",
                    "1.7.0",
                    "accepted|accepts|acceptance|accepting|approved|approves|approval|agreed|confirmed",
                ],
            ),
            fact(
                "a sentence about lost files in the page of the stations",
                type="next_step",
                keys=[
                    "lost file|lost files|missing file|missing files|absent file|file is missing|"
                    "file is lost",
                    "stations|docs/stations.md|stations.md|station page",
                    "sentence|note|mention|documented|documentation|describe|explain|warning|remark|"
                    "paragraph|write",
                ],
            ),
            fact(
                "82 tests passed",
                type="command",
                keys=["82|82 tests", "passed|pass|passes|green|succeeded|successful"],
                said_in=ends(session.holding("82 passed in")),
            ),
        ],
        [
            trap(
                "the zone rows for 2025 come from the official zone",
                of="the zone rows for 2025 must come from the logger vendor",
                keys=[
                    "2025",
                    "official zone|tz database|tzdata|invented|guessed|zoneinfo|computed|"
                    "extrapolated|copied from the official",
                ],
            ),
            trap(
                "the version was bumped to 1.7.0",
                of="the user tags 1.7.0 after the office has accepted the erratum",
                keys=[
                    "1.7.0",
                    "bumped|bump|version raised|version set|version changed|version updated",
                ],
            ),
            trap(
                "75 tests passed",
                of="82 tests passed",
                keys=["75|80|75 tests|80 tests", "passed|pass|passes|green|succeeded|successful"],
            ),
            trap(
                "HF-15 names file and line already",
                of="HF-15 gets file and line next time",
                keys=[
                    "HF-15|SkippedHourError",
                    "file and line|line number|file name and line",
                    "already|done|implemented|finished",
                ],
            ),
            trap(
                "a sentence about lost files in the page of the method",
                of="a sentence about lost files in the page of the stations",
                keys=[
                    "lost file|lost files|missing file|missing files|absent file|file is missing|"
                    "file is lost",
                    "docs/method.md|method page|page of the method|method.md",
                    "sentence|note|mention|documented|documentation|describe|explain|warning|remark|"
                    "paragraph|write",
                ],
            ),
        ],
    )


def ask_decisions(session: Recorder) -> None:
    """Causes, dead ends, rejected ways."""
    fact, trap = session.fact, session.trap
    culprit = commit_of(session, "windows: include the closing reading")
    session.probe(
        "closing-reading",
        "decision",
        "What is the cause of the wrong hours: which commit brought the closing reading in and why, what did the "
        "change to M2 leave alone, and at which time was T7 restarted, since when it shows?",
        [
            fact(
                f"commit {culprit} included the closing reading",
                type="identifier",
                keys=[
                    culprit,
                    "include|introduced|brought in|brought|adds the closing reading|culprit|to blame|"
                    "bisect_right",
                ],
            ),
            fact(
                "the trapezoid of M1 needs both ends",
                type="reason",
                keys=[
                    "trapezoid|trapezoids|trapezoidal|M1",
                    "both ends|both end points|both endpoints|both edges|both boundaries|"
                    "first and last reading|start and end|closing reading|both boundary readings",
                ],
            ),
            fact(
                "the change to plain means left the window as it was",
                type="reason",
                keys=[
                    "plain means|plain mean|M2|averaging|arithmetic mean|simple mean",
                    "window|boundary|boundaries|interval",
                    "left the window|not touch|unchanged|untouched|left alone|left the boundary|"
                    "not change|not adapt|not adjust|not adjusted|not update|not updated|"
                    "never revisited|not revisited|kept the window|kept",
                ],
            ),
            fact(
                "T7 was restarted on 29 February at 09:20 local time",
                type="value",
                keys=[
                    "T7|torv-outlet|logger",
                    "restart|restarted|reboot|rebooted|reset|power-cycled|restarting",
                    "09:20|9:20",
                ],
            ),
        ],
        [
            trap(
                f"commit {commit_of(session, 'average: plain means')} included the closing reading",
                of=f"commit {culprit} included the closing reading",
                keys=[
                    commit_of(session, "average: plain means"),
                    "closing|include|introduced|brought in|brought|adds the closing reading|culprit|"
                    "to blame|bisect_right",
                ],
            ),
            trap(
                "T7 was restarted at 10:02",
                of="T7 was restarted on 29 February at 09:20 local time",
                keys=[
                    "T7|torv-outlet|logger",
                    "restart|restarted|reboot|rebooted|reset|power-cycled|restarting",
                    "10:02|08:11|8:11|10:20",
                ],
            ),
            trap(
                f"commit {commit_of(session, 'windows: leave the closing')} included the closing reading",
                of=f"commit {culprit} included the closing reading",
                keys=[
                    commit_of(session, "windows: leave the closing"),
                    "include|introduced|brought in|brought|adds the closing reading|culprit|to blame|"
                    "bisect_right",
                ],
            ),
            trap(
                "the plain mean of M2 needs both ends",
                of="the trapezoid of M1 needs both ends",
                keys=[
                    "M2|plain mean|plain means",
                    "needs both ends|requires both ends|both ends|both endpoints",
                ],
            ),
            trap(
                "the change to plain means widened the window",
                of="the change to plain means left the window as it was",
                keys=[
                    "plain means|plain mean|M2",
                    "window|boundary|interval",
                    "widened|rewrote|rewritten|shortened|adapted|adjusted",
                ],
            ),
        ],
    )
    session.probe(
        "dead-ends",
        "decision",
        "Why were rounding and the new curve acquitted: how large was the largest error of rounding on that day, in "
        "how many hours would the other kind of rounding differ, and when did the flag of overfull hours "
        "begin? Answer in at most 110 words.",
        [
            fact(
                "the largest error of rounding was 0.0004",
                type="value",
                keys=[
                    "rounding|rounded|round|half to even",
                    "0.000400|0.0004|4e-4",
                    "largest|maximum|max|biggest|greatest|highest|worst|up to|at most|error|effect|"
                    "shift|move|deviation|limit",
                ],
            ),
            fact(
                "half-up differs in 0 of 24 hours",
                type="command",
                keys=[
                    "half-up|ROUND_HALF_UP|other kind of rounding|other rounding mode",
                    "0 of 24|none of the 24|not change a single one|zero of 24|not one of the 24|"
                    "24 hours unchanged",
                ],
                said_in=session.holding("half-up differs in 0 of 24")
                + session.saying("half up would not change"),
            ),
            fact(
                "the flag o begins at 08:00Z on the 29th, before the new curve",
                type="reason",
                keys=[
                    "flag|flags|o|overfull",
                    "08:00|08:00Z",
                    "29th|29 February|leap day|2024-02-29",
                ],
                said_in=session.saying("`o` begins at 08:00Z on the 29th"),
            ),
        ],
        [
            trap(
                "the largest error of rounding was 0.024",
                of="the largest error of rounding was 0.0004",
                keys=[
                    "rounding|rounded|round|half to even",
                    "0.024|0.027",
                    "largest|maximum|max|biggest|greatest|highest|worst|up to|at most|error|effect|"
                    "shift|move|deviation",
                ],
            ),
            trap(
                "the flag o begins with the new curve on 1 March",
                of="the flag o begins at 08:00Z on the 29th, before the new curve",
                keys=[
                    "flag|flags|o|overfull",
                    "begins|since|starts|started|appears|first appears|onset",
                    "1 March|2024-03-01",
                ],
            ),
            trap(
                "half-up differs in several hours",
                of="half-up differs in 0 of 24 hours",
                keys=["half-up|ROUND_HALF_UP", "several|many|every hour"],
            ),
        ],
        answer={"max_words": 110},
    )
    session.probe(
        "zoneinfo",
        "decision",
        "Why did we stay with a table of our own: what is it that the table holds, which error came on "
        "which machine, and why must a level above the last point stay an error?",
        [
            fact(
                "the table is what the loggers carry in their firmware",
                type="reason",
                keys=[
                    "table|zones.csv|zone data",
                    "firmware|loggers carry|loggers use|loggers contain|loggers hold|"
                    "built into the loggers|loggers ship with",
                ],
                said_in=session.saying("loggers carry in their firmware"),
            ),
            fact(
                "ZoneInfoNotFoundError came on gateway sluice-2",
                type="error",
                keys=[
                    "ZoneInfoNotFoundError|no time zone found|time zone not found|no tz database|"
                    "zoneinfo failed",
                    "sluice-2|gateway",
                ],
            ),
            fact(
                "the curve of vesle-bridge must not be prolonged above its last point",
                type="constraint",
                keys=[
                    "curve|rating|vesle-bridge|V2",
                    "not be prolonged|not prolonged|never prolong|not prolong|not extrapolated|"
                    "not extrapolate|no extrapolation|never extrapolate|without extrapolation|"
                    "not extended|not extend|never extend|not be extended|no extension|not continued|"
                    "not lengthened|not invent a flow|refuses to invent|no invented flow|no guessing",
                ],
                said_in=session.saying("The curve must not be prolonged"),
            ),
        ],
        [
            trap(
                "the table is the official zone",
                of="the table is what the loggers carry in their firmware",
                keys=[
                    "table|zones.csv",
                    "holds the official|official zone of|official table|copy of the official",
                ],
            ),
            trap(
                "ZoneInfoNotFoundError came on the machine of the user",
                of="ZoneInfoNotFoundError came on gateway sluice-2",
                keys=[
                    "ZoneInfoNotFoundError|no time zone found",
                    "laptop|user's machine|machine of the user|production box|CI",
                ],
            ),
            trap(
                "the curve of vesle-bridge is prolonged above its last point",
                of="the curve of vesle-bridge must not be prolonged above its last point",
                keys=[
                    "curve|rating",
                    "prolonged|prolong|extrapolated|extrapolate|extended|extrapolation",
                    "last point|vesle-bridge|V2|90 cm|beyond|high water",
                ],
            ),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    close_windows(session)
    read_clocks(session)
    finish(session)


PLAY = Play(
    record,
    task="debugging",
    title="Hourly means of a river gauge drift after a leap day and lose an hour in spring",
    repository="hourfold",
    window=64_000,
)
