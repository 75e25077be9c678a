"""Refactoring: a log shipper's chain of callbacks becomes a chain of generators.

Memory gets a bound, and what happens on errors stays byte for byte. Laziness changes the order in
which errors show, so one lazy pass yields to two; a thread with a queue is tried and dropped; the
bound changes twice. Python, pytest and git really run; see ``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

SYSTEM = """You are a coding agent in a checked-out git repository with a shell and tools to read,
write and edit files. Understand before you change, measure claims, keep commits small and green,
and report briefly. What the user rules out stays ruled out."""

TESTS = "python -m pytest -q --tb=short"
MODIFIED = (
    "CHANGELOG.md",
    "docs/pipeline.md",
    "raftline.ini",
    "src/raftline/decode.py",
    "src/raftline/enrich.py",
    "src/raftline/filters.py",
    "src/raftline/pipeline.py",
    "src/raftline/settings.py",
    "src/raftline/tail.py",
)
MODIFIED_TESTS = ("tests/test_pipeline.py", "tests/test_stages.py", "tests/test_tail.py")
TRIAL = (
    "rm -rf spool shore.out offsets.json && python tools/make_spool.py spool/gate.log 2400 && "
    "python -m raftline ship --counters"
)

BATCH_PROBE = """python - <<'EOF'
from raftline.batcher import Batcher
from raftline.records import Line, parse
from tools.make_spool import spool_text

most, sizes = 0, []
batcher = Batcher(40, 3000, lambda batch: sizes.append(len(batch)), lambda: None)
for number, text in enumerate(spool_text(2400).splitlines(), 1):
    batcher.feed(parse(Line("gate.log", number, 0, text)))
    most = max(most, len(batcher.batch))
batcher.end()
print(f"batches={len(sizes)} largest={max(sizes)} most_in_batcher={most}")
EOF"""

SNAPSHOT = '''"""Prints what a run leaves behind in every error scenario: ``snapshot_errors.py``.

Exit code, stderr, shore.out and offsets.json count. The counters line does not.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import zlib
from pathlib import Path

from raftline.cli import main
from tools.make_spool import spool_text

CONFIG = """[spool]
files = {files}
[decode]
max_rejects = 20
[filter]
level = INFO
[enrich]
vessel = Ostra
route = K4
[batch]
records = 40
bytes = 3000
[sink]
path = shore.out
quota = {quota}
[offsets]
path = offsets.json
"""

SCENARIOS = {
    "few-rejects": ([(240, 60)], 262144),
    "too-many-rejects": ([(600, 20)], 262144),
    "sink-full": ([(600, 60)], 8000),
    "second-file-bad": ([(120, 0), (600, 20)], 262144),
    "second-file-missing": ([(120, 60), None], 262144),
    "quota-in-second-file": ([(120, 60), (300, 30)], 12000),
}


def scenario(spools: list[tuple[int, int] | None], quota: int) -> str:
    """Run in a folder of its own and describe what is left."""
    names = [f"deck{number}.log" for number in range(1, len(spools) + 1)]
    stderr = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, spool in zip(names, spools, strict=True):
            if spool:
                Path(name).write_text(spool_text(*spool))
        Path("raftline.ini").write_text(CONFIG.format(files=" ".join(names), quota=quota))
        with contextlib.redirect_stderr(stderr):
            code = main(["ship"])
        shore = Path("shore.out").read_bytes() if os.path.exists("shore.out") else b""
        offsets = Path("offsets.json").read_text().strip()
    said = stderr.getvalue()
    return (
        f"exit {code}\\n"
        f"stderr {len(said.splitlines())} lines, crc {zlib.crc32(said.encode()):08x}\\n"
        f"last {said.splitlines()[-1]}\\n"
        f"shore.out {len(shore)} bytes, crc {zlib.crc32(shore):08x}\\n"
        f"offsets {offsets}\\n"
    )


def snapshot() -> str:
    """All scenarios."""
    return "".join(f"[{name}]\\n{scenario(*SCENARIOS[name])}" for name in SCENARIOS)


if __name__ == "__main__":
    print(snapshot(), end="")
'''

GOLDEN_TEST = """from pathlib import Path

import pytest

from tools.snapshot_errors import SCENARIOS, scenario

GOLDEN = (Path(__file__).parent / "golden" / "errors.txt").read_text()


@pytest.mark.parametrize("name", SCENARIOS)
def test_errors_stay_byte_for_byte(name):
    expected = GOLDEN.split(f"[{name}]\\n")[1].split("\\n[")[0]
    assert scenario(*SCENARIOS[name]).rstrip("\\n") == expected.rstrip("\\n")
"""

SPIKE = '''"""Trial: a thread reads and decodes, the main thread ships, a queue of 64 in between."""

import queue
import tempfile
import threading
from pathlib import Path

from raftline import frames
from raftline.batcher import Batcher
from raftline.counters import Counters
from raftline.decode import Decoder
from raftline.errors import ShipError
from raftline.offsets import Position
from raftline.sink import FileSink
from raftline.tail import Tail
from tools.make_spool import spool_text

between = queue.Queue(maxsize=64)
reports, state = [], {"puts": 0, "gets": 0, "frames": 0, "producer": "running"}


def put(record):
    between.put(record, timeout=1.0)
    state["puts"] += 1


def produce(path):
    decoder = Decoder(20, reports.append, Counters(), put, lambda: None)
    try:
        Tail(path, Position(), decoder.feed, decoder.end).run()
        state["producer"] = "finished"
    except queue.Full:
        state["producer"] = "blocked"


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "gate.log")
    path.write_text(spool_text(2400, 240))
    sink = FileSink(Path(folder, "shore.out"), 40000)

    def send(batch):
        sink.send(state["frames"] + 1, frames.encode(state["frames"] + 1, batch))
        state["frames"] += 1

    batcher = Batcher(40, 3000, send, lambda: None)
    thread = threading.Thread(target=produce, args=(path,))
    thread.start()
    try:
        while True:
            record = between.get()
            state["gets"] += 1
            batcher.feed(record)
    except ShipError as error:
        print(error)
    thread.join()

print(" ".join(f"{name}={value}" for name, value in state.items()))
print(f"stranded={between.qsize()} rejects_reported={len(reports)} of 10")
'''

TAIL = '''"""Reads what is new in a spool file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from raftline.errors import ShipError
from raftline.offsets import Position
from raftline.records import Line


def lines(path: Path, start: Position) -> Iterator[Line]:
    """Every complete line after a position. Raises ShipError R101 when there is no file."""
    if not path.exists():
        raise ShipError("R101", path.name, "no such spool file")
    offset, number = start.offset, start.line
    with path.open("rb") as file:
        file.seek(offset)
        for raw in file:
            if not raw.endswith(b"\\n"):
                break  # still being written; the next run takes it
            offset += len(raw)
            number += 1
            yield Line(path.name, number, offset, raw[:-1].decode("utf-8", "replace"))
'''

DECODE = '''"""Turns lines into records and reports those that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from raftline.counters import Counters
from raftline.errors import MalformedLine, ShipError
from raftline.records import Line, Record, parse


def decode(
    lines: Iterable[Line], max_rejects: int, report: Callable[[str], None], counters: Counters
) -> Iterator[Record]:
    """Report malformed lines and give up when there are too many in one file."""
    rejects = 0
    for line in lines:
        counters.lines += 1
        try:
            record = parse(line)
        except MalformedLine as error:
            rejects += 1
            counters.rejected += 1
            report(f"R204 {line.source}:{line.number}: {error}")
            if rejects > max_rejects:
                raise ShipError(
                    "R205", line.source, f"more than {max_rejects} lines rejected, file not shipped"
                ) from None
        else:
            yield record
'''

DECODE_TWO = '''"""Turns lines into records and reports those that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from raftline.counters import Counters
from raftline.errors import MalformedLine, ShipError
from raftline.offsets import Position
from raftline.records import Line, Record, parse


def survey(
    lines: Iterable[Line],
    start: Position,
    max_rejects: int,
    report: Callable[[str], None],
    counters: Counters,
) -> Position:
    """Report malformed lines, before anything of the file is shipped. Returns where it ends.

    Raises ShipError R205 when there are too many. Keeps no line.
    """
    rejects, end = 0, start
    for line in lines:
        counters.lines += 1
        end = Position(line.offset, line.number)
        try:
            parse(line)
        except MalformedLine as error:
            rejects += 1
            counters.rejected += 1
            report(f"R204 {line.source}:{line.number}: {error}")
            if rejects > max_rejects:
                raise ShipError(
                    "R205", line.source, f"more than {max_rejects} lines rejected, file not shipped"
                ) from None
    return end


def decode(lines: Iterable[Line], end: Position) -> Iterator[Record]:
    """The records up to ``end``. The survey has reported what is malformed."""
    for line in lines:
        if line.number > end.line:
            return  # written since the survey; the next run takes it
        try:
            record = parse(line)
        except MalformedLine:
            continue
        yield record
'''

FILTERS = '''"""Drops what the shore does not want."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raftline.counters import Counters
from raftline.records import LEVELS, Record


def at_least(level: str, records: Iterable[Record], counters: Counters) -> Iterator[Record]:
    """Records of a level or above."""
    least = LEVELS.index(level)
    for record in records:
        if LEVELS.index(record.level) >= least:
            yield record
        else:
            counters.dropped += 1


def without_repeats(records: Iterable[Record], counters: Counters) -> Iterator[Record]:
    """Drop a record that repeats the preceding one (time stamps aside)."""
    last: tuple[str, str, str] | None = None
    for record in records:
        key = (record.level, record.device, record.message)
        if key == last:
            counters.dropped += 1
        else:
            last = key
            yield record
'''

ENRICH = '''"""Says where a record comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from raftline.records import Record


def enriched(records: Iterable[Record], vessel: str, route: str) -> Iterator[Record]:
    """Add vessel, route and a sequence number that counts within one spool file."""
    for sequence, record in enumerate(records, 1):
        yield replace(record, vessel=vessel, route=route, sequence=sequence)
'''

BATCHES = '''"""Groups records for one frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raftline.records import Record


def batches(records: Iterable[Record], number: int, size: int) -> Iterator[list[Record]]:
    """Lists of records up to a number or a size in bytes, whichever comes first."""
    batch: list[Record] = []
    held = 0
    for record in records:
        length = len(record.packed().encode()) + 1
        if batch and (len(batch) >= number or held + length > size):
            yield batch
            batch, held = [], 0
        batch.append(record)
        held += length
    if batch:
        yield batch
'''

BOUNDED = '''"""Bounds what is in memory between the batches and the sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raftline.counters import Counters
from raftline.records import Record


def bursts(
    batches: Iterable[list[Record]], limit: int, counters: Counters
) -> Iterator[list[list[Record]]]:
    """Batches for one dial of the modem: together at most ``limit`` records."""
    burst: list[list[Record]] = []
    held = 0
    for batch in batches:
        counters.held_peak = max(counters.held_peak, held + len(batch))
        if burst and held + len(batch) > limit:
            yield burst
            burst, held = [], 0
        burst.append(batch)
        held += len(batch)
    if burst:
        yield burst
'''

BOUNDED_TWO = '''"""Bounds what is in memory between the batches and the sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raftline.counters import Counters
from raftline.records import Record


def bursts(
    batches: Iterable[list[Record]], limit: int, largest: int, counters: Counters
) -> Iterator[list[list[Record]]]:
    """Batches for one dial of the modem: together at most ``limit`` records.

    A burst leaves as soon as another batch of the ``largest`` size would not fit, so
    no batch waits outside. A single batch above the limit goes alone.
    """
    burst: list[list[Record]] = []
    held = 0
    for batch in batches:
        burst.append(batch)
        held += len(batch)
        counters.held_peak = max(counters.held_peak, held)
        if held + largest > limit:
            yield burst
            burst, held = [], 0
    if burst:
        yield burst
