"""Replays a traffic plan against the app: ``replay_day.py PLAN [--show CODE]``.

A plan has one line for each series of requests::

    at  count  every  caller    verb  path
    0   60     5      kiosk-01  get   /berths/{1..14}

``at`` and ``every`` are seconds. ``{1..14}`` counts through, ``{day}`` is the day of
the replay. The last line of the output counts the reply codes.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pontoon.app import build_app
from pontoon.clock import SteppedClock, today
from pontoon.messages import Request
from pontoon.serve import start
from pontoon.settings import load_settings

VESSEL = {"vessel": "tern", "length": 20.0, "draught": 2.0}


def series(line: str, number: int, day: str) -> Iterator[tuple[float, Request]]:
    """The requests of one line of a plan."""
    at, count, every, caller, verb, path = line.split()
    span = re.search(r"\{(\d+)\.\.(\d+)\}", path)
    for step in range(int(count)):
        here = path.replace("{day}", day)
        if span:
            first, last = map(int, span.groups())
            here = here.replace(span[0], str(first + step % (last - first + 1)))
        moment = float(at) + step * float(every)
        yield moment, Request(f"p{number:02d}-{step:03d}", verb, here, caller, VESSEL)


def main() -> None:
    """Replay a plan and count the codes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("plan", type=Path)
    parser.add_argument("--show", type=int, metavar="CODE")
    options = parser.parse_args()
    clock = SteppedClock()
    app = build_app(load_settings(Path("pontoon.ini")), clock)
    start(app)
    plan: list[tuple[float, Request]] = []
    lines = options.plan.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            plan.extend(series(line, number, str(today(clock))))
    codes: Counter[int] = Counter()
    shown: Counter[str] = Counter()
    now = 0.0
    for moment, request in sorted(plan, key=lambda item: item[0]):
        clock.advance(moment - now)
        now = moment
        reply = app.router.dispatch(request)
        codes[reply.code] += 1
        if reply.code == options.show:
            shown[f"{reply.code} {reply.body.get('error', '')} ({request.caller})"] += 1
    for text, number in sorted(shown.items()):
        print(f"{number:4d} x {text}")
    print(f"{options.plan.name}:", *(f"{code}={codes[code]}" for code in sorted(codes)))


if __name__ == "__main__":
    main()
