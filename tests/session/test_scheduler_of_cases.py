"""The scheduler of cases: order, a unit on one worker, nobody starves, a worker's death.

Workers of pytest-xdist are played here: they do what they are sent, in any order of events.
"""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.session.scheduler import CaseScheduling
from pytest_compaction.session.worker_share import WorkerShare, dealt, units_of


class Node:
    """A worker: it does items in the order in which they came."""

    def __init__(self, name, place):
        self.gateway = SimpleNamespace(id=name)
        self.workerinput = {"compaction_place": place}
        self.queue = []
        self.shutting_down = False
        self.dead = False

    def send_runtest_some(self, indices):
        if self.dead:
            raise OSError("cannot send")
        assert not self.shutting_down, "a worker that is told to end gets no more"
        self.queue += indices

    def shutdown(self):
        self.shutting_down = True


class Run:
    """A scheduler with some workers, over groups of items of the given sizes."""

    def __init__(self, sizes, workers, at_work=None, at_once=False, ungrouped=None, of_case=1):
        self.nodeids = [
            f"t.py::t[g{group}-{item}]" for group, size in enumerate(sizes) for item in range(size)
        ]
        self.groups = {
            id[len("t.py::t[") : -1]: id[len("t.py::t[") :].split("-")[0]
            for id in self.nodeids
            if id != ungrouped
        }
        self.cases = {f"g{n}": f"c{n // of_case}" for n in range(len(sizes))}
        self.at_once = at_once
        self.done = []
        config = SimpleNamespace(
            getvalue=lambda name: [f"{workers}*popen"], option=SimpleNamespace()
        )
        self.scheduler = CaseScheduling(config, None, self.groups, self.cases, at_work, at_once)
        self.nodes = []
        self.started = [self.start(place) for place in range(workers)]
        for node in self.started:
            self.collect(node)

    def start(self, place):
        """Take in a worker that has not collected yet."""
        node = Node(f"gw{len(self.nodes)}", place if self.at_once else None)
        self.nodes.append(node)
        self.scheduler.add_node(node)
        return node

    def collect(self, node):
        self.scheduler.add_node_collection(node, self.nodeids)
        if self.scheduler.collection_is_completed:
            self.scheduler.schedule()

    @property
    def busy(self):
        """The workers that can do an item: xdist must know the next one, or that there is none."""
        nodes = [node for node in self.nodes if node in self.scheduler.nodes and not node.dead]
        return [node for node in nodes if len(node.queue) > (not node.shutting_down)]

    def step(self, choice):
        busy = self.busy
        node = busy[choice % len(busy)]
        number = node.queue.pop(0)
        self.done.append((node.gateway.id, self.nodeids[number]))
        self.scheduler.mark_test_complete(node, number)

    def replace(self, node):
        """What xdist does when it notices a death: the item lost, and a worker in its place."""
        lost = self.scheduler.remove_node(node)
        return lost, self.start(node.workerinput["compaction_place"])

    def workers_of(self, group):
        return [name for name, id in self.done if id.startswith(f"t.py::t[g{group}-")]


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=12)
CHOICES = st.lists(st.integers(0, 7), min_size=1)


@given(SIZES, st.integers(1, 4), st.booleans(), CHOICES)
def test_each_item_is_done_once_and_a_group_on_one_worker(sizes, workers, at_once, choices):
    run = Run(sizes, workers, at_once=at_once)
    for step in range(len(run.nodeids)):
        assert run.busy, "nobody can go on"
        run.step(choices[step % len(choices)])
    assert sorted(id for _, id in run.done) == sorted(run.nodeids)
    assert not run.scheduler.has_pending
    assert run.scheduler.tests_finished
    assert all(node.shutting_down for node in run.nodes)
    for group in range(len(sizes)):
        assert len(set(run.workers_of(group))) == 1
    for node in run.nodes:
        mine = [run.nodeids.index(id) for name, id in run.done if name == node.gateway.id]
        assert mine == sorted(mine)