'''

BOUNDED_TESTS = """import pytest

from raftline.bounded import bursts
from raftline.counters import Counters


def groups(sizes, limit, largest):
    counters = Counters()
    found = [
        [len(batch) for batch in burst]
        for burst in bursts(([None] * size for size in sizes), limit, largest, counters)
    ]
    return found, counters.held_peak


@pytest.mark.parametrize(
    ("sizes", "limit", "largest", "expected", "peak"),
    [
        ([40] * 5, 100, 40, [[40, 40], [40, 40], [40]], 80),
        ([40] * 4, 80, 40, [[40, 40], [40, 40]], 80),
        ([40, 7], 10, 40, [[40], [7]], 40),
        ([], 100, 40, [], 0),
    ],
)
def test_the_limit_holds(sizes, limit, largest, expected, peak):
    assert groups(sizes, limit, largest) == (expected, peak)


def test_nothing_is_pulled_ahead():
    pulled = []

    def source():
        for number in range(9):
            pulled.append(number)
            yield [None] * 40

    next(bursts(source(), 120, 40, Counters()))
    assert pulled == [0, 1, 2]
"""

TAIL_TESTS = """import pytest

from raftline.errors import ShipError
from raftline.offsets import Position
from raftline.tail import lines


def test_all_lines(tmp_path):
    path = tmp_path / "gate.log"
    path.write_text("one\\ntwo\\n")
    found = list(lines(path, Position()))
    assert [(line.text, line.number, line.offset) for line in found] == [("one", 1, 4), ("two", 2, 8)]


def test_from_a_position(tmp_path):
    path = tmp_path / "gate.log"
    path.write_text("one\\ntwo\\n")
    assert [(line.number, line.text) for line in lines(path, Position(4, 1))] == [(2, "two")]


def test_an_unfinished_line_is_left(tmp_path):
    path = tmp_path / "gate.log"
    path.write_text("one\\ntw")
    assert [line.offset for line in lines(path, Position())] == [4]


def test_a_missing_file(tmp_path):
    with pytest.raises(ShipError, match="R101 gate.log: no such spool file"):
        next(lines(tmp_path / "gate.log", Position()))
"""

STAGE_TESTS = """import pytest

from raftline.batches import batches
from raftline.counters import Counters
from raftline.decode import decode
from raftline.enrich import enriched
from raftline.errors import ShipError
from raftline.filters import at_least, without_repeats
from raftline.records import Line, parse


def lines(*texts):
    return [Line("gate.log", n, n * 10, f"2031-03-04T00:00:0{n}Z {t}") for n, t in enumerate(texts, 1)]


def records(*texts):
    return [parse(line) for line in lines(*texts)]


def test_decode_reports_and_goes_on():
    reports, counters = [], Counters()
    out = list(decode(lines("INFO a b", "LOUD a b", "INFO a c"), 1, reports.append, counters))
    assert [record.message for record in out] == ["b", "c"]
    assert reports == ["R204 gate.log:2: unknown level 'LOUD'"]
    assert (counters.lines, counters.rejected) == (3, 1)


def test_decode_gives_up():
    with pytest.raises(ShipError, match="R205 gate.log: more than 1 lines rejected"):
        list(decode(lines("LOUD a b", "LOUD a b"), 1, lambda text: None, Counters()))


def test_levels():
    counters = Counters()
    out = at_least("WARN", records("INFO a b", "ALARM a b", "WARN a c"), counters)
    assert [record.level for record in out] == ["ALARM", "WARN"]
    assert counters.dropped == 1


def test_duplicates():
    counters = Counters()
    out = without_repeats(records("INFO a b", "INFO a b", "INFO a c", "INFO a b"), counters)
    assert [record.message for record in out] == ["b", "c", "b"]
    assert counters.dropped == 1


def test_enrich():
    out = enriched(records("INFO a b", "INFO a c"), "Ostra", "K4")
    assert [record.packed().split(" ")[0] for record in out] == ["Ostra/K4#1", "Ostra/K4#2"]


@pytest.mark.parametrize(("number", "size", "sizes"), [(2, 999, [2, 2, 1]), (9, 80, [2, 2, 1]), (9, 1, [1] * 5)])
def test_batches(number, size, sizes):
    out = batches(records(*["INFO gate1 ok"] * 5), number, size)
    assert [len(batch) for batch in out] == sizes
"""

DECODE_TESTS_OLD = STAGE_TESTS[
    STAGE_TESTS.index("def test_decode_reports") : STAGE_TESTS.index("def test_levels")
]

DECODE_TESTS_NEW = """def test_survey_reports_and_goes_on():
    reports, counters = [], Counters()
    end = survey(lines("INFO a b", "LOUD a b", "INFO a c"), Position(), 1, reports.append, counters)
    assert end == Position(30, 3)
    assert reports == ["R204 gate.log:2: unknown level 'LOUD'"]
    assert (counters.lines, counters.rejected) == (3, 1)


def test_survey_gives_up():
    with pytest.raises(ShipError, match="R205 gate.log: more than 1 lines rejected"):
        survey(lines("LOUD a b", "LOUD a b"), Position(), 1, lambda text: None, Counters())


def test_decode_stops_where_the_survey_ended():
    out = decode(lines("INFO a b", "LOUD a b", "INFO a c", "INFO a d"), Position(30, 3))
    assert [record.message for record in out] == ["b", "c"]


"""

PIPELINE_TAIL_OLD = """    outbox = Outbox(counters)
    batcher = Batcher(
        settings.batch_records, settings.batch_bytes, outbox.put, lambda: outbox.drain(send)
    )
    enricher = Enricher(settings.vessel, settings.route, batcher.feed, batcher.end)
    duplicates = DuplicateFilter(counters, enricher.feed, enricher.end)
    levels = LevelFilter(settings.level, counters, duplicates.feed, duplicates.end)
    decoder = Decoder(settings.max_rejects, report, counters, levels.feed, levels.end)
    end = Tail(path, offsets.position(path.name), decoder.feed, decoder.end).run()
    offsets.advance(path.name, end)
"""

PIPELINE_TAIL_ONE = """    end = start = offsets.position(path.name)

    def watched() -> Iterator[Line]:
        nonlocal end
        for line in lines(path, start):
            end = Position(line.offset, line.number)
            yield line

    records = decode(watched(), settings.max_rejects, report, counters)
    records = at_least(settings.level, records, counters)
    records = enriched(without_repeats(records, counters), settings.vessel, settings.route)
    groups = batches(records, settings.batch_records, settings.batch_bytes)
    for burst in bursts(groups, settings.buffer_records, counters):
        counters.dials += 1
        for batch in burst:
            send(batch)
    offsets.advance(path.name, end)
"""

PIPELINE_TAIL_TWO = """    start = offsets.position(path.name)
    end = survey(lines(path, start), start, settings.max_rejects, report, counters)
    records = at_least(settings.level, decode(lines(path, start), end), counters)
    records = enriched(without_repeats(records, counters), settings.vessel, settings.route)
    groups = batches(records, settings.batch_records, settings.batch_bytes)
    for burst in bursts(groups, settings.buffer_records, counters):
        counters.dials += 1
        for batch in burst:
            send(batch)
    offsets.advance(path.name, end)
"""

PIPELINE_TAIL_THREE = """    start = offsets.position(path.name)
    with closing(lines(path, start)) as source:
        end = survey(source, start, settings.max_rejects, report, counters)
    with closing(lines(path, start)) as source:
        records = at_least(settings.level, decode(source, end), counters)
        records = enriched(without_repeats(records, counters), settings.vessel, settings.route)
        groups = batches(records, settings.batch_records, settings.batch_bytes)
        for burst in bursts(groups, settings.buffer_records, settings.batch_records, counters):
            counters.dials += 1
            for batch in burst:
                send(batch)
    offsets.advance(path.name, end)
"""

IMPORTS_OLD = """from raftline import frames
from raftline.batches import Batcher
from raftline.counters import Counters
from raftline.decode import Decoder
from raftline.enrich import Enricher
from raftline.filters import DuplicateFilter, LevelFilter
from raftline.offsets import Offsets, Position
from raftline.outbox import Outbox
from raftline.records import Record
from raftline.settings import Settings
from raftline.sink import FileSink
from raftline.tail import Tail
"""

IMPORTS_ONE = """from raftline import frames
from raftline.batches import batches
from raftline.bounded import bursts
from raftline.counters import Counters
from raftline.decode import decode
from raftline.enrich import enriched
from raftline.filters import at_least, without_repeats
from raftline.offsets import Offsets, Position
from raftline.records import Line, Record
from raftline.settings import Settings
from raftline.sink import FileSink
from raftline.tail import lines
"""

CLOSED_TEST = """

@pytest.mark.parametrize("options", [{"quota": 4000}, {"max_rejects": 1}])
def test_spool_files_are_closed_when_a_run_fails(ferry, monkeypatch, options):
    ferry((900, 90), **options)
    opened = []
    real = Path.open

    def spy(self, *arguments, **keywords):
        file = real(self, *arguments, **keywords)
        if self.suffix == ".log":
            opened.append(file)
        return file

    monkeypatch.setattr(Path, "open", spy)
    with pytest.raises(ShipError) as failure:
        run()
    assert failure.value.exit_code in {65, 73}
    assert opened
    assert all(file.closed for file in opened)
"""

GROWTH_TEST = """

def test_a_run_without_a_buffer_section_works(ferry):
    ferry((300, 0))
    assert run()[0].held_peak <= DEFAULT_BUFFER
"""

APPEND_TEST = """

def test_what_is_appended_while_shipping_waits_for_the_next_run(ferry, monkeypatch):
    root = ferry((300, 0))
    real = FileSink.send

    def send(self, number, frame):
        real(self, number, frame)
        with (root / "deck1.log").open("a") as file:
            file.write(f"2031-03-05T00:00:00Z INFO gate1 car {number} passed\\n")

    monkeypatch.setattr(FileSink, "send", send)
    first, _ = run()
    monkeypatch.setattr(FileSink, "send", real)
    second, _ = run()
    assert (first.lines, first.sent) == (300, 240)
    assert (second.lines, second.sent) == (first.frames, first.frames)
"""

DOCS_OLD = """Every stage gets a callback for what it passes on and one for the end:

    Tail -> Decoder -> LevelFilter -> DuplicateFilter -> Enricher -> Batcher -> Outbox

At the end of a spool file the outbox is drained into the sink. One drain is one dial
of the modem.
"""

DOCS_NEW = """Every spool file is read twice. The survey reads it to the end, reports the lines that
are rejected and keeps none. Only then is the file shipped, by a chain of generators:

    lines -> decode -> at_least -> without_repeats -> enriched -> batches -> bursts

The sink pulls; nobody reads ahead. A burst holds at most `[buffer] records` records and
is one dial of the modem. What is appended after the survey waits for the next run.

The survey comes first because a file with too many rejects (R205) must not be shipped in
part, and because the rejects are reported before a frame can fail with R507.
"""


HISTORY = [
    (
        "decode: a file with many rejects is refused whole\n\n"
        "SHORE-327: the importer broke on half a file from the Brim. 50 rejects were too\n"
        "patient, 20 are enough.\n\nReviewed-by: Sunniva Dahl <sunniva@raftline.example>",
        "raftline.ini",
        "max_rejects = 50",
        "max_rejects = 20",
    ),
    (
        "sink: quota of 256 KiB\n\n"
        "SHORE-341: 131072 bytes were full after nine hours in the ferry week.\n\n"
        "Reviewed-by: Jorun Lie <jorun@raftline.example>",
        "raftline.ini",
        "quota = 131072",
        "quota = 262144",
    ),
    (
        "docs: texts on stderr are an interface\n\n"
        "SHORE-356: a reworded R204 blinded the watch for a weekend.\n\n"
        "Reviewed-by: Sunniva Dahl <sunniva@raftline.example>",
        "docs/pipeline.md",
        "The shore watch reads stderr.",
        "The shore watch parses stderr, so its texts are an interface.",
    ),
]

NIGHT_REPORT = '''"""Counts what happened to each box in logs of the yard: ``night_report.py PATH...``."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

PEAK = re.compile(r"held_peak=(\\d+)")
CODE = re.compile(r": (R\\d{3}) ")


def main(paths: list[str]) -> None:
    """One line per box, code and log; runs that were refused count once."""
    for path in map(Path, paths):
        counts: Counter[str] = Counter()
        peaks: dict[str, int] = {}
        for line in path.read_text().splitlines():
            box = line.split(" ")[1]
            counts[f"{box} runs"] += "counters:" in line
            for code in CODE.findall(line):
                counts[f"{box} {code}"] += 1
            for peak in PEAK.findall(line):
                peaks[box] = max(peaks.get(box, 0), int(peak))
        print(f"# {path.name}")
        for name, count in sorted(counts.items()):
            print(f"{name}: {count}")
        for box, peak in sorted(peaks.items()):
            print(f"{box} greatest held_peak: {peak}")


if __name__ == "__main__":
    main(sys.argv[1:])
'''


def past(repo: Repository) -> None:
    """Give the repository a history before the session; ``start`` marks its end."""
    for message, path, old, new in HISTORY:
        repo.change(path, old, new)
        repo.git("commit", "-q", "-a", "-m", message)
    repo.git("tag", "-f", "start")


def look_at_night(session: Recorder) -> None:
    """What the yard's log, the shore watch and the history say before any code is read."""
    session.say(
        "My plan, so that you can stop me early. First I read what the yard has about that night, because a kernel that "
        "kills a process tells how big it was but seldom why. Then the notes of the shore watch, since they define what "
        "may not change, and the recent history, since somebody has usually tuned a number for a reason that is "
        "written nowhere else. Only after that the code, in the order in which a line travels through it. I shall not "
        "touch a stage before I have measured which of them holds the records; refactoring a pipeline on a guess "
        "is how one ends up with two pipelines. When I know it I report to you, and we decide on the shape together."
    )
    session.user("ok go on")
    session.read(
        "ops/logs/ostra-2031-03-04.log",
        "The log of the night as the yard has left it.",
    )
    session.say(
        "What I take from the log. The box was fine for hours, each run taking what had gathered since the one before; then "
        "comes one run with a very long spool, and the kernel ends it. held_peak in the line before the kill is exactly "
        "the number of records that are left when the dropped ones are taken off the lines, so that run had all of "
        "its spool in memory. Normal runs show the same pattern in small: held_peak is equal to sent in each of them. "
        "Independently of that the log has many refused files; by a plain grep 14 runs on the Ostra ended with R205 "
        "that day. I note it as a separate problem, it has nothing to do with memory."
    )
    session.together(
        [read_file("ops/shore-watch.md"), bash("git log -p --format='%h %s%n%b' -3")],
        "The rules of the shore watch, and what was changed last.",
    )
    session.say(
        "Good that I looked. The watch is stricter than I thought, and the importer on shore has an opinion about frame numbers "
        "too; whoever changes the order of things in here has to keep both pages beside the editor. The history shows that the "
        "limit of rejects and the quota were each tuned after an incident, so I treat both as given and change neither."
    )
    session.user(
        "right. Some house rules while I think of it: standard library only, the boxes get no new packages. Nothing under ops/ is "
        "edited by us, that is the yard's folder. Commit subjects start with the module and a colon. And report "
        "counters, never timings. By the way the watchdog restarts the Katla's gate box every night at half past three, "
        "sometimes in the middle of a run, people here keep forgetting that."
    )
    session.say(
        "Noted, all of it. None of these pulls against the plan: generators need nothing beyond the standard library, and the "
        "counters are already the best instrument we have, because they are the same on your laptop and on mine. Where I show "
        "that memory is bounded, I show held_peak and dials for the same spool before and after, nothing with a clock."
    )


