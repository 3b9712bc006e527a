// Sliders, numbers, toggles: each changes the state and calls update.
const nearestOf = (list, value) => list.reduce((best, v) => (Math.abs(v - value) < Math.abs(best - value) ? v : best));
const sliderPlace = (key) => grid[key].indexOf(nearestOf(grid[key], state[key]));
// Smallest and largest prior that the counts allow at a purity.
function limitsOf(purity) {
  const [pos, unl, neg] = data.totals, total = pos + unl + neg;
  if (!data.single) return [0, data.steepest * purity];
  return [(purity * pos) / total, Math.min((purity * pos + unl) / total, data.steepest * purity)];
}
function possible(prior, purity) {
  if (prior === home.prior && purity === home.purity) return true;
  const [low, high] = limitsOf(purity);
  return prior >= low - 1e-9 && prior <= high;
}
let held = '';
const NAMES = { prior: 'Prior', purity: 'Purity' };
function setShare(key, wanted) {
  if (data.fixed || !Number.isFinite(wanted)) return update();
  const list = grid[key];
  let value = Math.min(Math.max(wanted, list[0]), list[list.length - 1]);
  const fits = (v) => (key === 'prior' ? possible(v, state.purity) : possible(state.prior, v));
  held = value !== wanted ? `${NAMES[key]} held within its range. ` : '';
  if (!fits(value)) {
    const fine = list.filter(fits);
    if (fine.length) value = nearestOf(fine, value);
    else value = state[key];
    held = 'Held where it is: the labelled rows must hold a larger share of positives than the population, and the '
      + 'population at least the positives that are labelled. ';
  }
  state[key] = value;
  return update();
}
function stepShare(key, steps) {
  const list = grid[key], place = Math.min(Math.max(sliderPlace(key) + steps, 0), list.length - 1);
  setShare(key, list[place]);
}
function setStop(index, stop) {
  const view = models[index], other = state.active !== index && visible().length > 3;
  state.active = index;
  view.stop = Math.min(Math.max(stop, 0), view.stops.length - 1);
  update(!other);
}
function setThreshold(index, score) {
  if (!models[index].given.at || !Number.isFinite(score)) { writeControls(); return; }
  const { stops } = models[index];
  let best = 0;
  stops.forEach((s, i) => { if (Math.abs(s.threshold - score) < Math.abs(stops[best].threshold - score)) best = i; });
  setStop(index, best);
}
// To the right is a higher threshold, as on any axis of scores.
function stepThreshold(steps) {
  const view = models[state.active];
  if (view.given.at) setStop(state.active, Math.min(Math.max(view.stop - steps, 0), view.stops.length - 1));
}

