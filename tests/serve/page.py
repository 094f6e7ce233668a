"""Drives the page of `statewise serve` in a real browser: uploads a SATLIB file,
steps SSA and causal, swaps the history and sees causal change and SSA not, goes
back, restores a link, by mouse and keyboard, wide and narrow, light and dark.

    page.py URL SATLIB-FILE [FOLDER-FOR-PICTURES]

The server at URL offers models named `ssa` and `causal`."""
import os
import sys
from urllib.parse import urlparse

from chromium import Chromium

url, cnf, pictures = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
READY = "typeof view !== 'undefined' && view && !pending && document.querySelector('#tree svg')"


def check(truth, what):
    if not truth:
        raise SystemExit("FAIL: " + what)


def settled(page, condition):
    page.wait(f"{READY} && ({condition})")


def swap_until_causal_changes(page):
    """Steps on, each time with the history reversed, until causal's choice
    depends on it; SSA's answer must be the same to the bit everywhere."""
    for turn in range(1, 25):
        if page.run("view.ended"):
            break
        page.choose("#kept", "reverse")
        settled(page, "state.swap && view.models[1].other")
        ssa, causal = page.run("view.models.map(m => ['own', 'none', 'other'].map(w => [m[w].bits, m[w].best]))")
        check(len({bits for bits, _ in ssa}) == 1, "SSA answers with other bits after another history")
        check(page.run("document.querySelector('[data-model=ssa]').className") == "same",
              "the page does not say that SSA is the same")
        if len({best for _, best in causal}) > 1:
            text = page.run("document.querySelector('[data-model=causal]').textContent")
            check("changes its mind" in text, f"the page does not say that causal changed: {text}")
            return turn
        page.run("document.activeElement.blur()")
        page.key("s")
        settled(page, "!state.swap && !view.models[1].other")
        before = page.run("state.path.length")
        token = page.run("(view.candidates.find(c => c.kind === 'on') || view.candidates.find(c => c.kind === 'back')).token")
        page.click(f"tr[data-token='{token}'] button") if page.run(f"!!document.querySelector(\"tr[data-token='{token}']\")") \
            else page.run(f"choose({token})")
        settled(page, f"state.path.length > {before}")
    raise SystemExit("FAIL: causal never changed its mind")


def watch(page, width, dark):
    page.open(url)
    settled(page, "state.models.length === 2")
    check(page.run("state.models.join()") == "ssa,causal", "the two models are not chosen")
    page.files("#upload", cnf)
    settled(page, "state.problem.name === %r" % cnf.rsplit("/", 1)[-1])
    check(page.run("view.picture.clauses.length") == 91, "the uploaded formula is not the one shown")
    check(page.run("document.querySelectorAll('.clauses li').length") == 91, "not all clauses are drawn")
    same = "document.querySelectorAll('#sentences .same').length"
    check(page.run(same) == 0, "a verdict before anything was compared")
    for by in ("0", "1", "0"):
        before = page.run("state.path.length")
        page.choose("#by", by)
        page.click("#step")
        settled(page, f"state.path.length > {before}")
    page.run("document.activeElement.blur()")
    page.key("ArrowRight")
    settled(page, "state.path.length === 4")
    page.key("ArrowLeft")
    settled(page, "state.path.length === 3")
    page.key("1") if page.run("view.candidates[0].kind !== 'back'") else page.key("2")
    settled(page, "state.path.length === 4")
    check(page.run(same) == 1, "SSA's answer is not called the same after a history")
    swap_until_causal_changes(page)
    look_again(page, width, dark)


def look_again(page, width, dark):
    """What a link restores is what was seen."""
    see = ("JSON.stringify([view, state.path, document.getElementById('choices').textContent,"
           " document.getElementById('sentences').textContent, document.getElementById('history').value])")
    page.run("document.activeElement.blur()")
    before, link = page.run(see), page.run("location.href")
    check(len(link) > len(url) + 100, "the link holds nothing")
    if pictures:
        page.picture(f"{pictures}/page-{width}-{'dark' if dark else 'light'}.png")
    page.open("about:blank")
    page.wait("location.href === 'about:blank'")
    page.open(link)
    settled(page, "view.models[1].other")
    check(page.run(see) == before, "the link restores something else")
    check(page.run("document.documentElement.scrollWidth <= window.innerWidth"), f"the page is wider than {width}")
    heads = page.run("document.querySelectorAll('#attention .head').length")
    check(heads == page.run("view.models[0].attention.weights[0].length"), "not every head is shown")
    sums = page.run("view.models[0].attention.weights.flat().map(h => h.reduce((a, b) => a + b, 0))")
    check(all(abs(s - 10000) < 60 for s in sums), f"attention does not add up: {sums}")
    check(page.run("state.look === 0 && view.models[0].attention.blocks.length") == 2, "SSA attends to history")
    page.choose("#attention-model", "1")
    settled(page, "view.models[1].attention")
    check(page.run("view.models[1].attention.blocks.length") > 2, "causal attends to no history")


def others(page):
    """The other domains, a random problem, a sketch, and the second tab."""
    page.open(url)
    settled(page, "state.models.length === 2")
    page.click("#draw")
    settled(page, "state.problem.draw")
    page.key("r")
    settled(page, "view.ended || view.steps.length > 12")
    page.run("stop()")
    for domain, kind in (("coloring", "graph"), ("blocks", "blocks"), ("parsing", "parse")):
        page.choose("#model-a", domain)
        settled(page, f"view.domain === '{domain}' && view.picture.kind === '{kind}'")
        page.click("#step")
        settled(page, "state.path.length === 1")
    page.choose("#model-a", "coloring")
    settled(page, "view.domain === 'coloring'")
    page.click("#edit")
    box = page.run("(()=>{const e=document.getElementById('sketch');e.scrollIntoView({block:'center'});const r=e.getBoundingClientRect();return [r.x,r.y,r.width,r.height]})()")
    for x, y in ((.2, .3), (.8, .3), (.5, .8), (.2, .3), (.8, .3), (.8, .3), (.5, .8)):
        for kind in ("mousePressed", "mouseReleased"):
            page.send("Input.dispatchMouseEvent", type=kind, x=box[0] + x * box[2], y=box[1] + y * box[3],
                      button="left", clickCount=1)
    page.click("#use-text")
    settled(page, "view.picture.n === 3 && view.picture.edges.length === 2")
    page.choose("#model-a", "ssa")
    settled(page, "view.domain === 'sat'")
    check(page.run("document.getElementById('message').hidden"), "an error message is shown")
    page.click("#tab-results")
    page.wait("document.querySelector('#stores td')")
    page.click("#pages button")
    page.wait("document.getElementById('report').src.includes('/files/')")


def main():
    home = urlparse(url).netloc
    for width, height, dark in ((1280, 900, False), (390, 844, True), (1280, 900, True), (390, 844, False)):
        with Chromium(width, height, dark) as page:
            watch(page, width, dark)
            if width == 1280 and not dark:
                others(page)
                if pictures:
                    page.picture(f"{pictures}/results-{width}.png")
            foreign = [r for r in page.requests if urlparse(r).netloc != home and not r.startswith(("data:", "about:", "blob:"))]
            check(not foreign, f"requests elsewhere: {foreign}")
            check(len(page.requests) > 10, "no requests were seen")
            check(not page.problems, f"console: {page.problems}")
            print(f"ok {width} {'dark' if dark else 'light'}: {len(page.requests)} requests")


main()