def look_at_fleet(session: Recorder) -> None:
    """What boxes the change has to live on."""
    session.user("look at ops/fleet.md too, there are other boxes than the Ostra")
    session.together(
        [read_file("ops/fleet.md"), read_file("ops/runbook.md")],
        "The table of the fleet, and how a version gets onto a box.",
    )
    session.say(
        "The fleet is more mixed than one ferry lets you believe: several grants of memory, two versions of Python, three kinds of "
        "modem, two tariffs. For the design this means three things. The bound must be a setting and not a constant in the "
        "code, because a small box and a large one will want different values. I keep away from syntax that only the "
        "newer Python knows. And a default has to be right for the smallest box, since that is the one where nobody logs in "
        "to set anything. The runbook is new to me as well; the rules about moored ferries and the pilot matter for "
        "the roll-out and not for the code, so I come back to them at the end. What I do not find anywhere is how long a spool may "
        "become when a modem stays dead; I assume that there is no limit, which is the whole point of this work."
    )
    session.user("correct, no limit. continue")
    session.say(
        "Then one consequence of that, because it is easy to overlook. If a spool can be as long as it likes, then so can the time of the "
        "survey, and during all of it nothing is shipped. For a normal night that does not matter. After a long silence of the modem the first "
        "run reads the whole file once before a single frame leaves, and a restart of the box in this time begins the reading "
        "anew. It cannot get into a loop, though, because once the shipping has begun each frame moves the offset forward, and the next "
        "run only surveys what is left. I could have saved the end of the survey in the offsets to spare the second reading, but the content "
        "of that file is one of the things that must not change on errors, so I leave it alone. I mention it so that the people on the "
        "boxes are not surprised when a run is silent for a while at first. A second consequence is about the reports: with a long spool all "
        "rejects appear at the beginning and not in between, exactly as they did with the callbacks, and the watch will see them in "
        "one block. Nobody has to be told about that one, since it has always been so."
    )


def simulator_review(session: Recorder) -> None:
    """Tormod's simulator, Jorun's review: the golden file stays, tee stays out."""
    session.user("and does the simulator survive? check its code")
    session.read(
        "contrib/harbour/simulator.py",
        "I have only looked at the signature so far, so now the caller itself.",
    )
    session.say(
        "It survives. It passes the three arguments by position, catches ShipError and looks at the code of it, and it throws "
        "away the shore file before it tries again after a full sink. None of that depends on callbacks. Two things are worth "
        "knowing, though. It reuses the same Counters object across its attempts, so counters must keep adding up and may "
        "not be reset at the beginning of a run; the generators do that right because they only increment. And it removes the "
        "spool folder as soon as a ferry casts off. On Linux that works with an open file, on other systems it does "
        "not, so somebody will notice if we leave one open. I keep it in mind."
    )
    session.user(
        "Jorun reviewed the branch. Her points: (1) regenerate errors.txt from the new code, then the golden test is simpler and we "
        "get rid of the survey; (2) itertools.tee instead of reading twice; (3) call the limit max_held. What do you think?"
    )
    session.say(
        "Point by point. (1) I am against it, and it was your rule: the golden file was taken from the old code so that it can "
        "contradict the new one; a golden file that is made from the code that it checks agrees with anything. Without the "
        "survey a bad file would be shipped in part again, and that is what SHORE-327 was about. (2) tee would bring the "
        "memory back through the side door: the survey runs to the end before shipping starts, so the slower side would "
        "have the whole file waiting, which is the bug that we are here for. You also excluded it yourself after the tide gauge. "
        "(3) is a matter of taste; buffer_records says what it counts, and the ini section is called buffer already. I "
        "would keep the name. What I do take from her review is that the survey is not explained in the documentation yet."
    )
    session.user("hm no renaming. agreed")
    session.say(
        "Good. I would answer Jorun in the review itself, in a friendly tone, because all of her points come from a wish to have less code, "
        "and that wish is right in general. What she could not see from the diff is the history of the decision: that a single pass was "
        "tried first and why it failed. The commits do not show it, since I never committed the failing version. So I put the reason into the "
        "documentation, where the next reviewer finds it, and I give her the two scenarios by name which fail if the survey is taken out. "
        "Anybody can try that within a minute. In return I would ask her for one more look at the module for the bound, as the condition "
        "there was wrong once already, and I have looked at it for so long that I no longer see it. A second pair of eyes is worth more "
        "at this place than anywhere else in the branch. If she finds a sequence of batch sizes that breaks the limit, a "
        "line in the table of the test is enough to show it. I would be glad about a counterexample now, and much less "
        "glad about one that comes from a ferry. The rest of the branch is plain enough that a normal review will do, and the "
        "stages can be read in any order, as none of them knows the others."
    )
    session.bash(
        "python -m pytest -v --tb=short",
        "Before the next step, all tests by name, so that the review has a list.",
    )
    session.say(
        "All green. The names read like a specification of the errors now, which I like more than the number of them. The stage "
        "tests kept their cases word by word; only the way in which items are pushed and collected has changed. If Jorun wants to "
        "check one thing herself I would point her to the scenario with the bad second file: the first file has to arrive "
        "complete and the second must not leave a trace, which no other scenario checks at the same time."
    )


def night_report(session: Recorder) -> None:
    """A count that was wrong is corrected by a tool that looks at the box."""
    session.user(
        "Sunniva says your 14 refused runs on the Ostra cannot be right, her import shows fewer. Check pls, and the Katla log as well"
    )
    session.read(
        "ops/logs/katla-2031-03-08.log",
        "The log of the Katla first, since I have not seen it yet.",
    )
    session.write(
        "tools/night_report.py",
        NIGHT_REPORT,
        "A grep is what misled me, so this time a small tool which looks at the box in each line.",
    )
    session.bash(
        "python tools/night_report.py ops/logs/ostra-2031-03-04.log ops/logs/katla-2031-03-08.log"
    )
    session.say(
        "Sunniva is right and I was wrong: 9 runs on the Ostra ended with R205, the other five lines come from the Hekla, whose "
        "relay writes into the same file when it is berthed alongside. I counted lines of a file and called them runs of a ferry. "
        "The conclusion about memory does not change, because the killed run is on the Ostra itself, but the number in "
        "my first report was wrong and should not be passed on. The log of the Katla has the relay lines as well, so a count of "
        "that file by grep would be wrong in the same way. It shows something else, too: logrotate renamed the spool there "
        "while a part of it was unread. That is not our bug, but it tells me that rotation during operation really happens and "
        "is not only a thought experiment."
    )
    session.user("thx. keep the tool")
    session.say(
        "It stays, then, with its own commit and without a test; it is a tool for people and not a part of the package. I would "
        "not like to see it grow options. If somebody needs more than these counts, the logs are plain text and awk is on every machine. What "
        "matters to me is the habit: for each number in a report, say from which file it comes and what one line of that file means. "
        "Had I done so the first time, the mistake would have been visible to you at once, as you know who is berthed alongside whom."
    )
    session.bash(
        "git add tools/night_report.py && git commit -q -m 'tools: count by box, not by file' && "
        "git show --stat --format='%h %s'",
        "Committed, on its own.",
    )
    session.say(
        "For completeness, what the log of the second ferry adds beyond the count. Its runs are of the same kind as those on the first "
        "one before the kill, small and regular, each taking what has gathered. Nothing there comes near a limit of memory, so it is a "
        "calm place for a pilot. The restarts and the rotation are what I would watch. A restart in the middle of a run is harmless by "
        "design, because the offsets are written in one step and only for what has been sent, but the old code was never tested for that and "
        "neither is the new one; I only argue from the order of the statements. If a frame has been appended and the offsets have not been "
        "saved when the power goes, then the same records are sent again with the next run under the same number. That was so before, it "
        "is no worse now, and yet I would rather have it known than found. The full sink in the evening is ordinary, the shore file had "
        "simply not been fetched for a while, and the supervisor tried again as it should."
    )


