"""``torchrun``: run a script as several processes, with the arguments that torchrun takes.

``python -m pellucid.distributed.run --nproc-per-node 4 SCRIPT ARGS...`` lets ``mpiexec`` start the
processes where MPI is installed, and starts them itself elsewhere. Each finds its place in RANK,
LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. When a rank dies, its
traceback and its rank are printed, and the job ends.

Over several machines, MPI starts all processes from one of them (``--hosts``, ``--hostfile``); or
one types the command on each, with ``--master-addr`` and ``--node-rank``, as for torchrun, and
sockets connect the processes. Then PELLUCID_JOB_TOKEN, a secret, has to be the same on all.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import secrets
import signal
import socket
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from pellucid.errors import ArgumentError
from pellucid.processes.launching import (
    Job,
    Logs,
    Start,
    can_launch,
    command_for,
    environment_for_ranks,
    starts_without_mpi,
)
from pellucid.processes.stores import TOKEN

#: options of torchrun that change nothing here
_WITHOUT_EFFECT = (
    "rdzv-backend", "rdzv-conf", "local-addr", "monitor-interval", "start-method",
    "event-log-handler", "virtual-local-rank", "logs-specs",
)  # fmt: skip


#: variables of the queues whose machines mpiexec finds by itself
_ALLOCATIONS = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torchrun", description=__doc__, allow_abbrev=False)

    def option(name: str, **settings: object) -> None:
        parser.add_argument(f"--{name}", f"--{name.replace('-', '_')}", **settings)  # type: ignore[arg-type]

    option("nproc-per-node", default=_given("1", "PET_NPROC_PER_NODE"),
           help="processes per machine, or 'cpu' or 'auto'")  # fmt: skip
    option("nnodes", default=_given("", "PET_NNODES"),
           help="number of machines; of those that are named, or one")  # fmt: skip
    option("node-rank", type=int, default=int(_given("0", "PET_NODE_RANK", "NODE_RANK")),
           help="which of the machines this is, where one starts the job on each")  # fmt: skip
    option("hosts", default="", help="machines, between commas; Slurm's are found without")
    option("hostfile", default="", help="file with a machine per line, as $PBS_NODEFILE")
    option("master-addr", default=_given("", "PET_MASTER_ADDR"), help="machine of rank 0")
    option("master-port", default=_given("", "PET_MASTER_PORT"), help="a free port there")
    option("rdzv-endpoint", default=_given("", "PET_RDZV_ENDPOINT"), help="HOST:PORT, as the two")
    option("max-restarts", type=int, default=int(_given("0", "PET_MAX_RESTARTS")),
           help="how often all ranks are started again when one has failed")  # fmt: skip
    option("rdzv-id", default=_given("", "PET_RDZV_ID"), help="name of the job")
    option("role", default=_given("default", "PET_ROLE"), help="name of the ranks in their output")
    option("log-dir", default=_given("", "PET_LOG_DIR"), help="folder for what ranks print")
    option("redirects", default=_given("0", "PET_REDIRECTS"),
           help="what goes to --log-dir only: 1 stdout, 2 stderr, 3 both")  # fmt: skip
    option("tee", default=_given("0", "PET_TEE"),
           help="what gets its rank in front; to --log-dir as well")  # fmt: skip
    option("local-ranks-filter", default=_given("", "PET_LOCAL_RANKS_FILTER"),
           help="ranks that are heard, between commas")  # fmt: skip
    option("transport", choices=("mpi", "sockets"), default=None,
           help="what connects the processes; MPI where it is installed")  # fmt: skip
    option("standalone", action="store_true", help="one machine, as by default")
    option("no-python", action="store_true", help="SCRIPT is a command of its own")
    option("run-path", action="store_true", help="accepted")
    parser.add_argument("-m", "--module", action="store_true", help="SCRIPT is a module")
    for name in _WITHOUT_EFFECT:
        option(name, help=argparse.SUPPRESS)
    parser.add_argument("training_script", metavar="SCRIPT")
    parser.add_argument("training_script_args", metavar="ARGS", nargs=argparse.REMAINDER)
    return parser


def _given(default: str, *names: str) -> str:
    """Return what the first of these variables says, or what counts without."""
    return next((os.environ[name] for name in names if name in os.environ), default)


def _per_node(text: str) -> int:
    if text in ("cpu", "auto", "gpu"):
        return os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise ArgumentError(f"Unsupported nproc_per_node value: {text}")
    return int(text)


def _named_in(hostfile: str) -> str:
    """Return the machines of a file, which may stand there once per process, between commas."""
    try:
        text = Path(hostfile).read_text()
    except OSError as error:
        raise ArgumentError(
            f"--hostfile {hostfile}: {error.strerror}\n  Write a file with a machine per line, as "
            "`node1` or `node1:8`, or name the machines with --hosts node1,node2."
        ) from error
    lines = [line.partition("#")[0].split() for line in text.splitlines()]
    found = ",".join(dict.fromkeys(line[0].partition(":")[0] for line in lines if line))
    if not found:
        raise ArgumentError(
            f"--hostfile {hostfile} names no machine\n  Write one per line, as `node1` or "
            "`node1:8`; to run on this machine alone, leave --hostfile out."
        )
    return found


def _check_hosts(hosts: str, nodes: int) -> None:
    """Raise ValueError unless so many machines stand between commas."""
    names = hosts.split(",")
    if not all(name.strip() for name in names):
        raise ArgumentError(
            f"--hosts {hosts!r}: a name is missing\n  Write the machines between commas, without "
            "blanks: --hosts node1,node2"
        )
    if len(names) < nodes:
        raise ArgumentError(
            f"--nnodes {nodes}, but {len(names)} named: {', '.join(names)}\n  Leave --nnodes out, "
            "or name as many machines."
        )


def _nodes(text: str) -> int:
    last = text.rpartition(":")[2]
    if not last.isdigit() or int(last) < 1:
        raise ArgumentError(f'nnodes={text} is not of the form "N" or "MIN:MAX"')
    return int(last)


def _by_mpi(chosen: argparse.Namespace, nodes: int) -> bool:
    """Return whether MPI starts the processes; raise ValueError if nobody could start them all."""
    if chosen.transport == "mpi" or chosen.hosts:
        return True
    if nodes > 1 and _master(chosen)[0]:
        return False
    if nodes > 1 and not any(name in os.environ for name in _ALLOCATIONS):
        raise ArgumentError(
            f"--nnodes {nodes}: which machines? Type on each, with N from 0 to {nodes - 1}: python "
            f"-m pellucid.distributed.run --nnodes {nodes} --node-rank N --master-addr HOST0 "
            f"--nproc-per-node {chosen.nproc_per_node} {chosen.training_script}; or, with MPI, on "
            "one of them, in place of both options: --hosts HOST0,HOST1"
        )
    return chosen.transport is None and can_launch()


def _master(chosen: argparse.Namespace) -> tuple[str, str]:
    """Return address and port of rank 0's store, as far as they are given."""
    host, _, port = chosen.rdzv_endpoint.partition(":")
    return chosen.master_addr or host, chosen.master_port or port


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


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
    if chosen.hostfile:
        chosen.hosts = _named_in(chosen.hostfile)
    nodes = _nodes(chosen.nnodes or str(1 + chosen.hosts.count(",")))
    if chosen.hosts:
        _check_hosts(chosen.hosts, nodes)
    if not 0 <= chosen.node_rank < nodes:
        raise ArgumentError(
            f"--node-rank {chosen.node_rank}: of {nodes} machines the first has 0 and the last "
            f"{nodes - 1}\n  Give --nnodes the number of all machines."
        )
    settings = _settings(chosen)
    by_mpi = _by_mpi(chosen, nodes)
    if by_mpi and chosen.node_rank > 0:
        sys.stderr.write("mpiexec starts the processes of all machines from the one of rank 0\n")
        return 0
    for attempt in range(chosen.max_restarts + 1):
        settings["TORCHELASTIC_RESTART_COUNT"] = str(attempt)
        code = _run_once(chosen, nodes, settings, by_mpi)
        if code in (0, *_ENDED_FROM_OUTSIDE) or attempt == chosen.max_restarts:
            return code
        sys.stderr.write(f"starting all ranks again: {attempt + 1} of {chosen.max_restarts}\n")
    return 0


