"""How much is done, counted in calls: the same on every machine, where time is not."""

import sys


def calls_of(work):
    """How many functions, built-in ones included, a function without arguments calls."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def growth(work, size):
    """How many times as many calls ``work(n)`` makes when ``size`` doubles; about 2 if linear.

    What it keeps from call to call is kept before anything is counted.
    """
    work(2 * size)
    return calls_of(lambda: work(2 * size)) / calls_of(lambda: work(size))
