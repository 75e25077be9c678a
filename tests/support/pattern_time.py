"""Whether a pattern takes more than twice as long for twice the text, in time of the processor."""

import time

SIZES = (32, 256, 1024, 8192, 65536)
"""Characters of a text, in the order in which they are tried: what grows fast ends early."""
_WORTH_S = {32: 0.002, 256: 0.004, 1024: 0.004, 2048: 0.004}
_WORTH_S |= {8192: 0.008, 16384: 0.02, 65536: 0.05, 262144: 0.2}
"""Seconds below which no pattern is looked at twice; a linear one takes less."""
_GROWTH = 3.0
"""More than this at twice the length is faster than the text grows: linear is 2, quadratic 4."""
_REPEATS = 3
_ROUNDS = 3
_STEADY_S = 0.02
"""What takes as long as this is measured once a round."""
_FEW = 20
_FEW_S = 0.003
"""What doubles with each repetition takes longer than this for few; all else takes far less."""
_SHORT_S = 0.02
"""The same for the shortest text: to double it would take hours."""
_NEAR = 1.5
"""Growth from one size to the next, above that of the size, with which a pattern passes at once."""


def seconds(run, text):
    """The seconds of the processor that a run over the text takes."""
    began = time.process_time()
    run(text)
    return time.process_time() - began


def growth(run, repeated, sizes=SIZES):
    """The size and the growth at which the time grows too fast; ``None`` if it does not.

    ``run`` takes a text, ``repeated`` makes one of a length. A size is left out if at the one
    before it so little time was taken that four times as much for twice the text is not worth a
    look.
    """
    for few, most in ((repeated.of_times(_FEW), _FEW_S), (repeated.of_length(SIZES[0]), _SHORT_S)):
        if all(seconds(run, few) > most for _ in range(_ROUNDS * _REPEATS)):
            return len(few), float("inf")
    before = None
    for size in sizes:
        if before and before[1] * (size / before[0]) ** 2 < _WORTH_S[size]:
            continue
        text = repeated.of_length(size)
        took = seconds(run, text)
        near = before and took < _NEAR * before[1] * (size / before[0])
        before = size, took
        if took < _WORTH_S[size] or near:
            continue
        times = _times(run, text, repeated.of_length(2 * size))
        if times is not None:
            return size, round(times, 1)
    return None


def _times(run, text, doubled):
    """How many times as long the doubled text takes; ``None`` if that is no more than it may be.

    Time of the processor still depends on what else the machine does, so both texts are
    measured by turns, and growth counts only if every round shows it.
    """
    found = []
    repeats = _REPEATS if seconds(run, text) < _STEADY_S else 1
    for _ in range(_ROUNDS):
        once = twice = float("inf")
        for _ in range(repeats):
            once, twice = min(once, seconds(run, text)), min(twice, seconds(run, doubled))
        if twice <= _GROWTH * once:
            return None
        found.append(twice / once)
    return min(found)


def runner(used):
    """A function of a text that uses a pattern as the package does, or in the worst way."""
    run = _use(used)
    if isinstance(used.pattern.pattern, bytes):
        return lambda text: run(text.encode())
    return run


def _use(used):
    if used.methods and used.methods <= {"match", "fullmatch"}:
        methods = [getattr(used.pattern, name) for name in sorted(used.methods)]
        return lambda text: [method(text) for method in methods]
    if used.methods and used.methods <= {"match", "fullmatch", "search"}:
        return used.pattern.search
    return lambda text: sum(1 for _ in used.pattern.finditer(text))
