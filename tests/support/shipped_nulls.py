"""Makes ``nulls.json``, what the nulls state in the shipped cases; see the page on contributing.

    PYTHONPATH=tests python -m support.shipped_nulls make      # 45 minutes, all of them anew
    PYTHONPATH=tests python -m support.shipped_nulls add       # only cases and nulls that are new
    PYTHONPATH=tests python -m support.shipped_nulls renew     # after a change of no reading

``make`` reads every view, ``add`` those that the file does not have. ``renew`` reads a random
sample of the views of each case and null, and where they state the same as before, notes the
version of the reader that found it so.
"""

import json
import random
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from itertools import groupby
from unittest.mock import patch

from support.shipped import shipped

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.strategies import plain, said
from pytest_compaction.conversation import leading_system, shared_counter
from pytest_compaction.metrics import reader_version
from pytest_compaction.models import OfflineModel
from pytest_compaction.run.figures.null_views import NULLS, NullViews, read_view
from pytest_compaction.run.figures.shipped_nulls import FILE, view_digest
from pytest_compaction.run.response import Roles

SAMPLE = 20
"""So many views of each null are read again at a point of each case before a version is renewed."""


def null_views():
    """Makes the views of nulls with the tokens of an ordinary run."""
    counter = shared_counter()
    model = OfflineModel(counter)
    return NullViews(Roles(model, model, (model,), counter))


def views_of(null, case, point):
    """Every view of the whole log until a point within the budget, from few tokens to many.

    Where two numbers of tokens give one view, all between give it too: with more tokens a null
    keeps more, in an order that the tokens do not change. So it is enough to halve.
    """
    alone = replace(case, points=(case.points[point],))
    makes = null_views()

    def view(tokens):
        return makes.view(null, alone, (tokens,))

    def between(low, first, high, last):
        if high - low <= 1 or first == last:
            return
        middle = (low + high) // 2
        found = view(middle)
        yield from between(low, first, middle, found)
        yield found
        yield from between(middle, found, high, last)

    log = case.messages[: case.points[point].index + 1]
    with parsed_once(log):
        most = view(case.budget)
        every = [*between(0, None, case.budget, most), most]
    return [found for found, _ in groupby(found for found in every if found is not None)]


@contextmanager
def parsed_once(log):
    """The nulls parse the same log at every number of tokens; here they need not."""
    body = log[leading_system(log) : pending_start(log)]
    with ExitStack() as stack:
        for module in (said, plain):
            stack.enter_context(patch.object(module, "load", return_value=log))
        sentences = said.sentences_of(body)
        stack.enter_context(patch.object(said, "sentences_of", return_value=sentences))
        stack.enter_context(patch.object(said.Random, "priority", cache(said.Random.priority)))
        yield


def nulls_of(case, known=None):
    """What the nulls state in one case, as the file has it, with what is ``known`` of it."""
    views, runs = {}, {probe.id: {} for probe in case.probes}
    for null in (make() for make in NULLS):
        if known is not None and known["digest"] == case.digest and null.name in known["views"]:
            views[null.name] = known["views"][null.name]
            for id, found in runs.items():
                found[null.name] = known["runs"][id][null.name]
            continue
        views[null.name] = {}
        for point in sorted({probe.point for probe in case.probes}):
            probes = [probe for probe in case.probes if probe.point == point]
            every = views_of(null, case, point)
            views[null.name][str(point)] = "".join(map(view_digest, every))
            read = [[read_view(probe, view) for view in every] for probe in probes]
            for probe, found in zip(probes, read, strict=True):
                runs[probe.id][null.name] = [
                    (number, overall, round(stated * len(probe.facts)))
                    for number, (overall, stated) in enumerate(found)
                    if number == 0 or found[number - 1] != (overall, stated)
                ]
    return {"digest": case.digest, "views": views, "runs": runs}


def make(cases, content=None):
    """The content of the file for these cases, with what ``content`` has of them."""
    head = {"reader": reader_version(), "encoding": shared_counter().name}
    fits = content is not None and {name: content[name] for name in head} == head
    known = content["cases"] if fits else {}
    return {**head, "cases": {case.id: nulls_of(case, known.get(case.id)) for case in cases}}


def differing(cases, content, chance):
    """Views that state other facts than ``content`` says, by a sample of each case and null."""
    for case, null in ((case, null()) for case in cases for null in NULLS):
        point = chance.choice(sorted({probe.point for probe in case.probes}))
        known = content["cases"][case.id]
        views = views_of(null, case, point)
        if known["views"][null.name][str(point)] != "".join(map(view_digest, views)):
            yield f"{case.id}, point {point}: other views of {null.name}"
            continue
        for number in chance.sample(range(len(views)), min(SAMPLE, len(views))):
            yield from (
                f"{case.id}, {probe.id}: view {number} of {null.name}"
                for probe in case.probes
                if probe.point == point
                and known_reading(known, probe, null, number) != read_view(probe, views[number])
            )


def known_reading(known, probe, null, number):
    """What the file says of a view: survival, and the share of facts."""
    run = [run for run in known["runs"][probe.id][null.name] if run[0] <= number][-1]
    return run[1], run[2] / len(probe.facts)


def write(content):
    """Write the file: a line for each case, so that a change shows which."""
    cases = ",\n".join(
        f"{json.dumps(id)}: {json.dumps(case, separators=(',', ':'))}"
        for id, case in content["cases"].items()
    )
    head = {name: value for name, value in content.items() if name != "cases"}
    FILE.write_text(f'{json.dumps(head)[:-1]}, "cases": {{\n{cases}\n}}}}\n', "utf-8")


def main(command):
    """Make the file, or renew its version."""
    cases = shipped()
    if command == "make":
        write(make(cases))
        return
    content = json.loads(FILE.read_bytes())
    if command == "add":
        write(make(cases, content))
        return
    found = list(differing(cases, content, random.Random()))
    if found:
        sys.exit("\n".join([*found, "the reader finds something else: make the file again"]))
    write({**content, "reader": reader_version()})


if __name__ == "__main__":
    main(*sys.argv[1:])