#: exit codes of a job that was ended by the keyboard or by SIGTERM
_ENDED_FROM_OUTSIDE = (130, 128 + signal.SIGTERM)


def _settings(chosen: argparse.Namespace) -> dict[str, str]:
    """Return the environment of the ranks, but for their numbers."""
    settings = environment_for_ranks()
    settings["PYTHONUNBUFFERED"] = "1"
    settings["TORCHELASTIC_RUN_ID"] = chosen.rdzv_id or str(uuid.uuid4())
    settings["TORCHELASTIC_MAX_RESTARTS"] = str(chosen.max_restarts)
    host, port = _master(chosen)
    if host:
        settings["MASTER_ADDR"] = host
    if port:
        settings["MASTER_PORT"] = port
    elif not host and "MASTER_PORT" not in os.environ:
        settings["MASTER_PORT"] = _free_port()
    if not host:
        settings.setdefault(TOKEN, secrets.token_hex(16))
    return settings


def _logs(chosen: argparse.Namespace, settings: dict[str, str]) -> Logs:
    """Return where what the ranks print goes; raise ValueError if it would go nowhere."""
    if chosen.redirects != "0" and not chosen.log_dir:
        raise ArgumentError(f"--redirects {chosen.redirects}: to which folder? Add --log-dir DIR")
    for name in ("redirects", "tee"):
        if not re.fullmatch(r"[0-3]|\d+:[0-3](,\d+:[0-3])*", getattr(chosen, name)):
            raise ArgumentError(
                f"--{name} {getattr(chosen, name)}: write 1 for stdout, 2 for stderr, 3 for both, "
                "or one of them for each local rank: 0:1,1:3"
            )
    folder = ""
    if chosen.log_dir:
        attempt = f"attempt_{settings['TORCHELASTIC_RESTART_COUNT']}"
        folder = str(Path(chosen.log_dir, settings["TORCHELASTIC_RUN_ID"], attempt).resolve())
    return Logs(folder, chosen.redirects, chosen.tee, chosen.local_ranks_filter, chosen.role)


