// What labels that are biased up to a ratio leave open: heads of the positives between two limits (correction/biased.py).
const LabelBias = (() => {
  const { rates, shareOf, path, precisionCurve } = Curves, { shifted } = Tilting;
  const SIDES = ['low', 'high'], ENDLESS = 1e9, NOISE = 3, SCALE = 32;
  const clip = (v, low, high) => Math.min(Math.max(v, low), high);
  const steps = (heads) => { const out = new Float64Array(heads.length - 1); for (let i = 0; i < out.length; i++) out[i] = heads[i + 1] - heads[i]; return out; };
  const headsOf = (shares) => { const out = new Float64Array(shares.length + 1); for (let i = 0; i < shares.length; i++) out[i + 1] = out[i] + shares[i]; return out; };

  // ------------------------------------------------------------------ what the scenario says
  function unlabeledShare(m, prior, purity) {
    if (!m.unlabeled) return 0;
    if (!m.single) return prior;
    const [pos, unl, neg] = m.meta.totals;
    return clip((prior * (pos + unl + neg) - purity * pos) / unl, 0, 1);
  }
  function unlabeledHead(m, g, f, neg) {
    if (!m.single) return f;
    const [pos, unl, others] = m.meta.totals;
    return clip(((pos + unl + others) * f - pos * g - others * neg) / Math.max(unl, 1), 0, 1);
  }
  // How much of the true positive rate is open.
  function partOf(m, prior, purity, share) {
    const [pos, unl, neg] = m.meta.totals;
    const known = m.single ? purity * pos / Math.max(prior * (pos + unl + neg), purity * pos) : 0;
    return 1 - known + known * (1 - purity) * share / Math.max(purity * (1 - share), 1 / ENDLESS);
  }
  // The ratio on the side of the low or of the high end, with what impure labels add.
  function ratioOf({ most, side: favoured }, purity, share, side) {
    const ratio = favoured === side ? 1 : most;
    if (purity === 1) return ratio;
    const bottom = purity * (1 - share) - ratio * share * (1 - purity);
    return clip(ratio * (purity - share) / Math.max(bottom, 1 / ENDLESS), ratio, ENDLESS);
  }
  // The lowest or highest true positive rate at a threshold; hidden is the share of the unlabeled in the head.
  function rate(m, bias, tpr, hidden, side, prior, purity) {
    const share = unlabeledShare(m, prior, purity), ratio = ratioOf(bias, purity, share, side);
    const found = clip(tpr, 0, 1), bottom = Math.max(share, 1 / ENDLESS);
    const phi = side === 'high' ? Math.min(shifted(found, ratio), Math.max(share > 0 ? hidden / bottom : 1, found))
      : Math.max(shifted(found, 1 / ratio), Math.min(share > 0 ? 1 - (1 - hidden) / bottom : 0, found));
    return tpr + partOf(m, prior, purity, share) * (phi - found);
  }

  // ------------------------------------------------------------------ heads at one pair of prior and purity
  function risingHeads(m, prior, purity) {
    if (purity === 1) return m.G;
    const [tpr] = rates(m.G, m.F, shareOf(m, prior), purity);
    let most = -Infinity;
    const out = tpr.map((v) => { most = Math.max(most, v); return clip(most, 0, 1); });
    out[m.k] = 1;
    return out;
  }
  // The last few are kept: six metrics and both areas ask for the same.
  function of(m, bias, prior, purity) {
    const key = `${bias.most} ${bias.side} ${prior} ${purity}`;
    if (!m.biased) m.biased = new Map();
    if (!m.biased.has(key)) {
      if (m.biased.size > 8) m.biased.clear();
      m.biased.set(key, made(m, bias, prior, purity));
    }
    return m.biased.get(key);
  }
  function made(m, bias, prior, purity) {
    const share = shareOf(m, prior), hidden = unlabeledShare(m, prior, purity), part = partOf(m, prior, purity, hidden);
    const found = risingHeads(m, prior, purity), placements = new Float64Array(m.k);
    for (let i = 0; i < m.k; i++) placements[i] = 1 - (m.F[i + 1] + m.F[i]) / 2;
    const at = { low: ratioOf(bias, purity, hidden, 'low'), high: ratioOf(bias, purity, hidden, 'high') };
    return { m, bias, prior, purity, share, hidden, part, found, shares: steps(found), placements, kept: new Map(),
      ratio: (side) => at[side], weight: part * (purity - share) / (1 - share) };
  }
  // Smallest and largest heads that the unlabeled have room for; slack loosens, in standard errors.
  function fits(b, slack = 0) {
    const { m, found, hidden } = b, n = found.length, least = new Float64Array(n), most = new Float64Array(n).fill(1);
    if (hidden <= 0) return [least, most];
    if (!m.U) { m.U = headsOf(m.unl); const total = m.U[m.k]; m.U = m.U.map((v) => v / total); }
    const size = Math.max(m.sizeCmp, 1);
    for (let i = 0; i < n; i++) {
      const u = m.U[i], reach = slack * Math.sqrt((u * (1 - u) + slack ** 2 / size / 4) / size) + slack ** 2 / size / 2;
      most[i] = Math.max(Math.min((u + reach) / hidden, 1), found[i]);
      least[i] = Math.min(Math.max(1 - (1 - u + reach) / hidden, 0), found[i]);
    }
    return [least, most];
  }
  // Heads that the correction turns into the true positive rates that follow.
  function withHidden(b, phi) {
    const moved = b.m.G.map((g, i) => g + b.weight * (phi[i] - b.found[i]));
    moved[0] = 0; moved[b.m.k] = 1;
    return moved;
  }
  function pointwise(b, side) {
    const ratio = b.ratio(side), [least, most] = fits(b);
    return withHidden(b, b.found.map((v, i) => (side === 'high' ? Math.min(shifted(v, ratio), most[i]) : Math.max(shifted(v, 1 / ratio), least[i]))));
  }
  // Positives by row with the smallest or largest mean of values, every row with room for them; null if impossible.
  function byRows(b, values, side) {
    const signed = side === 'high' ? values : values.map((v) => -v);
    if (b.hidden <= 0) return Tilting.tilted(b.shares, signed, b.ratio(side));
    if (b.m.crowded) return null;
    if (b.caps === undefined) b.caps = roomOfRows(b);
    return b.caps && Tilting.cappedRows(b.shares, signed, b.ratio(side), b.caps);
  }
  // The largest share of each row, of many rows with what chance allows for; null if some labelled score has no
  // unlabeled rows.
  function roomOfRows(b) {
    const { m } = b, total = Curves.sum(m.unl), caps = new Float64Array(m.k), few = b.shares.filter((g) => g > 0).length <= SCALE;
    for (let i = 0; i < m.k; i++) {
      const g = b.shares[i], u = m.unl[i] / total, cap = u / b.hidden;
      if (g > 0 && !(u > 0)) return null;
      const error = u * (1 - u) / Math.max(m.sizeCmp, 1) / b.hidden ** 2 + g * (1 - g) / Math.max(m.sizePos, 1);
      caps[i] = few ? cap : Math.max(cap, Math.min(g, cap + NOISE * Math.sqrt(error)));
    }
    return caps;
  }
  // The heads with the smallest or largest area, with the room of whole heads and tails only.
  function byHeads(b, side, slack = 0) {
    const key = `heads ${side} ${slack}`;
    if (!b.kept.has(key)) b.kept.set(key, filled(b, side, slack));
    return b.kept.get(key);
  }
  function filled(b, side, slack) {
    const { m, placements } = b, [least, most] = fits(b, slack), k = m.k, falls = new Float64Array(k), caps = new Float64Array(k);
    if (side === 'high') {
      for (let i = 0; i + 1 < k; i++) falls[i] = placements[i] - placements[i + 1];
      for (let i = 0; i < k; i++) caps[i] = most[i + 1];
      const heads = new Float64Array(k + 1);
      heads.set(Tilting.filledHeads(b.shares, falls, b.ratio(side), caps), 1);
      return withHidden(b, heads);
    }
    for (let i = 0; i + 1 < k; i++) falls[k - 2 - i] = placements[i] - placements[i + 1];
    for (let i = 0; i < k; i++) caps[k - 1 - i] = 1 - least[i];
    const tails = Tilting.filledHeads(b.shares.slice().reverse(), falls, b.ratio(side), caps);
    const heads = new Float64Array(k + 1).fill(1);
    heads.set(tails.reverse().map((v) => 1 - v));
    return withHidden(b, heads);
  }
  function forArea(b, side) {
    if (b.ratio(side) === 1 || b.part === 0) return b.m.G;
    const rows = byRows(b, b.placements, side);
    return rows ? withHidden(b, headsOf(rows)) : byHeads(b, side);
  }
  // The lowest or highest true positive rate at a threshold, by rows where that is possible.
  function rateAt(b, tpr, hidden, threshold, side) {
    const key = `rate ${side} ${threshold}`;
    if (!b.kept.has(key)) {
      const inside = new Float64Array(b.m.k);
      for (let i = 0; i < b.m.k; i++) inside[i] = b.m.score[i] >= threshold ? 1 : 0;
      const rows = byRows(b, inside, side);
      b.kept.set(key, rows && b.part * (Curves.dot(rows, inside) - Curves.dot(b.shares, inside)));
    }
    const rise = b.kept.get(key);
    return rise === null ? rate(b.m, b.bias, tpr, hidden, side, b.prior, b.purity) : tpr + rise;
  }
  // The bands around both curves: null if labels are random.
  function bands(m, at) {
    if (!at.bias) return null;
    const b = of(m, at.bias, at.prior, at.purity);
    const [lower, upper] = SIDES.map((side) => path(m, at.prior, at.purity, pointwise(b, side)));
    return { roc: [lower, upper].map((p) => ({ x: p.fpr, y: p.tpr })), pr: [lower, upper].map((p) => precisionCurve(p, at.prior)) };
  }
  return { SIDES, clip, headsOf, of, fits, withHidden, byRows, byHeads, forArea, rate, rateAt, bands, unlabeledHead, unlabeledShare };
})();
