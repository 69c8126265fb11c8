"""Decoding and reading speed of OpenVINO GenAI, for bench/lm_bench.cc.

usage: openvino_peer.py MODEL.gguf CONTEXT TOKENS SEQUENCES(1,8,..) [THREADS]

Decoding is what a run with TOKENS more new tokens takes longer than one with a single new token, each after a first run
of that shape. With one thread rates are by processor time, as lm_bench's. Needs the package openvino-genai; of the GGUF
formats take F16, which it computes in fp32.
"""
import json
import sys
import time

import numpy
import openvino
import openvino_genai


def report(name, sequences, rate):
    print(json.dumps({"name": name, "sequences": sequences, "tokens_per_second": round(rate, 1)}), flush=True)


def main():
    path, context, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = [int(n) for n in sys.argv[4].split(",")]
    threads = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    clock = time.process_time if threads == 1 else time.perf_counter
    pipeline = openvino_genai.LLMPipeline(
        path, "CPU", INFERENCE_NUM_THREADS=threads, INFERENCE_PRECISION_HINT="f32", ATTENTION_BACKEND="SDPA")
    random = numpy.random.default_rng(0)

    def seconds(ids, new_tokens):
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = config.min_new_tokens = new_tokens
        config.ignore_eos = True
        config.do_sample = False
        inputs = openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(numpy.ones_like(ids)))
        start = clock()
        pipeline.generate(inputs, config)
        return clock() - start

    for i, count in enumerate(counts):
        ids = random.integers(100, 40_000, (count, context)).astype(numpy.int64)
        seconds(ids, 2)
        once = seconds(ids, 1)
        if i == 0:
            report("OpenVINO reading", 1, count * context / once)
        report("OpenVINO decoding", count, count * tokens / (seconds(ids, 1 + tokens) - once))


main()
