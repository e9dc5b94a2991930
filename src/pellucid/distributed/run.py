"""``torchrun``: run a script as several processes, with the arguments that torchrun takes.

``python -m pellucid.distributed.run --nproc-per-node 4 SCRIPT ARGS...`` starts ``mpiexec``, which
starts the processes. Each finds its place in RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE,
MASTER_ADDR and MASTER_PORT. When a rank dies, its traceback and its rank are printed, and the job
ends.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from pellucid.errors import ArgumentError
from pellucid.processes.launching import Job, command_for, environment_for_ranks

#: options of torchrun about rendezvous and logs, which MPI sees to itself
_WITHOUT_EFFECT = (
    "rdzv-backend", "rdzv-endpoint", "rdzv-id", "rdzv-conf", "local-addr", "role",
    "monitor-interval", "start-method", "log-dir", "redirects", "tee", "max-restarts",
    "event-log-handler", "local-ranks-filter",
)  # fmt: skip


#: variables of the queues whose machines mpiexec finds by itself
_ALLOCATIONS = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torchrun", description=__doc__, allow_abbrev=False)

    def option(name: str, **settings: object) -> None:
        parser.add_argument(f"--{name}", f"--{name.replace('-', '_')}", **settings)  # type: ignore[arg-type]

    option("nproc-per-node", default="1", help="processes per machine, or 'cpu' or 'auto'")
    option("nnodes", default="1", help="number of machines")
    option("node-rank", type=int, default=int(os.environ.get("NODE_RANK", "0")))
    option("hosts", help="names of the machines, between commas; Slurm's are found without")
    option("master-addr", help="put into MASTER_ADDR")
    option("master-port", help="put into MASTER_PORT")
    option("standalone", action="store_true", help="one machine, as by default")
    option("no-python", action="store_true", help="SCRIPT is a command of its own")
    option("run-path", action="store_true", help="accepted")
    parser.add_argument("-m", "--module", action="store_true", help="SCRIPT is a module")
    for name in _WITHOUT_EFFECT:
        option(name, help=argparse.SUPPRESS)
    parser.add_argument("training_script", metavar="SCRIPT")
    parser.add_argument("training_script_args", metavar="ARGS", nargs=argparse.REMAINDER)
    return parser


def _per_node(text: str) -> int:
    if text in ("cpu", "auto", "gpu"):
        return os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise ArgumentError(f"Unsupported nproc_per_node value: {text}")
    return int(text)


def _nodes(text: str) -> int:
    last = text.rpartition(":")[2]
    if not last.isdigit() or int(last) < 1:
        raise ArgumentError(f'nnodes={text} is not of the form "N" or "MIN:MAX"')
    return int(last)


def _check_hosts(chosen: argparse.Namespace, nodes: int) -> None:
    """Refuse several machines of which nobody knows the names: all would run on this one."""
    if nodes == 1 or chosen.hosts or any(name in os.environ for name in _ALLOCATIONS):
        return
    raise ArgumentError(
        f"--nnodes {nodes} without --hosts: MPI starts the processes of all machines from one of "
        "them, and has to know their names. On one machine only, type: python -m "
        f"pellucid.distributed.run --nnodes {nodes} --nproc-per-node {chosen.nproc_per_node} "
        f"--hosts HOST1,HOST2 {chosen.training_script}"
    )


class _Terminated(BaseException):
    """The launcher was told to end."""


@contextlib.contextmanager
def _raising_on_termination() -> Iterator[None]:
    """Raise at SIGTERM, so that the ranks are ended and the job's folder goes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main(args: Sequence[str] | None = None) -> int:
    """Run the script that the arguments name; return the exit code of the job."""
    chosen = _parser().parse_args(args)
    _check_hosts(chosen, _nodes(chosen.nnodes))
    if chosen.node_rank > 0:
        sys.stderr.write("mpiexec starts the processes of all machines from the one of rank 0\n")
        return 0
    per_node, nodes = _per_node(chosen.nproc_per_node), _nodes(chosen.nnodes)
    script = [chosen.training_script, *chosen.training_script_args]
    if not chosen.no_python:
        module = ["-m"] if chosen.module else []
        script = [sys.executable, "-m", "pellucid", "run", *module, *script]
    settings = environment_for_ranks()
    settings["TORCHELASTIC_RUN_ID"] = str(uuid.uuid4())
    settings["PYTHONUNBUFFERED"] = "1"
    if chosen.master_addr:
        settings["MASTER_ADDR"] = chosen.master_addr
    if chosen.master_port:
        settings["MASTER_PORT"] = chosen.master_port
    with tempfile.TemporaryDirectory(prefix="pellucid-run-") as directory:
        line = command_for(
            per_node * nodes, script, hosts=chosen.hosts,
            per_host=per_node if nodes > 1 else None, directory=directory,
        )  # fmt: skip
        job = Job(line, per_node * nodes, Path(directory), settings)
        try:
            with _raising_on_termination():
                return job.wait() or 0
        except (KeyboardInterrupt, _Terminated) as ended:
            job.interrupt()
            return 130 if isinstance(ended, KeyboardInterrupt) else 128 + signal.SIGTERM


if __name__ == "__main__":
    sys.exit(main())
