"""Modules of devices and libraries that are not here: they answer truthfully, or raise."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import pellucid as torch


@pytest.mark.parametrize("name", ["cuda", "mps", "xpu", "accelerator"])
def test_there_is_no_such_device(name: str) -> None:
    module = getattr(torch, name)
    assert module is importlib.import_module(f"pellucid.{name}")
    assert module.is_available() is False
    assert module.device_count() == 0
    with pytest.raises(RuntimeError):
        module.synchronize()


def test_cuda_raises_the_class_that_programs_catch() -> None:
    for call in (
        torch.cuda.current_device, torch.cuda.init, lambda: torch.cuda.set_device(0),
        lambda: torch.cuda.get_device_name(0), lambda: torch.cuda.device(0).__enter__(),
        lambda: torch.ones(1).cuda(),
    ):  # fmt: skip
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            call()
    for kind in (torch.cuda.Stream, torch.cuda.Event, torch.cuda.CUDAGraph):
        with pytest.raises(RuntimeError):
            kind()


def test_what_has_nothing_to_do_does_nothing() -> None:
    before = torch.get_rng_state()
    torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    torch.cuda.empty_cache()
    torch.mps.manual_seed(1)
    torch.xpu.empty_cache()
    torch.cuda.set_device(-1)
    with torch.cuda.device(None), torch.cuda.stream(None), torch.cuda.device_of(torch.ones(1)):
        pass
    assert torch.equal(torch.get_rng_state(), before)
    assert (torch.cuda.memory_allocated(), dict(torch.cuda.memory_stats())) == (0, {})


def test_the_cpu_is_there() -> None:
    assert (torch.cpu.is_available(), torch.cpu.device_count()) == (True, 1)
    torch.cpu.synchronize()
    assert torch.accelerator.current_accelerator() is None


def test_switches_of_libraries_can_be_set_and_read() -> None:
    cudnn = torch.backends.cudnn
    assert (cudnn.is_available(), cudnn.version(), cudnn.enabled) == (False, None, True)
    with cudnn.flags(benchmark=True, deterministic=True):
        assert (cudnn.benchmark, cudnn.deterministic) == (True, True)
    assert (cudnn.benchmark, cudnn.deterministic) == (False, False)
    torch.backends.cuda.enable_flash_sdp(False)
    assert not torch.backends.cuda.flash_sdp_enabled()
    torch.backends.cuda.enable_flash_sdp(True)
    for name in ("mps", "mkl", "mkldnn", "openmp", "nnpack", "opt_einsum"):
        assert getattr(torch.backends, name).is_available() is False


def test_what_is_not_compiled_is_returned() -> None:
    model = torch.nn.Linear(1, 1)
    assert torch.compile(model, disable=True) is model
    assert torch.jit.script(model) is model
    assert torch.jit.trace(model, torch.ones(1)) is model
    assert not torch.compiler.is_compiling()

    @torch.compile
    def one() -> int:
        return 1

    @torch.compile(backend="eager")
    def two() -> int:
        return 2

    @torch.jit.ignore
    def three() -> int:
        return 3

    @torch.compiler.disable()
    def four() -> int:
        return 4

    assert (one(), two(), three(), four()) == (1, 2, 3, 4)


def test_what_is_not_supported_says_so_when_it_is_used() -> None:
    for call in (
        lambda: torch.onnx.dynamo_export(None), lambda: torch.jit.save(None, "x"),
        lambda: torch.hub.load("user/repository", "model"),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError):
            call()


def test_a_process_group_has_one_member(monkeypatch: pytest.MonkeyPatch) -> None:
    group = torch.distributed
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert group.is_available()
    assert not group.is_initialized()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        group.get_rank()
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        group.init_process_group()
    with pytest.raises(ValueError, match="environment variable MASTER_ADDR expected, but not set"):
        group.init_process_group(world_size=2, rank=0)
    group.init_process_group("gloo", world_size=1, rank=0, store=group.HashStore())
    try:
        x = torch.ones(2)
        group.all_reduce(x)
        gathered = [torch.zeros(2)]
        group.all_gather(gathered, x)
        group.barrier()
        assert x.tolist() == gathered[0].tolist() == [1, 1]
        assert (group.get_rank(), group.get_world_size(), group.get_backend()) == (0, 1, "gloo")
        assert len(torch.utils.data.DistributedSampler(range(5))) == 5
    finally:
        group.destroy_process_group()
    assert not group.is_initialized()


def test_the_version_names_no_cuda() -> None:
    assert torch.version.cuda is None
    assert torch.version.__version__ == torch.__version__


def test_importing_pellucid_loads_none_of_them() -> None:
    code = (
        "import sys, pellucid\n"
        "late = 'cuda jit multiprocessing distributed hub settings utils'.split()\n"
        "print([name for name in late if f'pellucid.{name}' in sys.modules])"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(torch.__path__[0]) + "/.."},
    )  # fmt: skip
    assert finished.stdout.strip() == "[]"


def test_downloaded_files_are_checked_and_kept(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "weights.pt"
    torch.save({"w": torch.ones(2)}, source)
    monkeypatch.setattr(torch.hub, "_directory", None)
    torch.hub.set_dir(tmp_path / "hub")
    loaded = torch.hub.load_state_dict_from_url(source.as_uri())
    source.unlink()
    again = torch.hub.load_state_dict_from_url(source.as_uri())  # from the directory
    assert torch.equal(loaded["w"], again["w"])
    other = tmp_path / "other.bin"
    other.write_bytes(b"abc")
    with pytest.raises(RuntimeError, match="invalid hash value"):
        torch.hub.download_url_to_file(other.as_uri(), str(tmp_path / "copy"), "00")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "^Device string must not be empty"),
        ("cuda:", "^Invalid device string: 'cuda:'"),
        ("cuda:01", "^Invalid device string: 'cuda:01'"),
        ("cuda:-1", "^Invalid device string: 'cuda:-1'"),
        (" cpu", "^Invalid device string: ' cpu'"),
        ("no device", "^Invalid device string: 'no device'"),
        ("Cuda", "^Expected one of cpu, cuda, .* at start of device string: Cuda"),
    ],
)  # fmt: skip
def test_what_names_no_device_is_refused(text: str, message: str) -> None:
    asks = (
        torch.device, torch.autocast, torch.amp.is_autocast_available, torch.is_autocast_enabled,
        torch.get_autocast_dtype,
    )  # fmt: skip
    for ask in asks:
        with pytest.raises(RuntimeError, match=message):
            ask(text)
    assert torch.device("maia").type == "maia"
    assert str(torch.device("cuda:10")) == "cuda:10"
