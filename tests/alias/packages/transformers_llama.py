"""transformers: a small Llama is trained, saved, loaded and generates."""

import tempfile

import torch
from report import report
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
    bos_token_id=1, eos_token_id=2, pad_token_id=0,
)  # fmt: skip
model = LlamaForCausalLM(config)
report("parameters", sum(p.numel() for p in model.parameters()), model.lm_head.weight)
tokens = torch.randint(3, 64, (4, 12))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report("loss", loss)
with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    loaded = LlamaForCausalLM.from_pretrained(folder)
model.eval()
pairs = zip(model.parameters(), loaded.parameters(), strict=True)
report("equal", all(torch.equal(a, b) for a, b in pairs))
report("greedy", loaded.generate(tokens[:2, :5], max_new_tokens=6, do_sample=False))
torch.manual_seed(1)
report("sampled", loaded.generate(tokens[:2, :5], max_new_tokens=6, do_sample=True, top_k=20))
report("beams", loaded.generate(tokens[:2, :5], max_new_tokens=4, num_beams=3, do_sample=False))
