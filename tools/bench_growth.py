#!/usr/bin/env python3
"""How cost grows with the problem: searches of the expert on planted 3-SAT (2.5
clauses a variable) and, in their shape, one training step and one decision under
the masks ssa and causal. A table, and a figure for the docs.

    make bench-growth        or  python3 tools/bench_growth.py [--n 20,50] [--svg FILE]

The SAT vocabulary names 200 variables (`src/domains/sat/tokens.h`, the published
ids); larger n continue the two largest measured shapes on a line. Position tables
are made as long as the search."""
import argparse
import json
import os
import struct
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODEL = ["--d", "128", "--layers", "2", "--heads", "4"]
NAMED = 200  # variables of the SAT vocabulary
RATIO = 2.5
COLOURS = {"ssa": "#0072b2", "causal": "#d55e00"}


def statewise(*arguments):
    done = subprocess.run([os.environ.get("STATEWISE", os.path.join(ROOT, "statewise")), *map(str, arguments), "--json"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def starts(path):
    """Tokens of the prefixes and of the blocks, from a data set's index."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))

        def column(name):
            begin, end = header[name]["data_offsets"]
            file.seek(8 + size + begin)
            return struct.unpack("<%dq" % ((end - begin) // 8), file.read(end - begin))
        block, first = column("block_start"), column("trace_block")
    return [block[i + 1] - block[i] for i in first[:-1]]


def shape(n, folder):
    """Mean tokens of a prefix and of a block, and blocks, of an expert's search."""
    path = os.path.join(folder, "%d.data" % n)
    made = statewise("gen", "sat", "--n", n, "--ratio", RATIO, "--count", 50, "--seed", 1, "--max-tokens", 0,
                     "--max-blocks", 0, "-o", path, "--progress", "none")
    prefix = starts(path)
    blocks = made["blocks"] / made["kept"]
    return (sum(prefix) / len(prefix), (made["tokens"] - sum(prefix)) / made["blocks"], blocks)


def continued(n, small, large):
    (a, low), (b, high) = small, large
    return tuple(x + (y - x) * (n - a) / (b - a) for x, y in zip(low, high))


def measure(n, of, mask, threads):
    prefix, block, blocks = (max(1, round(x)) for x in of)
    tokens = prefix + block * blocks
    sizes = [*MODEL, "--mask", mask, "--prefix", prefix, "--block", max(2, block), "--threads", threads, "--positions", tokens + 4 * (block + blocks)]
    step = statewise("bench", "train", *sizes, "--blocks", blocks, "--targets", 1, "--reps", 1 if tokens > 20000 else 3)
    protocol = ["--protocol", "cumulative", "--blocks", blocks, "--reps", 1] if mask == "causal" else ["--reps", 20]
    decision = statewise("bench", "decide", *sizes, "--batch", 1, *protocol)
    return {"n": n, "mask": mask, "prefix": prefix, "block": block, "blocks": blocks, "tokens": tokens,
            "extrapolated": n > NAMED, "seconds_per_search": step["seconds_per_step"],
            "train_tokens_per_s": step["tokens_per_s"], "train_mb": step["peak_rss_mb"],
            "ms_per_decision": decision["ms_per_decision"], "decide_mb": decision["peak_rss_mb"],
            "kernels": step["kernels"]}


def panel(rows, key, title, left):
    """One panel of the figure: `key` over n, both axes logarithmic."""
    from math import log10
    top, height, width = 40, 190, 215
    xs = sorted({r["n"] for r in rows})
    low, high = min(r[key] for r in rows), max(r[key] for r in rows)
    high = high if high > 1.2 * low else 1.2 * low

    def x(n):
        return left + width * (log10(n) - log10(xs[0])) / max(1e-9, log10(xs[-1]) - log10(xs[0]))

    def y(value):
        return top + height * (log10(high) - log10(value)) / (log10(high) - log10(low))
    out = ['<text x="%d" y="24" font-weight="bold">%s</text>' % (left, title),
           '<path d="M%d %dv%dh%d" fill="none" stroke="#999"/>' % (left, top, height, width)]
    for value in (low, high):
        out.append('<text x="%d" y="%.0f" text-anchor="end">%s</text>' % (left - 5, y(value) + 4, "%.3g" % value if value < 1e4 else "{:,.0f}".format(value)))
    for n in xs[::max(1, len(xs) - 1)]:
        out.append('<text x="%.0f" y="%d" text-anchor="middle">n %d</text>' % (x(n), top + height + 16, n))
    for mask, colour in COLOURS.items():
        points = [(x(r["n"]), y(r[key]), r["extrapolated"]) for r in rows if r["mask"] == mask]
        if not points:
            continue
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>'
                   % (colour, " ".join("%.1f,%.1f" % p[:2] for p in points)))
        out += ['<circle cx="%.1f" cy="%.1f" r="3.5" stroke="%s" fill="%s"/>' % (a, b, colour, "#fff" if far else colour) for a, b, far in points]
    return out


def figure(rows):
    panels = [("seconds_per_search", "s to train one search"), ("ms_per_decision", "ms a decision"), ("decide_mb", "MB while playing")]
    body = sum((panel(rows, key, title, 60 + 290 * i) for i, (key, title) in enumerate(panels)), [])
    body += ['<circle cx="%d" cy="272" r="5" fill="%s"/><text x="%d" y="276">%s</text>' % (60 + 90 * i, c, 70 + 90 * i, m)
             for i, (m, c) in enumerate(COLOURS.items())]
    body.append('<text x="250" y="276">both axes logarithmic; open: beyond the vocabulary of %d variables, shape continued</text>' % NAMED)
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 290" font-family="sans-serif" font-size="12">\n'
            '<rect width="880" height="290" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n")


def save(o, rows):
    for path, text in ((o.json, json.dumps(rows, indent=1) + "\n"), (o.svg, figure(rows))):
        if path:
            with open(path, "w") as file:
                file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--n", default="20,50,100,200,300,400")
    parser.add_argument("--masks", default="ssa,causal")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--svg")
    parser.add_argument("--json", help="the rows, as a file; those it has are not measured again")
    o = parser.parse_args()
    sizes = sorted(int(n) for n in o.n.split(","))
    rows = json.load(open(o.json)) if o.json and os.path.exists(o.json) else []
    print("%4s %-7s %7s %6s %7s %11s %11s %12s %9s %9s" % ("n", "mask", "tokens", "block", "blocks", "s/search", "tokens/s", "ms/decision", "train MB", "play MB"))
    with tempfile.TemporaryDirectory() as folder:
        known = {n: shape(n, folder) for n in sorted({min(n, NAMED) for n in sizes} | ({NAMED // 2} if sizes[-1] > NAMED else set()))}
        for n in sizes:
            of = known.get(n) or continued(n, (NAMED // 2, known[NAMED // 2]), (NAMED, known[NAMED]))
            for mask in o.masks.split(","):
                kept = [r for r in rows if (r["n"], r["mask"]) == (n, mask)]
                r = kept[0] if kept else measure(n, of, mask, o.threads)
                if not kept:
                    rows.append(r)
                    save(o, sorted(rows, key=lambda r: r["n"]))
                print("%4d%s %-6s %7d %6d %7d %11.3f %11.0f %12.2f %9.0f %9.0f"
                      % (n, "*" if r["extrapolated"] else " ", mask, r["tokens"], r["block"], r["blocks"], r["seconds_per_search"],
                         r["train_tokens_per_s"], r["ms_per_decision"], r["train_mb"], r["decide_mb"]), flush=True)


if __name__ == "__main__":
    main()