def long_status(session: Recorder) -> None:
    """A report to the user before the end."""
    session.user("how does it look overall? somebody else may take over next week")
    session.say(
        "Then I write it so that somebody else can take over. The shape: each spool file is read twice, first by a survey "
        "that reports what is malformed and keeps nothing, then by a chain of generators which the sink pulls. Nothing runs ahead, "
        "so what is in memory is one burst and one record in hand. The survey exists for one reason only, that the old code knew "
        "all rejects of a file before the first frame of it left, and everything that the shore sees on errors follows from that. "
        "Whoever wants to remove the second reading has to find another way to know this, and I have not found one: threads made the "
        "outcome depend on timing, a spill file has no place to live, copying the iterator holds the whole file. "
        "What surprised me: that a suspended generator keeps its file open as long as somebody keeps the exception, which the "
        "callbacks never did; that a burst which looks at the next batch before it decides holds one batch more than its limit; "
        "and that my count from the log was wrong for a reason that no test could have shown. What I am content with: "
        "the golden file has not been touched since its first commit, every commit is green, and the wiring is shorter than it was. "
        "What I am not content with: the gap between survey and second pass when the file itself is swapped, and that the "
        "shore file is still read whole by the listing command. Both are small, and neither is new in kind, only the first is new in "
        "this branch. For the roll-out the runbook applies as it stands; the pilot has its own criterion there and I would not "
        "invent another. One more thing for whoever comes after me: the counters line is the only output that may change, so if a "
        "new number is wanted, that is where it goes, and never onto stderr."
    )
    session.user("great, thanks")
    session.bash(
        "git diff start HEAD -- src/raftline/tail.py src/raftline/filters.py src/raftline/enrich.py "
        "src/raftline/decode.py src/raftline/batches.py src/raftline/bounded.py src/raftline/outbox.py tests",
        "For the hand-over the whole difference of stages and tests once, as the other person will read it.",
    )
    session.say(
        "I have read the whole difference once more. The stage modules are shorter, and none of them knows its successor any more; "
        "that is what makes them easy to test with plain lists. In the tests nothing was removed that checked a behaviour, the "
        "callback that announced the end has gone with the callbacks themselves. I looked in particular for places which "
        "collect into a list by accident, a sorted or a len or a star, because one of these would undo the bound silently; "
        "there is none between the reading of lines and the burst. The only lists are the batch in hand and the burst itself."
    )


def read_code(session: Recorder) -> None:
    """Act 1: the report, the stages, a dead end."""
    session.system(SYSTEM)
    session.user(
        "raftline was killed on the ferry Ostra the night before last. The log is in ops/logs. The modem had been dead "
        "for two days, so the spool was long. I want the callback pipeline turned into generators with a bounded "
        "buffer. Two rules that hold to the very end: what the tool does on errors stays byte for byte the same "
        "(stderr, exit code, shore.out and offsets.json; the counters line may change), because the shore watch "
        "parses it. And the signature run_pipeline(settings, stderr, counters) stays, the harbour simulator calls it."
    )
    look_at_night(session)
    session.bash(
        "git log --oneline && git ls-files && wc -l src/raftline/*.py | tail -1",
        "I start with the layout, then read the stages in the order in which a line travels.",
    )
    session.together(
        [
            read_file("src/raftline/pipeline.py"),
            read_file("docs/pipeline.md"),
        ]
    )
    session.together(
        [
            read_file("src/raftline/tail.py"),
            read_file("src/raftline/decode.py"),
        ],
        "Seven stages, each with a callback for items and one for the end. The reading side next.",
    )
    session.bash(TESTS, "Before any theory: are the tests green as they stand?")
    session.together(
        [
            read_file("src/raftline/records.py"),
            read_file("src/raftline/counters.py"),
            read_file("tools/make_spool.py"),
        ],
        "What a record weighs, how held_peak is meant, and whether there is a way to make a long spool.",
    )
    session.say(
        "What I have understood so far, before I measure. A line is pushed by the reader through one stage after the other, and "
        "each stage calls the next one directly; there is no loop anywhere but the one over the file. That is elegant in "
        "one respect, because an exception at the far end unwinds through all stages at once and the file is closed on the way. It "
        "is weak in another: the reader sets the pace, and a stage that would like to wait can only put things aside. "
        "So somewhere in this chain there must be a place where things are put aside, and I have two candidates, the stage that makes "
        "groups and the stage that waits for the modem. Decoding, filtering and the addition of the origin handle one item at a time and "
        "keep a key at most. I also note that the stages know their successors only as functions. For the conversion that is "
        "good news: each of them can become a function which takes an iterable and yields, and the wiring is the one place where "
        "their order is written down. What will be harder is everything that happens as a side effect while lines are being pushed: "
        "reports on stderr, counters, the offset. With laziness these effects happen at other moments than today, and I "
        "expect that the difficulties of this work lie there and not in the stages themselves."
    )
    session.user("sounds plausible, go on")
    session.bash(
        TRIAL,
        "33 passed earlier. Now a small spool of 2,400 lines, to see whether held_peak grows with it.",
    )
    session.read(
        "src/raftline/batcher.py",
        "held_peak=1920 is every record that is sent, so memory is proportional to the file. My first suspect is "
        "the batcher: if its size limit never triggers, one batch swallows the file.",
    )
    session.bash(BATCH_PROBE, "Measured alone, with the limits of raftline.ini:")
    session.read(
        "src/raftline/outbox.py",
        "The batcher is innocent: it never holds more than 40 records, over 60 batches (the DEBUG lines included). So they pile up "
        "behind it.",
    )
    session.say(
        "Found: Outbox.put only appends, and Outbox.drain runs once, at the end of the spool file. A push chain "
        "has no way to say 'wait', so everything lands in the outbox first. Before I change anything I want the "
        "error behaviour frozen, since that is your first rule. I would record six error scenarios from the "
        "present code into a golden file and compare from then on. Agreed?"
    )
    session.user(
        "Agreed. Put the golden file under tests/golden and never regenerate it from new code; if it differs, the "
        "code is wrong. Buffer: make it a setting, 256 records to begin with."
    )
    session.together(
        [
            read_file("src/raftline/errors.py"),
            read_file("src/raftline/cli.py"),
            read_file("src/raftline/sink.py"),
            read_file("tests/conftest.py"),
            read_file("tests/test_cli.py"),
        ],
        "To write the scenarios I need what can fail, where it is caught, and how the tests lay out a ferry.",
    )
    session.write(
        "tools/snapshot_errors.py",
        SNAPSHOT,
        "Six scenarios. The two with frames at stake matter most: too many rejects, and a full sink.",
    )
    session.bash(
        "mkdir -p tests/golden && python -m tools.snapshot_errors > tests/golden/errors.txt && cat tests/golden/errors.txt"
    )
    session.write(
        "tests/test_golden.py",
        GOLDEN_TEST,
        "Worth noticing: too-many-rejects leaves shore.out empty (0 bytes), although 420 lines were read before "
        "R205. The old code drains only after the whole file, so a bad file is never shipped in part.",
    )
    session.bash(TESTS)
    session.bash(
        "git add -A && git commit -q -m 'tests: freeze the behaviour on errors' && git log --oneline | head -2",
        "39 passed with the golden tests; that is the first commit.",
    )
    session.say(
        "Why I chose these scenarios and not others. I asked of each stage what it can do wrong in a way that somebody outside sees, and "
        "then combined the places of failure with the state in which the earlier files are. A run with a few malformed lines that "
        "succeeds is the base. A file with too many of them must stop the run. A full sink must stop it as well, but at another "
        "point of the same file, and the reports that belong to the rest of the file come first. Then the same failures in a second file, since "
        "the first one has been shipped by then and its offset has to be saved all the same. I left out wrong settings, because they "
        "are found before any file is opened and the tests of the command line cover them. I compare checksums and not whole texts, which "
        "keeps the file short; the price is that a difference has to be looked at by hand, for which the tool prints the last line. "
        "The tool lies under tools and not under tests, so that one can run it against an old checkout too. Whatever I try from now on, "
        "this comparison runs after every step, and where it differs I stop and look before I do anything else."
    )
    session.point("p1")


def try_threads(session: Recorder) -> None:
    """Act 2: a queue between threads, tried and dropped; then the stages."""
    session.user(
        "Before generators: Jorun suggests a reader thread and queue.Queue(maxsize=64) and leaving the callbacks "
        "alone. Much smaller diff. Try it and show me numbers, counters please, no timings, my laptop is slow anyway."
    )
    session.write(
        "tools/spike_threads.py",
        SPIKE,
        "Fair question. A spike, not for keeping: the reader decodes in a thread, the main thread batches and "
        "ships into a sink that fills up. 2,400 lines with 10 rejects, quota 40000.",
    )
    session.bash("python -m tools.spike_threads")
    session.say(
        "Before I judge, what the spike does and does not show. It uses the present classes without a change, so the diff would indeed "
        "be small, Jorun is right about that. The queue bounds what lies between the two sides, and with a sink that never fails "
        "the result is the same as today. I made the sink fail on purpose, since the good case was never in doubt. I "
        "print counters of both sides, how much was put and how much was taken, and what the reader was doing when the other "
        "side gave up. The timeout in put is mine; a real implementation would need some way to tell the reader to stop, "
        "an event or a sentinel in the other direction, and with it a second protocol next to the callbacks."
    )
    session.say(
        "The bound works, the errors do not. When the sink fails with R507 in frame 18, the reader stays blocked "
        "in put: 64 records are stranded in the queue, and only 3 of the 10 rejects have been reported, where the old "
        "code reports all 10 before the R507 line. Without the timeout of my spike the process would hang. And for "
        "R205 it is worse: how many frames are in shore.out by then is up to the scheduler, so it cannot be byte "
        "for byte the same. I would reject threads with a queue for these two reasons. Another way is to spill the outbox "
        "to a temporary file and keep the callbacks; that keeps every order as it is."
    )
    session.user(
        "Threads are out then, I'll tell Jorun. No spill file either: the root of the gate boxes is read-only and "
        "/run has 2 MB. Generators as planned. And no itertools.tee for counting, we had that in the tide gauge "
        "tool: it keeps everything that the slower side has not read."
    )
    session.bash(
        "rm tools/spike_threads.py && git status --short",
        "The spike goes; it was never committed.",
    )
    session.together(
        [
            read_file("src/raftline/filters.py"),
            read_file("src/raftline/enrich.py"),
        ],
        "Now the middle stages.",
    )
    session.together(
        [
            read_file("tests/test_stages.py"),
            read_file("tests/test_tail.py"),
            read_file("src/raftline/frames.py"),
        ]
    )
    session.bash(
        "grep -rnE 'Batcher|Outbox|Enricher|LevelFilter|DuplicateFilter|Decoder|Tail\\b' --include=*.py src tools | grep -E 'import|class'",
        "Who uses the classes? If it is only pipeline.py, I can drop them without a compatibility layer.",
    )
    session.bash(
        "git mv src/raftline/batcher.py src/raftline/batches.py && "
        "sed -i 's/raftline.batcher import/raftline.batches import/' src/raftline/pipeline.py tests/test_stages.py && "
        f"{TESTS} && git commit -qam 'batches: a name that fits a function' && git show --stat -M --format=%s",
        "Only pipeline.py. batcher.py gets a name that fits a function first, with git mv and in a commit of its own, "
        "because git would not see a rename together with the rewrite.",
    )
    session.repo.git("tag", "renamed")
    session.together(
        [
            write_file("src/raftline/tail.py", TAIL),
            write_file("src/raftline/filters.py", FILTERS),
            write_file("src/raftline/enrich.py", ENRICH),
        ],
        "Now each class becomes a generator function: lines, decode, at_least, without_repeats, "
        "enriched, batches. The end callback disappears, the end of the iteration says it.",
    )
    session.write("src/raftline/decode.py", DECODE)
    session.together(
        [
            write_file("src/raftline/batches.py", BATCHES),
            write_file("src/raftline/bounded.py", BOUNDED),
        ],
        "Then the replacement of the outbox. bursts collects batches for one dial, up to the limit; the sink pulls.",
    )
    session.say(
        "A remark on style, since these modules will be read more often than changed. I made functions of the classes because the state "
        "that they kept lives in local variables of a generator just as well, and there is nothing to configure after the "
        "construction. The names say what comes out and not what the code does: lines, batches, bursts. Where a stage needs the counters it "
        "gets them as the last argument. I did not introduce a base class, nor a registry of stages, nor a builder; the chain is "
        "seven calls long and can be read from top to bottom. If a stage is added one day, one adds a function and one line "
        "to the wiring. The one thing that I am not sure about is the order of the filter for duplicates and the origin. In the present "
        "code duplicates go first, so the sequence numbers have no gaps, and I keep it that way because the shore may rely on it."
    )
    session.user("yes pls keep it")
    session.read(
        "src/raftline/settings.py",
        "The limit needs a setting. How does settings.py treat a key that is missing?",
    )
    session.edit(
        "src/raftline/settings.py",
        '        offsets_path=path.parent / text("offsets", "path"),\n    )',
        '        offsets_path=path.parent / text("offsets", "path"),\n'
        '        buffer_records=number("buffer", "records")\n'
        '        if parser.has_section("buffer")\n'
        "        else DEFAULT_BUFFER,\n    )",
        "A missing key is R310, exit 78. No raftline.ini in the fleet has a [buffer] section yet, so requiring it would "
        "be a new error: the section is optional and DEFAULT_BUFFER stands in.",
    )
    session.together(
        [
            edit_file(
                "src/raftline/settings.py",
                "    offsets_path: Path\n",
                "    offsets_path: Path\n    buffer_records: int\n",
            ),
            edit_file(
                "src/raftline/settings.py",
                "from raftline.records import LEVELS\n",
                "from raftline.records import LEVELS\n\nDEFAULT_BUFFER = 256\n",
            ),
            edit_file("raftline.ini", "[sink]\n", "[buffer]\nrecords = 256\n\n[sink]\n"),
        ]
    )
    session.say(
        "Stages and the setting are in place: buffer of 256 records in raftline.ini and as default. Next is the wiring in "
        "pipeline.py, in one lazy pass; tests are red until then. My expectation is that the sequence of "
        "R204 lines needs care."
    )
    session.point("p2")


