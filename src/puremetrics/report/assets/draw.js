// The four live charts.
const visible = () => models.filter((view) => view.shown);
// With many models, the bands of all of them would cover each other: only the active one's are drawn.
const withBand = () => (isHome() ? visible().filter((v) => v.band && (visible().length <= 3 || v.index === state.active)) : []);
// Naive curve and hull, too: of every model if they are few.
const inFull = () => visible().filter((v) => visible().length <= 3 || v.index === state.active);
function drawBands(c, kind) {
  for (const v of withBand()) c.between(...v.band[kind], `band ${v.hue}`);
}
function keyOfBands(c) {
  const whose = visible().length > 3 ? ' of the active model' : '';
  if (withBand().length) c.key('band grey', `${Math.round(data.level * 1e4) / 100}% band${whose}`, 'band');
}
const withThreshold = (view) => view.shown && view.given.at;
const charts = {};
// All widths before anything is written, so that the page is laid out once.
const plots = new Map([...document.querySelectorAll('.chart .plot')].map((node) => [node.parentNode.id, node.clientWidth]));
Chart.askWidths([...ranges.values()].flat());
function addChart(id, options) {
  if (byId(id)) charts[id] = new Chart.Chart(byId(id), { wide: plots.get(id), ...options });
}
addChart('roc', { label: 'ROC curve; moves the threshold', xLabel: 'False positive rate', yLabel: 'True positive rate' });
addChart('pr', { label: 'Precision and recall; moves the threshold', xLabel: 'Recall', yLabel: 'Precision' });
addChart('calibration', { label: 'Reliability diagram; moves the threshold', xLabel: 'Score', yLabel: 'Share of positives', roots: Chart.ROOTS, paper: 260 });
addChart('sensitivity', { label: 'ROC AUC by prior; moves the prior', xLabel: 'Prior', yLabel: 'ROC AUC', ratio: 0.62, largest: 420 });

function drawRoc() {
  const c = charts.roc;
  c.start();
  drawBands(c, 'roc');
  c.line([0, 1], [0, 1], 'diagonal');
  for (const v of inFull()) c.line(v.plainCurves.path.fpr, v.plainCurves.path.tpr, `naive ${v.hue}`);
  for (const v of inFull()) c.line(v.hull.fpr, v.hull.tpr, `hull ${v.hue}`);
  for (const v of visible()) c.line(v.path.fpr, v.path.tpr, `curve ${v.hue}`);
  for (const v of visible()) c.key(`curve ${v.hue}`, `${v.name} ${told(v, v.auc, 'roc_auc')}`);
  c.key('naive m0', 'naive');
  c.key('hull grey', 'hull');
  keyOfBands(c);
  keyOfChecked(c);
}
function drawPr() {
  const c = charts.pr;
  c.start();
  drawBands(c, 'pr');
  c.line([0, 1], [state.prior, state.prior], 'diagonal');
  for (const v of inFull()) c.line(v.plainCurves.pr.x, v.plainCurves.pr.y, `naive ${v.hue}`, true);
  for (const v of visible()) c.line(v.pr.x, v.pr.y, `curve ${v.hue}`, true);
  for (const v of visible()) c.key(`curve ${v.hue}`, `${v.name} ${told(v, v.ap, 'average_precision')}`);
  c.key('naive m0', 'naive');
  c.key('diagonal', 'prior');
  keyOfBands(c);
  keyOfChecked(c);
}
// Apart from the curves, so that moving a threshold redraws nothing else.
function drawCursors() {
  cursors(charts.roc, (p) => [p.fpr, p.tpr]);
  cursors(charts.pr, (p) => [p.tpr, p.precision]);
}
function cursors(c, xy) {
  c.front.textContent = '';
  for (const v of visible()) {
    if (!v.given.at) continue;
    const [x, y] = xy(pointsOf(v)[v.stop]);
    if (!Number.isFinite(x + y)) continue;
    if (v.index === state.active) c.front.append(Chart.make('path', { class: 'cross', d: `M${c.x(0)} ${c.y(y)}H${c.x(x)}V${c.y(0)}` }));
    c.dot(x, y, `cursor ${v.hue}`, v.index === state.active ? 6 : 4.5);
  }
  for (const v of visible().filter((one) => one.finds)) {
    const [x, y] = xy(checkedPoint(v));
    if (Number.isFinite(x + y)) c.diamond(x, y, `mark ${v.hue}`);
  }
  describeThreshold(c);
}
function describeThreshold(c) {
  const v = models[state.active];
  if (!v.given.at) return;
  const p = pointsOf(v)[v.stop];
  c.value(v.stops.length - 1 - v.stop, v.stops.length - 1, `${v.name.slice(0, 60)}: threshold ${plain(v.stops[v.stop].threshold)}, `
    + `recall ${figure(p.tpr)}, false positive rate ${figure(p.fpr)}, precision ${figure(p.precision)}`);
}
function drawCalibration() {
  const c = charts.calibration;
  if (!c) return;
  const with_ = visible().filter((v) => v.calibration);
  c.start();
  c.line([0, 1], [0, 1], 'diagonal');
  for (const v of with_) {
    const { mean, low, high } = v.calibration, rate = v.calibration.rate.map((r, b) => Math.min(Math.max(r, low[b]), high[b])), full = mean.map((_, b) => b).filter((b) => Number.isFinite(mean[b]));
    for (const b of full) c.line([mean[b], mean[b]], [low[b], high[b]], `whisker ${v.hue}`);
    c.line(full.map((b) => mean[b]), full.map((b) => rate[b]), `thin ${v.hue}`);
    const biggest = Math.max(...v.calibration.share);
    for (const b of full) {
      const r = 2.2 + 3.3 * Math.sqrt(Math.max(v.calibration.share[b], 0) / biggest);
      c.layer.append(Chart.make('circle', { class: `bead ${v.hue}`, cx: c.x(mean[b]), cy: c.y(rate[b]), r }));
    }
    c.key(`curve ${v.hue}`, `${v.name} ${told(v, { value: v.calibration.error, interval: v.calibration.interval }, 'calibration')}`);
  }
  c.key('diagonal', 'calibrated');
  for (const v of with_.filter(withThreshold)) {
    const t = v.stops[v.stop].threshold;
    c.front.append(Chart.make('path', { class: `rule ${v.hue}${v.index === state.active ? ' active' : ''}`, d: `M${c.x(t)} ${c.y(c.yDomain[0])}V${c.y(c.yDomain[1])}` }));
  }
  describeThreshold(c);
  writeBins(with_);
}
const inRange = (v) => Math.min(Math.max(v, 0), 1);
function writeBins(with_) {
  const view = with_.find((v) => v.index === state.active) || with_[0], table = byId('bins');
  table.textContent = '';
  if (!view) return;
  const cal = view.calibration, head = Chart.html('tr'), top = Chart.html('thead'), body = Chart.html('tbody');
  const named = Chart.html('th', `strong ${view.hue}`), who = Chart.html('bdi', 'model', view.name.slice(0, 200));
  named.scope = 'col';
  named.append(who);
  head.append(named);
  for (const text of ['of all', 'mean score', 'positives', 'gap', 'in the error']) { const th = Chart.html('th', '', text); th.scope = 'col'; head.append(th); }
  top.append(head);
  cal.gap.forEach((gap, b) => {
    const row = Chart.html('tr'), cell = (text, key, value) => { const td = Chart.html('td', '', text); td.dataset.bin = `${b}.${key}`; td.dataset.value = String(value); return td; };
    row.append(Chart.html('td', 'quiet', `${figure(view.moments.lower[b])} to ${figure(view.moments.upper[b])}`),
      cell(`${(100 * cal.share[b]).toFixed(1)}%`, 'share', cal.share[b]), cell(figure(cal.mean[b]), 'mean', cal.mean[b]),
      cell(figure(inRange(cal.rate[b])), 'rate', cal.rate[b]), Chart.html('td', '', figure(cal.mean[b] - inRange(cal.rate[b]))), cell(figure(cal.gap[b], 4), 'gap', cal.gap[b]));
    body.append(row);
  });
  table.append(top, body);
}

