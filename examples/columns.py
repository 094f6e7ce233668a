#!/usr/bin/env python3
"""A data set written without the library (docs/formats.md, docs/your-own.md): the
searches of searches.jsonl as columns.safetensors.

    python3 columns.py"""
import json, struct

tokens, supervised, trace_start, block_start, trace_block = [], [], [0], [], [0]
rows = [json.loads(line) for line in open("searches.jsonl")]
words = {}

def put(text, target):
    for word in text.split():
        tokens.append(words.setdefault(word, len(words)))
        supervised.append(target)

for row in rows:
    block_start.append(len(tokens))
    put(row["problem"], 0)
    for step in row["steps"]:
        block_start.append(len(tokens))
        put(step["state"], 0)
        put(step["action"], 1)
    trace_start.append(len(tokens))
    trace_block.append(len(block_start))
block_start.append(len(tokens))

n = len(rows)
columns = {"tokens": ("I32", "i", tokens), "supervised": ("U8", "B", supervised),
           "trace_start": ("I64", "q", trace_start), "block_start": ("I64", "q", block_start),
           "trace_block": ("I64", "q", trace_block), "n": ("I32", "i", [8] * n),
           "terminal": ("I32", "i", [int(row["solved"]) for row in rows]),
           "decisions": ("I32", "i", [0] * n), "conflicts": ("I32", "i", [0] * n)}
head, data = {"__metadata__": {"domain": "graph-colours", "words": json.dumps(list(words)), "back": "BACK"}}, b""
for name, (kind, form, values) in columns.items():
    raw = struct.pack(f"<{len(values)}{form}", *values)
    head[name] = {"dtype": kind, "shape": [len(values)], "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw
text = json.dumps(head).encode()
open("columns.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
