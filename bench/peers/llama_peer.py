"""Decoding and reading speed of llama.cpp, for bench/lm_bench.cc.

usage: llama_peer.py MODEL.gguf CONTEXT TOKENS SEQUENCES(1,8,..) [THREADS]

Sequences are as long and as random as lm_bench's. The first is read, the others are copies of its cache (a stream
each, so that attention reads as much as it would of different texts): reading 64 contexts says nothing about decoding.
With one thread rates are by processor time, as lm_bench's. Needs the package llama-cpp-python.
"""
import json
import random
import sys
import time

import llama_cpp as llama


def report(name, sequences, rate):
    print(json.dumps({"name": name, "sequences": sequences, "tokens_per_second": round(rate, 1)}), flush=True)


class Decoder:
    """A context for so many sequences."""

    def __init__(self, model, count, length, threads):
        params = llama.llama_context_default_params()
        params.n_seq_max = count
        params.n_ctx = count * length
        params.n_batch = params.n_ubatch = 512
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = False
        self.context = llama.llama_init_from_model(model, params)
        self.vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))
        self.batch = llama.llama_batch_init(512, 0, 1)

    def decode(self, tokens):
        """tokens: (id, position, sequence, wants logits)"""
        self.batch.n_tokens = len(tokens)
        for i, (token, position, sequence, logits) in enumerate(tokens):
            self.batch.token[i] = token
            self.batch.pos[i] = position
            self.batch.n_seq_id[i] = 1
            self.batch.seq_id[i][0] = sequence
            self.batch.logits[i] = logits
        if llama.llama_decode(self.context, self.batch) != 0:
            raise RuntimeError("llama_decode failed")

    def likeliest(self, row):
        logits = llama.llama_get_logits_ith(self.context, row)
        return max(range(0, self.vocabulary, 4096), key=lambda i: logits[i])

    def close(self):
        llama.llama_batch_free(self.batch)
        llama.llama_free(self.context)


def main():
    path, context, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = [int(n) for n in sys.argv[4].split(",")]
    threads = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    clock = time.process_time if threads == 1 else time.perf_counter
    llama.llama_backend_init()
    model = llama.llama_model_load_from_file(path.encode(), llama.llama_model_default_params())
    if not model:
        raise SystemExit(f"{path} can't be read")
    random.seed(0)
    name = "llama.cpp " + path.rsplit("/", 1)[-1]
    for i, count in enumerate(counts):
        decoder = Decoder(model, count, context + tokens + 8, threads)
        text = [random.randrange(decoder.vocabulary) for _ in range(context)]
        start = clock()
        for begin in range(0, context, 512):
            part = text[begin:begin + 512]
            decoder.decode([(t, begin + j, 0, begin + j == context - 1) for j, t in enumerate(part)])
        if i == 0:
            report(name + " reading", 1, context / (clock() - start))
        memory = llama.llama_get_memory(decoder.context)
        for sequence in range(1, count):
            llama.llama_memory_seq_cp(memory, 0, sequence, -1, -1)
        rounds = []
        nexts = [text[-1]] * count
        for step in range(tokens):
            start = clock()
            decoder.decode([(nexts[s], context + step, s, True) for s in range(count)])
            nexts = [decoder.likeliest(s) for s in range(count)]
            rounds.append(clock() - start)
        report(name + " decoding", count, count * tokens / sum(rounds))
        decoder.close()


main()
