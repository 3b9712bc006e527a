// How many positives are among the best unlabeled rows, with limits: listing/discovery.py.
const Discovery = (() => {
  const { rates } = Curves, { meanReaches } = Sampling;
  const LEAST_GAP = 1e-9;
  const clip = (v, low, high) => Math.min(Math.max(v, low), high);
  const headsOf = (shares) => { const out = new Float64Array(shares.length + 1); for (let i = 0; i < shares.length; i++) out[i + 1] = out[i] + shares[i]; return out; };

  // ------------------------------------------------------------------ the rows of a model
  // Labelled and unlabeled rows are two samples in either scenario; points are numbers of unlabeled rows.
  function prepare({ pos, unl, squares, heavy }, points, { single, totals }, z, level) {
    const heads = (column) => { const out = headsOf(column), total = out[column.length]; return out.map((v) => v / total); };
    const ends = headsOf(unl), total = points[points.length - 1], k = pos.length;
    const d = { pos, unl, posSq: squares && squares[0], unlSq: squares && squares[1], heavy, points, total, k, ends, z, level,
      G: heads(pos), F: heads(unl), single, totals, parts: [] };
    return d;
  }
  // Which part of each row is among the first so many.
  function insideOf(d, rows) {
    if (rows >= d.total) return new Float64Array(d.k).fill(1);
    return Float64Array.from(d.unl, (_, i) => {
      const start = d.ends[i], length = d.ends[i + 1] - start;
      return length > 0 ? clip((rows - start) / length, 0, 1) : start < rows ? 1 : 0;
    });
  }
  // Shares of both samples at a point, and how far each may be off: none depends on what the sliders say.
  function partOf(d, j) {
    if (!d.parts[j]) {
      const inside = insideOf(d, d.points[j]);
      let g = 0, f = 0;
      for (let i = 0; i < d.k; i++) { g += inside[i] * (d.G[i + 1] - d.G[i]); f += inside[i] * (d.F[i + 1] - d.F[i]); }
      d.parts[j] = { inside, g, f, byPos: meanReaches(d.pos, inside, d.posSq, d.level, [0, 1], 1), byCmp: null };
    }
    return d.parts[j];
  }
  function byOthers(d, j) {
    const part = partOf(d, j);
    part.byCmp = part.byCmp || meanReaches(d.unl, part.inside.map((v) => -v), d.unlSq, d.level, [-1, 0], 0.5);
    return part.byCmp;
  }

  // ------------------------------------------------------------------ what is assumed
  const hiddenShare = (d, prior, purity) => Math.min(Math.max(Allowed.hiddenShare(d, prior, purity), 0), purity - LEAST_GAP);
  function shareError(d, prior, purity) {
    if (!d.single) return 0;
    const [pos, unl, neg] = d.totals, rows = pos + unl + neg, labelled = pos / rows;
    return Math.sqrt(labelled * (1 - labelled) / rows) * (purity - prior) / (1 - labelled) ** 2;
  }
  const placeOf = (d, { prior, purity }) => ({ share: hiddenShare(d, prior, purity), purity, error: shareError(d, prior, purity) });

  // ------------------------------------------------------------------ the curve (numerics/monotone.py, numerics/monotone.py)
  function isotonic(values, weights) {
    const blocks = [];
    for (let i = 0; i < values.length; i++) {
      let block = { sum: values[i] * weights[i], weight: weights[i], count: 1, mean: values[i] };
      while (blocks.length && blocks[blocks.length - 1].mean >= block.mean) {
        const last = blocks.pop(), weight = last.weight + block.weight, all = last.sum + block.sum;
        block = { sum: all, weight, count: last.count + block.count, mean: all / weight };
      }
      blocks.push(block);
    }
    return blocks.flatMap(({ mean, count }) => Array(count).fill(mean));
  }
  function boundedIsotonic(values, weights) {
    const heavy = Array.from(weights, (w, i) => i).filter((i) => weights[i] > 0);
    const fitted = isotonic(heavy.map((i) => values[i]), heavy.map((i) => weights[i])), out = new Float64Array(values.length);
    for (let i = 0, rank = 0, most = -Infinity; i < values.length; i++) {
      if (weights[i] > 0) rank += 1;
      const floor = rank ? fitted[rank - 1] : -Infinity, ceiling = rank < fitted.length ? fitted[rank] : Infinity;
      const free = !heavy.length ? values[i] : weights[i] > 0 ? floor : clip(values[i], floor, ceiling);
      most = Math.max(most, free);
      out[i] = clip(most, 0, 1);
    }
    return out;
  }
  const spacing = (values) => values.map((v, i) => (values[Math.min(i + 1, values.length - 1)] - values[Math.max(i - 1, 0)]) / 2);
  function projection(x, y) {
    const folded = new Float64Array(x.length);
    for (let i = 0, most = -Infinity; i < x.length; i++) folded[i] = most = Math.max(most, x[i]);
    for (let i = x.length - 1, least = Infinity; i >= 0; i--) { least = Math.min(least, x[i]); folded[i] = (folded[i] + least) / 2; }
    const fittedY = boundedIsotonic(y, spacing(folded));
    return [boundedIsotonic(x, spacing(fittedY)), fittedY];
  }
  // Straight between points whose places do not fall.
  function interpolated(x, xs, ys) {
    const last = xs.length - 1;
    if (x >= xs[last]) return ys[last];
    let low = 0, high = last;
    if (x < xs[0]) return ys[0];
    while (high - low > 1) { const middle = (low + high) >> 1; if (xs[middle] <= x) low = middle; else high = middle; }
    return xs[low] === x ? ys[low] : (ys[low + 1] - ys[low]) / (xs[low + 1] - xs[low]) * (x - xs[low]) + ys[low];
  }
  function findsOf(d, share, purity) {
    const [tpr, fpr] = rates(d.G, d.F, share, purity), [x, y] = projection(fpr, tpr);
    const rows = y.map((v, i) => d.total * (share * v + (1 - share) * x[i])), found = y.map((v) => d.total * share * v);
    return d.points.map((row) => interpolated(row, rows, found));
  }

  // ------------------------------------------------------------------ limits
  function bandAt(d, j, { share, purity }) {
    const { g, f, byPos } = partOf(d, j), gap = purity - share, onPos = (1 - share) / gap, onCmp = (1 - purity) / gap;
    const byCmp = onCmp ? byOthers(d, j) : [0, 0], rate = onPos * g - onCmp * f, whole = d.points[j] >= d.total;
    return { rate, ends: [-1, 1].map((sign, i) => (whole ? 1 : rate + sign * Math.sqrt((onPos * byPos[i]) ** 2 + (onCmp * byCmp[i]) ** 2))) };
  }
  function limitsAt(d, j, { rate, ends }, { share, error }) {
    const { z, total, heavy } = d, rows = d.points[j], scale = total * share, middle = clip(scale * rate, 0, rows);
    return ends.map((end, i) => {
      const sign = i ? 1 : -1, edge = clip(scale * end, 0, rows), mean = Math.max(middle, edge);
      const spread = z * Math.sqrt(heavy * mean * Math.max(1 - mean / total, 0)), skew = rows > 0 ? (z ** 2 - 1) / 6 * heavy : 0;
      const chance = Math.max(spread + sign * skew, 0) + 0.5 * heavy, byShare = z * total * error * clip(rate, 0, 1);
      return middle + sign * Math.sqrt((edge - middle) ** 2 + chance ** 2 + byShare ** 2);
    });
  }
  // The curve at a position of the sliders: finds at all points, limits at a point when asked for, unless they are known.
  function of(d, at, known = null) {
    const place = placeOf(d, at), { share, purity } = place, finds = findsOf(d, share, purity);
    const kept = known ? d.points.map((_, j) => known.map((ends) => ends[j])) : [];
    const limits = (j) => {
      if (kept[j]) return kept[j];
      const rows = d.points[j], [low, high] = limitsAt(d, j, bandAt(d, j, place), place);
      return (kept[j] = [clip(Math.min(low, finds[j]), 0, rows), clip(Math.max(high, finds[j]), 0, rows)]);
    };
    // The number to be found among the first so many rows, with its interval.
    const found = (rows) => {
      const value = interpolated(rows, d.points, finds), next = d.points.findIndex((p) => p >= rows), near = d.points[next] === rows ? [next] : [next - 1, next];
      const places = near.map((j) => d.points[j]);
      const [low, high] = [0, 1].map((end) => interpolated(rows, places, near.map((j) => limits(j)[end])));
      return { value, interval: [Math.min(low, value), Math.max(high, value)] };
    };
    return { share, finds, limits, found };
  }
  return { prepare, of };
})();
