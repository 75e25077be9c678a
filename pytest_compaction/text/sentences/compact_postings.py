"""Postings of a long text in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from pytest_compaction.text.keys.alternatives import Key
from pytest_compaction.text.sentences.postings import Postings, posted


class CompactPostings(Postings):
    """The same as other postings, one number for each in place of an object.

    Sentences are added one after the other, and then :meth:`close` makes the forms known.
    """

    def __init__(self) -> None:
        super().__init__()
        self._compact: dict[str, int | array[int]] = {}
        """The sentence of a token that only one has, or the sentences of any other, in order."""
        self._by_form: dict[Key, str | list[str]] = {}
        """The token that has a form, or the tokens."""
        self._sentences = 0

    def add(self, tokens: Sequence[str]) -> None:
        """Take in the next sentence."""
        number, rows = self._sentences, self._compact
        for token in dict.fromkeys(tokens):
            known = rows.get(token)
            if known is None:
                rows[token] = number
            elif isinstance(known, int):
                rows[token] = array("I", (known, number))
            else:
                known.append(number)
        self._sentences += 1

    def close(self) -> None:
        """Note by which forms the tokens can be asked for."""
        known = self._by_form
        for token in self._compact:
            for form in posted(token):
                others = known.get(form)
                if others is None:
                    known[form] = token
                elif isinstance(others, str):
                    known[form] = [others, token]
                else:
                    others.append(token)

    def row(self, token: str) -> Sequence[int]:
        """The sentences that hold a token, in order."""
        found = self._compact.get(token, ())
        return (found,) if isinstance(found, int) else found

    def _with_form(self, key: Key) -> Sequence[str]:
        found = self._by_form.get(key, ())
        return (found,) if isinstance(found, str) else found

    def _asked(self, keys: frozenset[Key]) -> set[Key]:
        return {key for key in keys if key in self._by_form}
