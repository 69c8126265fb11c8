"""The same weights in Hugging Face transformers: the peer of bench/generation_bench.cc.

    generate_peer.py FOLDER [--ours FREE_SECONDS CHOICE_SECONDS]

FOLDER holds config.json, model.safetensors (no convolutions) and workload.json: 64 contexts, our
greedy continuations, and the choices of each with the one we took. Measured on one thread in
processor time (neighbours do not count), best of two: `generate` of as many new tokens, and `generate` under `prefix_allowed_tokens_fn` for the
choices. Both from contexts that have not been read. Prints seconds, tokens/s, how many replies are
the same as ours, and with --ours the ratios. Needs torch, transformers, safetensors.
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


def best_seconds(run, repeats=2):
    """Result of the last run and processor seconds of the fastest."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = run()
        best = min(best, time.process_time() - start)
    return result, best


def allowed_tokens(choices):
    """prefix_allowed_tokens_fn that walks each row's choices."""
    next_tokens = []
    for row in choices:
        table = {}
        for choice in row:
            for i, token in enumerate(choice):
                table.setdefault(tuple(choice[:i]), set()).add(token)
        next_tokens.append({prefix: sorted(after) for prefix, after in table.items()})

    def allowed(row, ids, context=0):
        return next_tokens[row][tuple(ids[context:].tolist())]

    return allowed


def main():
    folder = Path(sys.argv[1])
    ours = [float(x) for x in sys.argv[sys.argv.index("--ours") + 1 :]] if "--ours" in sys.argv else None
    work = json.loads((folder / "workload.json").read_text())
    model = load_model(folder)
    contexts = torch.tensor(work["contexts"])
    count, length = contexts.shape
    mask = torch.ones_like(contexts)

    def generate(new_tokens, **options):
        with torch.inference_mode():
            out = model.generate(
                contexts,
                attention_mask=mask,
                max_new_tokens=new_tokens,
                do_sample=False,
                use_cache=True,
                **options,
            )
        return out[:, length:].tolist()

    new_tokens = len(work["free"][0])
    free, free_seconds = best_seconds(lambda: generate(new_tokens))
    same = sum(a == b for a, b in zip(free, work["free"]))
    walk = allowed_tokens(work["choices"])
    choice_length = len(work["chosen"][0])
    chosen, choice_seconds = best_seconds(
        lambda: generate(
            choice_length, prefix_allowed_tokens_fn=lambda row, ids: walk(row, ids, length)
        )
    )
    same_chosen = sum(a == b for a, b in zip(chosen, work["chosen"]))
    print(
        f"transformers {transformers.__version__}, torch {torch.__version__}, fp32 sdpa, one thread:"
        f" free {free_seconds:.3f} s, {count * new_tokens / free_seconds:.0f} new tokens/s,"
        f" {same} of {count} replies the same;"
        f" choices {choice_seconds:.3f} s, {count / choice_seconds:.0f} choices/s,"
        f" {same_chosen} of {count} the same"
    )
    if ours:
        print(f"ratio: free {free_seconds / ours[0]:.1f} x, choices {choice_seconds / ours[1]:.1f} x")
    # Equal logits up to rounding can still tip a near tie; most replies must agree.
    return 0 if min(same, same_chosen) >= 0.9 * count else 1


if __name__ == "__main__":
    sys.exit(main())
