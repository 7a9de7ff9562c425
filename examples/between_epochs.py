"""A training loop of your own that measures after every epoch; changed weights are noticed.

python examples/between_epochs.py FOLDER_OF_A_MASKED_MODEL
"""

import sys

import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling

import equipoise as eq

TEXTS = ["The nurse said that he was tired.", "The carpenter said that she was late."] * 8

network = AutoModelForMaskedLM.from_pretrained(sys.argv[1], dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
model = eq.wrap_model(network, tokenizer, name="mine")
collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.3, seed=0)
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4)

for epoch in range(3):
    lean = eq.measure(model, "traits").estimates.set_index("key").loc["mean-lean"]
    print(f"after {epoch} epochs: lean {lean.value:+.5f} [{lean.low:+.3f}, {lean.high:+.3f}]")
    network.train()
    loss = network(**collate([tokenizer(text) for text in TEXTS])).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    network.eval()
