"""The same weights in Hugging Face transformers: the peer of bench/generation_bench.cc.

    generate_peer.py FOLDER

FOLDER holds config.json, model.safetensors (no convolutions) and workload.json, which
generation_bench --peer writes: for each workload our seconds and, call by call, the contexts of 64
episodes, the choices where there are any, and our greedy replies. Each call is a `generate` of as
many new tokens, under `prefix_allowed_tokens_fn` where there are choices; every call reads its
contexts anew, since `generate` keeps nothing for the next one. One thread, processor time
(neighbours do not count), best of two. Prints seconds, tokens/s, how many replies are the same as
ours, and the ratios. Needs torch, transformers, safetensors.
"""

import json
import sys
import time
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()


def load_model(folder):
    """The folder's weights as a LlamaForCausalLM in fp32 with sdpa attention."""
    shape = json.loads((folder / "config.json").read_text())
    assert not shape.get("convolution_taps"), "Llama has no convolutions"
    keys = (
        "vocab_size hidden_size intermediate_size num_hidden_layers num_attention_heads"
        " num_key_value_heads head_dim max_position_embeddings rope_theta rms_norm_eps"
        " tie_word_embeddings"
    ).split()
    config = LlamaConfig(
        **{key: shape[key] for key in keys},
        attn_implementation="sdpa",
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config).eval()
    missing, unexpected = model.load_state_dict(
        load_file(folder / "model.safetensors"), strict=False
    )
    assert not unexpected, unexpected
    assert set(missing) <= {"lm_head.weight"}, missing
    model.tie_weights()
    return model


def allowed_tokens(choices, context_length):
    """prefix_allowed_tokens_fn that walks each row's choices."""
    tables = []
    for row in choices:
        table = {}
        for choice in row:
            for i, token in enumerate(choice):
                table.setdefault(tuple(choice[:i]), set()).add(token)
        tables.append({prefix: sorted(after) for prefix, after in table.items()})
    return lambda row, ids: tables[row][tuple(ids[context_length:].tolist())]


def run_call(model, call):
    """Replies to one call."""
    contexts = torch.tensor(call["contexts"])
    length = contexts.shape[1]
    options = {}
    if call["choices"]:
        options["prefix_allowed_tokens_fn"] = allowed_tokens(call["choices"], length)
    with torch.inference_mode():
        out = model.generate(
            contexts,
            attention_mask=torch.ones_like(contexts),
            max_new_tokens=len(call["replies"][0]),
            do_sample=False,
            use_cache=True,
            **options,
        )
    return out[:, length:].tolist()


def main():
    folder = Path(sys.argv[1])
    model = load_model(folder)
    agrees = True
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, fp32, sdpa")
    for name, work in json.loads((folder / "workload.json").read_text()).items():
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            replies = [run_call(model, call) for call in work["calls"]]
            best = min(best, time.process_time() - start)
        ours = [call["replies"] for call in work["calls"]]
        pairs = [(a, b) for x, y in zip(replies, ours) for a, b in zip(x, y)]
        same = sum(a == b for a, b in pairs)
        new_tokens = sum(len(a) for a, _ in pairs)
        print(
            f"peer, {name}: {best:.3f} s, {new_tokens / best:.0f} new tokens/s,"
            f" {same} of {len(pairs)} replies the same;"
            f" ratio {best / work['our_seconds']:.1f}"
        )
        # Equal logits up to rounding can still tip a near tie; most replies must agree.
        agrees = agrees and same >= 0.9 * len(pairs)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