def one_pass(session: Recorder) -> None:
    """Act 3: one lazy pass breaks the golden file; two passes keep it."""
    session.user("Go on. One pass is what I had in mind as well.")
    session.together(
        [
            edit_file("src/raftline/pipeline.py", IMPORTS_OLD, IMPORTS_ONE),
            edit_file("src/raftline/pipeline.py", PIPELINE_TAIL_OLD, PIPELINE_TAIL_ONE),
            edit_file(
                "src/raftline/pipeline.py",
                "from pathlib import Path\nfrom typing",
                "from collections.abc import Iterator\nfrom pathlib import Path\nfrom typing",
            ),
        ],
        "The wiring shrinks to a chain. The outbox is no longer imported.",
    )
    session.together(
        [
            write_file("tests/test_stages.py", STAGE_TESTS),
            write_file("tests/test_tail.py", TAIL_TESTS),
        ],
        "The stage tests keep their cases and lose the callbacks.",
    )
    session.bash(TESTS)
    session.bash(
        "python -m tools.snapshot_errors | diff tests/golden/errors.txt -",
        "Three golden scenarios differ. The whole difference at once:",
    )
    session.say(
        "I do not touch anything yet, I want to understand the difference first. A failing golden test is easily made green by moving a "
        "statement until the checksums agree, and then nobody knows why it holds. So I ask of each scenario which event comes at another "
        "moment than in the old code, and whether the outside could ever see the old order again by a local repair. In the chain of callbacks "
        "the whole file was decoded before the first frame was built, not because somebody wanted it but because everything was put aside; the "
        "order of effects was a by-product of the waste of memory. That is the uncomfortable part of this task: we want to remove the "
        "waste and keep its by-product. Whoever wrote the rule for the shore watch relied on it without knowing."
    )
    session.say(
        "Two different breaks. With sink-full, R507 comes while the rest of the file is unread, so the later R204 "
        "lines are missing from stderr. With too-many-rejects, frames have left before the twenty-first reject is seen: "
        "shore.out is no longer empty and the offsets have moved. The first I can mend by reading on after a failure: "
        "drain the generator in a finally and report what it finds. The second cannot be mended that way, because "
        "what is in shore.out cannot be taken back."
    )
    session.user("Truncate shore.out back to its old length on R205?")
    session.say(
        "I would not: the modem picks frames up while we append, so a frame that was cut off again may already be on "
        "shore, and its number would be given out a second time. My proposal instead of the single pass: two passes "
        "over each spool file. The first, a survey, parses every line, reports the rejects and keeps nothing; only when it "
        "came through without R205 does the second pass ship. Cost: every line is parsed twice. Gain: both breaks vanish "
        "for the same reason, since all rejects are known before the first frame."
    )
    session.user(
        "Two passes then, parsing is cheap next to the modem. I take back the single pass. But mind that a spool "
        "file grows while we read: the second pass must not run past what the survey has seen."
    )
    session.say(
        "Understood, and it is a good point, since I would have walked into it. A gate writes all the time. If the shipping pass simply "
        "read to the end of the file, it would meet lines that nobody has surveyed, and among these a malformed one would be "
        "reported in the middle of shipping or not at all. So the survey has to hand over where it stopped, and the second "
        "pass must stop at the same place, whatever has been appended since. What comes later is a matter of the next run, which is what "
        "happens with an unfinished line already. I store the position and not the size of the file, because the position is what "
        "the offsets hold anyway, and the number of the line comes with it, which the reports need. I would also like to have both "
        "passes use the same function for parsing; if they did not, one could call a line good that the other rejects, and then "
        "the whole argument for the survey would fall apart. So parse stays as it is and is called from both. The counters "
        "for lines and rejects belong to the survey alone, otherwise each line would be counted twice."
    )
    session.write(
        "src/raftline/decode.py",
        DECODE_TWO,
        "survey returns the position where it ended, and decode stops there. That also replaces the watched() detour.",
    )
    session.together(
        [
            edit_file("src/raftline/pipeline.py", PIPELINE_TAIL_ONE, PIPELINE_TAIL_TWO),
            edit_file(
                "src/raftline/pipeline.py",
                "from raftline.decode import decode\n",
                "from raftline.decode import decode, survey\n",
            ),
            edit_file("src/raftline/pipeline.py", "import Line, Record\n", "import Record\n"),
            edit_file("src/raftline/pipeline.py", "from collections.abc import Iterator\n", ""),
        ]
    )
    session.together(
        [
            edit_file("tests/test_stages.py", DECODE_TESTS_OLD, DECODE_TESTS_NEW),
            edit_file("tests/test_stages.py", "import decode\n", "import decode, survey\n"),
            edit_file(
                "tests/test_stages.py",
                "from raftline.records",
                "from raftline.offsets import Position\nfrom raftline.records",
            ),
        ]
    )
    session.bash(TESTS)
    session.bash(
        "python -m tools.snapshot_errors | cmp - tests/golden/errors.txt && echo identical"
    )
    session.bash(
        TRIAL, "40 passed and the snapshot is identical again. And memory, on the same spool?"
    )
    session.say(
        "Let me say what I expect of these counters before I interpret them, so that I do not talk myself into something. Lines, rejects, drops, "
        "frames and what was sent have to be the same as with the callbacks, because the same records travel. Dials may grow, since the "
        "modem is now called for each burst and not once for a file; that is the price of the bound, and whether it is acceptable "
        "depends on the contract and not on me. The peak is the number that this is all about. It has to stay at or below the setting for "
        "any length of spool, and if it lies above it by even one batch then the limit is a wish and not a limit. On a box with "
        "little memory and long records one batch may be the difference between a run and a kill."
    )
    session.say(
        "held_peak went from 1920 to 280, but the limit is 256, so the bound is not kept. A burst of six batches holds 240 "
        "records, and bursts pulls the seventh batch before it knows that it does not fit: 240 + 40 = 280. The burst "
        "must leave as soon as another full batch would not fit, then no batch waits outside."
    )
    session.write("src/raftline/bounded.py", BOUNDED_TWO)
    session.together(
        [
            edit_file(
                "src/raftline/pipeline.py",
                "settings.buffer_records, counters)",
                "settings.buffer_records, settings.batch_records, counters)",
            ),
            write_file("tests/test_bounded.py", BOUNDED_TESTS),
        ]
    )
    session.bash(f"{TESTS} && {TRIAL}")
    session.bash(
        "git rm src/raftline/outbox.py",
        "I delete src/raftline/outbox.py.",
    )
    session.bash(
        "git add -A && "
        "git commit -q -m 'pipeline: pull records through generators, survey first' && git show --stat --format=%s | cat",
        "The bound holds now. Commit:",
    )
    session.read(
        "src/raftline/pipeline.py",
        "A last look at the whole of pipeline.py after so many replacements.",
        (20, 70),
    )
    session.say(
        "pipeline.py reads well: survey, then one chain, then send. The public signature is untouched. I would go on to the "
        "documentation unless you want another value for the buffer first."
    )
    look_at_fleet(session)
    session.user(
        "Nice. Dials are billed one by one on the Ostra contract: at most 6 dials for such a spool of 2,400 lines. Raise the "
        "buffer to 400 records, ini and default."
    )
    session.bash(
        "sed -i 's/^DEFAULT_BUFFER = 256/DEFAULT_BUFFER = 400/' src/raftline/settings.py && "
        "sed -i '/^\\[buffer\\]/,/^$/s/^records = 256/records = 400/' raftline.ini && git diff -U1 && "
        + TRIAL
    )
    session.bash(
        f"{TESTS} && git commit -qam 'settings: buffer of 400 records' && git log --oneline | head -1",
        "5 dials with 400 records, ten batches each. Tests and commit:",
    )
    session.point("p3")


