"""The batching rules of ``vmap`` and the tensors that carry a batch."""