@given(SIZES, st.integers(1, 6), st.integers(1, 3), st.integers(1, 40))
def test_a_worker_that_is_dealt_its_items_at_once_computes_the_same(
    sizes, workers, of_case, concurrency
):
    run = Run(sizes, workers, at_once=True, of_case=of_case)
    shares = dealt(units_of(run.nodeids, run.groups, run.cases, workers), workers)
    assert [node.queue for node in run.nodes if node.queue] == shares
    assert len(shares) == min(workers, len(sizes)), "as many have work as can have some"
    at_work = min(workers, concurrency)
    told = [
        WorkerShare(at_work, concurrency, n, None, None).requests(at_work) for n in range(at_work)
    ]
    assert sum(told) == concurrency


def test_units_are_cases_unless_there_are_fewer_than_workers():
    run = Run([2, 2, 2, 2], 1, of_case=2)
    assert units_of(run.nodeids, run.groups, run.cases, 2) == ["c0"] * 4 + ["c1"] * 4
    assert units_of(run.nodeids, run.groups, run.cases, 3)[::2] == ["g0", "g1", "g2", "g3"]


EVENTS = st.lists(st.tuples(st.sampled_from(["item", "death", "news", "collected"]), CHOICES))


@given(SIZES, st.integers(1, 4), st.integers(1, 4), st.booleans(), EVENTS)
def test_workers_that_die_at_any_time_take_one_item_each_with_them_and_nothing_hangs(
    sizes, workers, chosen, at_once, events
):
    run = Run(sizes, workers, chosen, at_once)
    untold, waiting, lost = [], [], []

    def tell(node):
        """Let xdist notice a death; another worker is started, which has not collected yet."""
        item, other = run.replace(node)
        lost.append(item)
        waiting.append(other)

    for event, (choice, *_) in events:
        if event == "item" and run.busy:
            run.step(choice)
        if event == "death":
            alive = [node for node in run.scheduler.nodes if not node.dead]
            if alive:
                untold.append(alive[choice % len(alive)])
                untold[-1].dead = True
        if event == "news" and untold:
            tell(untold.pop(0))
        waiting = [node for node in waiting if not node.dead]
        if event == "collected" and waiting:
            run.collect(waiting.pop(0))
    while run.scheduler.has_pending:
        if untold:
            tell(untold.pop(0))
        elif waiting:
            node = waiting.pop(0)
            if not node.dead:
                run.collect(node)
        else:
            assert run.busy, "nobody can go on"
            run.step(0)
    ended = [id for id in lost if id is not None]
    assert sorted([*ended, *(id for _, id in run.done)]) == sorted(run.nodeids)
    assert run.scheduler.tests_finished


def test_who_takes_the_place_of_a_dead_worker_is_given_the_rest_without_what_it_died_of():
    run = Run([3, 3], workers=2, at_once=True)
    run.step(0)
    dead = run.nodes[0]
    lost, other = run.replace(dead)
    assert lost == run.nodeids[1]
    assert run.scheduler.left_at(0) == [run.nodeids[2]]
    run.collect(other)
    assert other.queue == [2]
    assert run.scheduler.left_at(0) == []


def test_workers_without_work_end_when_there_is_none_left():
    run = Run([1] * 5, workers=4, at_work=1)
    assert not any(node.shutting_down for node in run.nodes)
    while run.scheduler.has_pending:
        run.step(0)
    assert all(node.shutting_down for node in run.nodes)
    assert {name for name, _ in run.done} == {"gw0"}


@pytest.mark.parametrize("at_once", [False, True])
def test_other_tests_are_done_by_all_workers(at_once):
    run = Run([1, 1, 1], workers=3, at_work=1, at_once=at_once, ungrouped="t.py::t[g0-0]")
    others = Run([1] * 9, workers=3, at_work=1, at_once=at_once, ungrouped="t.py::t[g0-0]")
    for one in (run, others):
        while one.scheduler.has_pending:
            one.step(1)
        assert len(one.done) == len(one.nodeids)


def test_a_worker_that_dies_with_nothing_to_do_takes_nothing_with_it():
    run = Run([1], workers=2)
    idle = next(node for node in run.nodes if not node.queue)
    assert run.scheduler.remove_node(idle) is None
    run.step(0)
    assert not run.scheduler.has_pending
