#!/usr/bin/env python3
"""Writes logs as Inspect writes them (its log version 2): the same agent in every container.

usage: inspect_log.py DIRECTORY     (prints the names of those that can be read)

json.json       one JSON value
deflated.eval   a zip file: header.json, summaries.json, _journal/, samples/ID_epoch_N.json
zstd.eval       the same, packed by zstd as newer versions do (where this system has the library)
pool.eval       the same, every message once in events_data and input_refs in the events
bzip2.eval      packed in a way that is not read
chunks.eval     samples of log version 3, spread over several members

Each of 8 samples calls the model three times: at once (no history), after one tool, after two. A ninth sample ends with
a call that failed, which has no answer."""
import ctypes
import hashlib
import json
import os
import struct
import sys
import zipfile
import zlib

RULES = "You find files and read them. Use one tool at a time, look at what it returns, and submit when you know the answer."
TOOLS = [{"name": "bash", "description": "Runs a command. " + "Its output is returned as it is. " * 5,
          "parameters": {"type": "object", "properties": {"cmd": {"type": "string", "description": "What to run."}},
                         "required": ["cmd"], "additionalProperties": False}},
         {"name": "submit", "description": "Ends the task.",
          "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": False}}]


def conversation(k):
    """Messages as Inspect logs them; text parts with thinking, arguments as objects, the tool's name as `function`."""
    long = f"line of file {k} " * 12
    return [
        {"id": f"s{k}", "content": RULES, "role": "system"},
        {"id": f"u{k}", "content": f"Find thing {k}.", "source": "input", "role": "user"},
        {"id": f"a{k}", "content": [{"type": "reasoning", "reasoning": "I look first.", "redacted": False},
                                    {"type": "text", "text": "I look."}], "source": "generate", "role": "assistant",
         "tool_calls": [{"id": f"c{k}", "function": "bash", "arguments": {"cmd": f"ls {k}"}, "type": "function"}], "model": "m"},
        {"id": f"t{k}", "content": long, "role": "tool", "tool_call_id": f"c{k}", "function": "bash"},
        {"id": f"b{k}", "content": "", "source": "generate", "role": "assistant",
         "tool_calls": [{"id": f"d{k}", "function": "bash", "arguments": {"cmd": f"cat {k}"}, "type": "function"}], "model": "m"},
        {"id": f"v{k}", "content": "", "role": "tool", "tool_call_id": f"d{k}", "function": "bash",
         "error": {"type": "timeout", "message": f"Command {k} timed out."}},
        {"id": f"z{k}", "content": "It is not there.", "source": "generate", "role": "assistant", "model": "m"}]


def condense(value, attachments):
    """Texts over 100 characters become attachments, as in the events of a log."""
    if isinstance(value, str) and len(value) > 100:
        name = hashlib.md5(value.encode()).hexdigest()
        attachments[name] = value
        return f"attachment://{name}"
    if isinstance(value, list): return [condense(v, attachments) for v in value]
    if isinstance(value, dict): return {k: condense(v, attachments) for k, v in value.items()}
    return value


def model_event(messages, answer, k):
    choices = [{"message": answer, "stop_reason": "tool_calls" if answer.get("tool_calls") else "stop"}] if answer else []
    event = {"span_id": "x", "timestamp": "2025-07-05T09:59:40.965459-04:00", "working_start": 0.009, "event": "model", "model": "m",
             "input": messages, "tools": TOOLS, "tool_choice": "auto", "config": {},
             "output": {"model": "m", "choices": choices, "usage": {"input_tokens": 66, "output_tokens": 3, "total_tokens": 69}},
             "call": {"request": {"messages": [], "model": "m"}, "response": {}, "time": 1.9}, "working_time": 1.9}
    if not answer: event["error"] = "the connection was lost"
    return event


