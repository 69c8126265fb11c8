"""Writes the ids that the Hugging Face tokenizers library gives the texts of cases.jsonl.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3
    venv/bin/python tests/golden/tokenizer/make_cases.py

"ids": markers recognised; "plain": markers as ordinary characters.
"""

import json
import pathlib

import tokenizers

folder = pathlib.Path(__file__).parent
tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
lines = []
for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines():
    text = json.loads(line)["text"]
    tokenizer.encode_special_tokens = False
    ids = tokenizer.encode(text).ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text
    tokenizer.encode_special_tokens = True
    plain = tokenizer.encode(text).ids
    case = {"text": text, "ids": ids, "plain": plain}
    lines.append(json.dumps(case, ensure_ascii=False, separators=(",", ":")))
(folder / "cases.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
