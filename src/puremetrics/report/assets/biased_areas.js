// Areas when labels may be biased: correction/biased_sums.py, biased_area.py and biased_precision.py.
const BiasedAreas = (() => {
  const { sum, dot, path, rocArea } = Curves, { SIDES, of, fits, withHidden, headsOf } = LabelBias;
  const SLACK = 1e-12, CUTS = 65, RATIOS = 9, TURNS = 3, LEAST = 1e-9;
  const ENDS = [[1, 0], [0, 1]]; // rows above and below all others

  // Positives by row with the smallest or largest mean of values, whatever room the unlabeled leave.
  function freeTilt(b, values, side) {
    const signed = side === 'high' ? values : values.map((v) => -v);
    if (b.bias.side === 'either') return Tilting.tilted(b.shares, signed, b.ratio(side));
    const ratio = Math.max(...SIDES.map(b.ratio));
    if (b.bias.side === 'low') return Tilting.stepped(b.shares, signed, ratio);
    return Tilting.stepped(b.shares.slice().reverse(), signed.slice().reverse(), ratio).reverse();
  }
  // How far a sum at a free tilt may lie below its low or above its high end.
  function tiltedReach(b, values, onCmp, shares, side) {
    const { m, part } = b, mean = dot(shares, values), impure = (1 - b.purity) / (1 - b.share);
    const onPos = new Float64Array(m.k), onOthers = new Float64Array(m.k), first = b.shares.findIndex((g) => g > 0);
    const labelled = m.single ? m.totalPos / m.totalCmp : 0, spans = [[Infinity, -Infinity], [Infinity, -Infinity]];
    const seen = (span, v) => { if (v < span[0]) span[0] = v; if (v > span[1]) span[1] = v; };
    let factor = shares[first] / b.shares[first];
    const reached = [factor, factor];
    for (let i = 0; i < m.k; i++) {
      if (b.shares[i] > 0) { factor = shares[i] / b.shares[i]; seen(reached, factor); }
      onPos[i] = (1 - part) * values[i] + part * factor * (values[i] - mean);
      onOthers[i] = onCmp[i] - impure * (onPos[i] - values[i]);
      seen(spans[0], onPos[i] + labelled * onOthers[i]);
      seen(spans[1], onOthers[i]);
    }
    for (const [h, k] of ENDS) {
      for (const v of reached) seen(spans[0], (1 - part) * h + part * v * (h - mean) + labelled * k);
      seen(spans[1], k);
    }
    return Sampling.linearReaches(m, onPos, onOthers, spans)[side === 'high' ? 1 : 0];
  }
  function areaOf(m, G) {
    let s = 0;
    for (let i = 0; i < m.k; i++) s += (m.F[i + 1] - m.F[i]) * (G[i + 1] + G[i]);
    return s / 2 + m.offset;
  }
  // The lower limit of the low end, or the upper limit of the high end, as an uncorrected area.
  function areaLimit(b, side) {
    const { m } = b, sign = side === 'high' ? 1 : -1, shares = freeTilt(b, b.placements, side);
    const phi = headsOf(shares), heads = withHidden(b, phi), above = new Float64Array(m.k);
    for (let i = 0; i < m.k; i++) above[i] = (heads[i + 1] + heads[i]) / 2;
    const reach = tiltedReach(b, b.placements, above, shares, side), free = sign * areaOf(m, heads), [least, most] = fits(b);
    if (phi.every((v, i) => v <= most[i] + SLACK && v >= least[i] - SLACK)) return sign * (free + reach);
    const [fitting, loose] = [0, m.z].map((slack) => sign * areaOf(m, LabelBias.byHeads(b, side, slack)));
    return sign * Math.min(free + reach, fitting + Math.sqrt(reach ** 2 + (loose - fitting) ** 2));
  }
  // All that biased labels add to the ends of the ROC area's interval.
  function rocEnds(m, at) {
    const here = of(m, at.bias, at.prior, at.purity), gap = at.purity - here.share;
    const ends = SIDES.map((side) => {
      const area = rocArea(path(m, at.prior, at.purity, LabelBias.forArea(here, side)));
      return m.offset ? LabelBias.clip(area + m.offset / gap, 0, 1) : area;
    });
    const points = [here];
    if (at.spans) {
      const gaps = at.pairs.map(([prior, purity]) => purity - Curves.shareOf(m, prior));
      for (const g of [Math.min(...gaps), Math.max(...gaps)]) points.push(of(m, at.bias, ...at.pairs[gaps.indexOf(g)]));
    }
    for (const b of points) for (const side of SIDES) ends.push((areaLimit(b, side) - (1 - (b.purity - b.share)) / 2) / (b.purity - b.share));
    return ends;
  }

  // ------------------------------------------------------------------ average precision
  const unique = (list) => list.filter((v, i) => i === 0 || v !== list[i - 1]);
  function firstReaching(a, wanted) {
    let low = 0, high = a.length;
    while (low < high) { const middle = (low + high) >> 1; if (a[middle] < wanted) low = middle + 1; else high = middle; }
    return low;
  }
  // Σ gain in recall · precision at a cut, before any repair: plain loops, since they run for every cut.
  function sizeAt(b, [least, most], perRow, [head, up, down]) {
    const { found, weight, prior, purity, share } = b, { F, G } = b.m, n = F.length, span = purity - share, wrong = (1 - purity) / span, mixed = share / span;
    const clean = purity === 1 && share === prior; // precision is prior·G/F then
    let before = 0, total = 0;
    for (let i = 1; i < n; i++) {
      const v = found[i], f = F[i];
      let phi = v < head ? up * v : up * head + down * (v - head);
      if (phi < least[i]) phi = least[i]; else if (phi > most[i]) phi = most[i];
      const g = i === n - 1 ? 1 : G[i] + weight * (phi - v);
      if (clean) {
        total += (g - before) * (prior * g < f ? g * perRow[i] : 1);
        before = g;
      } else {
        const tpr = g + wrong * (g - f), fpr = f - mixed * (g - f), hits = prior * tpr, reached = fpr > 0 ? hits + (1 - prior) * fpr : hits;
        const precision = reached > 0 ? hits / reached : 1;
        total += (tpr - before) * (precision < 0 ? 0 : precision > 1 ? 1 : precision);
        before = tpr;
      }
    }
    return total;
  }
  // The heads with the smallest or the largest average precision: the cut of a step of v, its direction and its
  // ratio are searched for.
  function precisionHeads(b, side) {
    const { m, found } = b, n = m.k + 1;
    if (b.part === 0) return m.G;
    const room = fits(b), [least, most] = room, sign = side === 'high' ? 1 : -1, perRow = m.F.map((f) => b.prior / f);
    const phiOf = (end, cut, ratio) => {
      const [above, below] = end === 'high' ? [ratio, 1] : [1, ratio], head = found[cut], all = above * head + below * (found[n - 1] - head);
      return [head, above / all, below / all];
    };
    const sizeOf = (end, cut, ratio) => sign * sizeAt(b, room, perRow, phiOf(end, cut, ratio));
    const last = (list) => list.length - 1;
    let best = sign * sizeAt(b, [m.G.map(() => -Infinity), m.G.map(() => Infinity)], perRow, [2, 1, 1]), chosen = null, ends = SIDES.filter((end) => b.ratio(end) > 1);
    let cuts = unique(Array.from({ length: CUTS }, (_, i) => firstReaching(found, i / (CUTS - 1))));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const end of ends) {
        for (const cut of cuts) {
          const size = sizeOf(end, cut, b.ratio(end));
          if (size > best + SLACK) { best = size; chosen = { end, cut, ratio: b.ratio(end) }; }
        }
      }
      if (chosen === null) return m.G;
      ends = [chosen.end];
      const at = firstReaching(cuts, chosen.cut), from = cuts[Math.max(at - 1, 0)], to = cuts[Math.min(at + 1, last(cuts))];
      if (to - from <= 2) break;
      cuts = unique(Array.from({ length: CUTS }, (_, i) => Math.trunc(from + i * ((to - from) / (CUTS - 1)))));
    }
    let from = 0, to = Math.log(b.ratio(chosen.end));
    for (let turn = 0; turn < TURNS + 2; turn++) {
      const logs = Array.from({ length: RATIOS }, (_, i) => (i === RATIOS - 1 ? to : from + i * ((to - from) / (RATIOS - 1))));
      const sizes = logs.map((log) => sizeOf(chosen.end, chosen.cut, Math.exp(log))), top = Math.max(...sizes);
      const at = sizes.findIndex((size) => size >= top - SLACK);
      if (sizes[at] > best + SLACK) { best = sizes[at]; chosen = { ...chosen, ratio: Math.exp(logs[at]) }; }
      [from, to] = [logs[Math.max(at - 1, 0)], logs[Math.min(at + 1, RATIOS - 1)]];
    }
    const [head, up, down] = phiOf(chosen.end, chosen.cut, chosen.ratio);
    return withHidden(b, found.map((v, i) => LabelBias.clip(v < head ? up * v : up * head + down * (v - head), least[i], most[i])));
  }
  // The table with labelled rows weighted so that their heads are these; in F they count as before.
  function tiltedTable(m, heads) {
    Sampling.othersOf(m);
    const pos = new Float64Array(m.k), factor = new Float64Array(m.k);
    let lastRow = m.k - 1, before = 0;
    while (lastRow > 0 && !(m.G[lastRow + 1] - m.G[lastRow] > 0)) lastRow--;
    for (let i = 0; i < m.k; i++) {
      const share = m.G[i + 1] - m.G[i];
      factor[i] = 1;
      if (share > 0) {
        const end = i === lastRow ? 1 : heads[i + 1]; // what lies between labels goes to the next one
        factor[i] = Math.max((end - before) / share, LEAST);
        before = end;
      }
      pos[i] = m.pos[i] * factor[i];
    }
    const scale = m.totalPos / sum(pos), squares = m.posSq;
    const out = { ...m, weighted: true, plain: m, area: null, labelledHeads: null, pos: pos.map((v) => v * scale),
      posSq: squares.map((v, i) => v * factor[i] ** 2 * scale ** 2), products: squares.map((v, i) => v * factor[i] * scale), plainSq: squares };
    out.G = headsOf(out.pos);
    const total = out.G[m.k];
    for (let i = 0; i <= m.k; i++) out.G[i] /= total;
    out.sizePos = m.totalPos ** 2 / sum(out.posSq);
    return out;
  }
  // The central pair, and those with the most extreme prior, purity and gap.
  function extremePairs(m, at) {
    const columns = [at.pairs.map((p) => p[0]), at.pairs.map((p) => p[1]), at.pairs.map(([p, b]) => b - Curves.shareOf(m, p))];
    const places = new Set([0, ...columns.flatMap((c) => [c.indexOf(Math.min(...c)), c.indexOf(Math.max(...c))])]);
    return [...places].sort((i, j) => i - j).map((i) => at.pairs[i]);
  }
  return { rocEnds, precisionHeads, tiltedTable, extremePairs };
})();
