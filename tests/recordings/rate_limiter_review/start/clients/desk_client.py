"""What runs on the two desks: sends lines to the bridge and asks again where that helps.

This is a copy, so that changes of the protocol can be tried against it. The desks are updated by
hand, twice a year; the next time is in October.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Send = Callable[[str], str]
Sleep = Callable[[float], None]

TRIES_AT_ONCE = 50
"""How often a line is sent again without a pause when the reply asks for 0 seconds."""

GIVE_UP_SECONDS = 240
"""After that many tries at once the desk leaves the path alone for this long."""

LONGEST_WAIT = 45
"""A longer ``retry_after`` is not waited for; the clerk sees the error text."""

SHOWS = {
    20: "body",
    21: "slip",
    44: "not available",
    45: "not available",
    46: "error text",
    48: "opening hours",
    50: "try once more",
}
"""What the desk shows for a code. A code that is not here is shown as ``??`` and the number."""


@dataclass
class Desk:
    """One desk and what it has shown."""

    caller: str
    send: Send
    sleep: Sleep
    shown: list[str] = field(default_factory=list)
    number: int = 0

    def ask(self, verb: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request until there is a reply worth showing."""
        self.number += 1
        id = f"{self.caller}-{self.number:05d}"
        line = json.dumps(
            {"id": id, "verb": verb, "path": path, "caller": self.caller, "body": body or {}}
        )
        tries = 0
        while True:
            reply: dict[str, Any] = json.loads(self.send(line))
            wait = reply["body"].get("retry_after")
            if wait is None or wait > LONGEST_WAIT:
                break
            tries += 1
            if wait == 0 and tries >= TRIES_AT_ONCE:
                self.sleep(GIVE_UP_SECONDS)
                break
            self.sleep(wait)
            if wait and tries >= 3:
                break
        self.shown.append(self.show(reply))
        return reply

    def show(self, reply: dict[str, Any]) -> str:
        """The text on the screen of the desk."""
        code = reply["code"]
        what = SHOWS.get(code, f"?? {code}")
        if what == "body":
            return json.dumps(reply["body"])
        if what == "slip":
            return f"slip {reply['body'].get('slip', '')}"
        if what == "error text":
            return str(reply["body"].get("error", ""))
        return what
