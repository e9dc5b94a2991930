"""transformers: a small BERT classifies, a small GPT-2, T5 and ViT compute."""

import torch
from report import report
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
    get_linear_schedule_with_warmup,
)

torch.manual_seed(0)
bert = BertForSequenceClassification(BertConfig(
    vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=40, max_position_embeddings=32, num_labels=3,
))  # fmt: skip
tokens, labels = torch.randint(0, 50, (4, 10)), torch.tensor([0, 1, 2, 1])
mask = torch.ones(4, 10, dtype=torch.long)
mask[1, 6:] = 0
optimizer = torch.optim.AdamW(bert.parameters(), lr=1e-3)
schedule = get_linear_schedule_with_warmup(optimizer, 1, 4)
for _ in range(3):
    loss = bert(input_ids=tokens, attention_mask=mask, labels=labels).loss
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(bert.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    report("bert", loss, schedule.get_last_lr())

gpt2 = GPT2LMHeadModel(GPT2Config(
    vocab_size=50, n_positions=32, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=1,
)).eval()  # fmt: skip
report("gpt2", gpt2.generate(tokens[:2, :4], max_new_tokens=5, do_sample=False, pad_token_id=1))
t5 = T5ForConditionalGeneration(T5Config(
    vocab_size=50, d_model=32, d_kv=8, d_ff=40, num_layers=2, num_heads=2,
    decoder_start_token_id=0,
))  # fmt: skip
loss = t5(input_ids=tokens, labels=tokens[:, :5].contiguous()).loss
loss.backward()
report("t5", loss, t5.shared.weight.grad)
vit = ViTForImageClassification(ViTConfig(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=40,
    image_size=16, patch_size=4, num_labels=3,
)).eval()  # fmt: skip
report("vit", vit(pixel_values=torch.randn(2, 3, 16, 16)).logits)
