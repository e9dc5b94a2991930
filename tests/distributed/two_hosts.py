"""Two network namespaces as machines: a rank is killed there, or the network is cut.

``python -m tests.distributed.two_hosts`` tries each with sockets, MPICH and Open MPI, as far as
they are installed, and prints how the job ended. It needs root, Linux and ``ip``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.distributed.launch import SOURCE

ADDRESSES = ("10.77.31.1", "10.77.31.2")
#: seconds that an exchange may take, and in which a job has to be over after that
LIMIT, PATIENCE = 10, 60

PROGRAM = f"""
import datetime, os, pathlib, sys, time
import pellucid as torch
import pellucid.distributed as dist

dist.init_process_group(timeout=datetime.timedelta(seconds={LIMIT}))
x = torch.ones(1 << 18)
for step in range(1, 100_000):
    dist.all_reduce(x, dist.ReduceOp.AVG)
    if step == 3:
        pathlib.Path(sys.argv[1], f"pid{{dist.get_rank()}}").write_text(str(os.getpid()))
"""


class Ended(NamedTuple):
    """How a job has ended."""

    seconds: float
    codes: list[int]
    errors: str
    left: list[str]


def can_have_hosts() -> bool:
    """Return whether network namespaces can be made here."""
    if not sys.platform.startswith("linux") or os.geteuid() or shutil.which("ip") is None:
        return False
    made = subprocess.run(["ip", "netns", "add", "pellucid-try"], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", "pellucid-try"], capture_output=True, check=False)
    return made.returncode == 0


def kinds() -> list[str]:
    """Return what can connect the processes here."""
    found = ["sockets"]
    if shutil.which("mpiexec.hydra") or _beside("mpiexec.hydra").is_file():
        found.append("MPICH")
    if shutil.which("mpiexec.openmpi"):
        found.append("Open MPI")
    return found


def _beside(name: str) -> Path:
    return Path(sys.executable).parent / name


@contextlib.contextmanager
def _hosts() -> Iterator[list[str]]:
    """Have two namespaces, each with one end of a cable."""
    names = [f"pellucid-{os.getpid()}-{each}" for each in "ab"]
    cables = [f"pl{os.getpid() % 10**8}{each}" for each in "ab"]
    try:
        for name in names:
            _ip("netns", "add", name)
        _ip("link", "add", cables[0], "type", "veth", "peer", "name", cables[1])
        for name, cable, address in zip(names, cables, ADDRESSES, strict=True):
            _ip("link", "set", cable, "netns", name)
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", cable)
            _ip("-n", name, "link", "set", cable, "up")
            _ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _inside(name: str, *command: str) -> list[str]:
    """Return a command that runs in a namespace, under its name as the name of the host."""
    quoted = 'hostname "$0"; exec "$@"'
    return ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", quoted, name, *command]


def run(kind: str, fault: str) -> Ended:
    """Start a job over both hosts, "kill" its rank 1 or "cut" the network; return how it ends."""
    with TemporaryDirectory() as directory, _hosts() as names:
        folder = Path(directory)
        (folder / "program.py").write_text(PROGRAM)
        jobs = _by_sockets(names, folder) if kind == "sockets" else _by_mpi(kind, names, folder)
        try:
            return _after(fault, jobs, names, folder)
        finally:
            for pid in _processes(names):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for job in jobs:
                job.kill()
                job.wait()


def _settings() -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
        "PELLUCID_JOB_TOKEN": "two hosts",
    }  # fmt: skip


def _started(command: list[str], settings: dict[str, str], folder: Path) -> subprocess.Popen[bytes]:
    # to a file, as ranks that are left would keep a pipe open
    with open(folder / "errors", "ab") as errors:
        return subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL, stderr=errors)


def _by_sockets(names: list[str], folder: Path) -> list[subprocess.Popen[bytes]]:
    """Type the launcher's command on each host."""
    launcher = [sys.executable, "-m", "pellucid.distributed.run", "--transport", "sockets"]
    where = ["--nnodes", "2", "--nproc-per-node", "1", "--rdzv-endpoint", f"{ADDRESSES[0]}:29577"]
    program = [str(folder / "program.py"), str(folder)]
    return [
        _started(
            _inside(name, *launcher, *where, "--node-rank", str(number), *program),
            _settings(),
            folder,
        )
        for number, name in enumerate(names)
    ]


