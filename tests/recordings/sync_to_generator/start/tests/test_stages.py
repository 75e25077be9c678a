import pytest

from raftline.batcher import Batcher
from raftline.counters import Counters
from raftline.decode import Decoder
from raftline.enrich import Enricher
from raftline.errors import ShipError
from raftline.filters import DuplicateFilter, LevelFilter
from raftline.records import Line, parse


def lines(*texts):
    return [Line("gate.log", n, n * 10, f"2031-03-04T00:00:0{n}Z {t}") for n, t in enumerate(texts, 1)]


def records(*texts):
    return [parse(line) for line in lines(*texts)]


def push(stage, items):
    for item in items:
        stage.feed(item)
    stage.end()


def nothing():
    pass


def test_decoder_reports_and_goes_on():
    out, reports, counters = [], [], Counters()
    push(Decoder(1, reports.append, counters, out.append, nothing), lines("INFO a b", "LOUD a b", "INFO a c"))
    assert [record.message for record in out] == ["b", "c"]
    assert reports == ["R204 gate.log:2: unknown level 'LOUD'"]
    assert (counters.lines, counters.rejected) == (3, 1)


def test_decoder_gives_up():
    decoder = Decoder(1, lambda text: None, Counters(), lambda record: None, nothing)
    with pytest.raises(ShipError, match="R205 gate.log: more than 1 lines rejected"):
        push(decoder, lines("LOUD a b", "LOUD a b"))


def test_levels():
    out, counters = [], Counters()
    push(LevelFilter("WARN", counters, out.append, nothing), records("INFO a b", "ALARM a b", "WARN a c"))
    assert [record.level for record in out] == ["ALARM", "WARN"]
    assert counters.dropped == 1


def test_duplicates():
    out, counters = [], Counters()
    push(DuplicateFilter(counters, out.append, nothing), records("INFO a b", "INFO a b", "INFO a c", "INFO a b"))
    assert [record.message for record in out] == ["b", "c", "b"]
    assert counters.dropped == 1


def test_enrich():
    out = []
    push(Enricher("Ostra", "K4", out.append, nothing), records("INFO a b", "INFO a c"))
    assert [record.packed().split(" ")[0] for record in out] == ["Ostra/K4#1", "Ostra/K4#2"]


@pytest.mark.parametrize(("number", "size", "sizes"), [(2, 999, [2, 2, 1]), (9, 80, [2, 2, 1]), (9, 1, [1] * 5)])
def test_batches(number, size, sizes):
    out = []
    push(Batcher(number, size, out.append, nothing), records(*["INFO gate1 ok"] * 5))
    assert [len(batch) for batch in out] == sizes
