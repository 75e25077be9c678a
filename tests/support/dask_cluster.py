"""A Dask cluster of two worker processes, in a process of its own, until its input ends.

Prints one JSON line with the address of the scheduler and the ids of the worker processes. A
worker that is killed is started again.
"""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass

from support.paths import ROOT


@dataclass(frozen=True)
class Cluster:
    """The value for ``--compaction-executor``, and the ids of the worker processes."""

    executor: str
    workers: list


@contextmanager
def dask_cluster(**environment):
    """A cluster whose processes have these environment variables."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )
    try:
        said = json.loads(process.stdout.readline())
        yield Cluster(said["scheduler"].replace("tcp://", "dask://"), said["workers"])
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def main():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        pids = [nanny.pid for nanny in cluster.workers.values()]
        said = {"scheduler": cluster.scheduler_address, "workers": pids}
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
