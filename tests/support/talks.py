"""Small dialogues, and their files; the answers are so long that compaction loses something."""

import json

from pytest_compaction.dialogues import load_dialogues

PLACES = ("Lisbon", "Tromso", "Kyoto", "Quito", "Perth", "Accra")


def turn(number):
    """A user turn about one place and its recorded answer, about 60 tokens together."""
    place = PLACES[number % len(PLACES)]
    return {
        "user": f"What should I know about {place} before stop {number} of the journey, and why?",
        "bot": (
            f"{place} is stop {number}. We decided to stay {number + 3} nights in {place} because "
            f"the night train {1700 + number} leaves only on Fridays. Book room {410 + number} "
            f"in {place} early, and keep {250 * (number + 1)} euros for the harbour tour."
        ),
    }


def talk(id=1, turns=4, task="CM", **changes):
    """A dialogue in the format of MT-Bench-101; the last turn asks about all earlier turns."""
    history = [turn(number) for number in range(turns - 1)]
    names = " and ".join(PLACES[: turns - 1])
    history.append(
        {
            "user": f"In which room and for how many nights do we stay in {names}?",
            "bot": f"In rooms 410 and following, three nights and more, in {names}.",
        }
    )
    return {"task": task, "id": id, "history": history, **changes}


def chat(turns=4, **changes):
    """The same dialogue as OpenAI chat messages."""
    messages = []
    for item in talk(turns=turns)["history"]:
        messages.append({"role": "user", "content": item["user"]})
        messages.append({"role": "assistant", "content": item["bot"]})
    return {"messages": messages, **changes}


def lines(*values):
    """Values as JSON lines; a text becomes a line verbatim."""
    return "".join(f"{v if isinstance(v, str) else json.dumps(v)}\n" for v in values)


def write(folder, *values, name="talks.jsonl"):
    """Write a dialogue file: ``.jsonl`` with a value per line, ``.json`` with a single value."""
    path = folder / name
    text = lines(*values) if name.endswith(".jsonl") else json.dumps(values[0])
    path.write_text(text, "utf-8", "surrogatepass")
    return path


def loaded(path):
    found = load_dialogues([path], path.parent)
    assert not found.errors, found.errors
    return found.dialogues
