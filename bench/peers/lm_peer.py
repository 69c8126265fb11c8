"""Decoding speed of Hugging Face transformers (fp32, sdpa), for bench/lm_bench.cc.

usage: lm_peer.py MODEL_FOLDER CONTEXT TOKENS SEQUENCES(1,8,..) THREADS
A .gguf has to be written as a folder first: dreamgym lm convert --model X.gguf --out FOLDER.
"""
import json
import sys
import time

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM


def report(name, sequences, rate):
    print(json.dumps({"name": name, "sequences": sequences, "tokens_per_second": round(rate, 1)}), flush=True)


def read_text(folder):
    text = ""
    i = 0
    while len(text.encode()) < 1_000_000:
        text += f"You arrive at desk {i}. On the desk {i}, you see a mug {7 * i}, a caf\u00e9's card.\n"
        i += 1
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    start = time.process_time()
    count = len(tokenizer.encode(text, add_special_tokens=False).ids)
    print(json.dumps({"name": "tokenizers tokenizer", "tokens": count,
                      "tokens_per_second": round(count / (time.process_time() - start))}), flush=True)


def main():
    folder, context, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    threads = int(sys.argv[5])
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter  # as lm_bench.cc
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    read_text(folder)
    torch.manual_seed(0)
    with torch.inference_mode():
        ids = torch.randint(0, model.config.vocab_size, (1, context))
        start = clock()
        model(ids, use_cache=True, logits_to_keep=1)
        report("transformers reading", 1, context / (clock() - start))
        for count in (int(n) for n in sys.argv[4].split(",")):
            ids = torch.randint(0, model.config.vocab_size, (count, context))
            out = model(ids, use_cache=True, logits_to_keep=1)
            start = clock()
            for _ in range(tokens):
                nxt = torch.multinomial(torch.softmax(out.logits[:, -1], -1), 1)
                out = model(nxt, past_key_values=out.past_key_values, use_cache=True)
            report("transformers decoding", count, count * tokens / (clock() - start))


main()
