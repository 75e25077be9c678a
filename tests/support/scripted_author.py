"""A model that writes long conversations by a script: it keeps to what each request asks for."""

import json
import re
from datetime import date, timedelta

from support.endpoint_replies import completion

PEOPLE = [{"name": f"Person {n}", "relation": "friend", "about": "rows"} for n in range(3)]
USER = {"name": "Ines", "age": 41, "home": "Ghent", "work": "baker", "traits": ["careful"]}
KINDS = ("fact", "event", "instruction", "preference", "update", "contradiction")


def step_of(body):
    """What a request asks for: the first member of its form, and ``reply`` for a text."""
    form = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return next(iter(form.get("properties", ())), "reply")


def number_in(text, before="exactly"):
    return int(re.search(rf"{before} (\d+)", text)[1])


def day(number):
    return str(date(2025, 1, 1) + timedelta(days=number))


class Author:
    """Answers requests; ``asked`` has the step and the body of each.

    ``words`` is the length of replies, ``needed`` how often a message of the user follows, and
    ``holds`` what a check says of a question. ``spoil`` may put another reply in the place of one.
    """

    def __init__(self, words=260, needed=False, holds=lambda text: True, spoil=None):
        self.words, self.needed, self.holds, self.spoil = words, needed, holds, spoil
        self.asked = []

    def __call__(self, body):
        step, text = step_of(body), body["messages"][-1]["content"]
        if text.startswith("Your reply could not be used"):
            text = body["messages"][-2]["content"]
        self.asked.append((step, body))
        found = getattr(self, f"_{step}")(text)
        other = self.spoil(step, found, body) if self.spoil else found
        return completion(other if isinstance(other, str) else json.dumps(other))

    def of(self, step):
        """The bodies of the requests for a step."""
        return [body for each, body in self.asked if each == step]

    def _title(self, text):
        timeline = [{"date": day(30 * n), "event": f"event {n}"} for n in range(12)]
        return {
            "title": "The bakery",
            "theme": "A bakery moves.",
            "user": USER,
            "people": PEOPLE,
            "timeline": timeline,
        }

    def _parts(self, text):
        plan = re.search(r"This is plan (\d+)", text)
        first = 200 * int(plan[1]) if plan else 0
        parts = range(number_in(text, "into exactly"))
        return {
            "parts": [
                {"title": f"Part {first + n}", "start": day(first + n), "summary": "They bake."}
                for n in parts
            ]
        }

    def _points(self, text):
        first = number_in(text, "numbered from")
        points = []
        for n in range(first, first + number_in(text)):
            kind = KINDS[(n - 1) % len(KINDS)]
            of = n - 4 if kind in ("update", "contradiction") else 0
            said = f"The oven number {n} costs {n * 11} euros."
            points.append({"kind": kind, "date": day(n), "text": said, "of": of})
        return {"points": points}

    def _messages(self, text):
        lines = re.findall(r"^(\d+)\. \([^)]*\) (.*)$", text, re.M)
        count = number_in(text)
        shares = [
            lines[len(lines) * n // count : len(lines) * (n + 1) // count] for n in range(count)
        ]
        return {
            "messages": [
                {
                    "text": " ".join(["What now?", *(said for _, said in share)]),
                    "points": [int(number) for number, _ in share],
                }
                for share in shares
            ]
        }

    def _needed(self, text):
        return {"needed": self.needed, "message": "Yes, on Monday." if self.needed else ""}

    def _reply(self, text):
        return " ".join(["dough"] * self.words)

    def _questions(self, text):
        numbers = [int(n) for n in re.findall(r"^(\d+)\. \(", text, re.M)]
        kind = re.search(r"of the kind (\w+)", text)[1]
        return {
            "questions": [
                {
                    "question": f"Question {n} of {kind}?",
                    "answer": "An answer.",
                    "nuggets": [f"LLM response should state: {numbers[n] * 11} euros"],
                    "points": [] if kind == "abstention" else [numbers[n]],
                }
                for n in range(number_in(text))
            ]
        }

    def _holds(self, text):
        return {"holds": self.holds(text), "why": "it is not said"}
