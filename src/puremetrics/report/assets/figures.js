// State, figures and events. One function, update, brings the whole page in line with the state.
const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const root = document.documentElement;
root.classList.add('scripted');

// ------------------------------------------------------------------ numbers in, text out
function unpack(column) {
  if (!column) return null;
  const bytes = Uint8Array.from(atob(column.b), (c) => c.charCodeAt(0));
  if (column.t === 'f') return new Float64Array(bytes.buffer);
  if (column.t === 'b') return new Float64Array(column.n).map((_, i) => (bytes[i >> 3] >> (i & 7)) & 1);
  const out = [];
  for (let i = 0; i < bytes.length;) {
    let value = 0, unit = 1;
    for (;;) {
      const byte = bytes[i++];
      value += (byte & 127) * unit;
      if (byte < 128) break;
      unit *= 128;
    }
    out.push(value);
  }
  if (column.t === 'v') return Float64Array.from(out);
  if (column.t === 'z') { let at = 0; return Float64Array.from(out, (v) => (at += v % 2 ? -(v + 1) / 2 : v / 2)); }
  const scores = [column.s];
  for (const step of out) scores.push(scores[scores.length - 1] - step);
  return Float64Array.from(scores, (s) => s / 10 ** column.k + 0);
}
const minus = (text) => text.replace('-', '−');
function figure(v, digits = 3) {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
  return minus(v.toFixed(digits));
}
const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
function count(v) {
  if (!Number.isFinite(v)) return figure(v);
  const text = Math.abs(v) < 99.95 && !Number.isInteger(v) ? v.toFixed(1) : v.toFixed(0);
  const [whole, part] = (text === '-0' ? '0' : text).split('.');
  return minus(grouped(whole) + (part && part !== '0' ? `.${part}` : ''));
}
// The nearest whole number; of two the even one, as the library rounds.
function whole(v) {
  const down = Math.floor(v), up = v - down > 0.5 || (v - down === 0.5 && down % 2 !== 0);
  return count(up ? down + 1 : down);
}
const plain = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(6))) : 'above all scores');
const share = (v) => String(Number(v.toPrecision(4)));
const TEXT = { figure, count, whole, plain, percent: (v) => (Number.isFinite(v) ? `${(100 * v).toFixed(1)}%` : '–') };

