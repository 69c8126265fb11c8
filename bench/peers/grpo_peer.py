"""One GRPO iteration of TRL on the same model, prompts and completion lengths: the peer of grpo_bench.cc.

    grpo_peer.py FOLDER [--ours SECONDS --ours-kibibytes PEAK]

FOLDER holds config.json, model.safetensors (a Llama) and prompts.json: lists of token ids. Eight
completions of exactly 24 tokens for each prompt, rewarded by their share of even tokens, one optimiser
step, on one thread. The fastest iteration after the first counts, in processor time, and the peak memory
of the whole process. Prints tokens/s (prompt and completion tokens of all 64 sequences) and, with --ours,
the ratios. Needs torch, transformers, datasets and trl.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--ours", type=float)
parser.add_argument("--ours-kibibytes", type=int)
arguments = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = "1"

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

GROUP = 8
COMPLETION = 24
STEPS = 3


def tokenizer(size):
    """A word for each token: t17 is token 17."""
    vocabulary = {f"t{i}": i for i in range(size)}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="t0"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="t0", pad_token="t1", eos_token="t2", padding_side="left"
    )


def even_share(completions, **_):
    shares = []
    for completion in completions:
        tokens = [int(word[1:]) for word in completion.split()]
        shares.append(sum(token % 2 == 0 for token in tokens) / max(1, len(tokens)))
    return shares


class Clock(TrainerCallback):
    def __init__(self):
        self.last = time.process_time()
        self.seconds = []

    def on_step_end(self, args, state, control, **_):
        now = time.process_time()
        self.seconds.append(now - self.last)
        self.last = now


torch.set_num_threads(1)
model = AutoModelForCausalLM.from_pretrained(arguments.folder, dtype=torch.float32)
prompts = json.loads((arguments.folder / "prompts.json").read_text())
texts = [" ".join(f"t{token}" for token in prompt) for prompt in prompts]
clock = Clock()
trainer = GRPOTrainer(
    model=model,
    reward_funcs=even_share,
    processing_class=tokenizer(model.config.vocab_size),
    train_dataset=Dataset.from_dict({"prompt": texts}),
    args=GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        bf16=False,
        per_device_train_batch_size=len(prompts) * GROUP // 8,
        gradient_accumulation_steps=8,
        num_generations=GROUP,
        max_completion_length=COMPLETION,
        generation_kwargs={"min_new_tokens": COMPLETION},
        temperature=1.0,
        learning_rate=1e-3,
        lr_scheduler_type="constant",
        max_steps=STEPS,
        save_strategy="no",
        report_to=[],
        gradient_checkpointing=False,
        disable_tqdm=True,
        logging_strategy="no",
        dataloader_num_workers=0,
    ),
    callbacks=[clock],
)
clock.last = time.process_time()
trainer.train()
seconds = min(clock.seconds[1:])
tokens = len(prompts) * GROUP * (len(prompts[0]) + COMPLETION)
kibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"TRL: {seconds:.2f} s an iteration, {tokens / seconds:,.0f} tokens/s, "
      f"{kibibytes / 1024:,.0f} MiB at the peak")
if arguments.ours:
    print(f"ours: {arguments.ours:.2f} s an iteration, "
          f"{tokens / arguments.ours:,.0f} tokens/s, {arguments.ours_kibibytes / 1024:,.0f} MiB at the peak: "
          f"{seconds / arguments.ours:.1f} x the speed, "
          f"{arguments.ours_kibibytes / kibibytes:.2f} x the memory")