def finish(session: Recorder) -> None:
    """Act 4: open files, the last change of the buffer, documentation, what is left."""
    session.user(
        "The harbour simulator people report that after a run_pipeline that failed they cannot delete the spool folder on "
        "their machine, 'file in use'. Only since the branch. Can that be us?"
    )
    session.bash(
        "cat tests/test_pipeline.py | head -20 && git show start:src/raftline/tail.py | sed -n '27,45p'",
        "It can. The old Tail.run held the file in a with block that an exception left at once. A generator is only "
        "suspended when the stage after it fails: as long as somebody keeps the exception, its traceback keeps the "
        "generator, and the with block inside is not left.",
    )
    session.bash(
        "cat >> tests/test_pipeline.py <<'PY'\n" + CLOSED_TEST + "PY\n"
        "sed -i 's/^from pathlib import Path$/from pathlib import Path\\n\\nimport pytest/; "
        "s/^from raftline.counters import Counters$/from raftline.counters import Counters\\nfrom raftline.errors import ShipError/' "
        "tests/test_pipeline.py && python -m pytest -q --tb=short tests/test_pipeline.py",
        "A test first, which spies on the spool files that were opened and holds the exception, for R507 and for R205.",
    )
    session.together(
        [
            edit_file(
                "src/raftline/pipeline.py",
                PIPELINE_TAIL_TWO.replace(
                    "settings.buffer_records, counters",
                    "settings.buffer_records, settings.batch_records, counters",
                ),
                PIPELINE_TAIL_THREE,
            ),
            edit_file(
                "src/raftline/pipeline.py",
                "from pathlib import Path\n",
                "from contextlib import closing\nfrom pathlib import Path\n",
            ),
            edit_file(
                "src/raftline/tail.py",
                "from collections.abc import Iterator\n",
                "from collections.abc import Generator\n",
            ),
            edit_file(
                "src/raftline/tail.py", "-> Iterator[Line]:", "-> Generator[Line, None, None]:"
            ),
        ],
        "Reproduced, both cases. contextlib.closing around lines leaves the with block whatever happens downstream; lines "
        "is declared as a Generator, since an Iterator has no close.",
    )
    session.bash(TESTS)
    session.bash(
        "git diff -U2 -- src && git commit -qam 'pipeline: close spool files when a run fails' && git log --oneline | head -1"
    )
    simulator_review(session)
    session.say(
        "While we are between two topics, a word about what I learned from the open files, because it is the kind of thing that comes back. "
        "With callbacks the lifetime of a resource is the lifetime of a call, and one never thinks about it. With generators it is "
        "the lifetime of an object, and an object lives as long as anybody refers to it, an exception in a variable "
        "included. Tests do not show it by themselves, because in most of them the exception is dropped at once and the interpreter "
        "cleans up immediately. My test therefore keeps the failure on purpose and looks at the files while it is still held. "
        "I considered to collect the stages in a stack of contexts and to close all of them; but only the reader "
        "owns something that must be given back, the others hold plain values, so one place is enough and easier to understand."
    )
    session.user(
        "Confirmed by the simulator people. Bad news from the gate boxes: the process gets 4 MB there, and since the new firmware "
        "an ALARM record carries a trace of up to 32 KB. 400 of those would be 12.8 MB. Dials no longer matter, Ostra has a flat rate "
        "from this week. So: 120 records, ini and default. Does anything else hold records?"
    )
    session.bash(
        "sed -i 's/^DEFAULT_BUFFER = 400/DEFAULT_BUFFER = 120/' src/raftline/settings.py && "
        "sed -i '/^\\[buffer\\]/,/^$/s/^records = 400/records = 120/' raftline.ini && grep -rn 'DEFAULT_BUFFER =' src && "
        + TRIAL
    )
    session.bash(
        "rm -rf spool shore.out offsets.json && python tools/make_spool.py spool/gate.log 12000 && "
        "sed 's/^quota = .*/quota = 9000000/' raftline.ini > big.ini && "
        "python -m raftline ship --config big.ini --counters; rm -f big.ini shore.out offsets.json",
        "120 × 32 KB is 3.84 MB, below the 4 MB. Besides the burst there is one record in hand in batches and the key of the "
        "preceding one in without_repeats, nothing that grows. Five times the spool as a proof:",
    )
    session.bash(
        "cat >> tests/test_pipeline.py <<'PY'\n" + GROWTH_TEST + "PY\n"
        "sed -i 's/^from raftline.settings import load$/from raftline.settings import DEFAULT_BUFFER, load/' "
        f"tests/test_pipeline.py && {TESTS}",
        "held_peak stays 120 at 12,000 lines. A test keeps the optional [buffer] section and the bound:",
    )
    session.say(
        "To your question whether anything else holds records, I went through the chain by hand, since a counter only sees what it is told. "
        "The reader holds one line and whatever the operating system buffers for it. Decoding holds the line in hand. The filter by level holds "
        "nothing. The filter for repeats holds the key of the preceding record, which contains its message, so with the new "
        "firmware that may be a long string, but there is one of it at any time. The stage that adds the origin makes a copy of a record "
        "and lets the other go. The grouping stage holds the batch that is being filled, and the record that did not fit into the one "
        "before. The burst holds what the limit allows. Encoding a frame makes the text of one batch and then its bytes, so for a moment a batch "
        "exists three times; this is not new, the old code did the same, and it is bounded by the size of a frame. The sink "
        "writes and forgets. Beyond that there are the offsets, one entry for each file, and the counters. I also looked at stderr, "
        "because a StringIO in the simulator keeps all that is reported, but there the number of rejects per file has a limit. "
        "So the sum is a burst, a batch and small change, and the setting is what decides."
    )
    session.user("good, next")
    session.user(
        "I asked that the second pass must not run past what the survey has seen. Is there a test of that with the whole pipeline?"
    )
    session.read(
        "tests/test_pipeline.py",
        "One for decode alone, in test_stages.py, so I look at what the pipeline tests have so far.",
    )
    session.bash(
        "cat >> tests/test_pipeline.py <<'PY'\n" + APPEND_TEST + "PY\n"
        "sed -i 's/^from raftline.settings import DEFAULT_BUFFER, load$/&\\nfrom raftline.sink import FileSink/' "
        f"tests/test_pipeline.py && {TESTS}",
        "No. The new one appends a line to the spool after every frame, as a gate would, and expects these lines in the "
        "next run only.",
    )
    session.edit(
        "docs/pipeline.md", DOCS_OLD, DOCS_NEW, "The documentation still describes callbacks."
    )
    session.say(
        "What I put into the documentation and what I left out. It names the order of the stages, that a file is read twice, and why. "
        "The reason is the important part, since the second reading looks like a waste to everybody who sees it for the first time, and "
        "sooner or later somebody will try to optimise it away; Jorun's review was the first attempt, and a friendly one. I left out how the "
        "generators work, that is Python and not ours. I left out the history of the bound as well, the values that it had in between are "
        "in the commits, and a page that tells old values next to the valid one is a page that misleads. The table of codes stays as "
        "it is, to the letter. In the change log I wrote two lines for the people who run the boxes: what they can set and what they "
        "need not worry about. I did not write that it is faster, because I have not measured that and you did not want it measured."
    )
    session.user("ok fine")
    session.edit(
        "CHANGELOG.md",
        "# Changelog\n",
        "# Changelog\n\n## Unreleased\n\n- memory is bounded by `[buffer] records` (120)\n"
        "- every spool file is surveyed before it is shipped; what happens on errors is unchanged\n",
    )
    session.bash(
        "python -m tools.snapshot_errors | cmp - tests/golden/errors.txt && echo identical && git add -A && "
        "git commit -q -m 'settings: buffer of 120 records; document the two passes' && git diff --stat -M start HEAD"
    )
    session.bash(
        "git diff start HEAD -- src/raftline/pipeline.py src/raftline/settings.py",
        "Identical. Before I hand it over, the difference of the two modules that the simulator depends on, as a reviewer would see it:",
    )
    session.say(
        "run_pipeline itself has not a changed line; only _ship_file and the imports have. Ready for your review."
    )
    night_report(session)
    session.say(
        "Two thoughts about the correction, since wrong numbers travel faster than right ones. First, who else has the number by now? I "
        "named it in my first summary, so if you forwarded that one, please send the corrected count after it. Second, the tool "
        "is deliberately simple: it takes the box from the second word of each line and believes it. If the yard ever changes the "
        "form of its logs, it prints nonsense rather than an error, and I would not build an alarm upon it. For a look at one "
        "night it is good enough, and it is kept apart from the package so that it never gets onto a box by accident."
    )
    session.user(
        "Good. Not now, but note it down: `raftline frames` still loads the whole shore file with read_bytes, make decode in frames.py "
        "read from a stream next week. And what happens if logrotate swaps the spool file between survey and second pass?"
    )
    session.bash(
        "sed -n '20,45p' src/raftline/offsets.py && grep -n 'inode\\|st_ino' -r src | head -3",
        "offsets.json knows names, offsets and lines, so I look whether anything identifies the file itself.",
    )
    session.say(
        "Nothing does. If logrotate swaps the file between the passes, the second pass reads a file that the survey has not seen. "
        "The old code read once, so this gap is new. Opening the file once and seeking back for the second pass would close it; "
        "I have not done that."
    )
    session.user(
        "Then that comes first, on Monday, before the roll-out; the roll-out starts on the Katla, not on the Ostra. Release 0.9.0 I tag myself. "
        "Summarise where we are."
    )
    long_status(session)
    session.say(
        "One last look at the things that I considered and dropped, so that nobody has to think of them again. A limit in bytes instead of "
        "records: it would fit the problem of long traces better, but the unit of a frame is the record, the counters speak of records, and "
        "the people on the boxes can count records in a spool with wc. If the traces grow once more it may be worth a second look. A pool of "
        "workers for several spool files at once: no box has more than a few files, and the sink is one. An asynchronous version: it would turn "
        "every stage and the simulator inside out for a program which waits for a modem anyway. Compressing the frames: the importer "
        "would have to learn it first, so that is a talk with the harbour office and not a refactoring. A check of free memory at the start: it "
        "tells what is free now and not what will be needed, and the setting does the same job without surprise. And a limit for the "
        "length of a spool, which would have avoided the kill, would have lost the lines of those days for it. I also thought about a "
        "switch that brings the old chain back, for a quiet return if the pilot goes wrong. I decided against it: two chains would have to be "
        "tested and kept alike in every error, and the version before is one command away on every box. What I would do, if there is time "
        "after the open point of Monday, is to run the simulator for a whole day against the branch with spools of very different lengths, because "
        "it is the only program that calls us many times within one process, and leaks of a small kind would show there first."
    )
    session.user("makes sense")
    session.say(
        "Then a last word on how to work with this branch. Begin with the page about the pipeline, then read the wiring, then whichever stage "
        "you need. Run the comparison of errors after each step and not only at the end, as a difference is easy to explain when one "
        "thing has changed and hard when five have. If you must touch the order of two stages, think of the counters first: what is dropped "
        "before a stage is not counted in it. If you need a trial with a long spool, make one with the tool and remove it afterwards, "
        "the folder is ignored by git, but a shore file that is left over fills the quota of the next trial, which has "
        "confused me once. And if a figure surprises you, believe the figure before you believe the explanation, mine included. "
        "Everything that I know about the branch is either in the commits or in what I have written to you here; "
        "there is no other place with notes, and nothing is left uncommitted on this machine."
    )
    session.bash(f"{TESTS} && git status --short && git log --oneline start..HEAD")
    session.say(
        "State: 49 passed, the tree is clean, seven commits since the start, all error scenarios identical to the golden file, and "
        "run_pipeline has the signature it had. Still to do, in this sequence: open each spool file once and seek back, so that logrotate "
        "cannot swap it between the passes (Monday); roll out on the Katla first; frames.decode from a stream instead of read_bytes (next "
        "week). Release 0.9.0 is yours to tag."
    )
    session.point("p4")
    session.repo.check_changed(
        "renamed",
        added=[
            "src/raftline/bounded.py",
            "tests/test_bounded.py",
            "tools/night_report.py",
        ],
    )
    session.repo.check_changed(
        "start",
        added=[
            "src/raftline/batches.py",
            "src/raftline/bounded.py",
            "tests/golden/errors.txt",
            "tests/test_bounded.py",
            "tests/test_golden.py",
            "tools/night_report.py",
            "tools/snapshot_errors.py",
        ],
    )
    moved = session.repo.git("show", "-M", "--name-status", "--format=", "renamed")
    assert "R100\tsrc/raftline/batcher.py\tsrc/raftline/batches.py" in moved
    session.repo.check_changed("renamed", deleted=["src/raftline/outbox.py"])
    session.repo.check_changed("start", modified=[*MODIFIED, *MODIFIED_TESTS])


CHANGES = {
    "created": "write_file",
    "modified": "edit_file",
    "read": "read_file",
}

Row = tuple[str, str, list[str]]


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    if change == "deleted":
        proof = session.holding(f"git rm {path}", f"delete {path}", calls=True)
    elif change == "renamed":
        proof = session.holding(f"git mv {path}", calls=True)
    else:
        proof = session.doing(CHANGES[change], f'"path": "{path}"')
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof)
    )


def ask(
    session: Recorder,
    id: str,
    kind: str,
    question: str,
    rows: list[Row | dict[str, Any]],
    against: dict[int, list[tuple[str, list[str]]]],
    point: str | None = None,
    answer: dict[str, Any] | None = None,
) -> None:
    """A probe from rows of facts; ``against`` has the traps of a row by its number."""
    facts = [
        row if isinstance(row, dict) else session.fact(row[0], type=row[1], keys=row[2])
        for row in rows
    ]
    traps = [
        session.trap(text, of=facts[number]["text"], keys=keys)
        for number, each in against.items()
        for text, keys in each
    ]
    session.probe(id, kind, question, facts, traps, answer, point)