// ------------------------------------------------------------------ models
const models = data.models.map((given, index) => {
  const rows = { offset: given.rows.offset, merged: given.rows.merged };
  for (const key of ['score', 'pos', 'unl', 'neg', 'hidden']) rows[key] = unpack(given.rows[key]);
  rows.squares = given.rows.squares && given.rows.squares.map(unpack);
  const m = Core.prepare(rows, data, data.z, data.level);
  const total = data.totals[0] + data.totals[1] + data.totals[2];
  const others = new Float64Array(m.k);
  for (let i = 0; i < m.k; i++) others[i] = m.unl[i] + m.neg[i];
  const squares = rows.squares && [rows.squares[0], new Float64Array(m.k), rows.squares[1].map((v, i) => v + rows.squares[2][i])];
  const naive = Core.prepare({ score: m.score, pos: m.pos, unl: new Float64Array(m.k), neg: others, squares, merged: rows.merged },
    { single: true, totals: [data.totals[0], 0, total - data.totals[0]] }, data.z, data.level);
  m.byHead = given.byHead;
  const view = { index, name: given.name, given, table: m, naive, naivePrior: naive.totalPos / naive.totalCmp,
    hue: `m${index % 6}`, shown: true,
    moments: given.calibration && Calibration.moments(given.calibration, m),
    truth: given.truth, along: alongOf(given.along), band: bandOf(given.band), discovery: discoveryOf(given.discovery) };
  view.stops = stopsOf(view);
  view.home = given.at ? view.stops.findIndex((s) => s.threshold === given.at.threshold) : 0;
  view.stop = view.home;
  const at = Core.known(view.naivePrior, 1);
  const path = Core.path(naive, at.prior, 1);
  view.plainCurves = { path, pr: Core.precisionCurve(path, at.prior), auc: Core.rocAuc(naive, at, path).value,
    ap: Core.averagePrecision(naive, at, path).value, at };
  const { roc_auc: auc, average_precision: ap } = given.evaluated;
  if (auc) Object.assign(view.plainCurves, { auc: auc[3], ap: ap[3] });
  return view;
});
// The rows that the curve of discoveries is computed from.
function discoveryOf(given) {
  if (!given) return null;
  const rows = { pos: unpack(given.pos), unl: unpack(given.unl), squares: given.squares && given.squares.map(unpack), heavy: given.heavy };
  return Discovery.prepare(rows, data.checked.points, data, data.z, data.level);
}
// Outlines of the confidence bands of both curves.
function bandOf(band) {
  const ends = ([x, y]) => ({ x: unpack(x).map((v) => v / 1e4), y: unpack(y).map((v) => v / 1e4) });
  return band && Object.fromEntries(Object.entries(band).map(([kind, pair]) => [kind, [ends(pair.lower), ends(pair.upper)]]));
}
// Bounds of metrics and counts at every block of rows; undefined ones are null.
function alongOf(along) {
  if (!along) return null;
  const out = {};
  for (const [key, ends] of Object.entries(along.bounds)) {
    const unit = key in Core.METRICS ? 1e4 : 1, [low, high] = ends.map(unpack);
    out[key] = Array.from(low, (v, i) => (v === -99999 ? null : [v / unit, high[i] / unit]));
  }
  return { at: (key, row) => (out[key] && out[key][Math.floor(row / along.width)]) || null };
}
// Operating points: every row of the table, and the evaluated threshold if it lies between two.
function stopsOf({ table, naive, given }) {
  const stops = [];
  let pos = 0, unl = 0, neg = 0;
  for (let i = 0; i < table.k; i++) {
    pos += table.pos[i]; unl += table.unl[i]; neg += table.neg[i];
    const flagged = data.single ? pos + unl + neg : data.totals[1] > 0 ? unl : pos + neg;
    stops.push({ threshold: table.score[i], g: table.G[i + 1], f: table.F[i + 1], ng: naive.G[i + 1], nf: naive.F[i + 1],
      flagged, row: i });
  }
  if (given.at && !stops.some((s) => s.threshold === given.at.threshold)) {
    // Where a reader has merged scores around the threshold, the head lies between two: their middle is taken.
    const shares = given.at.heads.map(([p, u, n]) => ({ all: p + u + n, own: data.single ? p + u + n : table.unlabeled ? u : n, p, u, n }));
    const [least, most] = shares, middle = (fn) => (fn(least) + fn(most)) / 2;
    const pair = (s) => [Math.min(s.p / table.totalPos, 1), Math.min(s.own / table.totalCmp, 1)];
    const place = stops.findIndex((s) => s.threshold < given.at.threshold);
    stops.splice(place < 0 ? stops.length : place, 0, { threshold: given.at.threshold, row: -1,
      g: middle((s) => pair(s)[0]), f: middle((s) => pair(s)[1]), ng: middle((s) => s.p / table.totalPos),
      nf: middle((s) => s.all / naive.totalCmp), sizes: given.at.sizes, flagged: middle((s) => (data.single ? s.all : table.unlabeled ? s.u : s.p + s.n)),
      around: least.all === most.all ? null : [pair(least), pair(most)] });
  }
  return stops;
}

const home = data.home, grid = data.grid;
const state = { prior: home.prior, purity: home.purity, checked: data.checked && data.checked.home, active: models[data.best].given.at ? data.best : Math.max(models.findIndex((m) => m.given.at), 0) };
// At the evaluated prior and purity their ranges count.
const isHome = () => state.prior === home.prior && state.purity === home.purity;
const uncertain = home.pairs.length > 1;
const position = () => (!isHome() || !uncertain ? Core.known(state.prior, state.purity)
  : { prior: home.prior, purity: home.purity, clean: home.clean, pairs: home.pairs, places: home.places, errors: home.errors, least: home.least });

// ------------------------------------------------------------------ figures
const slots = new Map(), ranges = new Map(), boundSlots = new Map(), naiveSlots = new Map();
function collect(selector, key, map) {
  for (const node of document.querySelectorAll(selector)) {
    const path = node.dataset[key];
    if (!map.has(path)) map.set(path, []);
    map.get(path).push(node);
  }
}
collect('[data-fig]', 'fig', slots);
collect('[data-range]', 'range', ranges);
collect('[data-bounds]', 'bounds', boundSlots);
collect('[data-naive]', 'naive', naiveSlots);
function put(path, value, text = null) {
  for (const node of slots.get(path) || []) {
    node.dataset.value = String(value);
    node.textContent = text === null ? TEXT[node.dataset.kind || 'figure'](value) : text;
  }
}
function putBounds(path, bounds, format = figure) {
  for (const node of boundSlots.get(path) || []) {
    if (bounds) { node.dataset.low = bounds[0]; node.dataset.high = bounds[1]; } else { delete node.dataset.low; delete node.dataset.high; }
    node.textContent = bounds ? `${format(bounds[0])} to ${format(bounds[1])}` : boundsEver.has(path) ? 'hidden' : '';
    node.classList.toggle('quiet', !bounds);
  }
}
const boundsEver = new Set();

