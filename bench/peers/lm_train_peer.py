"""Training of a Hugging Face model in PyTorch eager: the peer of bench/lm_training_bench.cc.

    lm_train_peer.py FOLDER WAY --steps N [--rank R] [--losses LOSS...]

FOLDER holds config.json, model.safetensors (fp32) and workload.json: sequences of token ids of one
length, which are one batch. WAY is full or lora, with -bf16 (torch.autocast) and -recompute
(gradient checkpointing) behind it. A step is forward, backward, clipping and fused AdamW, on one
thread, in processor time; the fastest counts. With --losses the loss of each step is first held
against ours. Prints one JSON line. Needs torch and transformers.
"""

import argparse
import json
import math
import resource
import time
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM
from transformers.utils import logging

ADAPTED = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class LowRank(torch.nn.Module):
    """A frozen projection and its adapter, scale 2."""

    def __init__(self, linear, rank):
        super().__init__()
        self.linear = linear
        self.a = torch.nn.Parameter(torch.empty(rank, linear.in_features))
        self.b = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        torch.nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x):
        return self.linear(x) + 2.0 * ((x @ self.a.T) @ self.b.T)


def adapt(model, rank):
    model.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in ADAPTED:
                setattr(module, name, LowRank(child, rank))


def train_step(model, optimizer, tokens, narrow):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=narrow):
        loss = model(tokens, labels=tokens, use_cache=False).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("way")
    arguments.add_argument("--steps", type=int, default=2)
    arguments.add_argument("--rank", type=int, default=16)
    arguments.add_argument("--losses", type=float, nargs="*", default=[])
    arguments = arguments.parse_args()
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_pretrained(arguments.folder, dtype=torch.float32).train()
    if "lora" in arguments.way:
        adapt(model, arguments.rank)
    if "recompute" in arguments.way:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    narrow = "bf16" in arguments.way
    trained = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in trained if p.dim() > 1], "weight_decay": 0.05},
        {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    optimizer = torch.optim.AdamW(groups, lr=1e-5, betas=(0.9, 0.95), fused=True)
    tokens = torch.tensor(json.loads((arguments.folder / "workload.json").read_text()))
    best = math.inf
    for step in range(arguments.steps):
        start = time.process_time()
        loss = train_step(model, optimizer, tokens, narrow)
        best = min(best, time.process_time() - start)
        if step < len(arguments.losses):
            ours = arguments.losses[step]
            assert abs(loss - ours) < (1e-2 if narrow else 1e-3) * ours, f"step {step}: loss {loss}, ours {ours}"
    print(
        json.dumps(
            {
                "name": "PyTorch " + arguments.way,
                "tokens_per_second": round(tokens.numel() / best, 1),
                "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
            }
        )
    )


main()
