// The page: one state object, one request that turns it into a view, and the
// drawing of that view. What is in `state` is what a link restores.
'use strict';

const $ = id => document.getElementById(id);
const {el, svg} = Draw;
const state = {models: [], problem: null, path: [], by: 0, protocol: 'cumulative', history: '', swap: false, look: 0, layer: 0};
let start = null, view = null, running = false, asking = 0, pending = 0, kept = [], sketch = {nodes: [], edges: [], picked: -1};
const ENDINGS = {'.cnf': 'sat', '.col': 'coloring', '.pddl': 'blocks', '.sentence': 'parsing'};

// ---- links ----

async function pack(text) {
  let bytes = new TextEncoder().encode(text), mark = 'p';
  if (window.CompressionStream) {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    mark = 'z';
  }
  let binary = '';
  for (const b of bytes) binary += String.fromCharCode(b);
  return mark + btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

async function unpack(text) {
  const binary = atob(text.slice(1).replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(binary, c => c.charCodeAt(0));
  if (text[0] === 'p') return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).text();
}

async function saveLink() {
  const packed = '#' + await pack(JSON.stringify(state));
  if (packed !== location.hash) history.replaceState(null, '', packed);
}

async function restoreLink() {
  if (location.hash.length < 3) return false;
  try {
    const saved = JSON.parse(await unpack(location.hash.slice(1)));
    if (!Array.isArray(saved.models) || !saved.models.every(id => start.models.some(m => m.id === id))) {
      say('The link names a model that is not served here.');
      return false;
    }
    for (const key of Object.keys(state)) if (key in saved) state[key] = saved[key];
    return true;
  } catch {
    say('This link cannot be read.');
    return false;
  }
}

// ---- asking ----

function say(text) {
  $('message').hidden = !text;
  $('message').textContent = text || '';
}

async function ask(advance) {
  pending++; // the test waits until nothing is under way
  try {
    return await request(advance);
  } finally {
    pending--;
  }
}

async function request(advance) {
  const turn = ++asking;
  const body = {models: state.models, problem: state.problem, path: state.path, protocol: state.protocol,
    advance: advance || 0, by: Math.min(state.by, state.models.length - 1), attention: state.look};
  if (state.swap) body.history = state.history;
  let answer;
  try {
    const reply = await fetch('/api/view', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
    answer = await reply.json();
  } catch {
    stop();
    say('The server does not answer. Is it still running?');
    return false;
  }
  if (turn !== asking) return false; // a later question is under way
  if (answer.error) {
    stop();
    say(answer.error.message);
    return false;
  }
  say('');
  view = answer;
  state.path.push(...view.added);
  if (!state.swap) state.history = view.history;
  show();
  await saveLink();
  return true;
}

async function go(length) {
  stop();
  state.path = state.path.slice(0, length);
  await ask();
}

async function choose(token) {
  stop();
  const before = state.path.slice();
  state.path.push(token);
  if (!await ask()) state.path = before;
}

async function step() { if (view && !view.ended) return ask(1); return false; }

function stop() {
  running = false;
  $('run').textContent = 'Run';
  $('run').setAttribute('aria-pressed', 'false');
}

async function run() {
  if (running) return stop();
  running = true;
  $('run').textContent = 'Pause';
  $('run').setAttribute('aria-pressed', 'true');
  while (running && view && !view.ended) {
    if (!await step()) break;
    await new Promise(done => setTimeout(done, 120));
  }
  stop();
}

// ---- showing ----

const percent = p => p >= 0.9995 && p < 1 ? '>99.9 %' : `${(100 * p).toFixed(1)} %`;
const KIND = {on: '', back: 'undo the last decision', repeat: 'not allowed, or failed before', missed: 'overlooks the contradiction'};
const WAYS = {own: 'own history', none: 'no history', other: 'other history'};

function ways() { return state.swap ? ['own', 'none', 'other'] : ['own', 'none']; }

function chance(model, way, token) {
  const answer = model[way];
  if (!answer || !answer.p) return null;
  const at = answer.choices.indexOf(token);
  return at < 0 ? null : answer.p[at];
}

function cell(model, second, way, token) {
  const p = chance(model, way, token);
  const best = model[way] && model[way].best === token;
  const td = el('td', {class: `p${best ? ' best' : ''}${second ? ' second' : ''}${way === 'other' ? ' swapped' : ''}`});
  if (p === null) return td;
  const bar = el('span', {class: 'bar'});
  bar.style.width = `${100 * p}%`;
  td.append(percent(p), bar);
  return td;
}

function showChoices() {
  const box = $('choices');
  box.replaceChildren();
  if (view.ended) {
    box.append(el('p', {}, view.solved ? 'Solved.' : `The search has ended: ${view.reason.replace(/_/g, ' ')}.`));
    if (view.answer) box.append(el('pre', {class: 'tokens'}, view.answer));
    return;
  }
  const used = ways();
  const weight = c => Math.max(...view.models.flatMap(m => used.map(w => chance(m, w, c.token) || 0)));
  const order = view.candidates.map((c, i) => ({...c, number: i + 1, weight: weight(c)}));
  const first = order.slice().sort((a, b) => b.weight - a.weight).slice(0, 8);
  const rows = order.filter(c => first.includes(c) || c.kind === 'back');
  const head = el('tr', {}, el('th', {scope: 'col', rowspan: 2}, 'choice; history:'),
    ...view.models.map((m, i) => el('th', {scope: 'colgroup', colspan: used.length, class: `model${i ? ' second' : ''}`}, m.id)));
  const below = el('tr', {}, ...view.models.flatMap(() => used.map(w => el('th', {scope: 'col', title: WAYS[w]}, w))));
  const body = el('tbody', {});
  for (const c of rows) {
    const button = el('button', {title: c.number < 10 ? `key ${c.number}` : ''}, c.text);
    button.disabled = c.kind === 'back' && view.state.root && !view.state.conflict;
    button.addEventListener('click', () => choose(c.token));
    const name = el('td', {class: 'choice'}, button);
    if (KIND[c.kind]) name.append(el('span', {class: 'kind'}, KIND[c.kind]));
    body.append(el('tr', {'data-token': c.token}, name, ...view.models.flatMap((m, i) => used.map(w => cell(m, i > 0, w, c.token)))));
  }
  box.append(el('div', {class: 'scroll'}, el('table', {}, el('thead', {}, head, below), body)));
  if (order.length > rows.length) {
    const rest = order.filter(c => !rows.includes(c));
    const more = el('details', {}, el('summary', {}, `${rest.length} more, each below ${percent(Math.max(...first.map(c => c.weight)) === 0 ? 0 : first[first.length - 1].weight + 5e-5)}`));
    for (const c of rest) {
      const button = el('button', {}, c.text);
      button.addEventListener('click', () => choose(c.token));
      more.append(button, ' ');
    }
    box.append(more);
  }
}

function nameOf(token) {
  const c = view.candidates.find(x => x.token === token);
  return c ? c.text : `token ${token}`;
}

function sentence(model) {
  const used = ways().filter(w => model[w] && model[w].p);
  const refused = ways().map(w => model[w] && model[w].refused).find(Boolean);
  if (refused) return [`${model.id}: ${refused}.`, ''];
  if (used.length < 2) return ['', ''];
  const past = {own: (view.history || '').trim(), none: '', other: state.history.trim()};
  if (new Set(used.map(w => past[w])).size < 2) return [`${model.id}: nothing came before this state yet, so there is nothing to compare.`, ''];
  const say = w => `${nameOf(model[w].best)} (${percent(chance(model, w, model[w].best))}) with ${WAYS[w]}`;
  const bits = new Set(used.map(w => model[w].bits)), bests = new Set(used.map(w => model[w].best));
  if (bits.size === 1) return [`${model.id}: the same answer, bit for bit, whatever came before: ${nameOf(model.own.best)}.`, 'same'];
  if (bests.size === 1) return [`${model.id}: ${nameOf(model.own.best)} each time, but not equally sure: ${used.map(w => `${percent(chance(model, w, model[w].best))} with ${WAYS[w]}`).join(', ')}.`, ''];
  return [`${model.id} changes its mind about the same state: ${used.map(say).join(', ')}.`, 'changed'];
}

function showSentences() {
  const list = $('sentences');
  list.replaceChildren();
  if (view.ended) return;
  for (const m of view.models) {
    const [text, kind] = sentence(m);
    if (text) list.append(el('li', {class: kind, 'data-model': m.id}, text));
  }
}

function showVerdict() {
  const v = $('verdict');
  v.className = 'verdict';
  v.textContent = '';
  if (view.ended) {
    v.className = view.solved ? 'verdict' : 'verdict dead';
    v.textContent = view.solved ? 'Solved, and the answer has been checked.' : `Ended: ${view.reason.replace(/_/g, ' ')}.`;
  } else if (view.state.conflict) {
    v.className = 'verdict dead';
    v.textContent = 'Verifier: a contradiction is exposed. The right thing is to go back.';
  } else if (view.state.doomed) {
    v.className = 'verdict doomed';
    v.textContent = 'Verifier: no contradiction shows yet, but nothing below this state can succeed.';
  } else if (view.state.doomed === null) {
    v.textContent = 'Verifier: nothing is contradicted. Whether anything below this state can succeed is not known.';
  } else {
    v.textContent = 'Verifier: nothing is contradicted. The right thing is to go on.';
  }
}

function show() {
  Draw.picture($('picture'), view.picture);
  showVerdict();
  let words = view.state && view.state.words ? view.state.words : '';
  if (view.state && view.state.doomed) words = words.split('Nothing is contradicted')[0]; // the verdict says more
  $('words').textContent = words;
  $('tokens').textContent = view.state ? view.state.tokens.join(' ') : '';
  showChoices();
  showSentences();
  Draw.tree($('tree'), view.steps, view.ended, go);
  const now = view.state ? `depth ${view.state.depth}, ` : '';
  $('status').textContent = `${now}${view.decisions} decisions, ${view.backs} times back` +
    `${view.silent_backs ? ` and ${view.silent_backs} silently` : ''}${view.false_prunes ? `, ${view.false_prunes} of them for nothing` : ''}; ${view.tokens} tokens of dialogue.`;
  $('back').disabled = $('first').disabled = !state.path.length;
  $('step').disabled = $('run').disabled = view.ended;
  if (document.activeElement !== $('history')) $('history').value = state.history;
  $('swap').checked = state.swap;
  showAttention();
}

function showAttention() {
  const models = view.models.map((m, i) => el('option', {value: i}, m.id));
  $('attention-model').replaceChildren(...models);
  state.look = Math.min(state.look, view.models.length - 1);
  $('attention-model').value = state.look;
  const a = view.models[state.look].attention;
  if (!a) return Draw.attention($('attention'), null, 0);
  state.layer = Math.min(state.layer, a.weights.length - 1);
  $('attention-layer').replaceChildren(...a.weights.map((_, i) => el('option', {value: i}, `${i + 1} of ${a.weights.length}`)));
  $('attention-layer').value = state.layer;
  Draw.attention($('attention'), a, state.layer);
}

// ---- choosing problem and models ----

const domainOf = id => start.models.find(m => m.id === id).domain;

function problemName() {
  if (!state.problem) return 'your own';
  return state.problem.name || `random, size ${state.problem.draw.n}, seed ${state.problem.draw.seed}`;
}

function fillModels() {
  const options = start.models.map(m => el('option', {value: m.id}, `${m.id} (${m.domain}, ${m.mask})`));
  $('model-a').replaceChildren(...options);
  $('model-a').value = state.models[0];
  const same = start.models.filter(m => m.domain === domainOf(state.models[0]) && m.id !== state.models[0]);
  $('model-b').replaceChildren(el('option', {value: ''}, 'none'), ...same.map(m => el('option', {value: m.id}, `${m.id} (${m.mask})`)));
  $('model-b').value = state.models[1] || '';
  $('by').replaceChildren(...state.models.map((id, i) => el('option', {value: i}, id)));
  state.by = Math.min(state.by, state.models.length - 1);
  $('by').value = state.by;
  $('protocol').value = state.protocol;
  const ending = Object.keys(ENDINGS).find(e => ENDINGS[e] === domainOf(state.models[0]));
  const mine = start.examples.filter(e => e.endsWith(ending));
  $('example').replaceChildren(...mine.map(e => el('option', {value: e}, e.split('/').pop())), el('option', {value: ''}, problemName()));
  const name = state.problem && state.problem.name;
  $('example').value = mine.find(e => e.endsWith('/' + name)) || '';
  $('sketch-area').hidden = domainOf(state.models[0]) !== 'coloring';
}

function setProblem(problem) {
  stop();
  Object.assign(state, {problem, path: [], history: '', swap: false});
  kept = [];
  fillKept();
  fillModels();
  $('text').value = problem.text || '';
  return ask();
}

// A search of one's own has no examples here: its environment makes a problem.
function firstProblem() {
  const example = [...$('example').options].find(o => o.value);
  return example ? useExample(example.value) : setProblem({draw: {n: 1, seed: 1}});
}

async function useExample(path) {
  const text = await (await fetch(path)).text();
  return setProblem({name: path.split('/').pop(), text});
}

// A file of another domain takes the first model that can read it along.
function useText(name, text) {
  const ending = Object.keys(ENDINGS).find(e => name.toLowerCase().endsWith(e));
  if (ending && ENDINGS[ending] !== domainOf(state.models[0])) {
    const model = start.models.find(m => m.domain === ENDINGS[ending]);
    if (!model) return say(`No model for ${name} is served here.`);
    state.models = [model.id];
  }
  return setProblem({name, text});
}

function setModels() {
  const domain = domainOf(state.models[0]), first = $('model-a').value;
  const second = $('model-b').value;
  state.models = second && second !== first && domainOf(second) === domainOf(first) ? [first, second] : [first];
  fillModels();
  if (domainOf(first) === domain) return ask();
  return firstProblem();
}

// ---- sketching a graph ----

function drawSketch() {
  const box = $('sketch');
  box.replaceChildren(...sketch.edges.map(([a, b]) => svg('line', {class: 'edge', x1: sketch.nodes[a][0], y1: sketch.nodes[a][1], x2: sketch.nodes[b][0], y2: sketch.nodes[b][1]})));
  sketch.nodes.forEach(([x, y], i) => box.append(svg('g', {'data-node': i}, svg('circle', {class: 'node' + (i === sketch.picked ? ' dead' : ''), cx: x, cy: y, r: 12}),
    svg('text', {x, y: y + 4, 'text-anchor': 'middle'}, String(i)))));
  $('text').value = [`p edge ${sketch.nodes.length} ${sketch.edges.length}`, ...sketch.edges.map(([a, b]) => `e ${a + 1} ${b + 1}`)].join('\n') + '\n';
}

function sketchClick(event) {
  const box = $('sketch').getBoundingClientRect(), scale = 400 / box.width;
  const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
  const hit = sketch.nodes.findIndex(([a, b]) => Math.hypot(a - x, b - y) < 16);
  if (hit < 0) {
    if (sketch.nodes.length < 30) sketch.nodes.push([x, y]);
    sketch.picked = -1;
  } else if (sketch.picked < 0 || sketch.picked === hit) {
    sketch.picked = sketch.picked === hit ? -1 : hit;
  } else {
    const pair = [Math.min(hit, sketch.picked), Math.max(hit, sketch.picked)];
    const at = sketch.edges.findIndex(e => e[0] === pair[0] && e[1] === pair[1]);
    if (at < 0) sketch.edges.push(pair);
    else sketch.edges.splice(at, 1);
    sketch.picked = -1;
  }
  drawSketch();
}

// ---- histories ----

function fillKept() {
  $('kept').replaceChildren(el('option', {value: ''}, 'load…'), el('option', {value: 'reverse'}, 'the present one, reversed'),
    el('option', {value: 'half'}, 'the present one, second half'), el('option', {value: 'empty'}, 'an empty one'),
    ...kept.map((k, i) => el('option', {value: i}, `kept ${i + 1}: ${k.split('\n').filter(Boolean).length} blocks`)));
}

function loadKept(which) {
  const lines = view.history.split('\n').filter(Boolean);
  if (which === 'reverse') state.history = lines.reverse().join('\n');
  else if (which === 'half') state.history = lines.slice(Math.ceil(lines.length / 2)).join('\n');
  else if (which === 'empty') state.history = '';
  else state.history = kept[Number(which)];
  state.swap = true;
  $('kept').value = '';
  return ask();
}

// ---- events ----

function tab(name) {
  for (const t of ['watch', 'results']) {
    $(t).hidden = t !== name;
    $(`tab-${t}`).setAttribute('aria-selected', String(t === name));
    $(`tab-${t}`).tabIndex = t === name ? 0 : -1;
  }
  if (name === 'results') Results.load();
}

function toggle(button, panel) {
  panel.hidden = !panel.hidden;
  button.setAttribute('aria-expanded', String(!panel.hidden));
}

async function copyLink() {
  await saveLink();
  try {
    await navigator.clipboard.writeText(location.href);
    $('status').textContent = 'The link is copied.';
  } catch {
    $('status').textContent = 'The address of this page is the link.';
  }
}

function onKey(event) {
  const field = event.target.closest('input, textarea, select');
  if (field || event.ctrlKey || event.metaKey || event.altKey || $('watch').hidden) return;
  const actions = {ArrowRight: step, ArrowLeft: () => state.path.length && go(state.path.length - 1), Home: () => go(0),
    r: run, R: run, l: copyLink, L: copyLink, '?': () => toggle($('keys'), $('help')),
    s: () => { state.swap = !state.swap; ask(); }, S: () => { state.swap = !state.swap; ask(); }};
  const number = Number(event.key);
  let action = actions[event.key];
  if (event.target.closest('[role=tab]') && event.key.startsWith('Arrow')) {
    tab($('results').hidden ? 'results' : 'watch');
    action = () => {};
  } else if (number >= 1 && number <= 9 && view && !view.ended && view.candidates[number - 1]) {
    action = () => choose(view.candidates[number - 1].token);
  }
  if (!action) return;
  event.preventDefault();
  action();
}

function listen() {
  const on = (id, type, f) => $(id).addEventListener(type, f);
  for (const t of ['watch', 'results']) on(`tab-${t}`, 'click', () => tab(t));
  on('model-a', 'change', setModels);
  on('model-b', 'change', setModels);
  on('example', 'change', () => $('example').value && useExample($('example').value));
  on('upload', 'change', async () => {
    const file = $('upload').files[0];
    if (file) await useText(file.name, await file.text());
    $('upload').value = '';
  });
  on('edit', 'click', () => toggle($('edit'), $('editor')));
  on('use-text', 'click', () => {
    const ending = Object.keys(ENDINGS).find(e => ENDINGS[e] === domainOf(state.models[0]));
    setProblem({name: 'yours' + (ending || ''), text: $('text').value});
  });
  on('draw', 'click', () => setProblem({draw: {n: Number($('draw-n').value), seed: Number($('draw-seed').value)}}));
  on('sketch', 'click', sketchClick);
  on('sketch-clear', 'click', () => { sketch = {nodes: [], edges: [], picked: -1}; drawSketch(); });
  on('first', 'click', () => go(0));
  on('back', 'click', () => go(state.path.length - 1));
  on('step', 'click', step);
  on('run', 'click', run);
  on('by', 'change', () => { state.by = Number($('by').value); saveLink(); });
  on('protocol', 'change', () => { state.protocol = $('protocol').value; saveLink(); });
  on('link', 'click', copyLink);
  on('keys', 'click', () => toggle($('keys'), $('help')));
  on('swap', 'change', () => { state.swap = $('swap').checked; ask(); });
  on('history', 'change', () => { state.history = $('history').value; state.swap = true; ask(); });
  on('keep', 'click', () => { kept.push(view.history); fillKept(); });
  on('kept', 'change', () => $('kept').value !== '' && loadKept($('kept').value));
  on('attention-model', 'change', () => { state.look = Number($('attention-model').value); ask(); });
  on('attention-layer', 'change', () => { state.layer = Number($('attention-layer').value); showAttention(); saveLink(); });
  document.addEventListener('keydown', onKey);
  window.addEventListener('hashchange', async () => { if (await restoreLink()) { fillModels(); await ask(); } });
}

async function begin() {
  start = await (await fetch('/api/start')).json();
  state.models = [start.models[0].id];
  const other = start.models.find(m => m.domain === start.models[0].domain && m.id !== start.models[0].id);
  if (other) state.models.push(other.id);
  listen();
  fillKept();
  const restored = await restoreLink();
  fillModels();
  if (restored && state.problem) {
    $('text').value = state.problem.text || '';
    await ask();
  } else {
    await firstProblem();
  }
}

begin();
