"""Exchange with others: PyTorch's files, safetensors."""

from __future__ import annotations