function putEstimate(view, key, found, naive, bounds) {
  const path = `${view.index}.${key}`;
  put(path, found.value);
  put(`${path}.low`, found.interval ? found.interval[0] : NaN);
  put(`${path}.high`, found.interval ? found.interval[1] : NaN);
  put(`${view.index}.naive.${key}`, naive);
  const same = figure(naive) === figure(found.value) && (data.fixed || !isRanged(view, key));
  for (const node of naiveSlots.get(path) || []) node.classList.toggle('same', same);
  putBounds(path, bounds);
  const away = key in Core.METRICS && view.stop !== view.home, truth = away ? NaN : view.truth[key];
  for (const node of ranges.get(path) || []) {
    Chart.range(node, { least: key === 'mcc' ? -1 : 0, value: found.value, interval: found.interval, naive, bounds, truth });
  }
}
// A figure; its range where a single number would say more than is known.
const isRanged = (view, key) => view.given.ranged.includes(key) && isHome();
const told = (view, found, key) => (isRanged(view, key) && found.interval
  ? found.interval.map((end) => figure(end)).join(' to ') : figure(found.value));
// Bounds at a threshold: as evaluated, or those of its block of rows.
function boundsAt(view, key, evaluated) {
  const stop = view.stops[view.stop];
  if (!isHome()) return null;
  if (view.stop === view.home) return (evaluated && evaluated[key]) || null;
  return view.along && view.along.at(key, stop.row);
}

