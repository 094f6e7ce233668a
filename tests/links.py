"""Links between the documents of a folder (the repository, or the installed ones)
lead to a file and, behind a #, to a heading of it.

    python3 tests/links.py [FOLDER]"""
import glob
import os
import re
import sys


def anchors(path):
    """Names of its headings, as Git hosts make them."""
    seen, out, code = {}, set(), False
    with open(path, encoding="utf-8") as f:
        lines = list(f)
    for line in lines:
        code ^= line.startswith("```")
        if code or not (m := re.match(r"#+ +(.*)", line)):
            continue
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", m[1])
        name = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        out.add(name + (f"-{seen[name]}" if name in seen else ""))
        seen[name] = seen.get(name, 0) + 1
    return out

if len(sys.argv) > 1:
    os.chdir(sys.argv[1])
bad = count = 0
for path in sorted([*glob.glob("*.md"), *glob.glob("docs/**/*.md", recursive=True), *glob.glob("results/*.md")]):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"(?ms)^```.*?^```", "", f.read())
    for link in re.findall(r"\]\(([^) ]+)\)", text):
        name, _, anchor = link.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if "://" in link:
            continue
        count += 1
        if not os.path.exists(there):
            print(f"{path}: {link} is not there")
            bad = 1
        elif anchor and there.endswith(".md") and anchor not in anchors(there):
            print(f"{path}: {link} is no heading there")
            bad = 1
assert count > 200, count
sys.exit(bad)