def _by_mpi(kind: str, names: list[str], folder: Path) -> list[subprocess.Popen[bytes]]:
    """Let MPI start the job from the first host; a script stands in for ssh."""
    login = folder / "login"
    login.write_text(
        "#!/bin/sh\n"
        'while [ "${1#-}" != "$1" ]; do shift; done\n'
        f'case "$1" in {ADDRESSES[0]}) name={names[0]};; *) name={names[1]};; esac\n'
        'shift; exec ip netns exec "$name" unshare --uts sh -c \'hostname "$0"; eval "$1"\' '
        '"$name" "$*"\n'
    )
    login.chmod(0o755)
    command = ["-m", "pellucid.distributed.run", "--transport", "mpi"]
    command += ["--hosts", ",".join(ADDRESSES), "--nnodes", "2", "--nproc-per-node", "1"]
    settings = _settings() | {"HYDRA_LAUNCHER_EXEC": str(login), "HYDRA_LAUNCHER": "ssh"}
    settings["UCX_TLS"] = "tcp,self"  # machines have no memory in common
    python = sys.executable
    if kind == "Open MPI":
        python = str(folder / "bin" / "python")  # whose mpiexec is the one beside it
        (folder / "bin").mkdir()
        os.symlink(sys.executable, python)
        (folder / "bin" / "mpiexec").write_text('#!/bin/sh\nexec mpiexec.openmpi "$@"\n')
        (folder / "bin" / "mpiexec").chmod(0o755)
        packages = os.pathsep.join(each for each in sys.path if each.endswith("site-packages"))
        settings |= {
            "PYTHONPATH": f"{SOURCE}{os.pathsep}{packages}", "MPI4PY_MPIABI": "openmpi",
            "MPI4PY_RC_THREAD_LEVEL": "serialized",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_osc": "^ucx", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
            "OMPI_MCA_plm_rsh_agent": str(login), "OMPI_MCA_btl_tcp_if_include": "10.77.31.0/24",
            "OMPI_MCA_oob_tcp_if_include": "10.77.31.0/24",
        }  # fmt: skip
    program = [str(folder / "program.py"), str(folder)]
    return [_started(_inside(names[0], python, *command, *program), settings, folder)]


def _after(
    fault: str, jobs: list[subprocess.Popen[bytes]], names: list[str], folder: Path
) -> Ended:
    pids = [folder / f"pid{rank}" for rank in range(2)]
    limit = time.monotonic() + PATIENCE
    while not all(each.is_file() and each.read_text() for each in pids):
        if time.monotonic() > limit or any(job.poll() is not None for job in jobs):
            return Ended(0, [-1], "the job did not start: " + (folder / "errors").read_text(), [])
        time.sleep(0.05)
    if fault == "kill":
        os.kill(int(pids[1].read_text()), signal.SIGKILL)
    else:
        cable = re.findall(r"(pl\d+b)", subprocess.getoutput(f"ip -n {names[1]} -o link"))[0]
        _ip("-n", names[1], "link", "set", cable, "down")
    begin = time.monotonic()
    while any(job.poll() is None for job in jobs) and time.monotonic() < begin + PATIENCE + LIMIT:
        time.sleep(0.05)
    seconds = time.monotonic() - begin
    codes = [job.poll() if job.poll() is not None else -1 for job in jobs]
    limit = time.monotonic() + PATIENCE
    while _processes(names) and time.monotonic() < limit:
        time.sleep(0.2)
    left = [
        Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in _processes(names)
    ]
    return Ended(seconds, codes, (folder / "errors").read_text(), left)


def _processes(names: list[str]) -> list[int]:
    found = [subprocess.getoutput(f"ip netns pids {name}").split() for name in names]
    return [int(pid) for part in found for pid in part if pid.isdigit()]


if __name__ == "__main__":
    for kind in kinds():
        for fault in ("kill", "cut"):
            ended = run(kind, fault)
            print(f"==== {kind}, {fault}: over after {ended.seconds:.1f} s, codes {ended.codes}")
            print(f"left: {ended.left}\n{ended.errors[-1500:]}", flush=True)
