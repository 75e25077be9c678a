"""Collective invoices."""

from dataclasses import replace
from pathlib import Path

from docketry import render
from docketry.loader import load_invoice
from tools import yard_batch

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_invoices_of_a_customer_are_merged():
    invoices = [load_invoice(EXAMPLES / name) for name in ("plover.json", "heron.json")]
    (merged,) = yard_batch.collect(invoices)
    assert (merged.number, len(merged.positions)) == ("H-2207", 5)


def test_collective_invoices_may_be_long(tmp_path, monkeypatch):
    monkeypatch.setattr(render, "MAX_POSITIONS", render.MAX_POSITIONS)
    heron = load_invoice(EXAMPLES / "heron.json")
    long = replace(heron, positions=heron.positions * 190)
    assert yard_batch.run(tmp_path, [long]) == ["h-2207.txt"]
