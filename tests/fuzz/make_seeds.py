"""Writes the seeds of the fuzz corpora: small files that are right, so that what is tried are their neighbours.

Usage: python3 tests/fuzz/make_seeds.py tests/fuzz/corpus
"""

import json
import math
import pathlib
import struct
import sys


def safetensors(arrays):
    """arrays: name -> (dtype, shape, bytes)."""
    header, body = {}, b""
    for name, (dtype, shape, data) in arrays.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


# Numbers of the GGUF format's value types.
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9


def gguf_text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def gguf_value(kind, value):
    if kind == STRING:
        return gguf_text(value)
    if kind == ARRAY:
        of, items = value
        return struct.pack("<IQ", of, len(items)) + b"".join(gguf_value(of, item) for item in items)
    return struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], value)


def gguf(values, tensors):
    """values: (key, kind, value); tensors: (name, shape fastest first, type, bytes)."""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, kind, value in values:
        out += gguf_text(key) + struct.pack("<I", kind) + gguf_value(kind, value)
    offset, body = 0, b""
    for name, shape, kind, data in tensors:
        out += gguf_text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        out += struct.pack("<IQ", kind, offset)
        body += data + b"\0" * (-len(data) % 32)
        offset = len(body)
    return out + b"\0" * (-len(out) % 32) + body


def small_llama():
    hidden, heads, kv_heads, inner, vocabulary = 32, 2, 1, 32, 8
    head = hidden // heads
    f32 = lambda *shape: struct.pack("<f", 0.5) * math.prod(shape)
    q8 = lambda *shape: (struct.pack("<e", 0.1) + bytes(range(32))) * (math.prod(shape) // 32)
    tensor = lambda name, *shape: (name, list(shape), 0, f32(*shape)) if len(shape) == 1 else (name, list(shape), 8, q8(*shape))
    tokens = ["<|end|>", "a", "m", "u", "g", "mu", "mug", "\u0120"]
    values = [
        ("general.architecture", STRING, "llama"),
        ("llama.context_length", UINT32, 64),
        ("llama.embedding_length", UINT32, hidden),
        ("llama.block_count", UINT32, 1),
        ("llama.feed_forward_length", UINT32, inner),
        ("llama.attention.head_count", UINT32, heads),
        ("llama.attention.head_count_kv", UINT32, kv_heads),
        ("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        ("llama.rope.freq_base", FLOAT32, 10000.0),
        ("llama.rope.dimension_count", UINT32, head),
        ("llama.vocab_size", UINT32, vocabulary),
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "smollm"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        ("tokenizer.ggml.token_type", ARRAY, (INT32, [3, 1, 1, 1, 1, 1, 1, 1])),
        ("tokenizer.ggml.merges", ARRAY, (STRING, ["m u", "mu g"])),
        ("tokenizer.ggml.eos_token_id", UINT32, 0),
        ("tokenizer.chat_template", STRING, "{{ messages }}"),
    ]
    tensors = [
        tensor("token_embd.weight", hidden, vocabulary),
        tensor("output_norm.weight", hidden),
        tensor("blk.0.attn_norm.weight", hidden),
        tensor("blk.0.ffn_norm.weight", hidden),
        tensor("blk.0.attn_q.weight", hidden, hidden),
        tensor("blk.0.attn_k.weight", hidden, head * kv_heads),
        tensor("blk.0.attn_v.weight", hidden, head * kv_heads),
        tensor("blk.0.attn_output.weight", hidden, hidden),
        tensor("blk.0.ffn_gate.weight", hidden, inner),
        tensor("blk.0.ffn_up.weight", hidden, inner),
        tensor("blk.0.ffn_down.weight", inner, hidden),
    ]
    return gguf(values, tensors)


def tokenizer(pre_tokenizer):
    letters = {letter: i for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz\u0120")}
    vocabulary = letters | {"he": 27, "ll": 28, "hell": 29, "hello": 30}
    return json.dumps({
        "version": "1.0",
        "added_tokens": [{"id": 31, "content": "<|end|>", "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True}],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": vocabulary, "merges": ["h e", "l l", "he ll", "hell o"]},
    }).encode()


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SMOLLM = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTES]}

SEEDS = {
    "safetensors": {
        "two": safetensors({"a": ("F32", [2, 2], b"\0" * 16), "b": ("BF16", [3], b"\x80\x3f" * 3)}),
        "half": safetensors({"x.weight": ("F16", [1, 4], b"\0\x3c" * 4)}),
        "none": safetensors({}),
    },
    "gguf": {
        "llama": small_llama(),
        "values": gguf([("general.architecture", STRING, "llama"), ("x", BOOL, True), ("y", ARRAY, (FLOAT32, [0.5, 2]))], []),
    },
    "tokenizer": {"smollm": tokenizer(SMOLLM), "bytes": tokenizer(BYTES)},
    "chat": {
        "plain": json.dumps([{"role": "system", "content": "You shop."}, {"role": "user", "content": "Find a mug."},
                             {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nsearch[mug]"},
                             {"role": "user", "content": "[a mug]"}]).encode(),
        "tools": json.dumps([{"role": "user", "content": "Find a mug."},
                             {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {
                                 "name": "search", "arguments": {"query": "mug"}}}]},
                             {"role": "tool", "content": "a mug"}]).encode(),
    },
    "reply": {
        "chat": json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "Hi", "reasoning_content": None}, "logprobs": {"content": [
                {"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}]}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1}}).encode(),
        "completion": json.dumps({"choices": [{"text": "Hi", "token_ids": [3, 4], "finish_reason": "length",
                                               "logprobs": {"token_logprobs": [-0.5, -1.25], "tokens": ["H", "i"]}}]}).encode(),
        "embeddings": json.dumps({"data": [{"index": 1, "embedding": [0.5, 1]}, {"index": 0, "embedding": [2, 3]}]}).encode(),
        "error": json.dumps({"error": {"message": "busy", "type": "server_error", "code": 503}}).encode(),
        "step": b'<think>So.</think>```json\n{"why": "a \\"quote\\"", "next_state": "{}", "done": false, "success": false}\n```',
    },
}


def main():
    root = pathlib.Path(sys.argv[1])
    for corpus, files in SEEDS.items():
        (root / corpus).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (root / corpus / name).write_bytes(data)


main()
