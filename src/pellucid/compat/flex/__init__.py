"""Attention with functions for scores and masks: ``torch.nn.attention.flex_attention``."""
