"""Drives the pages of results and of a report in a real browser: sorts a table
by a head, filters it, points at a point of a series, and looks whether
anything is clipped or wider than the window: 1280 and 390 wide, light and dark.

    page.py FOLDER-FOR-PICTURES PAGE...

"-" as the folder: no pictures."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
from chromium import Chromium  # noqa: E402

pictures, pages = sys.argv[1], sys.argv[2:]
tried = {"sorted": 0, "filtered": 0, "pointed": 0}
OWN = "[...document.querySelectorAll('table')].map((t, i) => [i, [...t.tBodies[0].rows].filter(r => r.className != 'apart').length])"
# Elements whose text or box leaves the window and that no ancestor scrolls.
CLIPPED = """(() => { const wide = document.documentElement.clientWidth, found = [];
  const scrolls = e => { for (; e && e != document.body; e = e.parentElement)
    if (['auto', 'scroll'].includes(getComputedStyle(e).overflowX)) return true; return false };
  for (const e of document.querySelectorAll('body *')) {
    if (['SCRIPT', 'STYLE', 'TITLE', 'DEFS'].includes(e.tagName.toUpperCase()) || scrolls(e)) continue;
    const r = e.getBoundingClientRect();
    if (!r.width || !r.height) continue;
    const svg = e.tagName == 'text' && e.ownerSVGElement.getBoundingClientRect();
    if (r.right > wide + 1 || r.left < -1 || (svg && (r.right > svg.right + 1 || r.left < svg.left - 1 || r.bottom > svg.bottom + 1)))
      found.push(e.tagName + ' ' + e.textContent.slice(0, 40)) }
  return found.slice(0, 5) })()"""


def check(truth, what):
    if not truth:
        raise SystemExit("FAIL: " + what)


def column(page, table, at):
    return page.run(f"[...document.querySelectorAll('table')[{table}].tBodies[0].rows].filter(r => r.className != 'apart')"
                    f".map(r => r.cells[{at}] ? r.cells[{at}].innerText : '')")


def numbers(cells):
    found = []
    for cell in cells:
        try:
            found.append(float(cell.split()[0]))
        except (ValueError, IndexError):
            pass
    return found


def sort(page, name, table):
    """A click sorts down, another up; the rows below the line stay last."""
    heads = page.run(f"document.querySelectorAll('table')[{table}].tHead.rows[0].cells.length")
    for at in range(heads):
        head = f"document.querySelectorAll('table')[{table}].tHead.rows[0].cells[{at}]"
        page.run(f"document.querySelectorAll('.target').forEach(e => e.classList.remove('target')); {head}.classList.add('target')")
        before = column(page, table, at)
        for up in (False, True):
            page.click(".target")
            page.wait("document.querySelector('.target').getAttribute('aria-sort') == '%s'" % ("ascending" if up else "descending"))
            after = column(page, table, at)
            known = numbers(after)
            check(known == sorted(known, reverse=not up), f"{name}: column {at} is not sorted: {known}")
            check(sorted(before) == sorted(after), f"{name}: rows are lost by sorting")
        page.run("document.querySelector('.target').focus()")
        page.key(" ")
        check(numbers(column(page, table, at)) == sorted(known, reverse=True), f"{name}: a key does not sort")
        kinds = page.run(f"[...document.querySelectorAll('table')[{table}].tBodies[0].rows].map(r => r.className == 'apart')")
        check(kinds == sorted(kinds), f"{name}: a rule stands among the models")
    tried["sorted"] += 1


def filter_rows(page, name):
    """A word leaves the rows that hold it."""
    box = "document.querySelector('input.filter')"
    table = f"({box}.nextElementSibling.querySelector('table') || {box}.nextElementSibling)"
    shown = f"[...{table}.tBodies[0].rows].filter(r => r.className != 'apart' && r.getBoundingClientRect().height).map(r => r.innerText)"
    every = page.run(shown)
    word = every[-1].split()[0]
    page.run(f"{box}.focus()")
    for letter in word:
        page.key(letter)
    check(page.run(f"{box}.value") == word, f"{name}: the filter does not take letters")
    left = page.run(shown)
    check(left == [row for row in every if word.lower() in row.lower()] and left, f"{name}: {word} leaves {left}")
    page.run(f"{box}.value = 'no such row'; {box}.dispatchEvent(new Event('input'))")
    check(not page.run(shown), f"{name}: a word that is nowhere leaves rows")
    page.run(f"{box}.value = ''; {box}.dispatchEvent(new Event('input'))")
    check(len(page.run(shown)) == len(every), f"{name}: an empty filter hides rows")
    tried["filtered"] += 1


def point(page, name):
    """What lies under the pointer at a point of a series says its value."""
    said = page.run("""[...document.querySelectorAll('figure svg')].map(s => { s.scrollIntoView({block: 'center'});
      const all = [...s.querySelectorAll('title')].map(t => t.parentElement).filter(e => e != s);
      const hit = all.filter(e => { const r = e.getBoundingClientRect();
        let x = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
        for (; x && x != s; x = x.parentElement) if (x == e || x.querySelector(':scope > title')) return true;
        return false });
      return [all.length, hit.length, hit.map(e => e.querySelector('title').textContent).join()] })""")
    for all_points, hit, text in said:
        if all_points:
            check(hit, f"{name}: {all_points} points, none can be pointed at")
            check(any(c.isdigit() for c in text), f"{name}: pointing says no number: {text}")
            tried["pointed"] += 1


def main():
    for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
        with Chromium(width, 900, dark, patience=30) as page:
            for path in pages:
                name = f"{os.path.basename(os.path.dirname(path))}-{os.path.splitext(os.path.basename(path))[0]}"
                page.open("file://" + os.path.abspath(path))
                page.wait("document.readyState == 'complete' && location.href.includes(%r)" % os.path.basename(path))
                # A browser drops clicks on a page that it has not painted yet.
                page.wait("performance.getEntriesByName('first-contentful-paint').length")
                page.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")
                if pictures != "-":
                    page.picture(f"{pictures}/{name}-{width}-{'dark' if dark else 'light'}.png")
                check(page.run("document.documentElement.scrollWidth <= window.innerWidth"),
                      f"{name}: {page.run('document.documentElement.scrollWidth')} px in a window of {width}")
                clipped = page.run(CLIPPED)
                check(not clipped, f"{name}: clipped at {width}: {clipped}")
                if width == 1280 and not dark:
                    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
                    for table, rows in page.run(OWN):
                        if rows >= 3:
                            sort(page, f"{name}, table {table}", table)
                    if page.run("!!document.querySelector('input.filter')"):
                        filter_rows(page, name)
                    point(page, name)
            check(not page.problems, f"console: {page.problems}")
    print(", ".join(f"{count} {what}" for what, count in tried.items()))
    check(all(tried.values()), f"something was never tried: {tried}")


main()
