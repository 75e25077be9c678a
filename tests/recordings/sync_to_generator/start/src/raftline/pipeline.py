"""Wires the stages and runs them, file by file."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from raftline import frames
from raftline.batcher import Batcher
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


def run_pipeline(settings: Settings, stderr: TextIO, counters: Counters) -> None:
    """Ship what is new in every spool file. Raises ShipError; what was sent stays sent."""
    offsets = Offsets(settings.offsets_path)
    sink = FileSink(settings.sink_path, settings.sink_quota)
    try:
        for path in settings.files:
            _ship_file(path, settings, stderr, counters, offsets, sink)
    finally:
        offsets.save()


def _ship_file(
    path: Path,
    settings: Settings,
    stderr: TextIO,
    counters: Counters,
    offsets: Offsets,
    sink: FileSink,
) -> None:
    def report(text: str) -> None:
        stderr.write(f"raftline: {text}\n")

    def send(batch: list[Record]) -> None:
        number = offsets.frame + 1
        sink.send(number, frames.encode(number, batch))
        offsets.frame = number
        last = batch[-1].line
        offsets.advance(path.name, Position(last.offset, last.number))
        counters.frames += 1
        counters.sent += len(batch)

    outbox = Outbox(counters)
    batcher = Batcher(
        settings.batch_records, settings.batch_bytes, outbox.put, lambda: outbox.drain(send)
    )
    enricher = Enricher(settings.vessel, settings.route, batcher.feed, batcher.end)
    duplicates = DuplicateFilter(counters, enricher.feed, enricher.end)
    levels = LevelFilter(settings.level, counters, duplicates.feed, duplicates.end)
    decoder = Decoder(settings.max_rejects, report, counters, levels.feed, levels.end)
    end = Tail(path, offsets.position(path.name), decoder.feed, decoder.end).run()
    offsets.advance(path.name, end)
