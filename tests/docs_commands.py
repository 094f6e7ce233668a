"""Every command in README and docs: those that stand alone in a block of shell
are parsed by the program with all their options and values, and run where they
only look (the tests that run a page whole do more); of those inside a sentence the command and the names of
its options are looked up.

    python3 tests/docs_commands.py PROGRAM"""
import glob
import json
import re
import shlex
import subprocess
import sys

PROGRAM = sys.argv[1]
STOP = re.compile(r"[|;&<>]")
helps, bad, counted = {}, 0, {"in blocks": 0, "run": 0, "in sentences": 0}


def say(path, text, why):
    global bad
    bad = 1
    print(f"{path}: {text}: {why}")


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def words_of(line):
    """What follows `statewise` up to a pipe or redirection; None: another command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    for i, word in enumerate(words):
        if re.fullmatch(r"(\./)?statewise(-mpi)?", word):
            rest = words[i + 1:]
            end = next((k for k, w in enumerate(rest) if STOP.match(w) or w.startswith("2>")), len(rest))
            return rest[:end]
        if not re.fullmatch(r"nice|mpirun|srun|-\w+|\d+|\w+=.*|\$|timeout", word):
            return None
    return None


def command_of(words):
    for length in (2, 1):
        name = " ".join(words[:length])
        if name in helps:
            return name
    return None


def needs_nothing(words):
    """Does it look at what is there, in seconds, and write nothing?"""
    looks = words[:2] == ["show", "mask"] or {"--list", "--list-architectures", "--show"} & set(words)
    solves = words[0] == "solve" and words[1].startswith("examples/") and "--model" not in words
    return (looks or solves) and "--svg" not in words


def in_block(path, line):
    words = words_of(line)
    if not words:
        return
    counted["in blocks"] += 1
    done = run(*[w.replace("$Q", "exec:true") for w in words], "--help")
    if done.returncode:
        say(path, line, done.stderr.strip().split("\n")[0])
    elif needs_nothing(words):
        counted["run"] += 1
        done = run(*words)
        if done.returncode not in (0, 10):
            say(path, line, f"exit {done.returncode}: {done.stderr.strip()}")


def in_sentence(path, text):
    words = text.split()[1:]
    if not words or not words[0].islower() or words[0] in ("help",):
        return
    command = command_of(words)
    if command is None:
        if words[0] not in {name.split()[0] for name in helps}:
            say(path, text, "no such command")
        return
    counted["in sentences"] += 1
    for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text):
        if option not in helps[command] and option.replace("no-", "", 1) not in helps[command]:
            say(path, text, f"{command} has no --{option}")


table = json.loads(run("help", "--json").stdout)
of_tasks = {o["name"] for d in table["domains"] for o in d["options"]} | {o["name"] for o in table["domain_settings"]}
for command in table["commands"]:
    helps[command["name"]] = {"help", "set"} | of_tasks | {o["name"] for o in command["options"]} | {
        o["alias"] for o in command["options"] if "alias" in o}
for path in ["README.md", "CONTRIBUTING.md", *sorted(glob.glob("docs/*.md"))]:
    text = open(path, encoding="utf-8").read()
    for block in re.findall(r"```(?:sh)?\n(.*?)```", text, re.S):
        for line in block.replace("\\\n", " ").split("\n"):
            if re.match(r"\s*(\$ |nice .*|mpirun .*|srun .*)?(\./)?statewise(-mpi)? ", line):
                in_block(path, line.strip())
    for line in re.findall(r"(?m)^    (statewise .*)$", text):
        in_block(path, line)
    for code in re.findall(r"`(statewise [^`\n]*)`", re.sub(r"```.*?```", "", text, flags=re.S)):
        in_sentence(path, code)
print(counted)
assert counted["in blocks"] >= 40 and counted["run"] >= 6 and counted["in sentences"] >= 30, counted
sys.exit(bad)
