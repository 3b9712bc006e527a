// The chart of discoveries, and the operating points that belong to the rows checked.
const checkedMost = data.checked ? data.checked.points[data.checked.points.length - 1] : 0;
addChart('found', { label: 'Positives found; moves the rows checked', xLabel: 'Unlabeled rows checked, best first', yLabel: 'Positives found',
  ratio: 0.8, largest: 420, counts: true, paper: 260 });
let holding = false; // the axes stay while one drags
// A round number some way beyond the rows checked, or all.
function reachOf(rows) {
  const wanted = Math.max(2.5 * rows, 10), base = 10 ** Math.floor(Math.log10(wanted));
  const reach = [1, 2, 5, 10].map((step) => step * base).find((v) => v >= wanted * (1 - 1e-9));
  return reach < 0.7 * checkedMost ? reach : checkedMost;
}
const withFinds = () => visible().filter((v) => v.finds);
const withLimits = () => withFinds().filter((v) => withFinds().length <= 3 || v.index === state.active);
function drawFound() {
  const c = charts.found;
  if (!c) return;
  if (!holding) c.xDomain = [0, reachOf(state.checked)];
  const wide = c.xDomain[1], { points } = data.checked, last = points.findIndex((p) => p >= wide - 1e-9), places = points.slice(0, last + 1);
  const drawn = withFinds().map((v) => ({ v, finds: v.finds.finds.slice(0, last + 1),
    ends: withLimits().includes(v) ? places.map((_, j) => v.finds.limits(j)) : null }));
  const most = Math.max(1, ...drawn.flatMap(({ v, ends }) => [v.finds.found(wide).value, ...(ends ? [v.finds.found(wide).interval[1]] : [])]));
  c.yDomain = [0, 1.04 * most];
  c.start();
  const [{ share: hidden }] = drawn.length ? [drawn[0].v.finds] : [{ share: 0 }];
  for (const { v, ends } of drawn) if (ends) c.area(places, ends.map((e) => e[0]), ends.map((e) => e[1]), `band ${v.hue}`);
  c.line([0, wide], [0, wide], 'diagonal');
  c.line([0, wide], [0, hidden * wide], 'random');
  for (const { v, finds } of drawn) c.line(places, finds, `curve ${v.hue}`);
  for (const { v } of drawn) c.key(`curve ${v.hue}`, v.name);
  c.key('diagonal', 'every row positive');
  c.key('random', 'random order');
  if (drawn.some(({ ends }) => ends)) c.key('band grey', `${share(100 * data.level)}% limits${withFinds().length > 3 ? ' of the active model' : ''}`, 'band');
  drawChecked();
}
// Apart from the curves, so that dragging redraws nothing else.
function drawChecked() {
  const c = charts.found;
  c.front.textContent = '';
  c.front.append(Chart.make('path', { class: 'cross', d: `M${c.x(state.checked)} ${c.y(c.yDomain[0])}V${c.y(c.yDomain[1])}` }));
  for (const v of withFinds()) {
    if (withLimits().includes(v)) {
      const [low, high] = v.found.interval.map((end) => c.y(end));
      c.front.append(Chart.make('path', { class: `whisker ${v.hue}`, d: `M${c.x(state.checked)} ${low}V${high}` }));
    }
    c.diamond(state.checked, v.found.value, `mark ${v.hue}`);
  }
  c.value(checkedPlace(), data.checked.grid.length - 1, `${count(state.checked)} rows checked; `
    + withFinds().map((v) => `${v.name.slice(0, 60)} finds ${foundWords(v)}`).join(', '));
}
function keyOfChecked(c) {
  if (withFinds().length) c.key('mark grey', 'score of the last row checked', 'diamond');
}
// Where the score of the last row checked lies on the curves; tied rows count with the share of them that fits in.
function checkedPoint(view) {
  const { table } = view;
  let pos = 0, cmp = 0, start = 0;
  for (let i = 0; i < table.k && start < state.checked; i++) {
    const part = table.unl[i] > 0 ? Math.min((state.checked - start) / table.unl[i], 1) : 1;
    pos += part * table.pos[i]; cmp += part * table.cmp[i]; start += table.unl[i];
  }
  const { tp, fp, fn, tn } = countsAt(table, { g: pos / table.totalPos, f: cmp / table.totalCmp }, view.at.prior, view.at.purity);
  return { tpr: tp / (tp + fn), fpr: fp / (fp + tn), precision: Core.METRICS.precision[1](tp, fp) };
}

// ------------------------------------------------------------------ moving it
const checkedPlace = () => data.checked.grid.indexOf(nearestOf(data.checked.grid, state.checked));
function setChecked(wanted) {
  const { grid: list } = data.checked;
  if (Number.isFinite(wanted)) state.checked = Math.min(Math.max(wanted, list[0]), list[list.length - 1]);
  models.forEach(writeFound);
  writeControls();
  drawCursors();
  if (holding) drawChecked(); else drawFound();
  speak();
}
function stepChecked(steps) {
  const { grid: list } = data.checked;
  setChecked(list[Math.min(Math.max(checkedPlace() + steps, 0), list.length - 1)]);
}
function writeChecked() {
  if (!charts.found) return;
  const slider = byId('checked'), number = byId('checked-number');
  slider.value = checkedPlace();
  slider.dataset.value = number.dataset.value = String(state.checked);
  slider.setAttribute('aria-valuetext', `${count(state.checked)} rows`);
  if (document.activeElement !== number) number.value = Number(state.checked.toPrecision(10));
}
if (charts.found) {
  const c = charts.found, release = () => { if (holding) { holding = false; drawFound(); } };
  c.svg.addEventListener('pointerdown', (e) => { holding = e.button === 0; });
  for (const type of ['pointerup', 'pointercancel', 'pointerleave']) c.svg.addEventListener(type, release);
  c.listen({
    hover(px) {
      const rows = Math.min(Math.max(Math.round(c.inverse(px)), 1), checkedMost), lines = [[`${count(rows)} rows checked`, 'strong']];
      for (const v of withFinds()) {
        const { value, interval: [low, high] } = v.finds.found(rows);
        lines.push([`${v.name.slice(0, 60)} ${count(value)} (${count(low)} to ${count(high)})`, v.hue]);
      }
      c.show(lines, c.x(rows), 60);
    },
    drag(px) { setChecked(nearestOf(data.checked.points.slice(1), c.inverse(px))); },
    key: stepChecked,
  });
  byId('checked').addEventListener('input', (e) => setChecked(data.checked.grid[Number(e.target.value)]));
  byId('checked-number').addEventListener('change', (e) => setChecked(e.target.value === '' ? NaN : Number(e.target.value)));
  byId('checked-number').addEventListener('blur', writeControls);
}