def sample(k, pool):
    messages, attachments = conversation(k), {}
    events = [{"event": "span_begin", "id": "x", "type": "solver", "name": "agent"},
              {"event": "sample_init", "sample": {"input": f"Find thing {k}.", "target": "", "id": k}, "state": {}}]
    events += [model_event(messages[:at], messages[at] if k < 9 or at < 6 else None, k) for at in (2, 4, 6)]
    events += [{"event": "tool", "id": f"c{k}", "function": "bash", "arguments": {"cmd": f"ls {k}"}, "result": "", "events": []},
               {"event": "span_end", "id": "x"}]
    events = condense(events, attachments)
    one = {"id": k, "epoch": 1, "input": f"Find thing {k}.", "target": "", "messages": messages, "output": {"model": "m", "choices": []},
           "scores": {}, "metadata": {}, "store": {}, "events": events, "model_usage": {}, "uuid": f"uuid{k}", "attachments": attachments}
    if pool:
        seen = []
        for event in events:
            if event["event"] != "model": continue
            refs = []
            for m in event["input"]:
                if m not in seen: seen.append(m)
                refs.append([seen.index(m), seen.index(m) + 1])
            event["input"], event["input_refs"] = [], refs
        one["events_data"] = {"messages": seen, "calls": []}
    return one


def header(samples):
    return {"version": 2, "status": "success",
            "eval": {"eval_id": "e", "run_id": "r", "created": "2025-07-05T09:59:40-04:00", "task": "find", "task_id": "t", "task_version": 0,
                     "dataset": {"samples": len(samples), "sample_ids": [s["id"] for s in samples]}, "model": "m", "config": {"epochs": 1}},
            "plan": {"name": "plan", "steps": [], "config": {}}, "results": {"total_samples": len(samples), "scores": []}, "stats": {}}


def members(samples):
    summaries = [{"id": s["id"], "epoch": 1, "input": s["input"], "target": "", "scores": {}} for s in samples]
    yield "_journal/start.json", {key: header(samples)[key] for key in ("version", "eval", "plan")}
    for s in samples: yield f"samples/{s['id']}_epoch_1.json", s
    yield "_journal/summaries/1.json", summaries
    yield "summaries.json", summaries
    yield "header.json", header(samples)


def chunks(samples):
    for s in samples:
        at = f"samples/{s['id']}_epoch_1"
        yield f"{at}/sample.json", {"id": s["id"], "epoch": 1, "message_refs": [[0, 7]]}
        yield f"{at}/messages/0.json", s["messages"]
        yield f"{at}/events/0.json", s["events"]
    yield "header.json", {**header(samples), "version": 3}


def write_zip(path, pairs, method):
    with zipfile.ZipFile(path, "w", method) as z:
        for name, value in pairs: z.writestr(name, json.dumps(value, indent=2))


def zstd(data):
    """None: this system has no library for it."""
    try: library = ctypes.CDLL("libzstd.so.1")
    except OSError: return None
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = library.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    bytes_used = library.ZSTD_compress(out, room, data, len(data), 3)
    return out.raw[:bytes_used]


def write_zstd(path, pairs):
    """zipfile of most Pythons does not know method 93."""
    body, directory, count = b"", b"", 0
    for name, value in pairs:
        data = json.dumps(value).encode()
        packed = zstd(data)
        if packed is None: return False
        facts = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 0x5af7, zlib.crc32(data), len(packed), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 63) + facts + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\3\4" + facts + name.encode() + packed
        count += 1
    with open(path, "wb") as out:
        out.write(body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0))
    return True


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    to = lambda name: os.path.join(sys.argv[1], name)
    samples = [sample(k, False) for k in range(1, 10)]
    with open(to("json.json"), "w") as out: json.dump({**header(samples), "samples": samples}, out)
    write_zip(to("deflated.eval"), members(samples), zipfile.ZIP_DEFLATED)
    write_zip(to("pool.eval"), members([sample(k, True) for k in range(1, 10)]), zipfile.ZIP_DEFLATED)
    write_zip(to("bzip2.eval"), members(samples), zipfile.ZIP_BZIP2)
    write_zip(to("chunks.eval"), chunks(samples), zipfile.ZIP_DEFLATED)
    names = ["json.json", "deflated.eval", "pool.eval"]
    if write_zstd(to("zstd.eval"), members(samples)): names.append("zstd.eval")
    print(*names)


if __name__ == "__main__":
    main()
