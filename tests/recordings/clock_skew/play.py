"""Hourly means of a river gauge are off since a leap day, and one hour is lost in spring.

Rounding and the new rating curve look guilty and are not. An hour takes the first reading
of the next one, and local stamps are compared with UTC moments. A first repair moves the
table, the second reads the clock while the file is read, because only the order of the
file tells the two passes of the autumn hour apart.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

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
    repo.commit("raw: Easter 2024")
    repo.git("tag", "-f", "start")


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
        "Two rules for all of this. Nothing under filed/ is ever rewritten or deleted, those "
        "figures are signed; corrections go out as an erratum. And standard library only: the "
        "gateway has a bare Python 3.11 and no package index."
    )
    session.together(
        [
            bash("git log --oneline && git status --short"),
            bash("git ls-files ':!raw' | xargs wc -l; ls raw raw/torv-outlet"),
        ],
        "I'll look at the repository first, then reproduce the 12:00Z figure.",
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
        "68 passed, so no test knows about this. 3.226 reproduces. Two things I note for later: the flag "
        "`o` begins within 29 February (o=16), and 31 March has one partial hour. First your hypothesis; "
        "rounding can only happen in `fold`, or in the curve before it.",
    )
    session.read(
        "src/hourfold/cli.py",
        "How a command gets from the raw files to `fold`, so that I can repeat it by hand:",
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
        "Rounding is a dead end. It can move an hour by 0.0005 m3/s at most, and on that day the largest "
        "error is below that; the office differs by 0.024 at 12:00Z, almost fifty times as much. Rounding "
        "half up would not change a single one of the 24 hours either.\n\n"
        "My next suspect is the date: torv-outlet has a new curve from 1 March 2024, so an "
        "off-by-one around the leap day could pick the old one."
    )
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
        "The curve is right on both sides: 2.850 on the last minute of February, 2.790 from midnight on. And "
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
        "the window. The proof for 12:00Z:",
    )
    session.say(
        "Cause found, and it is the office's figure to the last digit: the mean of five readings is 3.226, "
        "of the four that belong to the hour 3.250.\n\n"
        '- The commit "windows: include the closing reading of an hour" was right for trapezoids. "average: '
        'plain means instead of trapezoids" switched to M2 and left the window as it was.\n'
        "- It needs a reading exactly on the full hour. K1 stamps at 05, B4 at 02, and T7 stamped at 04 until the restart "
        "on 29 February at 09:20 local time; since then T7 stamps on the full quarter hour. Hence only T7, "
        "hence since the leap day, hence `o` in each hour.\n\n"
        "I have not explained Easter Sunday with this yet. The partial hour on 31 March smells like the change to "
        "summer time. Shall I repair the window first?"
    )
    session.point("p1")


def close_windows(session: Recorder) -> None:
    """Act 2: the window, what it hid, the stopgap, the first repair of the clock."""
    session.user(
        "Convincing, and I owe rounding an apology. Yes, window first, as a commit of its own. Please "
        "don't patch it by dropping duplicate stamps somewhere, I tried that last week on a branch and "
        "gave up."
    )
    session.edit(
        "src/hourfold/windows.py",
        "    high = bisect_right(series.times, end)\n",
        "    high = bisect_left(series.times, end)\n",
        "I wouldn't: the two sensors of bram-lock are read at the same second, so equal stamps are "
        "legitimate there and dropping duplicates would throw away half of B4. The window becomes half open: the start "
        "belongs to it, the end does not.",
    )
    session.bash("python -m pytest -q --tb=short")
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
        "1 failed, 67 passed, and the one is `test_the_closing_reading_belongs_to_the_hour`, which states the M1 rule. It "
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
        "1 March now equals the office. But 31 March got worse, and that is honest: `HF-12 short day: "
        "torv-outlet 2024-03-31 has 23 of 24 hours` with exit code 3, and the balance fails with HF-21, -4.75 percent. "
        "The hour 00:00Z has no reading of its own. Before, it borrowed the closing reading of 01:00Z, so the "
        "first bug hid the second one. 30 March 23:00Z has 8 readings instead of 4: the four readings "
        "that are missing here are there."
    )
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
        "Let me see what the setting means exactly.",
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
        "2 failed, 67 passed: `test_a_gap_setting_out_of_range` replaces the literal 30 in a copy of our "
        "own hourfold.ini. A test that depends on a setting of the day; it should replace any number.",
    )
    session.bash(
        "sed -i 's/^import pytest$/import re\\n\\nimport pytest/' tests/test_cli.py && python -m pytest -q --tb=short && "
        "git commit -qam 'Bridge gaps up to 75 minutes until the clock is repaired' && git log --oneline -1",
    )
    session.say(
        "Done: 31 March has 24 hours, 269449.2 m3 and one hour with `g`, the balance is +0.09 percent. That it is the figure of your report again is chance: an interpolated hour, not a measured one. Be aware what it "
        "costs: the outage of kelm-weir on 29 February (60 minutes without a reading, 10:05Z to 11:05Z) is "
        "bridged too and loses its flag `p`. So 75 must not stay. Now the cause of the lost hour."
    )
    session.read("src/hourfold/timeutil.py")
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
        "moved by the offset that held before it."
    )
    session.user(
        "Why do we keep a table of our own at all? zoneinfo is in the standard library. If that is the "
        "better way I'd rather do it right now."
    )
    session.say(
        "I'd stay with the table, for two reasons. docs/stations.md says that data/zones.csv is what the "
        "loggers carry in their firmware, not the official zone; if the two ever differ, the logger is what "
        "stamped the line. And zoneinfo reads the tz database of the machine: without one it needs the tzdata "
        "package, which is a dependency. Does the gateway have a tz database?"
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
        "31 March: 24 hours, 269168.4 m3, no flag, although the setting is still 75. That is the figure of the office. "
        "71 passed."
    )
    session.point("p2")
    probes_of_p2(session)


def read_clocks(session: Recorder) -> None:
    """Act 3: autumn breaks the first repair; the clock is read with the file; old raw files."""
    session.user(
        "That's the number, and the Easter report went out. The office asks the obvious next thing: what about "
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
        "I only tested spring. Let me compare the day as it comes out now, as it was filed, and the raw lines.",
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
        "has none of its own; the 75 minutes of the stopgap paint over it with four bridged ones.\n\n"
        "A stamp like 02:19 occurs twice that night, and nothing in the stamp says which one it is. Only the order of "
        "the file does: the logger goes from 02:49 back to 02:04. But merge.py sorts by stamp before it "
        "converts, so the order is gone by then. No table and no comparison can repair that at this place.\n\n"
        "So I take my approach back. The conversion has to move into the loader, which still sees the lines in the order "
        "in which they were written; everything behind it is UTC. Dropping one of two equal stamps would be "
        "wrong here as well, all 8 readings are real."
    )
    session.user(
        "Makes sense, do that and throw the local starts away. While you are in there: timeutil is a "
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
        "python -m pytest -q --tb=short && git add -A && git commit -q -m 'Rename timeutil to clocks' && git show --stat -M --format=%s HEAD",
        "Six files import it. Their imports, and the two docstrings that fit the old name.",
    )
    session.together(
        [
            read_file("src/hourfold/loaders.py"),
            read_file("tests/test_merge.py"),
            bash(
                "sed -n 40,64p tests/test_clocks.py; grep -rn 'load_around\\|load_csv\\|on_utc\\|to_utc' src tests"
            ),
        ],
        "Now the loader. Who calls what, and what do the tests hold on to?",
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
        "moment, in the hour that summer time skips, is an error of its own: HF-15, exit code 2 like other bad input.",
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
        "merge.py loses the conversion and only sorts and bridges.",
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
        "The worry was justified: 1 failed, 74 passed. The loader skips `ice` lines before the clock has seen them, so "
        "the second pass looks like the first. The clock must read every line, whatever its status.",
    )
    session.bash(
        "sed -i 's/^Readings with another status than ``ok`` are left out. A loader returns the times$/Readings with another status than ``ok`` are left out, but the clock reads their stamps/; s/^as the logger wrote them, in the order of the file.$/too: the order of the lines tells the two passes of a repeated hour apart. Times are UTC./' src/hourfold/loaders.py\n"
        "sed -i 's/^All datetimes in hourfold are naive.$/All datetimes in hourfold are naive; behind the loaders they are UTC./' src/hourfold/clocks.py\n"
        "python -m pytest -q --tb=short && git commit -qam 'Read local stamps in the order of the file' && git log --oneline -1\n"
        "for day in 2023-10-28 2023-10-29 2024-03-30 2024-03-31; do\n"
        "  python -m hourfold check $day | grep torv; python -m hourfold balance $day\ndone",
    )
    session.bash(
        "python -m hourfold hours torv-outlet 2023-10-29 | head -4\n"
        "for file in filed/*.csv; do\n"
        "  name=${file#filed/}; name=${name%.csv}; station=${name%-????-??-??}; day=${name#$station-}\n"
        '  echo "== $name"; python -m hourfold hours $station $day | diff - <(tail -n +2 $file) | grep -c "^>"\ndone',
        "Both changes of the clock are whole days now without any flag. Next, everything that was ever filed "
        "against the code of today (only reading):",
    )
    session.bash(
        "sed -n 1,14p raw/torv-outlet/2023-03-26.csv\n"
        "git log --format='%h %s%n    %b' --stat -- raw/torv-outlet/2023-03-26.csv",
        "An error I did not expect: `HF-15 stamp 2023-03-26 02:04 does not exist in zone inland`. The logger "
        "cannot have written that.",
    )
    session.read("tools/shift_hour.py")
    session.say(
        "So that is why nobody complained last spring. Somebody ran tools/shift_hour.py, which rewrites the stamps 01:xx of "
        "the day to 02:xx, an hour that does not exist; the old comparison then happened to land on 00:00Z. "
        "Two wrongs made a right figure: the day was filed correctly from a falsified raw file.\n\n"
        "With the clock repaired the tool does harm, HF-15 stops on what it writes. I propose to restore "
        'raw/torv-outlet/2023-03-26.csv as it was delivered, from the commit "raw: March 2023", and to delete the '
        "tool. A switch that accepts 02:xx as 01:xx would be the alternative, but then HF-15 could "
        "never report a broken logger. Is raw/ free to be touched, and does anybody still use the tool?"
    )
    session.point("p3")
    probes_of_p3(session)


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
        "git commit -qam 'Restore the raw file of 2023-03-26 and drop shift_hour' && git log --oneline -1",
        "Restored from the commit that added it; the filed figures of that day must come out of it unchanged.",
    )
    session.bash(
        "sed -i 's/max_gap_minutes = 75/max_gap_minutes = 45/' hourfold.ini\n"
        "for day in 2024-02-29 2024-03-31; do python -m hourfold check $day; python -m hourfold balance $day; done\n"
        "python -m pytest -q --tb=short && git commit -qam 'Bridge at most two missed readings (45 minutes)' && git log --oneline -1",
        "Same as filed, from the true raw file. Now the setting: two missed readings are a gap of 45 minutes between neighbours.",
    )
    session.say(
        "31 March stays whole at 269168.4 m3 without any bridging, and the outage of kelm-weir on 29 February has its `p` back: "
        "60 minutes are beyond 45."
    )
    session.user(
        "Good. Now I need to know for every filed file whether it still agrees with the raw data, not just "
        "for these four but on the production box with its 900 files. Make it a command, `hourfold audit`. It must never write."
    )
    session.together(
        [
            read_file("src/hourfold/report.py"),
            read_file("src/hourfold/errors.py", (40, 74)),
        ],
        "It belongs beside report.py, which knows the form and the check sum.",
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
        "A module that only compares. Each filed file is first checked against its own check sum (HF-41), so that "
        "a hand-edited file is not taken for a recomputed one.",
    )
    session.edit(
        "src/hourfold/audit.py",
        "        return abs(float(self.now) - float(self.filed))\n",
        "        return abs(float(self.now or 0) - float(self.filed or 0))\n",
        "A missing hour has an empty flow, which `float` refuses. It counts as 0 for the size.",
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
        "Two of the four filed files differ: torv-outlet-2023-10-29.csv in 2 hours, and torv-outlet-2024-03-01.csv in all of its "
        "24 hours. One question: which exit code when something differs? I'd say 7, the first free one."
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
        "Then it goes on after an error, prints it on the line of that file, and ends with the exit code of the last error.",
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
        "1 failed, 81 passed: I keep the error in `failed` and then forget to raise it. Good that the test asks "
        "for the exit code.",
    )
    session.bash(
        "git add -A && git commit -q -m 'audit: compare filed figures with the raw files' && git show --stat --format=%s HEAD\n"
        "python -m hourfold audit --hours | head -12",
    )
    session.user(
        "Now the erratum for the office: errata/2024-04-torv-outlet.md. Per day the cause in one sentence and the list of "
        "filed and corrected hours. Plain words, no code names, they don't know what bisect is."
    )
    session.write(
        "errata/2024-04-torv-outlet.md",
        ERRATUM,
        "The causes in words first, the list below them.",
    )
    session.bash(
        "python -m hourfold audit --hours | sed -n 's/^  \\([^ ]*\\) filed \\([^ ]*\\) now \\([^ ]*\\)$/| \\1 | \\2 | \\3 |/p' >> errata/2024-04-torv-outlet.md\n"
        "sed -n 14,24p errata/2024-04-torv-outlet.md; grep -c '^| 20' errata/2024-04-torv-outlet.md\n"
        "git diff --stat start -- filed | wc -l",
        "The list comes from the audit itself, so that no figure is typed by hand. And the rule: filed/ as it was at the start.",
    )
    session.together(
        [
            bash(DOCS_COMMAND),
            bash("git diff -U0 docs CHANGELOG.md README.md | grep '^[-+]'"),
        ],
        "Documentation: the half open hour, the clock, the 45 minutes with their reason, and the changelog.",
    )
    session.bash(
        "git add -A && git commit -q -m 'Erratum for torv-outlet, documentation' && git status --short && git log --oneline start..\n"
        "python -m pytest -q --tb=short",
    )
    session.say(
        "26 corrected hours in the erratum, nothing under filed/ touched. Two things I noticed and left alone: data/zones.csv "
        "ends with the row of 2024-10-27, so from 30 March 2025 on summer time would be missing; and HF-15 names the "
        "stamp but not the file and line."
    )
    session.user(
        "Put both on the list. The rows for 2025 must come from the logger vendor, don't invent them. File and line for HF-15: "
        "next time, please. I send the erratum to the office on Friday and I tag 1.7.0 when they have accepted it, so no "
        "version bump from you. M. sets the logger of T7 back to minute 04 on her visit on 18 April; the half open window stays in any case."
    )
    session.bash("git diff --stat start -- . ':!raw' | tail -25; git status --short")
    session.say(
        "Noted. State: nine commits on main, 82 passed, tree clean, nothing pushed, version still 1.6.0. Open: file and line for HF-15 "
        "(me, next time), rows for 2025 from the logger vendor, your erratum on Friday, the tag after that, and the visit on 18 April."
    )
    session.point("p4")
    probes_of_p4(session)


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    created = ["errata/2024-04-torv-outlet.md", "src/hourfold/audit.py", "tests/test_audit.py"]
    modified = ["CHANGELOG.md", "README.md", "docs/method.md", "docs/stations.md", "hourfold.ini"]
    modified += ["raw/torv-outlet/2023-03-26.csv"]
    modified += [f"src/hourfold/{name}.py" for name in MODIFIED_MODULES]
    modified += [f"tests/test_{name}.py" for name in ("cli", "loaders", "merge", "windows")]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=["tools/shift_hour.py"],
        renamed=["src/hourfold/clocks.py", "tests/test_clocks.py"],
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked in the middle: the stopgap is in, the first repair is committed."""
    fact = session.fact
    session.probe(
        "after-the-first-repair",
        "continuation",
        "Where do we stand with 31 March after `offset_of_local`: what volume does torv-outlet have now, how "
        "many tests passed, at what is the stopgap setting max_gap_minutes still, and why must it not "
        "stay?",
        [
            fact("269168.4 m3", about="state"),
            fact("71 passed", "71 tests pass", about="state"),
            fact(
                "the setting is still 75",
                "max_gap_minutes = 75",
                "max_gap_minutes is 75",
                "max_gap_minutes still 75",
                about="state",
                said_in=session.saying("the setting is still 75"),
            ),
            fact(
                "outage of kelm-weir on 29 February is bridged too",
                "kelm-weir outage is bridged too",
                "outage of kelm-weir loses its flag",
                about="reason",
            ),
        ],
        traps=[
            {"text": "269449.2 m3", "aliases": ["269449.2"], "current": ["269168.4"]},
            {"text": "69 passed", "aliases": ["69 tests pass"], "current": ["71"]},
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked after the clock was read with the file: why the first repair was taken back."""
    fact = session.fact
    session.probe(
        "first-repair-taken-back",
        "decision",
        "Why did you take the approach of local starts back for autumn: what alone tells the two passes of a "
        "stamp like 02:19 apart, what does merge.py do before it converts, where does the conversion move, "
        "and which class picks the moment?",
        [
            fact(
                "only the order of the file does",
                "order of the file",
                "order of the lines",
                said_in=session.saying("Only the order of the file does"),
            ),
            fact(
                "sorts by stamp before it converts",
                "merge.py sorts by stamp",
                "sorted before the conversion",
            ),
            fact(
                "conversion has to move into the loader",
                "conversion moves into the loader",
                "converted in the loader",
            ),
            fact("StationClock", about="detail"),
        ],
        traps=[{"text": "offset_of_local", "current": ["StationClock", "loader"]}],
        point="p3",
    )


def probes_of_p4(session: Recorder) -> None:
    """Asked at the end."""
    check_files(session)
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


def recall_probes(session: Recorder) -> None:
    """Exact things: the report, both causes, the falsified raw file."""
    fact = session.fact
    session.probe(
        "the-report",
        "recall",
        "What did the basin office get for torv-outlet on 1 March 2024 at 12:00Z when it recomputed the hour "
        "and what had we filed, by how much was every hour of that day off, and what does the office have "
        "for Easter Sunday?",
        [
            fact("gets 3.250 m3/s", "3.250 m3/s", "3.250", said_in=session.saying("3.250")),
            fact("we filed 3.226", "filed 3.226", "3.226", said_in=session.saying("3.226")),
            fact(
                "off by up to 0.027",
                "up to 0.027",
                "0.027 m3/s",
                said_in=session.saying("up to 0.027"),
            ),
            fact("the office has 269168.4", "269168.4 m3"),
        ],
        traps=[
            {
                "text": "office has 269449.2",
                "aliases": ["269449.2 m3"],
                "current": ["269168.4"],
            }
        ],
    )
    session.probe(
        "closing-reading",
        "recall",
        "Which commit was right for trapezoids, which one switched to M2 and left the window as it was, which "
        "bisect function did `window` search the end with, and since which restart does T7 stamp on the full "
        "quarter hour?",
        [
            fact("windows: include the closing reading of an hour"),
            fact("average: plain means instead of trapezoids"),
            fact("bisect_right", said_in=session.saying("bisect_right")),
            fact(
                "restart on 29 February at 09:20",
                "restarted at 09:20",
                "restart at 09:20",
                "29 February at 09:20",
            ),
        ],
    )
    session.probe(
        "short-day",
        "recall",
        "When the window was repaired and 31 March got worse: what was the error about the short day, with which "
        "exit code, by how many percent did the balance fail, which hour had no reading of its own, and where "
        "were the missing readings?",
        [
            fact("HF-12 short day: torv-outlet 2024-03-31 has 23 of 24 hours"),
            fact("exit code 3", said_in=session.saying("exit code 3")),
            fact("-4.75 percent", "differs by -4.75 percent", "4.75 percent"),
            fact(
                "the hour 00:00Z has no reading of its own",
                "00:00Z stays empty",
                "hour 00:00Z without readings",
                "00:00Z has no readings",
                said_in=session.saying("00:00Z has no reading of its own", "00:00Z stays empty"),
            ),
            fact(
                "30 March 23:00Z has 8 readings instead of 4",
                "30 March 23:00Z has 8 readings",
                "8 readings at 23:00Z",
                said_in=session.saying("30 March 23:00Z has 8 readings"),
            ),
        ],
    )
    session.probe(
        "falsified-raw-file",
        "recall",
        "What did tools/shift_hour.py do to the stamps of the raw file, what exact HF-15 error did "
        "that cause, from which commit was the file to be restored as it was delivered, and since when was "
        "the tool run every spring?",
        [
            fact("stamps 01:xx to 02:xx", "01:xx of the day to 02:xx", "01:xx to 02:xx"),
            fact("HF-15 stamp 2023-03-26 02:04 does not exist in zone inland"),
            fact("raw: March 2023", said_in=session.saying('"raw: March 2023"')),
            fact("every spring since 2021", "since 2021"),
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "new-renamed-deleted",
        "file",
        "Which files were created with write_file in this session, what did the git mv of timeutil and its test "
        "file make of them, and which tool was deleted? Answer as a list.",
        [
            fact("src/hourfold/audit.py", about="created"),
            fact("tests/test_audit.py", about="created"),
            fact("errata/2024-04-torv-outlet.md", about="created"),
            fact("src/hourfold/clocks.py", about="detail"),
            fact("tests/test_clocks.py", about="detail"),
            fact(
                "tools/shift_hour.py",
                about="detail",
                said_in=session.doing("bash", "git rm -q tools/shift_hour.py"),
            ),
        ],
        traps=[{"text": "src/hourfold/timeutil.py", "current": ["clocks.py"]}],
        answer={"format": "list"},
    )
    session.probe(
        "modified",
        "file",
        "Which existing modules of hourfold and which settings file were modified in this session (window, loader, "
        "merge, errors, command line, max_gap_minutes)? Answer as a list of at most 12 items and leave the tests "
        "out: do not mention test_cli.py.",
        [
            *(
                fact(
                    path,
                    about="modified",
                    said_in=session.doing("edit_file", path),
                )
                for path in (f"src/hourfold/{name}.py" for name in MODIFIED_MODULES)
            ),
            fact(
                "hourfold.ini",
                about="modified",
                said_in=session.doing("bash", "/' hourfold.ini"),
            ),
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_cli.py"]},
    )
    session.probe(
        "only-read",
        "file",
        "Which modules under src/hourfold were only read and never changed: the hourly means with `fold`, the "
        "curve, the sum of the day with its balance, the configuration, and the form with the check sum?",
        [
            fact(path, about="accessed", said_in=session.doing("read_file", path))
            for path in (
                "src/hourfold/average.py",
                "src/hourfold/ratings.py",
                "src/hourfold/totals.py",
                "src/hourfold/config.py",
                "src/hourfold/report.py",
            )
        ],
    )


def continuation_probes(session: Recorder) -> None:
    """What holds, and what is left."""
    fact = session.fact
    session.probe(
        "rules",
        "continuation",
        "Which two rules did I give for all of this at the start: what holds for signed figures, how do "
        "corrections go out, which library is allowed, and what does the gateway have?",
        [
            fact(
                "nothing under filed/ is ever rewritten or deleted",
                "never rewrite or delete anything under filed/",
                "filed/ is never rewritten",
                about="state",
            ),
            fact(
                "corrections go out as an erratum",
                "corrections as an erratum",
                "corrections go into an erratum",
                about="state",
                said_in=session.saying("corrections go out as an erratum"),
            ),
            fact(
                "standard library only",
                "only the standard library",
                about="state",
                said_in=session.saying("standard library only"),
            ),
            fact("bare Python 3.11", "Python 3.11 and no package index", about="state"),
        ],
    )
    session.probe(
        "left-to-do",
        "continuation",
        "What is open: what is to be added to HF-15 next time, which rows must come from whom, what do I send to "
        "the office and when, which tag follows, when is the visit to the logger of T7? And how many tests "
        "passed at the end?",
        [
            fact(
                "file and line for HF-15",
                "HF-15 with file and line",
                "HF-15 names file and line",
                about="pending",
            ),
            fact(
                "rows for 2025 from the logger vendor",
                "rows for 2025 must come from the logger vendor",
                "2025 rows from the vendor",
                about="pending",
            ),
            fact(
                "erratum on Friday",
                "send the erratum to the office on Friday",
                about="pending",
            ),
            fact("tag 1.7.0", about="pending"),
            fact("visit on 18 April", "18 April", about="pending"),
            fact("82 passed", "82 tests pass", about="state"),
        ],
        traps=[
            {
                "text": "80 passed",
                "aliases": ["80 tests pass", "75 passed", "75 tests pass", "81 passed"],
                "current": ["82"],
            }
        ],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "rounding",
        "decision",
        "Why was rounding a dead end: how far can it move an hour at most, what would rounding half up change, and "
        "at which hour of the 29th did the flag `o` begin, which cleared the new curve and leap-year arithmetic too?",
        [
            fact("0.0005 m3/s at most", "at most 0.0005 m3/s", "0.0005 m3/s"),
            fact("almost fifty times as much", "fifty times as much"),
            fact(
                "would not change a single one of the 24 hours",
                "half up differs in 0 of 24 hours",
                "half-up differs in 0 of 24 hours",
                "half up changes none of the 24 hours",
            ),
            fact(
                "begins at 08:00Z on the 29th",
                "from 08:00Z on 29 February",
                "since 08:00Z on 29 February",
                "began at 08:00Z",
            ),
        ],
    )
    session.probe(
        "zoneinfo",
        "decision",
        "Why did we stay with the table instead of zoneinfo: whose zone does data/zones.csv carry, what would a "
        "missing tz database need, and what error came on which gateway?",
        [
            fact(
                "loggers carry in their firmware, not the official zone",
                "firmware of the loggers, not the official zone",
                "firmware table of the loggers",
            ),
            fact("tzdata package, which is a dependency", "tzdata package", "tzdata"),
            fact("ZoneInfoNotFoundError", about="detail"),
            fact("gateway sluice-2", "sluice-2", about="detail"),
        ],
    )
    session.probe(
        "duplicate-stamps",
        "decision",
        "Why did you refuse to repair the window by dropping duplicate stamps: what about bram-lock, "
        "and what became the rule for start and end of the window instead? Answer in one "
        "sentence of at most 80 words.",
        [
            fact(
                "two sensors of bram-lock are read at the same second",
                "both sensors of bram-lock are read at the same second",
                "sensors of bram-lock share their stamps",
            ),
            fact("throw away half of B4", "lose half of B4", "half of the readings of B4"),
            fact(
                "the window becomes half open",
                "half open window",
                "start belongs to it, the end does not",
                about="detail",
            ),
        ],
        answer={"format": "sentence", "max_words": 80},
    )
    session.probe(
        "gap-setting",
        "decision",
        "What is max_gap_minutes after the stopgap was taken back, what does M2 permit according to the office, "
        "and how long was the outage of kelm-weir on 29 February that has its flag back?",
        [
            fact(
                "max_gap_minutes 45",
                "45 minutes",
                "max_gap_minutes = 45",
                "max_gap_minutes is 45",
                "beyond 45",
                "so 45",
                about="detail",
                said_in=session.saying("so 45", "a gap of 45 minutes"),
            ),
            fact("M2 permits two missed readings", "two missed readings"),
            fact(
                "60 minutes without a reading",
                "60 minutes are beyond 45",
                "outage of 60 minutes",
                "60 minutes",
                said_in=session.saying("60 minutes"),
            ),
        ],
        traps=[
            {
                "text": "75 minutes",
                "aliases": ["max_gap_minutes = 75", "max_gap_minutes is 75"],
                "current": ["45"],
            },
            {
                "text": "30 minutes",
                "aliases": ["max_gap_minutes = 30", "max_gap_minutes is 30"],
                "current": ["45"],
            },
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
)
