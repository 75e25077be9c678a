"""Processes that run a function of a test, each from a fresh start."""

import multiprocessing


def run_each(function, *arguments):
    """Run the function in a process for each tuple of arguments, and wait for all."""
    context = multiprocessing.get_context("spawn")
    running = [context.Process(target=function, args=each) for each in arguments]
    for process in running:
        process.start()
    for process in running:
        process.join(120)
