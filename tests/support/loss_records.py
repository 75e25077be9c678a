"""Records that tell what was lost, as a run writes them, and Hypothesis strategies for them."""

from hypothesis import strategies as st
from support.builders import record

WINDOW = 100_000
CLASSES = ("path", "number", "decision")


def fact(text="45 seconds", stated=(True,), **changes):
    """A fact of a record; ``stated`` says after which of the points p1, p2… the view states it."""
    survived = changes.pop("survived", stated[-1] if stated else True)
    made = {
        "text": text,
        "type": "value",
        "class": "number",
        "view": "stated" if survived else "absent",
        "answer": "absent",
        "survived": survived,
        "used": False,
        "loss": None,
        "evidence": ["m1"],
        "stated_after": [[f"p{number}", held] for number, held in enumerate(stated, start=1)],
        "source": {"message": "m1", "tokens": 100},
        "recoverable": None if survived else False,
    }
    made.update(changes)
    return made


def event(before=50_000, after=5_000, prefix=1_000, point="p1", **changes):
    made = {
        "point": point,
        "status": "compacted",
        "log": before,
        "before": before,
        "after": after,
        "prefix": prefix,
        "free": None if after is None else WINDOW - after,
        "until_next": 30,
        "messages_left": 40,
    }
    made.update(changes)
    return made


def lossy(case="a", facts=(), events=None, usage=None, **changes):
    """A record of a probe; ``usage`` is (input, cached, output) tokens of the compactions."""
    events = [event()] if events is None else events
    read, cached, written = usage or (0, 0, 0)
    calls = {"input_tokens": read, "cached_tokens": cached, "output_tokens": written, "calls": 1}
    steps = {}
    for each in events:
        steps[each["status"]] = steps.get(each["status"], 0) + 1
    compaction = {"steps": steps, "errors": [], "budget": 6_000, "window": WINDOW, "messages": 90}
    made = {"facts": list(facts), "usage": {"compaction": calls}}
    made |= {"compaction": compaction | {"events": events}}
    return record(case, **{**made, **changes})


HISTORIES = [(), (True,), (False,), (True, True), (True, False), (False, True)]
HISTORIES += [(True, True, True, False), (True, True, True, True, True), (False, False, True)]


@st.composite
def facts(draw, number=0):
    stated, kept, used, known, message, kind = draw(
        st.tuples(
            st.sampled_from(HISTORIES),
            st.booleans(),
            st.booleans(),
            st.sampled_from([True, False, None]),
            st.sampled_from([1, 2, 3, None]),
            st.sampled_from(CLASSES),
        )
    )
    survived = stated[-1] if stated else kept
    return fact(
        f"fact {number}",
        stated,
        survived=survived,
        used=used,
        recoverable=None if survived else known,
        source=message and {"message": f"m{message}", "tokens": 10 * message},
        **{"class": kind},
    )


@st.composite
def runs(draw, cases="abcd"):
    """Records of one strategy over several cases, probes and trials."""
    made = []
    for case in draw(st.sets(st.sampled_from(cases), min_size=1)):
        for trial in range(1, draw(st.integers(1, 2)) + 1):
            asked = [draw(facts(number)) for number in range(draw(st.integers(0, 4)))]
            made.append(lossy(case, asked, trial=trial))
    return made