def _script(chosen: argparse.Namespace) -> list[str]:
    """Return the command that each rank runs."""
    script = [chosen.training_script, *chosen.training_script_args]
    if chosen.no_python:
        return script
    return [sys.executable, "-m", "pellucid", "run", *(["-m"] if chosen.module else []), *script]


def _run_once(
    chosen: argparse.Namespace, nodes: int, settings: dict[str, str], by_mpi: bool
) -> int:
    """Run the job once, and return its exit code."""
    per_node, script = _per_node(chosen.nproc_per_node), _script(chosen)
    logs = _logs(chosen, settings)
    with tempfile.TemporaryDirectory(prefix="pellucid-run-") as directory:
        if by_mpi:
            count = per_node * nodes
            line = command_for(
                count, script, hosts=chosen.hosts, directory=directory, logs=logs,
                per_host=per_node if nodes > 1 or chosen.hosts else None,
            )  # fmt: skip
            starts = [Start(line, settings)]
        else:
            count = per_node
            starts = starts_without_mpi(
                per_node, script, settings, directory=directory, nodes=nodes,
                node=chosen.node_rank, logs=logs,
            )  # fmt: skip
        job = Job(starts, count, Path(directory))
        try:
            with _raising_on_termination():
                return job.wait() or 0
        except (KeyboardInterrupt, _Terminated) as ended:
            job.interrupt()
            return 130 if isinstance(ended, KeyboardInterrupt) else 128 + signal.SIGTERM


if __name__ == "__main__":
    sys.exit(main())
