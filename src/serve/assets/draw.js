// Pictures: problems with their state, the search tree, attention. Every
// function fills an element from data of /api/view and knows nothing else.
'use strict';

const Draw = (() => {
  const NS = 'http://www.w3.org/2000/svg';

  function el(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
      if (value !== undefined && value !== false) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }
  function svg(name, attributes, ...children) {
    const e = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }

  // ---- problems ----

  function cnf(box, p) {
    const decided = new Set(p.decided);
    box.append(el('div', {class: 'values', 'aria-label': 'Variables'},
      ...p.value.map((v, i) => el('span', {class: (v > 0 ? 't' : v < 0 ? 'f' : '') + (decided.has(i) ? ' decided' : ''),
        title: v ? (decided.has(i) ? 'decided' : 'forced') : i === p.open ? 'to be tried again' : 'open'},
        `v${i}${v > 0 ? '=T' : v < 0 ? '=F' : i === p.open ? ' ?' : ''}`))));
    const list = el('ul', {class: 'clauses', 'aria-label': 'Clauses', tabindex: '0'});
    p.clauses.forEach((clause, c) => {
      const truth = clause.map(l => p.value[Math.abs(l) - 1] * Math.sign(l));
      const open = truth.filter(t => t === 0).length;
      const state = truth.includes(1) ? 'sat' : open === 0 ? 'dead' : open === 1 ? 'unit' : '';
      const item = el('li', {class: state, title: {sat: 'satisfied', dead: 'contradicted', unit: 'one literal left', '': 'open'}[state]}, `C${c} `);
      clause.forEach((l, i) => item.append(el('span', {class: truth[i] > 0 ? 'true' : truth[i] < 0 ? 'false' : ''},
        `${l < 0 ? '¬' : ''}v${Math.abs(l) - 1}`), i + 1 < clause.length ? ' ∨ ' : ''));
      list.append(item);
    });
    box.append(list);
  }

  function ring(n, index, size) {
    const angle = 2 * Math.PI * index / n - Math.PI / 2, r = size / 2 - 18;
    return [size / 2 + r * Math.cos(angle), size / 2 + r * Math.sin(angle)];
  }

  function graph(box, p) {
    const size = 380, picture = svg('svg', {viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': `Graph of ${p.n} nodes`});
    const place = Array.from({length: p.n}, (_, i) => ring(p.n, i, size));
    for (const [a, b] of p.edges)
      picture.append(svg('line', {class: 'edge' + (p.color[a] && p.color[a] === p.color[b] ? ' clash' : ''), x1: place[a][0], y1: place[a][1], x2: place[b][0], y2: place[b][1]}));
    const radius = p.n > 32 ? 8 : 12;
    for (let v = 0; v < p.n; v++) {
      const left = Array.from({length: p.colors}, (_, c) => p.left[v] >> c & 1 ? `c${c + 1}` : '').filter(Boolean);
      const g = svg('g', {}, svg('title', {}, `n${v}: ` + (p.color[v] ? `colour c${p.color[v]}` : left.length ? `left: ${left.join(' ')}` : 'no colour left')),
        svg('circle', {class: 'node' + (p.color[v] ? ` k${p.color[v]}` : left.length ? '' : ' dead'), cx: place[v][0], cy: place[v][1], r: radius}));
      g.append(svg('text', {x: place[v][0], y: place[v][1] + 4, 'text-anchor': 'middle', 'font-size': radius < 10 ? 8 : 11}, String(v)));
      picture.append(g);
    }
    box.append(el('div', {class: 'graph'}, picture));
  }

  function stacks(list, caption) {
    const height = Math.max(3, ...list.map(s => s.length)) * 30 + 30, width = list.length * 62 + 10;
    const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': caption});
    picture.append(svg('line', {class: 'table', x1: 0, y1: height - 18, x2: width, y2: height - 18}));
    list.forEach((stack, s) => {
      picture.append(svg('text', {x: s * 62 + 34, y: height - 4, 'text-anchor': 'middle'}, `S${s}`));
      stack.forEach((b, i) => picture.append(svg('rect', {class: 'block', x: s * 62 + 9, y: height - 47 - 30 * i, width: 50, height: 28, rx: 5}),
        svg('text', {x: s * 62 + 34, y: height - 28 - 30 * i, 'text-anchor': 'middle'}, `b${b}`)));
    });
    return el('figure', {}, picture, el('figcaption', {}, caption));
  }

  function blocks(box, p) {
    box.append(el('div', {class: 'blocks'}, stacks(p.now, 'now'), stacks(p.goal, 'goal')));
  }

  function parse(box, p) {
    const line = el('div', {class: 'sentence', 'aria-label': 'Sentence'});
    p.words.forEach((w, i) => line.append(el('span', {class: i < p.cursor ? 'read' : i === p.cursor ? 'here' : ''}, w)));
    if (p.cursor >= p.words.length) line.append(el('span', {class: 'here'}, '∎'));
    const stack = el('div', {class: 'stack', 'aria-label': 'Symbols still to be found'}, ...p.stack.map(s => el('b', {}, s)));
    if (!p.stack.length) stack.append(el('em', {}, 'nothing left to find'));
    box.append(line, stack);
    if (p.failed.length) box.append(el('p', {class: 'soft'}, `failed here: alternative ${p.failed.join(', ')}`));
  }

  // A search of one's own: its state is words.
  function words(box, p) {
    const line = el('div', {class: 'sentence', 'aria-label': 'State'});
    p.state.split(' ').forEach(w => line.append(el('span', {}, w)));
    box.append(el('p', {class: 'soft'}, p.problem), line);
    if (p.path.length) box.append(el('p', {class: 'soft'}, `taken so far: ${p.path.join(', ')}`));
  }

  function picture(box, p) {
    box.replaceChildren();
    ({cnf, graph, blocks, parse, words})[p.kind](box, p);
  }

  // ---- the search tree ----

  // A step's parent is the last one before it that lies less deep.
  function family(steps) {
    const stack = [], nodes = steps.map((s, i) => ({step: s, index: i, children: []}));
    const roots = [];
    for (const node of nodes) {
      while (stack.length && stack[stack.length - 1].step.depth >= node.step.depth) stack.pop();
      (stack.length ? stack[stack.length - 1].children : roots).push(node);
      stack.push(node);
    }
    return {nodes, roots};
  }

  function tree(box, steps, ended, go) {
    const MOST = 400, cut = Math.max(0, steps.length - MOST);
    const {nodes, roots} = family(steps.slice(cut));
    const labels = nodes.length <= 60; // room for what was done
    const gapX = labels ? 68 : nodes.length > 120 ? 15 : 26, gapY = 44;
    let leaf = 0, deepest = 0;
    const layout = (node, y) => {
      node.y = y;
      deepest = Math.max(deepest, y);
      for (const child of node.children) layout(child, y + 1);
      node.x = node.children.length ? (node.children[0].x + node.children[node.children.length - 1].x) / 2 : leaf++;
    };
    for (const root of roots) layout(root, 0);
    const width = Math.max(leaf * gapX + 60, 160), height = (deepest + 1) * gapY + 20;
    const at = n => [30 + n.x * gapX, 20 + n.y * gapY];
    const picture = svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Search tree of ${steps.length} states`});
    for (const n of nodes)
      for (const c of n.children) picture.append(svg('path', {class: 'link', d: `M${at(n).join(' ')} L${at(c).join(' ')}`}));
    let now = null;
    for (const n of nodes) {
      const last = n.index + cut === steps.length - 1;
      const dot = svg('circle', {cx: at(n)[0], cy: at(n)[1], r: gapX < 20 ? 5 : 7,
        class: (n.step.conflict ? 'dead' : n.step.kind === 'back' ? 'back' : 'on') + (last ? ' now' : '')},
        svg('title', {}, `state ${n.index + cut + 1}, depth ${n.step.depth}${n.step.conflict ? ', contradiction' : ''}: ${n.step.done || (ended ? 'the end' : 'waiting')}`));
      dot.addEventListener('click', () => go(n.step.moves));
      picture.append(dot);
      if (labels && n.step.done && n.step.kind !== 'back')
        picture.append(svg('text', {x: at(n)[0] + 9, y: at(n)[1] - 5}, n.step.done));
      if (last) now = dot;
    }
    box.replaceChildren(picture);
    if (cut) box.prepend(el('p', {class: 'soft'}, `The first ${cut} states are not drawn.`));
    if (now) {
      const x = Number(now.getAttribute('cx')), y = Number(now.getAttribute('cy'));
      box.scrollLeft = x - box.clientWidth / 2;
      box.scrollTop = y - box.clientHeight / 2;
    }
  }

  // ---- attention ----

  function region(a, row) {
    if (row < a.slots) return 'slots';
    const token = row - a.slots;
    if (token < a.blocks[1]) return 'problem';
    return token >= a.blocks[a.blocks.length - 1] ? 'state' : 'history';
  }

  function head(a, weights, number) {
    const total = {slots: 0, problem: 0, history: 0, state: 0};
    weights.forEach((w, row) => { total[region(a, row)] += w; });
    const sum = Object.values(total).reduce((x, y) => x + y, 0) || 1;
    const bar = svg('svg', {viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'});
    let x = 0;
    for (const [name, w] of Object.entries(total)) {
      bar.append(svg('rect', {class: `r-${name}`, x, y: 0, width: 1000 * w / sum, height: 10}));
      x += 1000 * w / sum;
    }
    const top = weights.map((w, row) => [w, row]).sort((p, q) => q[0] - p[0]).slice(0, 6).filter(p => p[0] > 0);
    const list = el('ol', {});
    for (const [w, row] of top) {
      const strip = svg('svg', {viewBox: '0 0 100 8', preserveAspectRatio: 'none', class: 'strip', 'aria-hidden': 'true'},
        svg('rect', {class: `r-${region(a, row)}`, x: 0, y: 2, width: Math.max(0.5, 100 * w / top[0][0]), height: 4}));
      list.append(el('li', {}, el('code', {title: region(a, row)}, row < a.slots ? `slot ${row}` : a.rows[row - a.slots], ' ',
        el('em', {}, row < a.slots ? '' : `#${row - a.slots}`)), strip, el('span', {}, `${(w / 100).toFixed(1)} %`)));
    }
    const share = Object.entries(total).filter(([, w]) => w > 0).map(([n, w]) => `${n} ${Math.round(100 * w / sum)} %`).join(', ');
    return el('div', {class: 'head'}, el('h3', {}, `Head ${number + 1}`), el('div', {class: 'regions', title: share}, bar), el('p', {class: 'soft'}, share), list);
  }

  function attention(box, a, layer) {
    box.replaceChildren();
    if (!a) return;
    box.append(el('p', {class: 'legend'}, ...['slots', 'problem', 'history', 'state'].map(n => el('span', {}, el('i', {class: `key-${n}`}), n))),
      el('div', {class: 'heads'}, ...a.weights[layer].map((w, i) => head(a, w, i))));
  }

  return {el, svg, picture, tree, attention};
})();
