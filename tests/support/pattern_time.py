"""Whether a pattern takes more than twice as long for twice the text, in time of the processor."""

import time

SIZES = (32, 256, 1024, 8192, 65536)
"""Characters of a text, in the order in which they are tried: what grows fast ends early."""
_WORTH_S = {32: 0.002, 256: 0.004, 1024: 0.004, 8192: 0.008, 65536: 0.05}
"""Seconds below which no pattern is looked at twice; a linear one takes less."""
_GROWTH = 3.0
"""More than this at twice the length is faster than the text grows: linear is 2, quadratic 4."""
_REPEATS = 3


def seconds(run, text, repeats=1):
    """The least seconds of the processor that a run over the text takes."""
    least = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        run(text)
        least = min(least, time.process_time() - began)
    return least


def growth(run, repeated, sizes=SIZES):
    """The size and the growth at which the time grows too fast; ``None`` if it does not.

    ``run`` takes a text, ``repeated`` makes one of a length.
    """
    for size in sizes:
        if seconds(run, repeated.of_length(size)) < _WORTH_S[size]:
            continue
        once = seconds(run, repeated.of_length(size), _REPEATS)
        if once < _WORTH_S[size]:
            continue
        twice = seconds(run, repeated.of_length(2 * size), _REPEATS)
        if twice > _GROWTH * once:
            return size, round(twice / once, 1)
    return None


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
