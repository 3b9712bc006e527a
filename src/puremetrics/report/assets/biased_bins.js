// The bins of the calibration error when labels may be biased (calibration/gaps.py).
const BiasedBins = (() => {
  const { sum } = Curves, { shifted } = Tilting;
  const ALL = 12, SEARCH = 60, SAME = 1e-13;
  const sizeOf = (a) => a.reduce((s, v) => s + Math.abs(v), 0);
  // The first of all that are as good as the best but for rounding.
  const firstOf = (sizes, best) => sizes.findIndex((v) => Math.abs(v - best) <= SAME * Math.max(1, Math.abs(best)));
  const firstLargest = (sizes) => firstOf(sizes, sizes.reduce((a, v) => Math.max(a, v), -Infinity));
  const firstSmallest = (sizes) => firstOf(sizes, sizes.reduce((a, v) => Math.min(a, v), Infinity));
  function weighted(v, share) {
    const phi = share.map((g, i) => v[i] * g), total = sum(phi);
    return phi.map((p) => p / total);
  }
  // The shares with the smallest distance from a target.
  function least(share, target, ratio, caps) {
    const at = (s) => {
      const low = share.map((g) => s * g), high = share.map((g, i) => Math.min(ratio * s * g, caps[i]));
      const near = target.map((t, i) => Math.min(Math.max(t, low[i]), high[i])), left = 1 - sum(near);
      const room = near.map((v, i) => (left > 0 ? high[i] - v : v - low[i])), total = sum(room);
      if (Math.abs(left) > total * (1 + 1e-9) + 1e-12) return [Infinity, near];
      const phi = total > 0 ? near.map((v, i) => v + room[i] * (left / total)) : near;
      return [sizeOf(phi.map((v, i) => v - target[i])), phi];
    };
    const from = 1 / ratio, step = (1 - from) / 64;
    const grid = Array.from({ length: 65 }, (_, i) => (i === 64 ? 1 : from + i * step)), tried = grid.map(at);
    const place = Math.max(firstSmallest(tried.map((t) => t[0])), 0), golden = (Math.sqrt(5) - 1) / 2;
    let best = tried[place], a = grid[Math.max(place - 1, 0)], b = grid[Math.min(place + 1, 64)];
    for (let i = 0; i < SEARCH; i++) {
      const left = b - golden * (b - a), right = a + golden * (b - a), here = at(left), there = at(right);
      for (const one of [here, there]) if (one[0] < best[0] - SAME * Math.max(1, best[0])) best = one;
      if (here[0] <= there[0]) b = right; else a = left;
    }
    return best[1];
  }
  // The shares with the largest Σ|gap − (φ − share)|: v is 1 or the ratio in each bin.
  function largest(share, gap, ratio) {
    const n = share.length, size = (v) => sizeOf(weighted(v, share).map((p, i) => gap[i] - (p - share[i])));
    if (n <= ALL) {
      const vertex = (number) => share.map((_, i) => 1 + (ratio - 1) * ((number >> (n - 1 - i)) & 1));
      return weighted(vertex(firstLargest(Array.from({ length: 2 ** n }, (_, number) => size(vertex(number))))), share);
    }
    const rank = new Array(n);
    Array.from(gap, (_, i) => i).sort((i, j) => gap[i] - gap[j] || i - j).forEach((bin, place) => { rank[bin] = place; });
    const rows = Array.from({ length: n }, (_, i) => i), tri = rows.map((i) => rows.map((j) => (j <= i ? 1 : 0)));
    const steps = rows.map((i) => rows.map((j) => (rank[j] < i ? 1 : 0))), not = (list) => list.map((row) => row.map((v) => 1 - v));
    const starts = [...tri, ...not(tri), ...steps, ...not(steps)].map((row) => row.map((v) => 1 + (ratio - 1) * v));
    let best = starts[firstLargest(starts.map(size))], most = size(best);
    for (;;) {
      const switched = rows.map((i) => best.map((v, j) => (i === j ? 1 + ratio - v : v))), sizes = switched.map(size), place = firstLargest(sizes);
      if (sizes[place] <= most * (1 + 1e-12)) break;
      best = switched[place]; most = sizes[place];
    }
    return weighted(best, share);
  }
  // All whose v is the ratio on one side of a cut and 1 on the other; bins are in rising order of the score.
  function stepsOf(share, ratio, rising) {
    return Array.from({ length: share.length + 1 }, (_, i) => weighted(share.map((g, j) => {
      const v = 1 + (ratio - 1) * (1 - (j < i ? 1 : 0));
      return rising ? v : 1 + ratio - v;
    }), share));
  }
  // Shares of the positives by bin with the least and with the largest error; null if nothing is open.
  function extremes(g, b, unlabeled) {
    const start = g.sharePos.map((v) => Math.max(v, 0)), total = sum(start), weight = b.prior * b.part;
    if (weight <= 0 || total <= 0) return null;
    const share = start.map((v) => v / total), gap = g.gap.map((v) => v / weight);
    if (b.bias.side === 'either') {
      const rows = sum(unlabeled), open = b.hidden > 0 && rows > 0;
      const caps = share.map((v, i) => (open ? Math.max(unlabeled[i] / rows / b.hidden, v) : 1));
      return { share, phis: [least(share, share.map((v, i) => v + gap[i]), b.ratio('low'), caps), largest(share, gap, b.ratio('low'))] };
    }
    const ratio = Math.max(b.ratio('low'), b.ratio('high')), steps = stepsOf(share, ratio, b.bias.side === 'low'), mixed = [];
    for (let part = 0; part < 33; part++) for (const phi of steps) mixed.push(share.map((v, i) => v + part / 32 * (phi[i] - v)));
    const sizes = mixed.map((phi) => sizeOf(phi.map((p, i) => gap[i] - (p - share[i]))));
    return { share, phis: [mixed[firstSmallest(sizes)], mixed[firstLargest(sizes)]] };
  }
  // Limits of the positive rate of each bin, moved as far as biased labels allow.
  function rates(g, b, ends, side) {
    if (b.prior <= 0) return ends;
    const most = Math.max(b.ratio('low'), b.ratio('high')), ratio = side === 'high' ? most : 1 / most;
    return ends.map((end, i) => {
      const share = Math.min(Math.max(end * g.sharePop[i] / b.prior, 0), 1), moved = share + b.part * (shifted(share, ratio) - share);
      return Math.min(Math.max(g.sharePop[i] > 0 ? b.prior * moved / g.sharePop[i] : end, 0), 1);
    });
  }
  return { extremes, rates };
})();
