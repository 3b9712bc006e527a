// Compares the page's script with the library's figures: node run.mjs <assets> <vector.json>
// The script runs as it is, up to the file that draws; a few plain objects stand in for the page.
import { readFileSync } from 'node:fs';

const [folder, file] = process.argv.slice(2);
const vector = JSON.parse(readFileSync(file, 'utf8'));
const source = vector.scripts.map((name) => readFileSync(`${folder}/${name}.js`, 'utf8')).join('\n');
const names = 'unpack, models, state, compute, writeFigures, writeThreshold, writeFound, Allowed';
const load = new Function('document', `'use strict';\n${source}\nreturn { ${names} };`);

const CLOSE = 1e-9, CLOSER = 5e-12;
const ENTRIES = ['tp', 'fp', 'fn', 'tn'];
const report = { positions: 0, compared: 0, numbers: 0, largest: {}, against: {}, trouble: [] };
const payload = vector.payload ? JSON.parse(vector.payload) : null;

function distance(page, library, scale) {
  if (page === undefined || page === null || Number.isNaN(page) || !Number.isFinite(library)) {
    return Object.is(page, library) ? 0 : Infinity;
  }
  return Math.abs(page - library) / (scale || Math.max(1, Math.abs(library)));
}
// Points that agree but for rounding are one: which of both sides keeps them is chance.
function thinned([xs, ys]) {
  const out = [];
  for (let i = 0; i < xs.length; i++) {
    const last = out[out.length - 1];
    if (!last || Math.max(Math.abs(xs[i] - last[0]), Math.abs(ys[i] - last[1])) > 1e-10) out.push([xs[i], ys[i]]);
  }
  return out;
}
function apart(page, wanted) {
  if (page.length !== wanted.length) return Infinity;
  return Math.max(...page.map(([x, y], i) => Math.max(distance(x, wanted[i][0]), distance(y, wanted[i][1]))));
}
function compare(where, figure, page, wanted, { scale = 0, within = CLOSE } = {}) {
  let worst = 0;
  if (figure.startsWith('curve.')) worst = apart(thinned(page), thinned(wanted));
  else if (wanted === null || page === null || page === undefined) worst = wanted === null && page === null ? 0 : Infinity;
  else if (Array.isArray(wanted)) {
    if (page.length !== wanted.length) worst = Infinity;
    else wanted.forEach((v, i) => { worst = Math.max(worst, distance(page[i], Number(v), scale)); });
  } else worst = distance(page, Number(wanted), scale);
  report.compared += 1;
  report.numbers += Array.isArray(wanted) ? wanted.flat().length : 1;
  const kind = within > CLOSE ? `${figure} (blocks)` : figure;
  if (!(worst <= (report.largest[kind] ?? -1))) report.largest[kind] = worst;
  if (worst <= within) return;
  const short = (v) => (v && v.length > 8 ? `${v.length} values` : v && v.length ? Array.from(v) : String(v));
  report.trouble.push({ case: vector.name, where, figure, page: short(page), library: short(wanted), difference: String(worst) });
}

// ------------------------------------------------------------------ what stands in for the page
const isScalar = (key, value) => !Array.isArray(value) && !/^(bounds|blocks)\./.test(key);
function stage() {
  const slots = new Map(), bounds = new Map();
  for (const { models } of vector.positions) {
    models.forEach(({ figures }, i) => {
      for (const [key, value] of Object.entries(figures)) {
        const path = `${i}.${key.replace(/^bounds\./, '')}`;
        if (key.startsWith('bounds.')) bounds.set(path, { dataset: { bounds: path }, classList: { toggle() {} } });
        else if (isScalar(key, value)) slots.set(path, { dataset: { fig: path, kind: 'figure' } });
      }
    });
  }
  const found = { '[data-fig]': [...slots.values()], '[data-bounds]': [...bounds.values()] };
  const page = {
    getElementById: () => ({ textContent: vector.payload }),
    documentElement: { classList: { add() {} } },
    querySelector: () => ({ dataset: {} }),
    querySelectorAll: (selector) => found[selector] || [],
  };
  return { page, slots, bounds };
}

