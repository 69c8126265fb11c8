"""What transformers makes of a model folder: logits of a sequence, ids of a text, a rendered chat.

Usage: python transformers_check.py FOLDER < request.json > answer.json
Request: {"ids": [...]} and, for a folder with a tokenizer, {"text": ..., "messages": [...]}.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    folder = sys.argv[1]
    request = json.load(sys.stdin)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.eval()
    with torch.no_grad():
        logits = model(torch.tensor([request["ids"]])).logits[0]
    answer = {"last_logits": logits[-1].tolist()}
    if "text" in request:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        answer["ids"] = tokenizer(request["text"], add_special_tokens=False)["input_ids"]
        answer["chat"] = tokenizer.apply_chat_template(
            request["messages"], tokenize=False, add_generation_prompt=True)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
