"""Collective invoices: ``yard_batch.py OUT FILE…`` merges the files of each customer.

Runs every evening on the office machine. Collective invoices are archived, not
printed, so they may be longer than what is sent out by post.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from docketry import render
from docketry.invoice import Invoice
from docketry.loader import load_invoice

COLLECTIVE_POSITIONS = 600


def collect(invoices: Iterable[Invoice]) -> list[Invoice]:
    """One invoice a customer, sorted by number."""
    merged: dict[str, Invoice] = {}
    for invoice in sorted(invoices, key=lambda invoice: invoice.number):
        name = invoice.customer.name
        merged[name] = merged[name].merged(invoice) if name in merged else invoice
    return sorted(merged.values(), key=lambda invoice: invoice.number)


def run(out: Path, invoices: Iterable[Invoice]) -> list[str]:
    """Write the collective invoices. Returns the file names."""
    render.MAX_POSITIONS = COLLECTIVE_POSITIONS
    out.mkdir(parents=True, exist_ok=True)
    names = []
    for name, document in render.render_many(collect(invoices)):
        (out / name).write_text(document, encoding="utf-8")
        names.append(name)
    return names


def main(arguments: list[str]) -> int:
    """Command line."""
    out, *files = map(Path, arguments)
    for name in run(out, [load_invoice(path) for path in files]):
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