// ------------------------------------------------------------------ one position
function drawn(view) {
  const cal = view.calibration || {}, { path, pr } = view.plainCurves, out = {
    'curve.roc': [view.path.fpr, view.path.tpr], 'curve.pr': [view.pr.x, view.pr.y], 'curve.naive.roc': [path.fpr, path.tpr],
    'curve.naive.pr': [pr.x, pr.y], 'curve.hull': [view.hull.fpr, view.hull.tpr],
    'blocks.roc_auc': view.auc.value, 'blocks.average_precision': view.ap.value };
  if (view.finds) {
    const ends = view.discovery.points.map((_, j) => view.finds.limits(j));
    Object.assign(out, { 'discovery.finds': view.finds.finds, 'discovery.low': ends.map((e) => e[0]), 'discovery.high': ends.map((e) => e[1]) });
  }
  for (const key of ['gap', 'noise', 'share', 'mean', 'rate', 'low', 'high']) out[`bin.${key}`] = cal[key];
  return out;
}
function shownBounds(node) {
  const { low, high } = node.dataset;
  return low === undefined ? null : [Number(low), Number(high)];
}
function checkPosition(script, { slots, bounds }, size, position) {
  Object.assign(script.state, { prior: position.prior, purity: position.purity, checked: position.checked });
  for (const node of slots.values()) delete node.dataset.value;
  position.models.forEach((wanted, i) => {
    const view = script.models[i], where = `model ${i}, prior ${position.prior}, purity ${position.purity}, checked ${position.checked}, threshold ${wanted.threshold}`;
    if (wanted.threshold !== null) {
      view.stop = view.stops.findIndex((stop) => stop.threshold === wanted.threshold);
      if (view.stop < 0) { compare(where, 'threshold', NaN, wanted.threshold); return; }
    }
    script.compute(view);
    script.writeFigures(view);
    script.writeThreshold(view);
    script.writeFound(view);
    const lines = drawn(view);
    for (const [key, value] of Object.entries(wanted.figures)) {
      const name = key.replace(/^bounds\./, ''), scale = ENTRIES.includes(name) ? size : 0;
      let page = lines[key];
      if (key.startsWith('bounds.')) page = shownBounds(bounds.get(`${i}.${name}`));
      else if (isScalar(key, value)) {
        const text = slots.get(`${i}.${key}`).dataset.value;
        page = text === undefined ? undefined : Number(text);
      }
      compare(where, key, page, value, { scale, within: wanted.within[key] });
    }
  });
  checkAllowed(script, position);
  report.positions += 1;
}
// What the data say about a position: limits, and which of them it exceeds.
function checkAllowed({ Allowed }, { prior, purity, allowed }) {
  if (!allowed) return;
  const where = `prior ${prior}, purity ${purity}`, most = Allowed.largestPrior(payload, purity);
  compare(where, 'largest prior', most === null ? Infinity : most, Number(allowed.largest));
  compare(where, 'least purity', Allowed.leastPurity(payload, prior, purity), allowed.least);
  const found = Allowed.against(payload, prior, purity);
  report.against[String(allowed.against)] = (report.against[String(allowed.against)] || 0) + 1;
  if ((found && found.what) !== allowed.against) report.trouble.push({ where, figure: 'against', page: found, library: allowed.against });
}

// ------------------------------------------------------------------ all of them
if (vector.special) {
  const { Special } = new Function(`'use strict';\n${source.slice(0, source.indexOf('const Curves'))}\nreturn { Special };`)();
  for (const [df, level, z, value] of vector.special.student) {
    compare(`df ${df}, level ${level}`, 'student', Special.student(df, level, z), value, { within: CLOSER });
  }
  for (const [x, value] of vector.special.erf) compare(`x ${x}`, 'erf', Special.erf(x), value, { within: CLOSER });
} else {
  const staged = stage(), script = load(staged.page), { size } = payload;
  for (const { packed, values } of vector.packed) compare(`packed ${packed.t}`, 'unpack', script.unpack(packed), values);
  vector.rows.forEach((columns, i) => {
    for (const [key, column] of Object.entries(columns)) compare(`model ${i}`, `rows.${key}`, script.models[i].table[key], column);
  });
  for (const position of vector.positions) checkPosition(script, staged, size, position);
}
for (const [key, value] of Object.entries(report.largest)) if (!Number.isFinite(value)) report.largest[key] = String(value);
process.stdout.write(JSON.stringify(report));