// ------------------------------------------------------------------ the prior
const traces = new Map();
function tracesAt(purity) {
  const [, most] = limitsOf(purity), steps = 60;
  if (!traces.has(purity)) {
    if (traces.size > 40) traces.clear();
    const low = Math.max(grid.prior[0], limitsOf(purity)[0]), high = Math.min(grid.prior[grid.prior.length - 1], most);
    const priors = [];
    for (let i = 0; i <= steps; i++) priors.push(low + (high - low) * i / steps);
    traces.set(purity, { priors, of: models.map((v) => priors.map((prior) => Core.rocAuc(v.table, Core.known(prior, purity)))) });
  }
  return traces.get(purity);
}
// Of many models the curves follow once the figures stand.
let asked = 0;
function later() {
  clearTimeout(asked);
  asked = setTimeout(() => { tracesAt(state.purity); drawSensitivity(); }, 60);
}
function drawSensitivity() {
  const c = charts.sensitivity;
  if (data.fixed) { c.figure.hidden = true; return; }
  if (models.length > 3 && !traces.has(state.purity)) { later(); return; }
  const { priors, of } = tracesAt(state.purity);
  c.xDomain = [grid.prior[0], grid.prior[grid.prior.length - 1]];
  const all = visible().flatMap((v) => of[v.index].flatMap((a) => a.interval));
  c.yDomain = [Math.max(Math.floor(10 * Math.min(0.95, ...all)) / 10, 0), 1];
  c.start();
  const top = c.y(c.yDomain[1]), bottom = c.y(c.yDomain[0]);
  if (home.low < home.high) c.layer.append(Chart.make('rect', { class: 'prior-range', x: c.x(home.low), width: c.x(home.high) - c.x(home.low), y: top, height: bottom - top }));
  const most = Allowed.largestPrior(data, state.purity);
  if (most !== null && most < c.xDomain[1]) {
    c.layer.append(Chart.make('rect', { class: 'beyond', x: c.x(most), width: c.x(c.xDomain[1]) - c.x(most), y: top, height: bottom - top }));
    const text = Chart.make('text', { class: 'remark', x: c.x(most) + 6, y: bottom - 8 }, 'ruled out by the data');
    c.front.append(text);
    if (c.x(most) > c.width * 0.66) { text.setAttribute('x', c.x(most) - 6); text.setAttribute('class', 'remark end'); }
  }
  for (const v of visible()) c.area(priors, of[v.index].map((a) => a.interval[0]), of[v.index].map((a) => a.interval[1]), `band ${v.hue}`);
  for (const v of visible()) c.line(priors, of[v.index].map((a) => a.value), `curve ${v.hue}`);
  c.front.append(Chart.make('path', { class: 'cross', d: `M${c.x(state.prior)} ${bottom}V${top}` }));
  for (const v of visible()) {
    c.dot(state.prior, v.auc.value, `cursor ${v.hue}`);
    c.key(`curve ${v.hue}`, `${v.name} ${told(v, v.auc, 'roc_auc')}`);
  }
  if (home.low < home.high) c.key('prior-range', 'range of the prior', 'band');
  c.value(sliderPlace('prior'), grid.prior.length - 1, `prior ${share(state.prior)}; `
    + visible().map((v) => `${v.name.slice(0, 60)} ${told(v, v.auc, 'roc_auc')}`).join(', '));
}
function drawAll() { drawRoc(); drawPr(); drawCursors(); drawFound(); drawCalibration(); drawSensitivity(); }

