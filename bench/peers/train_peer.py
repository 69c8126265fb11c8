"""The same model and batches in PyTorch eager: the peer of bench/nn_train_bench.cc.

    train_peer.py FOLDER WAY [--losses LOSS...]

FOLDER holds config.json, model.safetensors (fp32) and workload.json: micro-batches of token
sequences. Each micro-batch is padded to its longest sequence; attention is PyTorch's fused one, the
optimiser its fused AdamW, the head runs on real positions only. WAY is fp32, fp32-2-threads, bf16
(torch.autocast) or recompute (a checkpoint around each layer). A step is forward and backward of
all micro-batches, gradient clipping and the update; the fastest of four counts, in processor time,
with 2 threads the clock's. With --losses it first checks that the loss of each step is ours. Prints
one JSON line. Needs torch and numpy.
"""

import argparse
import json
import math
import resource
import time
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def load_safetensors(path):
    """fp32 arrays of a safetensors file as parameters."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    parameters = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            array = numpy.frombuffer(data[8 + size + begin : 8 + size + end], dtype=numpy.float32)
            tensor = torch.from_numpy(array.reshape(entry["shape"]).copy())
            parameters[name] = torch.nn.Parameter(tensor)
    return parameters


class Model:
    """The nano family: RMSNorm, short causal convolution, RoPE, grouped queries, SwiGLU."""

    def __init__(self, folder, recompute):
        self.recompute = recompute
        self.config = json.loads((folder / "config.json").read_text())
        self.parameters = load_safetensors(folder / "model.safetensors")
        half = self.config["head_dim"] // 2
        frequency = self.config["rope_theta"] ** (-torch.arange(half) / half)
        angle = torch.outer(torch.arange(self.config["max_position_embeddings"]), frequency)
        self.cos = torch.cat([angle.cos(), angle.cos()], -1)
        self.sin = torch.cat([-angle.sin(), angle.sin()], -1)

    def convolve(self, z, taps):
        length = z.shape[1]
        padded = F.pad(z, (0, 0, len(taps) - 1, 0))
        return z + sum(tap * padded[:, i : i + length] for i, tap in enumerate(taps))

    def rotate(self, x):
        length = x.shape[2]
        return x * self.cos[:length] + x.roll(x.shape[3] // 2, -1) * self.sin[:length]

    def layer(self, x, prefix):
        config, batch, length = self.config, x.shape[0], x.shape[1]
        weight = lambda name: self.parameters[prefix + name + ".weight"]
        norm = lambda x, name: F.rms_norm(x, x.shape[-1:], weight(name), config["rms_norm_eps"])
        heads = lambda x: x.view(batch, length, -1, config["head_dim"]).transpose(1, 2)
        z = self.convolve(norm(x, "input_layernorm"), weight("attention_convolution"))
        query = self.rotate(heads(F.linear(z, weight("self_attn.q_proj"))))
        key = self.rotate(heads(F.linear(z, weight("self_attn.k_proj"))))
        value = heads(F.linear(z, weight("self_attn.v_proj")))
        group = config["num_attention_heads"] // config["num_key_value_heads"]
        key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        mixed = mixed.transpose(1, 2).reshape(batch, length, -1)
        x = x + F.linear(mixed, weight("self_attn.o_proj"))
        z = self.convolve(norm(x, "post_attention_layernorm"), weight("mlp_convolution"))
        gate, up = F.linear(z, weight("mlp.gate_proj")), F.linear(z, weight("mlp.up_proj"))
        return x + F.linear(F.silu(gate) * up, weight("mlp.down_proj"))

    def loss_sum(self, tokens, asked):
        """Sum of -log p(tokens[:, 1:]) where asked [B, T - 1]."""
        embedding = self.parameters["model.embed_tokens.weight"]
        x = F.embedding(tokens, embedding)
        for layer in range(self.config["num_hidden_layers"]):
            prefix = f"model.layers.{layer}."
            if self.recompute:
                x = checkpoint(self.layer, x, prefix, use_reentrant=False)
            else:
                x = self.layer(x, prefix)
        gain = self.parameters["model.norm.weight"]
        x = F.rms_norm(x[:, :-1][asked], x.shape[-1:], gain, self.config["rms_norm_eps"])
        return F.cross_entropy(F.linear(x, embedding), tokens[:, 1:][asked], reduction="sum")


def pad(sequences):
    """[B, T] tokens padded with 0, and which predictions are real."""
    longest = max(map(len, sequences))
    tokens = torch.tensor([sequence + [0] * (longest - len(sequence)) for sequence in sequences])
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    return tokens, torch.arange(1, longest)[None] < lengths[:, None]


def train_step(model, optimizer, batches, num_asked, narrow):
    total = 0.0
    for tokens, asked in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=narrow):
            loss = model.loss_sum(tokens, asked) / num_asked
        loss.backward()
        total += loss.item()
    torch.nn.utils.clip_grad_norm_(model.parameters.values(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return total


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("way", choices=("fp32", "fp32-2-threads", "bf16", "recompute"))
    arguments.add_argument("--losses", type=float, nargs="*", default=[])
    arguments = arguments.parse_args()
    threads = 2 if arguments.way == "fp32-2-threads" else 1
    narrow = arguments.way == "bf16"
    clock = time.process_time if threads == 1 else time.perf_counter
    torch.set_num_threads(threads)
    model = Model(arguments.folder, arguments.way == "recompute")
    decayed = [p for name, p in model.parameters.items() if is_decayed(name)]
    others = [p for name, p in model.parameters.items() if not is_decayed(name)]
    groups = [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), fused=True)
    workload = json.loads((arguments.folder / "workload.json").read_text())
    batches = [pad(sequences) for sequences in workload]
    num_tokens = sum(len(sequence) for sequences in workload for sequence in sequences)
    num_asked = sum(int(asked.sum()) for _, asked in batches)
    best = math.inf
    for step in range(4):
        start = clock()
        loss = train_step(model, optimizer, batches, num_asked, narrow)
        best = min(best, clock() - start)
        if step < len(arguments.losses):
            ours = arguments.losses[step]
            allowed = (1e-2 if narrow else 2e-3) * ours
            assert abs(loss - ours) < allowed, f"step {step}: loss {loss}, ours {ours}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    row = {"name": "PyTorch nano " + arguments.way, "tokens_per_second": round(num_tokens / best), "peak_bytes": peak}
    print(json.dumps(row))


def is_decayed(name):
    return "norm" not in name and "convolution" not in name


if __name__ == "__main__":
    main()