def ask_after_stages(session: Recorder) -> None:
    """Asked at p2: the night, the rules of the watch, what was frozen."""
    ask(
        session,
        "night-on-ostra",
        "recall",
        "What did the night's log hold about the killed run (memory, peak, signal) and about "
        "the modem, and where does that log lie?",
        [
            (
                "raftline was killed at anon-rss 61440 kB",
                "value",
                [
                    "anon-rss|RSS|resident memory|memory|killed|oom-kill|OOM",
                    "61440 kB|60 MB|60 MiB|61440",
                ],
            ),
            ("the killed run had held_peak=38400", "value", ["held_peak|peak", "38400"]),
            (
                "raftline ended by signal 9",
                "error",
                ["raftline|process|run|supervisor", "signal 9|SIGKILL"],
            ),
            ("the modem reported E31 no carrier", "error", ["modem", "E31|no carrier"]),
            file_fact(session, "ops/logs/ostra-2031-03-04.log", "read"),
        ],
        {
            0: [
                (
                    "raftline was killed at anon-rss 57344 kB",
                    ["anon-rss|RSS", "57344 kB|57344"],
                )
            ],
            1: [("the killed run had held_peak=48000", ["held_peak|peak", "48000"])],
            2: [
                (
                    "raftline ended by signal 11",
                    ["raftline|process|run|supervisor", "signal 11|SIGSEGV|segmentation fault"],
                )
            ],
        },
        "p2",
    )
    ask(
        session,
        "rules-of-the-watch",
        "recall",
        "What does the shore watch do with stderr and R204 and R507 lines: how much is read, which alerts "
        "exist, how often is the shore file polled, and which tickets tuned the limits of rejects and quota?",
        [
            (
                "at most 16384 bytes of stderr are read per run",
                "constraint",
                ["stderr", "16384 bytes|16 KB|16 KiB|16384"],
            ),
            ("ALERT-21 fires after 25 R204 lines", "value", ["ALERT-21", "R204", "25"]),
            (
                "ALERT-34 pages Sunniva for R507",
                "identifier",
                ["ALERT-34", "R507", "Sunniva|pages|pager|paged"],
            ),
            (
                "the importer polls shore.out every 20 seconds",
                "state",
                ["importer|polls|polled|poll", "20 seconds"],
            ),
            (
                "SHORE-341 raised the quota because 131072 bytes were full after nine hours",
                "reason",
                [
                    "SHORE-341",
                    "131072 bytes|131072|128 KB|128 KiB|old quota",
                    "nine hours|full|exhausted|filled",
                ],
            ),
        ],
        {
            1: [("ALERT-21 fires after 20 R204 lines", ["ALERT-21", "20"])],
            2: [("ALERT-40 pages Sunniva for R507", ["ALERT-40", "Sunniva"])],
            4: [("SHORE-327 raised the quota", ["SHORE-327", "quota|131072 bytes"])],
            3: [
                (
                    "the importer polls shore.out every 120 seconds",
                    ["importer|polls|polled|poll", "120 seconds"],
                )
            ],
        },
        "p2",
    )
    ask(
        session,
        "first-suspect",
        "decision",
        "Which stage was suspected for the memory and cleared by which measurement, and what is the real place where "
        "records pile up? Which peak did the small trial show at first?",
        [
            (
                "the batcher never holds more than 40 records",
                "reason",
                ["batcher", "40 records|most_in_batcher=40"],
            ),
            (
                "Outbox.drain runs once, at the end of the spool file",
                "reason",
                [
                    "Outbox.drain|drain|outbox drained|drained|outbox",
                    (
                        "once|one time|single time|end of the spool file|end of file|"
                        "end of the file|whole file"
                    ),
                ],
            ),
            (
                "the trial of the batcher gave batches=60",
                "command",
                ["batches", "60|60 batches|batches=60"],
            ),
            (
                "the small spool had held_peak=1920 before the change",
                "value",
                ["held_peak|peak", "1920"],
            ),
        ],
        {
            0: [
                (
                    "the batcher holds 1920 records",
                    ["batcher", "1920 records"],
                )
            ],
            2: [("the trial of the batcher gave batches=48", ["batches", "48 batches|batches=48"])],
        },
        "p2",
    )


def ask_after_wiring(session: Recorder) -> None:
    """Asked at p3: the spike, the frozen scenarios, the bound."""
    ask(
        session,
        "spike-numbers",
        "recall",
        "Which error ended the spike with a reader thread, what was left in its queue, how many rejects were "
        "reported and what became of the producer? Why were threads ruled out?",
        [
            (
                "R507 came at frame 18 with quota 40000",
                "error",
                ["R507|sink", "frame 18", "quota 40000|40000|fails|failed|stopped"],
            ),
            (
                "64 records were stranded in the queue",
                "value",
                ["stranded|stuck|unshipped|never shipped|orphaned", "64"],
            ),
            (
                "the producer was blocked in put",
                "state",
                ["producer|reader|reader thread", "blocked|stuck|hung|deadlock"],
            ),
            (
                "how many frames are in shore.out is up to the scheduler",
                "reason",
                [
                    "frames",
                    (
                        "scheduler|scheduling|thread timing|nondeterministic|non-deterministic|"
                        "not deterministic|thread switching"
                    ),
                ],
            ),
        ],
        {
            0: [("R507 came at frame 4 with quota 40000", ["frame 4", "quota 40000|40000"])],
            2: [
                (
                    "the producer was finished",
                    ["producer|reader thread", "finished|completed|ended normally"],
                )
            ],
            3: [
                (
                    "the reader thread with a queue was adopted",
                    ["thread|threads|queue", "adopted|chosen|accepted"],
                )
            ],
        },
        "p3",
    )
    ask(
        session,
        "frozen-scenarios",
        "recall",
        "What does the golden file hold: the stop of the full sink with its frame, the missing second file, "
        "the size of the shore file with few rejects, and may it ever be made anew?",
        [
            (
                "sink-full: R507 frame 4 does not fit (quota 8000 bytes)",
                "error",
                ["R507|sink-full", "frame 4", "8000 bytes|8000|quota|not fit"],
            ),
            (
                "second-file-missing: R101 deck2.log",
                "error",
                ["R101|second-file-missing|no such spool file", "deck2.log"],
            ),
            (
                "with few rejects shore.out has 12450 bytes",
                "value",
                ["shore.out|shore file|few-rejects|few rejects", "12450 bytes|12450"],
            ),
            (
                "the golden file is never regenerated from new code",
                "constraint",
                [
                    "golden",
                    (
                        "never regenerate|not regenerate|never regenerated|never recreate|"
                        "not recreated|never remade|never rebuilt|no regeneration|"
                        "never rewritten|never overwritten|regenerate forbidden"
                    ),
                ],
            ),
        ],
        {
            0: [
                (
                    "sink-full: R507 frame 6 does not fit (quota 8000 bytes)",
                    ["R507|sink-full", "frame 6", "8000 bytes|8000|quota|not fit"],
                )
            ],
            1: [
                (
                    "second-file-missing: R101 deck1.log",
                    ["R101|second-file-missing|no such spool file", "deck1.log"],
                )
            ],
            2: [
                (
                    "with few rejects shore.out has 7871 bytes",
                    ["few-rejects|few rejects", "shore.out|shore file", "7871 bytes|7871"],
                )
            ],
        },
        "p3",
    )
    ask(
        session,
        "bound-not-kept",
        "decision",
        "When bursts did not keep the bound: which peak appeared, how was it mended, which peak did the mended version show, "
        "and what did the commit of the rename have as its subject?",
        [
            (
                "held_peak was 280 although the limit was 256",
                "value",
                ["held_peak|peak", "280", "256|limit|bound|buffer|exceed|overshoot"],
            ),
            (
                "a burst leaves when another full batch would not fit",
                "decision",
                [
                    "burst",
                    (
                        "another full batch|another batch|next full batch|full batch not fit|"
                        "next batch|largest batch|not fit|room for another"
                    ),
                    "leaves|yield|flush|emitted|sent|goes out|shipped|released|early",
                ],
            ),
            ("the repaired version had held_peak=240", "value", ["held_peak|peak", "240"]),
            (
                "the commit is batches: a name that fits a function",
                "identifier",
                ["batches|batcher|rename", "name that fits a function"],
            ),
        ],
        {0: [("held_peak was 296 although the limit was 256", ["held_peak|peak", "296"])]},
        "p3",
    )


def ask_recall(session: Recorder) -> None:
    """Values said in passing, changed, or corrected."""
    ask(
        session,
        "passing-remark",
        "recall",
        "The pilot starts on the Katla. What happens to its gate box each night and when, which Python, modem and memory has "
        "it, and what did its log hold about rotation and the full sink?",
        [
            (
                "the watchdog restarts the Katla's gate box every night at half past three",
                "value",
                [
                    "Katla|kt-2",
                    "watchdog|restarts|reboots|reboot|rebooted",
                    "half past three|03:30|3:30",
                ],
            ),
            ("the Katla has Python 3.11", "value", ["Katla", "Python 3.11|3.11"]),
            ("the Katla has the modem Nordlys 220", "identifier", ["Katla", "Nordlys 220"]),
            (
                "logrotate left 81920 bytes of gate.log unread",
                "value",
                [
                    "logrotate|rotation|rotated|gate.log.1|gate.log",
                    "81920 bytes|81920|80 KB|80 KiB",
                    "unread|lost|not read|left|missed|skipped|never read",
                ],
            ),
            (
                "R507 on the Katla: frame 6554 does not fit",
                "error",
                ["R507|Katla", "frame 6554", "not fit|full|quota|R507"],
            ),
        ],
        {
            0: [
                (
                    "the watchdog restarts the Katla's gate box every night at 02:30",
                    [
                        "Katla|kt-2",
                        "watchdog|restarts|reboots|reboot|rebooted",
                        "02:30|half past two|2:30|midnight",
                    ],
                )
            ],
            1: [("the Katla has Python 3.12", ["Katla", "Python 3.12|3.12"])],
            2: [("the Katla has the modem Sirdal M4", ["Katla", "Sirdal M4|Sirdal M6"])],
        },
    )
    ask(
        session,
        "changed-twice",
        "recall",
        "How many records is the buffer now (ini and default), how many dials does the small trial take with it, which "
        "peak had the run of 12,000 lines, and why was it lowered?",
        [
            session.fact(
                "the buffer is 120 records",
                type="value",
                keys=["buffer|DEFAULT_BUFFER|buffer_records", "120 records|120"],
                said_in=ends(session.holding("py:12:DEFAULT_BUFFER = 120")),
            ),
            (
                "the small spool takes dials=16 with it",
                "value",
                ["dials|dial", "16|dials=16|16 dials", "2400|1920|small|held_peak=120|120 records"],
            ),
            (
                "12000 lines went out with dials=80",
                "command",
                ["lines|12000-line", "12000", "dials=80|80 dials|dials 80"],
            ),
            (
                "an ALARM record carries a trace of up to 32 KB",
                "reason",
                ["ALARM|alarm record", "trace|stack trace|payload", "32 KB|32 KiB"],
            ),
        ],
        {
            0: [
                (
                    "the buffer is 256 records",
                    ["buffer|DEFAULT_BUFFER|buffer_records", "256 records|256"],
                ),
                (
                    "the buffer is 400 records",
                    ["buffer|DEFAULT_BUFFER|buffer_records", "400 records|400"],
                ),
            ],
            1: [
                (
                    "the small spool takes dials=5 with it",
                    ["dials|dial", "dials=5|5 dials|dials=8|8 dials"],
                )
            ],
        },
    )
    ask(
        session,
        "corrected-mistake",
        "recall",
        "How many runs of the Ostra were refused with R205, why was another number claimed, which tool counts it and "
        "what does it print for the greatest peak and for the Katla?",
        [
            (
                "9 runs on the Ostra ended with R205",
                "value",
                ["Ostra", "R205|not shipped", "9 runs|9"],
            ),
            (
                "the relay of the Hekla writes into the same file",
                "reason",
                [
                    "Hekla",
                    "relay|alongside|berthed|other lines|five lines",
                    "writes|wrote|shares|sharing|shared|mixed in|appends|lands in|ends up in",
                ],
            ),
            file_fact(session, "tools/night_report.py", "created"),
            ("katla R205 count is 3", "value", ["Katla", "R205|not shipped", "3|3 runs"]),
            (
                "the commit is tools: count by box, not by file",
                "identifier",
                [
                    "tools|night_report.py|tool",
                    "count by box|counts by box|counting by box|box not by file|per box",
                ],
            ),
        ],
        {
            0: [
                (
                    "14 runs on the Ostra ended with R205",
                    ["Ostra", "R205|not shipped", "14 runs|14"],
                )
            ],
            3: [("katla R205 count is 5", ["Katla", "R205|not shipped", "5|5 runs"])],
        },
    )


