"""Every public name that PyTorch has for many processes is here, or has a reason not to be."""

from __future__ import annotations

import importlib
import warnings

import pytest

pytest.importorskip("torch")

_NAMES = """
    torch.distributed torch.distributed.device_mesh torch.distributed.nn.functional
    torch.distributed.tensor torch.distributed.tensor.parallel torch.distributed.tensor.experimental
    torch.distributed.tensor.debug torch.distributed.fsdp torch.distributed.fsdp.wrap
    torch.distributed.fsdp.sharded_grad_scaler torch.distributed.optim torch.distributed.pipelining
    torch.distributed.pipelining.schedules torch.distributed.checkpoint
    torch.distributed.checkpoint.state_dict torch.distributed.checkpoint.format_utils
    torch.distributed.algorithms torch.distributed.algorithms.join
    torch.distributed.algorithms.ddp_comm_hooks
    torch.distributed.algorithms.ddp_comm_hooks.default_hooks
    torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
    torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks
    torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook
    torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks
    torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook
    torch.distributed.algorithms.model_averaging.averagers
    torch.distributed.algorithms.model_averaging.hierarchical_model_averager
    torch.distributed.algorithms.model_averaging.utils torch.distributed.rendezvous
    torch.distributed.elastic.multiprocessing.errors torch.distributed.launcher torch.nn.parallel
"""
MODULES = _NAMES.split()

#: what is missing, and why; docs/distributed.md says the same under "What is not there"
MISSING = {
    "parts of PyTorch's own C++ and of its loading, which programs do not name": """
        Logger Reducer GroupName BuiltinCommHookType ProcessGroupGloo BackendConfig record_comm
        get_pg_count
    """,
    "gloo has it not either": "split_group shrink_group",
    "a debugger would need the terminal, which the ranks share": "breakpoint",
    "stores and URLs of the program's own go to init_process_group": "register_rendezvous_handler",
    "networks are not cut into stages by themselves": "Pipe build_stage pipe_split",
    "backward is not split in two": """
        ScheduleDualPipeV ScheduleInterleavedZeroBubble ScheduleZBVZeroBubble
    """,
    "schedules of the program's own": "PipelineScheduleMulti PipelineScheduleSingle",
    "there is one plan for checkpoints, and one form of files": """
        DefaultLoadPlanner DefaultSavePlanner HuggingFaceStorageReader HuggingFaceStorageWriter
        LoadPlan LoadPlanner QuantizedHuggingFaceStorageReader ReadItem SavePlan SavePlanner
        StorageReader StorageWriter WriteItem BroadcastingTorchSaveReader DynamicMetaLoadPlanner
    """,
    "PyTorch has deprecated it for save and load": """
        load_sharded_optimizer_state_dict load_state_dict save_state_dict
    """,
    "there is no RPC": "DistributedOptimizer RemoteModule",
    "rules are the library's": "register_sharding",
    "attention of a sequence in parts": "context_parallel",
    "recordings show the exchanges, and repr the placements": "CommDebugMode visualize_sharding",
    "the streams and data parallel dims of devices that are not here": (
        "DataParallelMeshDims share_comm_ctx"
    ),
    "optimizers have names of parameters as keys": "OptimStateKeyType",
    "types of PyTorch's own annotations": """
        DictValueType FQNS_T ListDictValueType OptimizerStateType PrimitiveType ValueType
    """,
    "there is no TorchScript": "as_functional_optim",
    "the step of ZeRO overlaps with nothing": """
        hook_with_zero_step hook_with_zero_step_interleaved
    """,
    "jobs are started by the command, or by spawn": """
        LaunchConfig elastic_launch launch_agent ChildFailedError ErrorHandler ProcessFailure
        get_error_handler
    """,
}


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_there_or_have_a_reason(module: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is deprecated, even of looking at it
        names = _public_names(module)
    excused = " ".join(MISSING.values()).split()
    try:
        ours = importlib.import_module(module.replace("torch", "pellucid", 1))
    except ModuleNotFoundError:
        ours = None
    assert [each for each in names if not hasattr(ours, each) and each not in excused] == []
    assert [each for each in names if hasattr(ours, each) and each in excused] == []


def _public_names(module: str) -> list[str]:
    theirs = importlib.import_module(module)
    listed = getattr(theirs, "__all__", None)
    if listed is not None:
        return listed
    homes = {name: str(getattr(value, "__module__", "")) for name, value in vars(theirs).items()}
    return [name for name, home in homes.items() if name[0] != "_" and _is_public(home, module)]


def _is_public(home: str, module: str) -> bool:
    """Return whether what is defined in one module is a name of another without a list of them."""
    if module == "torch.distributed":
        return home.startswith(("torch.distributed", "torch._C._distributed"))
    return home == module
