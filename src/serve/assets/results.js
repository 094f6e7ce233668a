// The second tab: reports and result stores of the directory.
'use strict';

const Results = (() => {
  const {el} = Draw;
  const percent = x => `${(100 * x).toFixed(1)} %`;

  function open(path) {
    document.getElementById('report-card').hidden = false;
    document.getElementById('report-name').textContent = path;
    document.getElementById('report').src = '/files/' + path.split('/').map(encodeURIComponent).join('/');
    document.getElementById('report-card').scrollIntoView({block: 'nearest'});
  }

  function table(store) {
    const head = ['domain', 'who', 'shown', 'loop', 'size', 'searches', 'solved', '95 % interval', 'decisions'];
    const body = el('tbody', {}, ...store.rows.map(r => el('tr', {},
      ...[r.domain, r.policy, r.protocol, r.loop, r.n, r.instances, percent(r.solved / Math.max(1, r.instances)),
        `${percent(r.low)} to ${percent(r.high)}`, r.decisions.toFixed(1)].map(x => el('td', {}, String(x))))));
    return el('section', {}, el('h3', {}, store.path), el('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': store.path},
      el('table', {}, el('thead', {}, el('tr', {}, ...head.map(h => el('th', {scope: 'col'}, h)))), body)));
  }

  async function load() {
    const answer = await (await fetch('/api/results')).json();
    const pages = document.getElementById('pages'), stores = document.getElementById('stores');
    pages.replaceChildren(...answer.pages.map(p => {
      const button = el('button', {}, p);
      button.addEventListener('click', () => open(p));
      return el('p', {}, button);
    }));
    if (!answer.pages.length) pages.append(el('p', {class: 'soft'}, 'None yet. “statewise report” or “statewise audit” makes one.'));
    stores.replaceChildren(...answer.stores.filter(s => s.rows && s.rows.length).map(table));
    if (!stores.children.length) stores.append(el('p', {class: 'soft'}, 'None yet. “statewise eval” plays some.'));
  }

  return {load};
})();