function compute(view) {
  const at = position(), { table } = view, path = Core.path(table, at.prior, at.purity);
  Object.assign(view, { at, path, pr: Core.precisionCurve(path, at.prior), auc: Core.rocAuc(table, at, path),
    ap: Core.averagePrecision(table, at, path), hull: Core.hull(table, view.given.hull.f, view.given.hull.g, at),
    calibration: view.moments && Calibration.evaluate(view.moments, table, at), points: null });
  const known = isHome() ? view.given.evaluated : {};
  view.finds = view.discovery && Discovery.of(view.discovery, at, known.discovery);
  if (known.roc_auc) Object.assign(view, { auc: asEvaluated(known.roc_auc), ap: asEvaluated(known.average_precision) });
  if (known.calibration) Object.assign(view.calibration, known.calibration);
}
// What the library found, where the page alone would say something else: merged or grouped rows, a threshold that was
// chosen on these rows, labels that may be biased.
const asEvaluated = ([value, low, high]) => ({ value: value === null ? NaN : value, interval: low === null ? null : [low, high] });
const ratioOf = (part, rest) => part / (part + rest);
// Where each operating point lies on the charts, made when first asked for.
function pointsOf(view) {
  if (!view.points) {
    view.points = view.stops.map((s) => {
      const { tp, fp, fn, tn } = countsAt(view.table, s, view.at.prior, view.at.purity); // possible ones
      return { tpr: ratioOf(tp, fn), fpr: ratioOf(fp, tn), precision: Core.METRICS.precision[1](tp, fp) };
    });
  }
  return view.points;
}
function writeFigures(view) {
  const i = view.index, bounds = (key) => (isHome() ? view.given.bounds[key] || null : null);
  putEstimate(view, 'roc_auc', view.auc, view.plainCurves.auc, bounds('roc_auc'));
  putEstimate(view, 'average_precision', view.ap, view.plainCurves.ap, bounds('average_precision'));
  put(`${i}.hull`, view.hull.area);
  const cal = view.calibration;
  if (cal) {
    put(`${i}.calibration`, cal.error);
    put(`${i}.calibration.low`, cal.interval[0]);
    put(`${i}.calibration.high`, cal.interval[1]);
    put(`${i}.calibration.debiased`, cal.debiased);
    put(`${i}.calibration.signed`, cal.signed);
  }
}
// What checking the best unlabeled rows would find; limits are those of whole numbers (DiscoveryCurve.words).
function writeFound(view) {
  if (!view.finds) return;
  const path = `${view.index}.found`, { value, interval: [low, high] } = view.finds.found(state.checked);
  view.found = { value, interval: [low, high] };
  view.toldFound = [whole(value), whole(Math.min(Math.ceil(low - 1e-9), value)), whole(Math.max(Math.floor(high + 1e-9), value))];
  put(`${view.index}.checked`, state.checked);
  [value, low, high].forEach((v, i) => put(`${path}${['', '.low', '.high'][i]}`, v, view.toldFound[i]));
}
const foundWords = (view) => { const [value, low, high] = view.toldFound; return isRanged(view, 'found') ? `${low} to ${high}` : `${value} (${low} to ${high})`; };
// Counts at a stop, with rates moved into [0, 1].
function countsAt(table, stop, prior, purity) {
  const [tpr, fpr] = Core.entries(table, stop.g, stop.f, prior, purity).slice(4).map((rate) => Math.min(Math.max(rate, 0), 1));
  const positives = prior * data.size, negatives = (1 - prior) * data.size;
  return { tp: positives * tpr, fp: negatives * fpr, fn: positives * (1 - tpr), tn: negatives * (1 - fpr) };
}
// Where the prior is the share of positives among these very rows it has limits of its own: squared reaches add up.
function withPriorError(found, key, valueAt) {
  if (!data.drawn || !found.interval) return found;
  const moved = data.drawn.map(valueAt).filter(Number.isFinite), { value, interval: [low, high] } = found;
  const below = Math.max(0, ...moved.map((other) => value - other)), above = Math.max(0, ...moved.map((other) => other - value));
  return { value, interval: [Math.max(value - Math.hypot(value - low, below), key === 'mcc' ? -1 : 0), Math.min(value + Math.hypot(high - value, above), 1)] };
}
function writeThreshold(view) {
  if (!view.given.at) return;
  const i = view.index, stop = view.stops[view.stop], { at, table, naive } = view;
  put(`${i}.threshold`, stop.threshold);
  for (const key of Object.keys(Core.METRICS)) {
    const [tp, fp, fn, tn] = Core.entries(naive, stop.ng, stop.nf, view.naivePrior, 1);
    const known = isHome() && view.stop === view.home && view.given.evaluated[key];
    const found = known ? asEvaluated(known) : withPriorError(Core.metric(table, key, stop.g, stop.f, at, stop.around, stop), key,
      (prior) => Core.metric(table, key, stop.g, stop.f, Core.known(prior, at.purity), stop.around, stop).value);
    putEstimate(view, key, found, Core.METRICS[key][1](tp, fp, fn, tn), boundsAt(view, key, view.given.bounds));
  }
  const cells = countsAt(table, stop, at.prior, at.purity);
  const likely = at.pairs.map((pair) => countsAt(table, stop, ...pair)).concat([cells]);
  for (const key of ['tp', 'fp', 'fn', 'tn']) {
    put(`${i}.${key}`, cells[key]);
    put(`${i}.${key}.low`, Math.min(...likely.map((c) => c[key])));
    put(`${i}.${key}.high`, Math.max(...likely.map((c) => c[key])));
    putBounds(`${i}.${key}`, boundsAt(view, key, view.given.counts), count);
    const cell = document.querySelector(`[data-cell="${i}.${key}"]`);
    cell.dataset.shade = Math.min(Math.max(Math.round(6 * Math.sqrt(Math.max(cells[key], 0) / data.size)), 0), 6);
  }
  const moved = view.stop !== view.home;
  for (const node of document.querySelectorAll(`[data-home="${i}"]`)) node.hidden = moved || !isHome();
  for (const key of Object.keys(Core.METRICS)) {
    for (const node of document.querySelectorAll(`[data-truth="${i}.${key}"]`)) {
      node.textContent = moved ? '–' : figure(view.truth[key]);
      node.title = moved ? 'known at the evaluated threshold only' : '';
    }
  }
}
for (const view of models) {
  for (const key of Object.keys(view.given.bounds)) boundsEver.add(`${view.index}.${key}`);
  if (view.along) for (const key of ['tp', 'fp', 'fn', 'tn']) boundsEver.add(`${view.index}.${key}`);
}
