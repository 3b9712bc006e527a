// Calibration in fixed bins, from power sums of the scores per group and bin (calibration/gaps.py).
const Calibration = (() => {
  const { sum, dot } = Curves, { smallSample } = Sampling;
  const line = (s, c0, c1) => s[0].map((v, i) => c0 * v + c1 * s[1][i]);
  const square = (s, c0, c1) => s[0].map((v, i) => c0 ** 2 * v + 2 * c0 * c1 * s[1][i] + c1 ** 2 * s[2][i]);
  const plus = (list, bins) => [0, 1, 2].map((p) => Array.from({ length: bins }, (_, b) => sum(list.map((s) => s[p][b]))));

  function moments(cal, m) {
    const bins = cal.upper.length, used = [m.single, m.single || m.unlabeled, m.single || !m.unlabeled];
    const pick = (groups, flags) => plus(groups.filter((_, i) => flags[i]), bins);
    const squares = cal.squares || cal.sums;
    return { top: cal.top, upper: cal.upper, lower: [0, ...cal.upper.slice(0, -1)], bins, used, pos: cal.sums[0],
      cmp: pick(cal.sums, used), posSq: squares[0], cmpSq: pick(squares, used),
      othersSq: pick(squares, [false, used[1], used[2]]) };
  }

  function gaps(mo, m, prior, purity) {
    const share = Core.shareOf(m, prior), span = purity - share;
    const sizePos = sum(mo.pos[0]), sizeCmp = sum(mo.cmp[0]);
    let wp = (prior - share) / span, wc = (purity - prior) / span;
    let lp = (1 - share) / span, lc = -(1 - purity) / span;
    if (share === prior) { wp = 0; wc = 1; }
    if (purity === 1) { lp = 1; lc = 0; }
    const mix = (p, a, b) => mo.pos[p].map((v, i) => a * (v / sizePos) + b * (mo.cmp[p][i] / sizeCmp));
    const scorePop = mix(1, wp, wc), sharePop = mix(0, wp, wc), sharePos = mix(0, lp, lc);
    const gap = scorePop.map((v, i) => v - prior * sharePos[i]);
    const g = { mo, gap, prior, scorePop, sharePop, sharePos, purity, sizePos, sizeCmp, onPos: [-prior * lp, wp], onCmp: [-prior * lc, wc] };
    const rowsPos = g.sizePos ** 2 / sum(mo.posSq[0]), rowsCmp = g.sizeCmp ** 2 / sum(mo.cmpSq[0]);
    const mean = g.scorePop.map((v, i) => (g.sharePop[i] > 0 ? v / g.sharePop[i] : (mo.lower[i] + mo.upper[i]) / 2));
    const rest = g.sharePop.map((v, i) => v - g.scorePop[i]);
    const a = Math.max(sum(g.scorePop), 1e-300), b = Math.max(sum(rest), 1e-300);
    const extra = g.scorePop.map((v, i) => mo.bins * (g.purity * v / a + (1 - g.purity) * rest[i] / b));
    const expected = mo.pos[0].map((v, i) => (v / g.sizePos * rowsPos + extra[i]) / (rowsPos + sum(extra)));
    const [g0, g1] = g.onPos.map((c) => smallSample(rowsPos) * c / g.sizePos);
    const [f0, f1] = g.onCmp.map((c) => smallSample(rowsCmp) * c / g.sizeCmp);
    const meanPos = expected.map((v, i) => v * (g0 + g1 * mean[i]));
    const meanCmp = line(mo.cmp, f0, f1).map((v) => v / g.sizeCmp);
    const labelled = [[], [], []], all = sum(mo.posSq[0]);
    expected.forEach((v, i) => {
      const count = all * v, some = mo.posSq[0][i] > 0, scale = some ? count / mo.posSq[0][i] : 0;
      labelled[0].push(count);
      labelled[1].push(some ? scale * mo.posSq[1][i] : count * mean[i]);
      labelled[2].push(some ? scale * mo.posSq[2][i] : count * mean[i] ** 2);
    });
    const first = mo.used[0] ? [labelled, g0 + f0, g1 + f1, meanPos.map((v, i) => v + meanCmp[i])]
      : [labelled, g0, g1, meanPos];
    g.strata = [first, [mo.othersSq, f0, f1, meanCmp]];
    g.variance = g.gap.map(() => 0);
    for (const [s, c0, c1, centre] of g.strata) {
      const l = line(s, c0, c1), q = square(s, c0, c1), n = sum(s[0]);
      g.variance = g.variance.map((v, i) => v + (q[i] - 2 * centre[i] * l[i] + centre[i] ** 2 * n));
    }
    g.variance = g.variance.map((v) => Math.max(v, 0));
    g.noise = g.variance.map(Math.sqrt);
    g.error = sum(g.gap.map(Math.abs));
    g.signed = sum(g.gap);
    return g;
  }
  function varianceOfSum(g, signs) {
    let total = 0;
    for (const [s, c0, c1, centre] of g.strata) {
      const middle = dot(signs, centre), l = line(s, c0, c1), q = square(s, c0, c1);
      total += dot(signs.map((v) => v ** 2), q) - 2 * middle * dot(signs, l);
      total += middle ** 2 * sum(s[0]);
    }
    return Math.max(total, 0);
  }
  const density = (r) => Math.exp(-(r ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const signMean = (r) => Special.erf(r / Math.SQRT2);
  const debiased = (d, s) => (s > 0 ? 2 * Math.abs(d) - s * (2 * density(d / s) + d / s * signMean(d / s)) : Math.abs(d));
  const odds = Math.sqrt(0.6 / (1 - 0.6));
  const split = (d, s) => (s > 0 ? s * (d / s * signMean(odds * (d / s)) - 2 * odds * density(odds * (d / s))) : Math.abs(d));
  // What a row of the population adds to the sum of signed gaps: a mean of bounded values (calibration/gaps.py).
  function rowOfPopulation(g, signs) {
    const { mo } = g, [f0, f1] = g.onCmp, size = sum(mo.cmp[0]), shared = sum(mo.cmpSq[0]);
    const mean = dot(signs, line(mo.cmp, f0, f1)) / size;
    const squared = dot(signs.map((v) => v ** 2 + (1 - v ** 2)), square(mo.cmpSq, f0, f1));
    const spread = squared - 2 * mean * dot(signs, line(mo.cmpSq, f0, f1)) + mean ** 2 * shared;
    const high = Math.max(f0, f0 + f1 * mo.top), rows = size / shared * size;
    return { rows, mean, variance: Math.max(spread / size / size, 0) * smallSample(rows) ** 2, low: -high, high };
  }
  function jointReach(part, variance, z) {
    const added = z ** 2, total = part.rows + added;
    const centre = (part.rows * part.mean + added / 2 * (part.low + part.high)) / total;
    let squares = part.rows * (part.rows * part.variance + (part.mean - centre) ** 2);
    squares += added / 2 * ((part.low - centre) ** 2 + (part.high - centre) ** 2);
    const reach = Math.sqrt(added * squares) / total, plain = Math.sqrt(added * part.variance);
    const rest = added * Math.max(variance - part.variance, 0);
    return [Math.max(reach - (centre - part.mean), plain), Math.max(reach + (centre - part.mean), plain)].map((r) => Math.sqrt(rest + r ** 2));
  }
  function limits(g, z) {
    const signs = g.gap.map((d, i) => (g.noise[i] > 0 ? signMean(d / g.noise[i]) : Math.sign(d)));
    const unclear = dot(signs.map((v) => 1 - v ** 2), g.variance);
    const [below, above] = jointReach(rowOfPopulation(g, signs), varianceOfSum(g, signs) + unclear, z);
    const total = (fn) => sum(g.gap.map((d, i) => fn(d, g.noise[i])));
    const labels = g.sizePos ** 2 / sum(g.mo.posSq[0]), trust = labels / (labels + 20);
    const most = g.error - trust * Math.max(g.error - total(debiased) - 0.1 * sum(g.noise), 0), least = Math.min(total(split), 1, most);
    const factor = 1 - trust * (1 - reachFactor(most - least, below, above, z));
    return [Math.max(least - factor * below, 0), Math.min(Math.max(most + factor * above, g.error), 1)];
  }
  // The least part of both reaches with which either of two ends is held (calibration/gaps.py).
  function reachFactor(apart, below, above, z) {
    if (!(apart > 0 && below > 0 && above > 0)) return 1;
    const level = signMean(z), held = (f, reach) => Special.normal(z * (apart / reach + f)) - Special.normal(-z * f);
    let least = 0, most = 1;
    for (let i = 0; i < 20; i++) {
      const f = (least + most) / 2;
      if (Math.min(held(f, above), held(f, below)) >= level && apart + f * (below + above) >= below + above) most = f;
      else least = f;
    }
    return most;
  }
  function rateLimits(mo, m, g, at) {
    const low = [], high = [], rate = [];
    for (let b = 0; b < mo.bins; b++) {
      if (!(g.sharePop[b] > 0)) { rate.push(NaN); low.push(0); high.push(1); continue; }
      rate.push(at.prior * g.sharePos[b] / g.sharePop[b]);
      const { prior, purity } = at, share = Core.shareOf(m, prior), span = purity - share;
      const fn = (x, y) => {
        const top = prior * ((1 - share) * x - (1 - purity) * y) / span;
        const bottom = ((prior - share) * x + (purity - prior) * y) / span;
        return bottom > 0 ? top / bottom : top > 0 ? Infinity : 0;
      };
      let [lo, hi] = Core.recoveredLimits(m, fn, mo.pos[0][b] / g.sizePos, mo.cmp[0][b] / g.sizeCmp);
      // Limits that both lie outside keep their distance from the rate.
      const above = lo >= 1, below = hi <= 0;
      if (above) lo = 1 - Math.max(rate[b] - lo, 0);
      if (below) hi = Math.max(hi - rate[b], 0);
      low.push(Math.min(Math.max(lo, 0), 1)); high.push(Math.min(Math.max(hi, 0), 1));
    }
    return { rate, low, high };
  }
  function evaluate(mo, m, at) {
    const g = gaps(mo, m, at.prior, at.purity);
    const [low, high] = limits(g, m.z);
    return { error: Math.min(g.error, 1), signed: Math.min(Math.max(g.signed, -at.prior), 1 - at.prior), gap: g.gap, noise: g.noise,
      debiased: Math.min(Math.max(sum(g.gap.map((d, i) => debiased(d, g.noise[i]))), 0), 1),
      interval: [Math.min(low, 1), Math.min(high, 1)],
      share: g.sharePop, mean: g.scorePop.map((v, i) => (g.sharePop[i] > 0 ? v / g.sharePop[i] : NaN)),
      ...rateLimits(mo, m, g, at) };
  }
  return { moments, evaluate };
})();
