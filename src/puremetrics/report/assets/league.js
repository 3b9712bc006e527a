// Many models on one axis: dots and intervals, sorted as the sliders move (report/overview.py).
const leagueRows = byId('league');
function drawLeague() {
  if (!leagueRows) return;
  const wide = 220, edge = 8, shown = visible();
  const least = Math.min(Math.max(Math.floor(10 * Math.min(1, ...shown.map((v) => v.auc.interval[0])) + 1e-9) / 10, 0), 0.9);
  const x = (v) => edge + (wide - 2 * edge) * (Math.min(Math.max(v, least), 1) - least) / (1 - least);
  for (const v of models) {
    const [low, high] = v.auc.interval.map(x), parts = [Chart.make('path', { class: 'base', d: `M${edge} 9H${wide - edge}` })];
    if (v.plainCurves.auc >= least) parts.push(Chart.make('path', { class: 'tick-naive', d: `M${x(v.plainCurves.auc)} 4V14` }));
    parts.push(Chart.make('rect', { class: 'sure', x: low, y: 6, width: Math.max(high - low, 1), height: 6, rx: 1 }),
      Chart.make('circle', { class: 'dot', cx: x(v.auc.value), cy: 9, r: 4 }));
    leagueRows.querySelector(`[data-league="${v.index}"]`).replaceChildren(...parts);
  }
  const ticks = [[least, ''], [(least + 1) / 2, 'mid'], [1, 'end']].flatMap(([v, place]) => [
    Chart.make('text', { class: place, x: x(v), y: 12 }, String(Number(v.toFixed(2)))), Chart.make('path', { class: 'base', d: `M${x(v)} 14V18` })]);
  document.querySelector('[data-league="axis"]').replaceChildren(...ticks);
  const rows = [...leagueRows.rows], order = [...models].sort((a, b) => b.auc.value - a.auc.value).map((v) => rows.find((r) => r.dataset.model === String(v.index)));
  if (order.some((row, i) => row !== rows[i])) leagueRows.append(...order);
}
