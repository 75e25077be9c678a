import io
from pathlib import Path

from raftline import frames
from raftline.counters import Counters
from raftline.pipeline import run_pipeline
from raftline.settings import load


def run():
    counters, stderr = Counters(), io.StringIO()
    run_pipeline(load(Path("raftline.ini")), stderr, counters)
    return counters, stderr.getvalue()


def shore(root):
    return list(frames.decode((root / "shore.out").read_bytes()))


def test_everything_arrives(ferry):
    root = ferry((300, 0))
    counters, _ = run()
    assert (counters.lines, counters.dropped, counters.sent) == (300, 60, 240)
    assert sum(frame.records for frame in shore(root)) == 240


def test_two_files_share_the_frame_numbers(ferry):
    root = ferry((50, 0), (50, 0))
    run()
    assert [frame.number for frame in shore(root)] == [1, 2]


def test_a_second_run_ships_only_what_is_new(ferry):
    root = ferry((50, 0))
    run()
    with (root / "deck1.log").open("a") as file:
        file.write("2031-03-05T00:00:00Z INFO gate1 car 99 passed\n")
    counters, _ = run()
    assert (counters.lines, counters.sent) == (1, 1)


def test_rejected_lines_are_reported_in_order(ferry):
    ferry((100, 40))
    _, stderr = run()
    assert [line.split(" ")[2] for line in stderr.splitlines()] == ["deck1.log:40:", "deck1.log:80:"]
