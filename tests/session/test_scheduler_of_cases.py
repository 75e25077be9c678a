"""The scheduler of cases: order, a group on one worker at a time, nobody starves, a worker's death.

Workers of pytest-xdist are played here: they do what they are sent, in any order of events.
"""

from collections import Counter
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.session.scheduler import CaseScheduling
from pytest_compaction.session.shared.dealt_items import Dealer, DealtItems, path_for


class Node:
    """A worker: it does items in the order in which they came."""

    def __init__(self, name):
        self.gateway = SimpleNamespace(id=name)
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
    """A scheduler with some workers, over groups of items of the given sizes.

    ``groups_of_case`` groups that follow each other are about one case.
    """

    def __init__(self, sizes, workers, depth=1, at_work=None, ungrouped=None, groups_of_case=None):
        self.nodeids = [
            f"t.py::t[g{group}-{item}]" for group, size in enumerate(sizes) for item in range(size)
        ]
        groups = {
            id[len("t.py::t[") : -1]: id[len("t.py::t[") :].split("-")[0]
            for id in self.nodeids
            if id != ungrouped
        }
        self.dealt = []
        self.done = []
        config = SimpleNamespace(
            getvalue=lambda name: [f"{workers}*popen"], option=SimpleNamespace()
        )
        self.scheduler = CaseScheduling(
            config,
            None,
            groups,
            depth,
            lambda name, ids: self.dealt.append((name, list(ids))),
            at_work,
            {f"g{n}": f"c{n // groups_of_case}" for n in range(len(sizes)) if groups_of_case},
        )
        self.nodes = []
        for _ in range(workers):
            self.add()

    def add(self):
        self.collect(self.start())

    def start(self):
        """Take in a worker that has not collected yet."""
        node = Node(f"gw{len(self.nodes)}")
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

    def kill(self, choice):
        """Kill a worker with work; the item that it was doing is never done. Another one comes."""
        busy = self.busy
        node = busy[choice % len(busy)]
        lost = self.scheduler.remove_node(node)
        assert lost == self.nodeids[node.queue[0]]
        self.add()
        return lost

    def workers_of(self, group):
        return [name for name, id in self.done if id.startswith(f"t.py::t[g{group}-")]


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=12)
CHOICES = st.lists(st.integers(0, 7), min_size=1)


