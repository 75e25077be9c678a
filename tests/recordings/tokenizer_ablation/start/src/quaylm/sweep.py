"""Running one configuration, or one for every value of a sweep."""

from __future__ import annotations

from quaylm.bpe import Tokenizer
from quaylm.corpus import read_lines, word_counts
from quaylm.measure import Score, evaluate
from quaylm.merge_cache import cached_merges
from quaylm.ngram import Model
from quaylm.results import Row
from quaylm.settings import Settings, Sweep


def fitted(settings: Settings) -> tuple[Tokenizer, Model]:
    """Tokenizer and model of the training text."""
    lines = read_lines(settings.train)
    merges = cached_merges(word_counts(lines), settings.vocab_size)
    tokenizer = Tokenizer.fit(lines, merges, settings.min_piece)
    model = Model(settings.context, settings.prior)
    return tokenizer, model.train(tokenizer.encode(line) for line in lines)


def run(settings: Settings, *, final: bool = False) -> Score:
    """Train and score."""
    split = read_lines(settings.split_file, final=final)
    tokenizer, model = fitted(settings)
    return evaluate(model, tokenizer, split)


def run_sweep(base: Settings, sweep: Sweep, *, final: bool = False) -> list[Row]:
    """One row for each value, in the order of the file."""
    return [
        Row.of(value, run(settings, final=final))
        for value, settings in zip(sweep.values, sweep.settings(base), strict=True)
    ]
