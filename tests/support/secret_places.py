"""Plain places in which a secret stands in a transcript, and what of it is left there."""

import hashlib
import json
import re
from urllib.parse import quote

from support.secret_kinds import KINDS, value_of


def _name(kind):
    return re.sub(r"\W+", "_", kind).upper() + "_TOKEN"


def _inside(value):
    """The value on one line, as in a quoted text."""
    return json.dumps(value)[1:-1]


PLACES = {
    "prose": lambda kind, value: f"For the deploy please use {value} and tell me when it is done.",
    "prose named": lambda kind, value: f"My {kind} key is {value}, it is valid until May.",
    "JSON neutral": lambda kind, value: json.dumps({"id": 7, "value": value, "on": True}),
    "JSON named": lambda kind, value: json.dumps({"user": "ann", "token": value}, indent=1),
    "JSON in JSON": lambda kind, value: json.dumps({"body": json.dumps({"apiKey": value})}),
    "YAML": lambda kind, value: (
        f"env:\n  region: eu\n  {_name(kind).lower()}: "
        + (value if "\n" not in value else "|\n    " + value.replace("\n", "\n    "))
        + "\n  port: 80"
    ),
    "export": lambda kind, value: f"$ export {_name(kind)}='{value}'\n$ make deploy",
    "diff": lambda kind, value: (
        "@@ -1,2 +1,3 @@\n import os\n+"
        + f'{_name(kind)} = "{value}"'.replace("\n", "\n+")
        + "\n-pass"
    ),
    "header": lambda kind, value: (
        f'curl -H "Authorization: Bearer {_inside(value)}" https://api.acme.io/v1/items'
    ),
    "python": lambda kind, value: f'client = connect("{_inside(value)}", retries=3)',
    "log line": lambda kind, value: (
        f"2024-05-01T10:00:00Z INFO client: request with {_inside(value)} answered 200 in 31 ms"
    ),
    "URL query": lambda kind, value: (
        f"GET https://api.acme.io/v1/items?limit=3&access_token={quote(value, safe='')}&page=2"
    ),
    "userinfo": lambda kind, value: (
        f"git clone https://ann:{quote(value, safe='')}@git.acme.io/app.git"
    ),
    "dotenv": lambda kind, value: f'PORT=80\n{_name(kind)}="{value}"\nDEBUG=1',
    "TOML": lambda kind, value: f'[service]\nhost = "x"\nauth_token = "{_inside(value)}"\n',
    "XML": lambda kind, value: f"<server><id>main</id><token>{value}</token></server>",
    "flag": lambda kind, value: f'$ acme login --token "{_inside(value)}" --yes',
    "table": lambda kind, value: f"| name | value |\n|---|---|\n| CI | `{_inside(value)}` |",
    "repr": lambda kind, value: f"Client(host='x', api_key='{_inside(value)}', timeout=3)",
    "terminal": lambda kind, value: f"\x1b[32m{_inside(value)}\x1b[0m\nready",
}
"""How a text holds a value of a kind."""


def cells(held_out):
    """Kinds and places of one half; the other half is never looked at while rules are written."""
    return [
        (kind, place)
        for kind in KINDS
        for place in PLACES
        if hashlib.sha256(f"{kind}/{place}".encode()).digest()[0] % 2 == held_out
    ]


_WINDOW = 8
"""Characters of a secret that may not be left together."""


def placed(kind, place, seed):
    """A text that holds a value of a kind, and the secret parts of the value."""
    value, parts = value_of(kind, seed)
    return PLACES[place](kind, value), parts


def left_of(parts, text):
    """The first part of a secret that is left in a text; ``None`` if nothing is."""
    for part in parts:
        for form in dict.fromkeys((part, quote(part, safe=""))):
            for start in range(max(1, len(form) - _WINDOW + 1) if len(form) >= _WINDOW else 0):
                if form[start : start + _WINDOW] in text:
                    return form[start : start + _WINDOW]
    return None
