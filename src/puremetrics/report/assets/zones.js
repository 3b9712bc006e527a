// What the data rule out: zones on the sliders, and a sentence where the sliders stand in one.
function againstAt(prior, purity) {
  const evaluated = prior === home.prior && purity === home.purity; // nothing was contradicted there
  return data.fixed || evaluated ? null : Allowed.against(data, prior, purity);
}
const against = () => againstAt(state.prior, state.purity);
// Runs of positions of a slider that the data contradict, or that the counts make impossible.
function runsOf(key) {
  const out = [], fits = (v) => (key === 'prior' ? possible(v, state.purity) && !againstAt(v, state.purity)
    : possible(state.prior, v) && !againstAt(state.prior, v));
  grid[key].forEach((value, i) => {
    if (fits(value)) return;
    const last = out[out.length - 1];
    if (last && last[1] === i - 1) last[1] = i; else out.push([i, i]);
  });
  return out;
}
function drawZones() {
  for (const key of ['prior', 'purity']) {
    const layer = byId(`${key}-zones`), most = grid[key].length - 1, runs = runsOf(key);
    if (!layer) continue;
    const edge = (i) => 100 * Math.min(Math.max(i, 0), most) / most;
    layer.replaceChildren(...runs.map(([from, to]) => Chart.make('rect', { class: 'ruled-out', 'data-zone': `${grid[key][from]} ${grid[key][to]}`,
      x: `${edge(from - 0.5)}%`, width: `${edge(to + 0.5) - edge(from - 0.5)}%`, y: 5, height: 12 })));
    byId(`${key}-zone`).textContent = zoneWords(key, runs);
  }
}
// The least purity that is possible, between two steps of the slider.
function leastOpen(open) {
  let low = grid.purity[Math.max(grid.purity.indexOf(open) - 1, 0)], high = open;
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (possible(state.prior, middle) && !againstAt(state.prior, middle)) high = middle; else low = middle;
  }
  return high;
}
function zoneWords(key, runs) {
  if (!runs.length) return '';
  const most = key === 'prior' && Allowed.largestPrior(data, state.purity);
  const open = grid[key].filter((_, i) => !runs.some(([from, to]) => i >= from && i <= to));
  if (!open.length) return '▨ the data rule out all of them';
  if (key === 'purity') return `▨ ruled out by the data: below ${share(leastOpen(open[0]))}`;
  return most && most >= open[open.length - 1] && most < grid.prior[grid.prior.length - 1] && most <= limitsOf(state.purity)[1]
    ? `▨ ruled out by the data: above ${share(most)}` : `▨ ruled out by the data: outside ${share(open[0])} to ${share(open[open.length - 1])}`;
}
function againstWords(found) {
  const at = home.bias > 1 ? ` and label bias ${share(home.bias)}` : '';
  if (found.what === 'prior') {
    return `The data contradict this: a prior of ${share(state.prior)} is above ${share(found.limit)}, the largest that they allow at purity ${share(state.purity)}${at}. `
      + 'The prior is too high, the purity too low, or the labels are not a random sample of the positives.';
  }
  return `The data contradict this: a purity of ${share(state.purity)} is below ${share(found.limit)}, the least that they allow at prior ${share(state.prior)}. `
    + 'The labelled rows differ too much from the unlabeled ones for so many labels to be wrong.';
}
function writeAgainst() {
  const found = against(), note = byId('against');
  root.classList.toggle('ruled', !!found);
  note.hidden = !found;
  note.textContent = found ? againstWords(found) : '';
  drawZones();
}
