"""The export of version 1.2, before statements existed. Kept for the spreadsheet of 2023."""

from __future__ import annotations

import csv
import io

from tallybook.store import LedgerStore


def dump_csv(store: LedgerStore) -> str:
    """All postings of a journal, amounts as floats, no conversion."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=";")
    writer.writerow(["voucher", "date", "account", "amount", "currency", "payee"])
    for entry in store.entries():
        for posting in entry.postings:
            amount = float(posting.amount.decimal)
            writer.writerow(
                [
                    entry.voucher,
                    entry.day.strftime("%d.%m.%Y"),
                    posting.account,
                    amount,
                    posting.amount.currency,
                    entry.payee,
                ]
            )
    return buffer.getvalue()