const movedStop = () => models.some((v) => v.stop !== v.home);
function stateWords(moved, away) {
  if (data.fixed) return 'Every row is labelled, so there is nothing to correct for.';
  const what = home.low < home.high ? 'prior' : 'purity', biased = home.bias > 1 ? `; labels may be biased up to ${share(home.bias)}` : '';
  const spread = uncertain ? `Intervals include the uncertainty of the ${what}` : 'The prior counts as known';
  const random = away || movedStop() ? home.moved : ''; // what moved figures take labels as
  if (!away) return `${moved ? `Prior and purity as evaluated; ${moved} moved` : 'As evaluated'}. ${spread}${biased}.${movedStop() && uncertain ? ' Bounds are known at the evaluated threshold only.' : ''} ${random}`;
  return `Away from the evaluated position: prior ${share(state.prior)} and purity ${share(state.purity)} count as exactly known. `
    + `Bounds and the like hold at prior ${share(home.prior)} only and are hidden. ${random}`;
}
function writeControls() {
  for (const key of Object.keys(NAMES)) {
    const slider = byId(key), number = byId(`${key}-number`);
    slider.value = sliderPlace(key);
    slider.dataset.value = String(state[key]);
    slider.setAttribute('aria-valuetext', share(state[key]));
    number.dataset.value = String(state[key]);
    if (document.activeElement !== number) number.value = share(state[key]);
  }
  const view = models[state.active], slider = byId('threshold');
  if (slider && view.given.at) {
    slider.max = view.stops.length - 1;
    slider.value = view.stops.length - 1 - view.stop;
    slider.setAttribute('aria-valuetext', `${plain(view.stops[view.stop].threshold)} for ${view.name.slice(0, 60)}`);
    byId('active').value = state.active;
    const number = byId('threshold-number');
    number.dataset.value = String(view.stops[view.stop].threshold);
    if (document.activeElement !== number) number.value = plain(view.stops[view.stop].threshold);
  }
  writeChecked();
  const moved = [movedStop() && 'threshold', data.checked && state.checked !== data.checked.home && 'rows checked'].filter(Boolean).join(' and '), away = !isHome();
  byId('reset').disabled = !moved && !away;
  root.classList.toggle('away', away);
  for (const node of document.querySelectorAll('[data-home="all"]')) node.hidden = away;
  for (const node of document.querySelectorAll('[data-away]')) node.hidden = !away;
  for (const node of document.querySelectorAll('[data-moved]')) node.hidden = !away && !movedStop();
  const found = against();
  byId('state').textContent = (held + (found ? againstWords(found) : stateWords(moved, away))).trim();
  byId('bar-values').textContent = `${found ? '⚠ The data contradict this. ' : ''}Prior ${share(state.prior)} · purity ${share(state.purity)}`
    + `${view.given.at ? ` · score ≥\u00a0${plain(view.stops[view.stop].threshold)}` : ''}`;
  document.querySelector('.printed').textContent = `Shown at prior ${share(state.prior)}, purity ${share(state.purity)}`
    + `${home.bias === 1 ? '' : away ? ', labels as a random sample' : `, label bias up to ${share(home.bias)}`}`
    + `${models.filter((v) => v.given.at).map((v) => `; ${v.name.slice(0, 60)}: score ≥ ${plain(v.stops[v.stop].threshold)}`).join('')}`
    + `${data.checked ? `; ${count(state.checked)} unlabeled rows checked` : ''}.`;
}
function writeRemarks() {
  const list = byId('live-remarks');
  list.textContent = '';
  const say = (text) => { const item = Chart.html('li', 'here'); item.append(Chart.html('span', 'code', 'here'), Chart.html('p', '', text)); list.append(item); };
  if (against()) say(againstWords(against()));
  if (isHome()) return;
  for (const v of visible()) {
    let worst = 0;
    for (const list_ of [v.path.rawFpr, v.path.rawTpr]) for (const r of list_) worst = Math.max(worst, -r, r - 1);
    if (worst > 0.005) say(`${v.name.slice(0, 60)}: corrected rates leave the range 0 to 1 by up to ${figure(worst)}. Small excursions are sampling error; large ones say that the prior is too high.`);
  }
}
let speaking = 0;
function speak() {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    const view = models[state.active], parts = [`Prior ${share(state.prior)}, purity ${share(state.purity)}.`];
    for (const v of visible()) parts.push(`${v.name.slice(0, 60)}: ROC AUC ${told(v, v.auc, 'roc_auc')}, average precision ${told(v, v.ap, 'average_precision')}.`);
    if (view.given.at) parts.push(`Threshold ${plain(view.stops[view.stop].threshold)}, recall ${figure(pointsOf(view)[view.stop].tpr)}, precision ${figure(pointsOf(view)[view.stop].precision)}.`);
    if (data.checked) parts.push(`Checking ${count(state.checked)} rows would find: ${visible().filter((v) => v.finds).map((v) => `${v.name.slice(0, 60)} ${foundWords(v)}`).join(', ')}.`);
    byId('live').textContent = parts.join(' ');
  }, 400);
}
// Until the page has been shown it says what was evaluated, as it was written.
let begun = false;
function show(thresholdOnly) {
  if (!thresholdOnly) {
    models.forEach(writeFigures);
    writeRemarks();
    writeAgainst();
    drawLeague();
  }
  models.forEach(writeThreshold);
  models.forEach(writeFound);
  writeControls();
  if (thresholdOnly) { drawCursors(); drawCalibration(); } else drawAll();
  begun = true;
  root.classList.add('drawn');
  speak();
}
function update(thresholdOnly = false) {
  const all = !thresholdOnly || !begun;
  if (all) models.forEach(compute);
  show(!all);
}
// Of many models, one after the other: sliders listen in between, and moving one brings the rest in at once.
function begin(index = 0) {
  if (begun) return;
  if (models.length <= 3) { update(); return; }
  if (index === models.length) { show(false); return; }
  compute(models[index]);
  setTimeout(begin, 0, index + 1);
}