// ------------------------------------------------------------------ pointing
function nearest(c, xy, px, py) {
  let best = null, least = Infinity;
  for (const v of begun ? visible().filter(withThreshold) : []) {
    pointsOf(v).forEach((p, i) => {
      const [x, y] = xy(p), d = (c.x(x) - px) ** 2 + (c.y(y) - py) ** 2;
      if (d < least) { least = d; best = { v, i, x, y, p }; }
    });
  }
  return best;
}
function listenToCurve(c, xy) {
  c.listen({
    hover(px, py) {
      const at = nearest(c, xy, px, py);
      if (!at) return;
      c.svg.querySelectorAll('.hover').forEach((node) => node.remove());
      c.dot(at.x, at.y, `hover ${at.v.hue}`, 4.5);
      c.show([[at.v.name.slice(0, 60), `strong ${at.v.hue}`], [`score ≥ ${plain(at.v.stops[at.i].threshold)}`], [`recall ${figure(at.p.tpr)}`],
        [`false positive rate ${figure(at.p.fpr)}`], [`precision ${figure(at.p.precision)}`]], c.x(at.x), c.y(at.y));
    },
    drag(px, py) {
      const at = nearest(c, xy, px, py);
      if (at) setStop(at.v.index, at.i);
    },
    key: stepThreshold,
  });
  c.svg.addEventListener('pointerleave', () => c.svg.querySelectorAll('.hover').forEach((node) => node.remove()));
}
listenToCurve(charts.roc, (p) => [p.fpr, p.tpr]);
listenToCurve(charts.pr, (p) => [p.tpr, p.precision]);
if (charts.calibration) {
  const c = charts.calibration;
  c.listen({
    hover(px, py) {
      let best = null, least = Infinity;
      for (const v of visible()) {
        if (!v.calibration) continue;
        v.calibration.mean.forEach((x, b) => {
          const d = (c.x(x) - px) ** 2 + (c.y(v.calibration.rate[b]) - py) ** 2;
          if (d < least) { least = d; best = { v, b }; }
        });
      }
      if (!best) return;
      const { v, b } = best, cal = v.calibration;
      c.show([[v.name.slice(0, 60), `strong ${v.hue}`], [`mean score ${figure(cal.mean[b])}`], [`positives ${figure(inRange(cal.rate[b]))} (${figure(cal.low[b])} to ${figure(cal.high[b])})`],
        [`${(100 * cal.share[b]).toFixed(1)}% of the population`]], c.x(cal.mean[b]), c.y(cal.rate[b]));
    },
    drag(px) { setThreshold(state.active, c.inverse(px)); },
    key: stepThreshold,
  });
}
charts.sensitivity.listen({
  hover(px) {
    const { priors, of } = tracesAt(state.purity), wanted = charts.sensitivity.inverse(px);
    let i = 0;
    priors.forEach((p, n) => { if (Math.abs(p - wanted) < Math.abs(priors[i] - wanted)) i = n; });
    charts.sensitivity.show([[`prior ${share(priors[i])}`, 'strong'], ...visible().map((v) => [`${v.name.slice(0, 60)} ${figure(of[v.index][i].value)} `
      + `(${figure(of[v.index][i].interval[0])} to ${figure(of[v.index][i].interval[1])})`, v.hue])], charts.sensitivity.x(priors[i]), 60);
  },
  drag(px) { setShare('prior', nearestOf(grid.prior, charts.sensitivity.inverse(px))); },
  key: (steps) => stepShare('prior', steps),
});
