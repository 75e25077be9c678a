"""In which sentences the tokens of a text stand, by all forms that they can be asked for under."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pytest_compaction.text.keys.alternatives import Key
from pytest_compaction.text.words import is_path, path_suffixes, token_forms


class Postings:
    """The sentences of each token, and of a form of a token when it is asked for.

    A text has many tokens and few of their forms are ever asked for. Building is linear. What has
    one entry alone, as most do, is held without a list: lists were most of the memory of a view.
    """

    def __init__(self, tokens_of: Iterable[Sequence[str]]) -> None:
        rows: dict[str, int | list[int]] = {}
        for number, tokens in enumerate(tokens_of):
            for token in dict.fromkeys(tokens):
                row = rows.get(token)
                if row is None:
                    rows[token] = number
                elif isinstance(row, int):
                    rows[token] = [row, number]
                else:
                    row.append(number)
        self._rows = rows
        self._tokens: dict[Key, str | list[str]] = {}
        """The tokens that have a form."""
        self._split: dict[Key, list[int]] = {}
        """The sentences of forms that names in camel case are made of, all of them."""
        known = self._tokens
        for token in rows:
            for form in posted(token):
                others = known.get(form)
                if others is None:
                    known[form] = token
                elif isinstance(others, str):
                    known[form] = [others, token]
                else:
                    others.append(token)

    def split_names(
        self, excerpt_of: Sequence[int], names: Sequence[Mapping[str, Sequence[str]]]
    ) -> None:
        """Make the words known of which names in camel case are made.

        ``names`` gives for each excerpt the words of the names that it has, and ``excerpt_of``
        the excerpt of each sentence.
        """
        if not any(names):
            return
        written: dict[str, list[int]] = {}
        for number, here in enumerate(names):
            for name in here:
                written.setdefault(name, []).append(number)
        found: dict[Key, set[int]] = {}
        for name, excerpts in written.items():
            of_name = set(excerpts)
            for number in self.of(name):
                if (excerpt := excerpt_of[number]) in of_name:
                    for part in names[excerpt][name]:
                        found.setdefault(part, set()).add(number)
        self._split = {
            part: sorted(numbers.union(self.of(part))) for part, numbers in found.items()
        }

    def __contains__(self, key: Key) -> bool:
        return key in self._tokens or key in self._split

    def of(self, key: Key) -> Sequence[int]:
        """The numbers of the sentences that hold a form, in order."""
        if key in self._split:
            return self._split[key]
        tokens = self._tokens.get(key, [])
        if isinstance(tokens, str):
            return self._row(tokens)
        return sorted({number for token in tokens for number in self._row(token)})

    def among(self, keys: frozenset[Key]) -> set[int]:
        """The sentences that hold any of the forms."""
        found: set[int] = set()
        for key in self._tokens.keys() & keys:
            tokens = self._tokens[key]
            for token in (tokens,) if isinstance(tokens, str) else tokens:
                found.update(self._row(token))
        for key in self._split.keys() & keys if self._split else ():
            found.update(self._split[key])
        return found

    def _row(self, token: str) -> Sequence[int]:
        row = self._rows[token]
        return (row,) if isinstance(row, int) else row


@lru_cache(maxsize=65536)
def posted(token: str) -> tuple[Key, ...]:
    """What a token of a text can be looked up by."""
    if is_path(token):
        return (*token_forms(token), ("path", "/".join(path_suffixes(token)[:1])))
    return token_forms(token)