for (const key of Object.keys(NAMES)) {
  byId(key).addEventListener('input', (e) => setShare(key, grid[key][Number(e.target.value)]));
  const number = byId(`${key}-number`);
  number.addEventListener('change', () => setShare(key, number.value === '' ? NaN : Number(number.value)));
  number.addEventListener('blur', writeControls);
}
if (byId('threshold')) {
  byId('threshold').addEventListener('input', (e) => setStop(state.active, models[state.active].stops.length - 1 - Number(e.target.value)));
  byId('threshold-number').addEventListener('change', (e) => setThreshold(state.active, e.target.value === '' ? NaN : Number(e.target.value)));
  byId('threshold-number').addEventListener('blur', writeControls);
  byId('active').addEventListener('change', (e) => setStop(Number(e.target.value), models[Number(e.target.value)].stop));
}
byId('reset').addEventListener('click', () => {
  Object.assign(state, { prior: home.prior, purity: home.purity, checked: data.checked && data.checked.home });
  held = '';
  for (const view of models) view.stop = view.home;
  update();
});
for (const box of document.querySelectorAll('[data-show]')) {
  box.addEventListener('change', () => {
    const index = Number(box.dataset.show);
    models[index].shown = box.checked;
    for (const node of document.querySelectorAll(`[data-model="${index}"]`)) node.hidden = !box.checked;
    if (!box.checked && state.active === index) state.active = Math.max(models.findIndex(withThreshold), 0);
    update();
  });
}
byId('deck-open').addEventListener('click', () => {
  const open = document.querySelector('.deck').classList.toggle('open');
  byId('deck-open').setAttribute('aria-expanded', String(open));
});
const dark = window.matchMedia('(prefers-color-scheme: dark)');
byId('theme').addEventListener('click', () => {
  const now = root.dataset.theme || (dark.matches ? 'dark' : 'light');
  root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  byId('theme').setAttribute('aria-pressed', String(root.dataset.theme === 'dark'));
});
byId('theme').setAttribute('aria-pressed', String(dark.matches));
// Tables that are wider than the screen can be reached and moved with the keyboard.
function markScrolls() {
  const found = [...document.querySelectorAll('.scroll')].map((node) => [node, node.scrollWidth > node.clientWidth + 1]);
  for (const [node, wide] of found) {
    for (const [name, value] of [['tabindex', '0'], ['role', 'group'], ['aria-label', 'Table, moves sideways']]) {
      if (wide) node.setAttribute(name, value); else node.removeAttribute(name);
    }
  }
}
function drawRanges() {
  if (!begun) return;
  Chart.askWidths([...ranges.values()].flat());
  for (const view of models) writeFigures(view);
  models.forEach(writeThreshold);
}
for (const node of document.querySelectorAll('details')) node.addEventListener('toggle', () => { drawRanges(); markScrolls(); });
byId('deck-open').addEventListener('click', markScrolls);
// On a small screen what the trust rests on would push the figures off it.
if (window.matchMedia('(max-width: 760px)').matches) document.querySelectorAll('.why').forEach((node) => { node.open = false; });
function fit() {
  markScrolls();
  let changed = false;
  for (const chart of Object.values(charts)) {
    const before = chart.width;
    chart.measure();
    changed = changed || before !== chart.width;
  }
  if (changed && begun) {
    drawRanges();
    drawAll();
  }
}
new ResizeObserver(fit).observe(document.querySelector('.page'));
window.matchMedia('print').addEventListener('change', fit);
begin();
