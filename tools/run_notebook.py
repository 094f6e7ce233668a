#!/usr/bin/env python3
"""Runs the code cells of a notebook in this process, without Jupyter.

    python3 tools/run_notebook.py NOTEBOOK            runs them and says how long it took
    python3 tools/run_notebook.py NOTEBOOK --write    also keeps what they print and show"""
import ast
import contextlib
import io
import json
import sys
import time

SHOWN = (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_"))


def lines(text):
    """As notebooks keep a text."""
    return text.splitlines(keepends=True)


def run_cell(source, names):
    """What the cell prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return printed.getvalue(), value


def outputs_of(printed, value, count):
    """The cell's outputs in the notebook's format."""
    out = [{"output_type": "stream", "name": "stdout", "text": lines(printed)}] if printed else []
    if value is not None:
        data = {kind: lines(getattr(value, method)()) for kind, method in SHOWN if hasattr(value, method)}
        data["text/plain"] = lines(repr(value))
        out.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return out


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as f:
        book = json.load(f)
    names, begin, count = {"__name__": "__main__"}, time.time(), 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        try:
            printed, value = run_cell("".join(cell["source"]), names)
        except BaseException:
            print(f"{path}, code cell {count}:\n{''.join(cell['source'])}", file=sys.stderr)
            raise
        cell["execution_count"], cell["outputs"] = count, outputs_of(printed, value, count)
    print(f"{path}: {count} code cells, {time.time() - begin:.0f} s")
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as f:
            json.dump(book, f, indent=1, ensure_ascii=False)
            f.write("\n")


if __name__ == "__main__":
    main()