def ask_files(session: Recorder) -> None:
    """What became of the files."""
    ask(
        session,
        "created-files",
        "file",
        "Which files were newly made and are kept (the snapshot tool, the test of the golden file, the new "
        "module for the bound and its test), and which function was named for the survey's counterpart? "
        "Answer as a list.",
        [
            *(
                file_fact(session, path, "created")
                for path in (
                    "tools/snapshot_errors.py",
                    "tests/test_golden.py",
                    "src/raftline/bounded.py",
                    "tests/test_bounded.py",
                )
            ),
            (
                "test_decode_stops_where_the_survey_ended checks the end",
                "identifier",
                ["test_decode_stops_where_the_survey_ended"],
            ),
        ],
        {},
        answer={"format": "list"},
    )
    ask(
        session,
        "moved-and-gone",
        "file",
        "Which module was renamed, which was deleted, which settings module and document were edited, and which file of the "
        "simulator people was looked at? Which exit code does the alert have that goes to the yard by mail?",
        [
            file_fact(session, "src/raftline/batcher.py", "renamed"),
            file_fact(session, "src/raftline/outbox.py", "deleted"),
            file_fact(session, "src/raftline/settings.py", "modified"),
            file_fact(session, "docs/pipeline.md", "modified"),
            file_fact(session, "contrib/harbour/simulator.py", "read"),
            ("ALERT-40 is for exit 66", "value", ["ALERT-40", "exit 66|66|code 66|exit code 66"]),
        ],
        {5: [("ALERT-40 is for exit 73", ["ALERT-40", "exit 73|73|code 73|exit code 73"])]},
    )


def ask_continuation(session: Recorder) -> None:
    """What holds and what is left."""
    ask(
        session,
        "under-pressure",
        "continuation",
        "You go on next week and Jorun's proposals come up again. Which rules stand against them and which others hold "
        "for the whole work: errors, signature, packages, ops/?",
        [
            (
                "errors.txt is never regenerated",
                "constraint",
                [
                    "golden|errors.txt|snapshot|regenerate",
                    (
                        "never regenerate|not regenerate|never regenerated|never recreate|"
                        "not recreated|never remade|never rebuilt|no regeneration|"
                        "never rewritten|never overwritten|regenerate forbidden|rule|"
                        "contradict the new|taken from the old code"
                    ),
                ],
            ),
            (
                "no itertools.tee for counting",
                "constraint",
                [
                    (
                        "no itertools.tee|no tee|not itertools.tee|without tee|never tee|"
                        "tee excluded|tee rejected|tee banned|tee forbidden|not use tee|"
                        "tee ruled out"
                    ),
                    (
                        "count|counting|tide gauge|memory|twice|keeps everything|rule|constraint|"
                        "itertools|slower"
                    ),
                ],
            ),
            (
                "the signature run_pipeline(settings, stderr, counters) stays",
                "constraint",
                [
                    "run_pipeline|signature of run_pipeline",
                    (
                        "stays|unchanged|not changed|fixed|keep|kept|preserved|must not change|"
                        "frozen|stable|intact|had"
                    ),
                ],
            ),
            (
                "standard library only",
                "constraint",
                [
                    "standard library|stdlib",
                    "only|nothing beyond|beyond|no new packages|no packages|rule|alone|nothing",
                ],
            ),
            (
                "nothing under ops/ is edited by us",
                "constraint",
                [
                    "ops|yard's folder",
                    (
                        "not edited|never edited|never edit|not edit|not touched|not modified|"
                        "no edits|nothing edited|untouched"
                    ),
                ],
            ),
        ],
        {
            0: [
                (
                    "errors.txt is regenerated from the new code",
                    [
                        "golden|errors.txt",
                        (
                            "regenerated from the new code|regenerate new code|"
                            "recreated from the new code|taken from the new code"
                        ),
                    ],
                )
            ]
        },
    )
    ask(
        session,
        "still-to-do",
        "continuation",
        "What is still to do about rotation and the listing command, who tags the release, which ferry is first, and in "
        "what state is the test run?",
        [
            (
                "open each spool file once and seek back",
                "next_step",
                [
                    (
                        "open each spool file once|open the spool file once|"
                        "opening the file once|open the file only once|single open per file|"
                        "keep the file open|reuse the open file"
                    ),
                    "seek back|seeking back|rewind|go back to the start",
                ],
            ),
            (
                "frames.decode from a stream instead of read_bytes",
                "next_step",
                [
                    "frames.decode|decode|frames.py|raftline frames",
                    "stream|streaming|incrementally|chunks|piecewise",
                ],
            ),
            (
                "the roll-out starts on the Katla",
                "next_step",
                ["roll-out|roll out|rollout|pilot|deployment", "Katla"],
            ),
            (
                "release 0.9.0 is tagged by the user",
                "next_step",
                ["0.9.0", "tag", "user|yours|you|I|myself|himself|yourself"],
            ),
            (
                "49 tests passed",
                "command",
                ["49 tests|49 passed|49 green|49", "passed|pass|green|succeed|no failures"],
            ),
        ],
        {
            2: [
                (
                    "the roll-out starts on the Ostra",
                    ["roll-out|roll out|rollout|pilot|deployment", "Ostra"],
                )
            ],
            4: [
                (
                    "48 tests passed",
                    ["48 tests|48 passed|48 green", "passed|pass|green|succeed|no failures"],
                )
            ],
        },
    )
    ask(
        session,
        "rollout-rules",
        "continuation",
        "Which rules of the yard apply to the roll-out: the status of a ferry, ferries per day, how long the pilot runs and when it "
        "passes, the deadline to confirm, and the way back? Which files of the yard did you look into for it?",
        [
            file_fact(session, "ops/runbook.md", "read"),
            file_fact(session, "ops/fleet.md", "read"),
            (
                "at most 2 ferries per day",
                "constraint",
                ["2 ferries|2 boxes|2 roll-outs", "day|daily"],
            ),
            ("the pilot runs for 5 days", "value", ["pilot", "5 days|5-day|five-day"]),
            (
                "the pilot passes when held_peak stays below 200",
                "value",
                [
                    "pilot|passes|pass",
                    "held_peak|peak",
                    "below 200|under 200|less than 200|lower than 200",
                ],
            ),
            (
                "boxctl confirm must follow within 48 hours",
                "constraint",
                ["boxctl confirm|confirm|confirmation", "48 hours|48 h|two days|2 days"],
            ),
            (
                "boxctl pin raftline 0.8.0 rolls back",
                "command",
                [
                    "boxctl pin|pin raftline",
                    "0.8.0",
                    "roll back|rolls back|rollback|back|undo|way back|downgrade|return",
                ],
            ),
        ],
        {
            3: [("the pilot runs for 3 days", ["pilot", "3 days|3-day|2 days"])],
            4: [
                (
                    "the pilot passes when held_peak stays below 120",
                    ["pilot|passes|pass", "below 120|less than 120"],
                )
            ],
            5: [
                (
                    "boxctl confirm must follow within 24 hours",
                    ["boxctl confirm|confirm|confirmation", "24 hours|24 h|72 hours"],
                )
            ],
        },
    )


def ask_decisions(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    ask(
        session,
        "two-passes",
        "decision",
        "Why is each file read twice, what does the survey keep, why is the shore file not cut back, and what did the full "
        "sink lack on stderr in a single pass? How big was shore.out with too many rejects then?",
        [
            (
                "the survey reports the rejects and keeps nothing",
                "decision",
                [
                    "survey|first pass",
                    (
                        "keeps nothing|keep nothing|stores nothing|holds nothing|retains nothing|"
                        "keeps no records|retains no records"
                    ),
                    "rejects|malformed|bad lines|R204",
                ],
            ),
            (
                "the modem picks frames up while we append",
                "reason",
                [
                    "modem",
                    (
                        "picks frames up|picks up frames|picked up|takes frames|fetches frames|"
                        "collects frames|already on shore|already ashore"
                    ),
                    "append|not cut off|not cut back|not truncate|meanwhile|concurrently|already",
                ],
            ),
            (
                "later R204 lines are missing from stderr",
                "reason",
                [
                    "R204",
                    "missing|lost|absent|not reported|never reported|no longer reported|dropped",
                    "stderr|later|rest of the file|unread|remaining",
                ],
            ),
            (
                "in one pass shore.out had 16012 bytes",
                "value",
                ["shore.out|shore file", "16012 bytes|16012"],
            ),
        ],
        {
            0: [
                (
                    "the single pass was kept",
                    ["single pass|one pass|one lazy pass", "kept|chosen|adopted|final"],
                )
            ],
            1: [("shore.out is cut back on R205", ["cut back|truncated", "shore.out|shore file"])],
            3: [
                (
                    "in one pass shore.out had 8000 bytes",
                    ["shore.out|shore file", "8000 bytes|7871 bytes"],
                )
            ],
        },
    )
    ask(
        session,
        "files-left-open",
        "decision",
        "Why could the simulator people not delete the spool folder, what closes the files now, which test proves it and with "
        "which figures did that test fail first?",
        [
            (
                "contextlib.closing leaves the with block",
                "decision",
                [
                    "contextlib.closing|contextlib",
                    (
                        "with block|leaves the with block|around lines|whatever happens|"
                        "wraps lines|wrapped around"
                    ),
                ],
            ),
            (
                "the traceback keeps the generator",
                "reason",
                [
                    "traceback|exception",
                    (
                        "keeps the generator|holds the generator|generator alive|"
                        "refers to the generator|reference to the generator|suspended generator|"
                        "generator open"
                    ),
                ],
            ),
            (
                "test_spool_files_are_closed_when_a_run_fails proves it",
                "identifier",
                ["test_spool_files_are_closed_when_a_run_fails"],
            ),
            (
                "2 failed and 4 passed at first",
                "command",
                [
                    "2 failed|2 failures|2 red|2 of 6 failed",
                    "4 passed|4 green|4 pass|4 succeeded|2 of 6",
                ],
            ),
        ],
        {
            3: [
                (
                    "3 failed and 4 passed at first",
                    ["3 failed|3 failures", "4 passed|4 green|4 pass"],
                )
            ]
        },
    )


def record(session: Recorder) -> None:
    """The whole session."""
    past(session.repo)
    read_code(session)
    try_threads(session)
    ask_after_stages(session)
    one_pass(session)
    ask_after_wiring(session)
    finish(session)
    ask_recall(session)
    ask_files(session)
    ask_continuation(session)
    ask_decisions(session)


PLAY = Play(
    record,
    task="refactoring",
    title="A log shipper's callbacks become generators, and its errors stay byte for byte",
    repository="raftline",
    window=64_000,
)
