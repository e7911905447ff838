#include "plugin/report/renderers.h"

namespace plugin::report {

// Texts of the report are read and compared here, never made into markup.
const std::string_view kHtmlScript = R"js(
(() => {
  'use strict';
  const all = (root, what) => Array.from(root.querySelectorAll(what));
  const make = (name, text, set) => Object.assign(document.createElement(name), { textContent: text }, set);
  const tools = document.getElementById('tools');
  const sections = all(document, 'details.crd');
  const status = make('span', '', { id: 'status' });

  // Lower-case texts of all rows, made once: what is typed is then only looked for.
  let index = null;
  const makeIndex = () => sections.map(details => ({
    details,
    row: document.getElementById('row-' + details.id),
    head: details.querySelector('summary').textContent.toLowerCase(),
    tables: all(details, '.table').map(box => ({
      box,
      rows: all(box, 'tbody tr').map(row => ({ row, text: row.textContent.toLowerCase(), is: true, was: true })),
    })),
  }));

  const has = (words, head, text) => words.every(word => head.includes(word) || text.includes(word));
  const find = (one, words) => {
    let found = 0;
    for (const table of one.tables) {
      table.found = 0;
      for (const row of table.rows) if ((row.is = has(words, one.head, row.text))) table.found++;
      found += table.found;
    }
    return found;
  };
  // Only what is open is changed at once: the rest nobody sees.
  const apply = one => {
    for (const table of one.tables) {
      for (const row of table.rows) if (row.is !== row.was) row.row.hidden = !(row.was = row.is);
      table.box.hidden = table.found === 0;
    }
  };
  const show = (one, is) => {
    if (one.details.hidden === !is) return;
    one.details.hidden = one.row.hidden = !is;
  };
  const filter = text => {
    index ??= makeIndex();
    const words = text.toLowerCase().split(/\s+/).filter(word => word !== '');
    const seen = [];
    let rows = 0;
    for (const one of index) {
      const found = find(one, words);
      const is = found > 0 || has(words, one.head, '');
      rows += found;
      show(one, is);
      if (is) seen.push(one);
    }
    // Few enough to be read at once.
    if (words.length > 0 && seen.length <= 3) for (const one of seen) one.details.open = true;
    for (const one of seen) if (one.details.open) apply(one);
    status.textContent = words.length === 0 ? '' : `${seen.length} of ${index.length} CRDs, ${rows} rows`;
  };

  const keyOf = (row, column, isNumber) => {
    const cell = row.cells[column];
    const text = cell.dataset.v ?? cell.textContent;
    return isNumber ? (text === '' ? -1 : Number(text)) : text.toLowerCase();
  };
  const sort = (table, head, column) => {
    const isUp = head.getAttribute('aria-sort') === 'descending' ||
        (!head.hasAttribute('aria-sort') && !head.classList.contains('number'));
    for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
    const body = table.tBodies[0];
    const isNumber = head.classList.contains('number') || body.rows[0]?.cells[column].dataset.v !== undefined;
    const rows = Array.from(body.rows, row => ({ row, key: keyOf(row, column, isNumber) }));
    const up = isUp ? 1 : -1;
    rows.sort((a, b) => (a.key < b.key ? -up : a.key > b.key ? up : 0));
    body.append(...rows.map(({ row }) => row));
  };
  document.addEventListener('click', event => {
    const head = event.target.closest?.('th');
    if (head && event.target.closest('button')) sort(head.closest('table'), head, head.cellIndex);
  });
  const addButtons = root => {
    for (const head of all(root, 'th')) {
      if (!head.querySelector('button')) head.replaceChildren(make('button', head.textContent, { type: 'button' }));
    }
  };
  const prepare = details => {
    addButtons(details);
    const one = index?.[sections.indexOf(details)];
    if (one?.tables.every(table => table.found !== undefined)) apply(one);
  };
  for (const details of sections) {
    details.addEventListener('toggle', () => { if (details.open) prepare(details); });
  }
  addButtons(document.getElementById('crds') ?? tools);

  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches('details.crd')) { target.open = true; target.scrollIntoView(); }
  };
  addEventListener('hashchange', openTarget);
  // A link to the place that is shown already changes nothing.
  document.getElementById('crds')?.addEventListener('click', event => { if (event.target.closest('a')) setTimeout(openTarget); });

  let closed = [];
  addEventListener('beforeprint', () => { closed = sections.filter(d => !d.open); for (const d of closed) { d.open = true; prepare(d); } });
  addEventListener('afterprint', () => { for (const d of closed) d.open = false; closed = []; });

  const input = make('input', '', { type: 'search', placeholder: 'Filter: CRD, field, writer, object, message', id: 'filter' });
  input.setAttribute('aria-label', 'Filter');
  input.addEventListener('input', () => filter(input.value));
  status.setAttribute('role', 'status');
  const toggle = (text, open) => {
    const button = make('button', text, { type: 'button' });
    button.addEventListener('click', () => { for (const d of sections) if (!d.hidden) d.open = open; });
    return button;
  };
  const download = make('button', 'Download JSON', { type: 'button', id: 'download' });
  download.addEventListener('click', () => {
    const report = document.getElementById('report').textContent;
    const url = URL.createObjectURL(new Blob([report], { type: 'application/json' }));
    make('a', '', { href: url, download: 'kubectl-prune-report.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  });
  tools.append(input, status, toggle('Open all', true), toggle('Close all', false), download);
  tools.hidden = false;
  openTarget();
})();
)js";

const std::string_view kHtmlScriptHash = "'sha256-TH5SzPQ3HI+bVhWihgrY497+Y5me9rly//Sjea2NtT0='";

}  // namespace plugin::report
