"""peft: a small Llama is trained by LoRA and the factors are merged."""

import torch
from peft import LoraConfig, get_peft_model
from report import report
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
    num_attention_heads=4, max_position_embeddings=64,
))  # fmt: skip
model = get_peft_model(model, LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"]))
report("trainable", *model.get_nb_trainable_parameters())
tokens = torch.randint(0, 64, (4, 12))
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
for _ in range(3):
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report("loss", loss)
model.eval()
before = model(input_ids=tokens).logits
merged = model.merge_and_unload()
report("merged", (merged(input_ids=tokens).logits - before).abs().max().item() < 1e-4, before)