@given(SIZES, st.integers(1, 4), st.integers(1, 6), CHOICES)
def test_each_item_is_done_once_in_order_and_a_group_on_one_worker(sizes, workers, depth, choices):
    run = Run(sizes, workers, depth)
    for step in range(len(run.nodeids)):
        assert not run.scheduler.has_pending or run.busy, "nobody can go on"
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


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), CHOICES)
def test_a_worker_stays_at_its_case_as_long_as_anything_of_it_waits(
    cases, of_case, workers, size, choices
):
    run = Run([size] * cases * of_case, workers, groups_of_case=of_case)
    step = 0
    while run.scheduler.has_pending:
        run.step(choices[step % len(choices)])
        step += 1
    assert sorted(id for _, id in run.done) == sorted(run.nodeids)
    dealt = [(name, int(ids[0].split("[g")[1].split("-")[0]) // of_case) for name, ids in run.dealt]
    waiting = Counter(case for _, case in dealt)
    at = {}
    for name, case in dealt:
        if waiting[at.get(name)]:
            assert case == at[name]
        elif any(count and other not in at.values() for other, count in waiting.items()):
            assert case not in at.values()
            assert case == min(o for o, count in waiting.items() if count and o not in at.values())
        at[name] = case
        waiting[case] -= 1


@given(SIZES, st.integers(1, 4), st.integers(1, 6), CHOICES, st.integers(0, 30))
def test_the_items_of_a_dead_worker_are_done_by_others_but_for_the_one_that_it_died_of(
    sizes, workers, depth, choices, death
):
    run = Run(sizes, workers, depth)
    death %= len(run.nodeids)
    lost = None
    for step in range(len(run.nodeids)):
        if step == death:
            lost = run.kill(choices[0])
        else:
            run.step(choices[step % len(choices)])
    assert sorted([lost, *(id for _, id in run.done)]) == sorted(run.nodeids)
    assert not run.scheduler.has_pending


@given(SIZES, st.integers(1, 3), st.integers(0, 3), CHOICES, st.integers(0, 30))
def test_only_so_many_workers_as_are_chosen_work_and_others_take_the_places_of_dead_ones(
    sizes, chosen, more, choices, death
):
    run = Run(sizes, chosen + more, at_work=chosen)
    death %= len(run.nodeids)
    for step in range(death):
        run.step(choices[step % len(choices)])
    assert {name for name, _ in run.done} <= {f"gw{number}" for number in range(chosen)}
    lost = run.kill(choices[0])
    while run.scheduler.has_pending:
        run.step(choices[0])
    assert sorted([lost, *(id for _, id in run.done)]) == sorted(run.nodeids)
    assert len({name for name, _ in run.done} | {name for name, _ in run.dealt}) <= chosen + 1


EVENTS = st.lists(st.tuples(st.sampled_from(["item", "death", "news", "collected"]), CHOICES))


@given(SIZES, st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), EVENTS)
def test_workers_that_die_at_any_time_take_one_item_each_with_them_and_nothing_hangs(
    sizes, workers, depth, chosen, events
):
    run = Run(sizes, workers, depth, at_work=chosen)
    untold, waiting, lost = [], [], []

    def tell(node):
        """Let xdist notice a death; another worker is started, which has not collected yet."""
        lost.append(run.scheduler.remove_node(node))
        waiting.append(run.start())

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


def test_workers_without_work_end_when_there_is_none_left():
    run = Run([1] * 5, workers=4, at_work=1)
    assert not any(node.shutting_down for node in run.nodes)
    while run.scheduler.has_pending:
        run.step(0)
    assert all(node.shutting_down for node in run.nodes)
    assert {name for name, _ in run.done} == {"gw0"}


def test_other_tests_are_done_by_all_workers():
    run = Run([1, 1, 1, 1, 1], workers=5, at_work=1, ungrouped="t.py::t[g0-0]")
    assert {name for name, _ in run.dealt} == {f"gw{number}" for number in range(5)}


def test_the_first_groups_are_begun_side_by_side_and_as_many_as_the_depth_says():
    run = Run([2] * 10, workers=2, depth=3)
    assert [name for name, _ in run.dealt] == ["gw0", "gw1"] * 3
    assert [ids[0] for _, ids in run.dealt] == [f"t.py::t[g{group}-0]" for group in range(6)]
    run.step(0)
    assert len(run.dealt) == 6
    run.step(0)
    assert run.dealt[6:] == [("gw0", ["t.py::t[g6-0]", "t.py::t[g6-1]"])]


def test_what_a_worker_is_sent_it_was_dealt_before():
    run = Run([1, 3, 2], workers=2, depth=2)
    for node in run.nodes:
        dealt = [id for name, ids in run.dealt if name == node.gateway.id for id in ids]
        assert dealt == [run.nodeids[number] for number in node.queue]


def test_a_worker_that_dies_with_nothing_to_do_takes_nothing_with_it():
    run = Run([1], workers=2)
    idle = next(node for node in run.nodes if not node.queue)
    assert run.scheduler.remove_node(idle) is None
    run.step(0)
    assert not run.scheduler.has_pending


# --- what is dealt ----------------------------------------------------------------------

LINES = st.lists(st.lists(st.text(max_size=20), max_size=4), max_size=6)


@given(LINES)
def test_a_worker_reads_what_it_was_dealt_once_and_in_order(tmp_path_factory, dealt):
    folder = tmp_path_factory.mktemp("dealt")
    reader = DealtItems(path_for(folder, "gw0"))
    assert reader.take() == []
    for ids in dealt:
        Dealer(folder).deal("gw0", ids)
        Dealer(folder).deal("gw1", ["another worker's"])
        assert reader.take() == ids
        assert reader.take() == []
    late = DealtItems(path_for(folder, "gw0"))
    assert late.take() == [id for ids in dealt for id in ids]


def test_a_line_that_is_half_written_is_read_when_it_is_whole(tmp_path):
    path = path_for(tmp_path, "gw0")
    reader = DealtItems(path)
    path.write_bytes(b'"first"\n"sec')
    assert reader.take() == ["first"]
    assert reader.take() == []
    with path.open("ab") as file:
        file.write(b'ond"\n')
    assert reader.take() == ["second"]
