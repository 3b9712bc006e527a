// Areas and metrics with their intervals: correction, confusion, intervals, brackets, hull of the library.
const Core = (() => {
  const { sum, dot, prepare, shareOf, rates, path, rocArea, precisionCurve, stepArea } = Curves;
  const { linearVariance, othersOf, betaQuantile, linearReaches } = Sampling;
  const TINY = 1e-100;

  const studentOf = (m, degrees) => Special.student(degrees, m.level, m.z);
  function logitLimits(m, value, v) {
    const error = Math.sqrt(v.total) / (value * (1 - value)), reach = studentOf(m, v.degrees) * error;
    const odds = Math.log(value / (1 - value)), clip = (t) => Math.min(Math.max(t, -700), 700);
    return [-reach, reach].map((r) => 1 / (1 + Math.exp(-clip(odds + r))));
  }
  function withoutVariance(m, value) {
    const doubt = ((1 - m.level) / 2) ** (1 / Math.min(m.sizePos, m.sizeCmp));
    return [value * doubt, 1 - (1 - value) * doubt];
  }
  function uncorrectedArea(m) {
    if (m.area) return m.area;
    const above = new Float64Array(m.k), below = new Float64Array(m.k);
    let area = 0;
    for (let i = 0; i < m.k; i++) {
      above[i] = (m.G[i + 1] + m.G[i]) / 2;
      below[i] = 1 - (m.F[i + 1] + m.F[i]) / 2;
      area += (m.F[i + 1] - m.F[i]) * above[i];
    }
    area += m.offset; // what merging rows into blocks took
    const [down, up] = linearReaches(m, below, above, [[m.single ? m.totalPos / m.totalCmp : 0, 1], [0, 1]]);
    return (m.area = { area, limits: [area - down, area + up] });
  }
  // ------------------------------------------------------------------ buckets (brackets.py)
  // Both extreme orders of the rows inside buckets: the others first, and the positives first.
  function extremeOrders(m) {
    if (m.orders) return m.orders;
    m.orders = [false, true].map((positivesFirst) => {
      const pos = [], unl = [], neg = [], origin = [];
      for (let i = 0; i < m.k; i++) {
        const parts = m.hidden[i] ? (positivesFirst ? [[1, 0], [0, 1]] : [[0, 1], [1, 0]]) : [[1, 1]];
        for (const [own, others] of parts) {
          pos.push(own * m.pos[i]); unl.push(others * m.unl[i]); neg.push(others * m.neg[i]); origin.push(i);
        }
      }
      const columns = [pos, unl, neg].map((column) => Float64Array.from(column));
      const order = prepare({ score: null, pos: columns[0], unl: columns[1], neg: columns[2] }, m.meta, m.z, m.level);
      return Object.assign(order, { origin });
    });
    return m.orders;
  }
  const widened = ([low, high], value, [least, most]) => [low - (value - Math.min(least, value)), high + (Math.max(most, value) - value)];
  function areaBracket(m, at) {
    const ends = extremeOrders(m).map((order) => rocArea(path(order, at.prior, at.purity)));
    return [Math.min(...ends), Math.max(...ends)];
  }
  function precisionBracket(m, at) {
    return extremeOrders(m).map((order, largest) => {
      const p = path(order, at.prior, at.purity), n = p.row.length;
      const precision = p.tpr.map((t, i) => {
        const found = at.prior * t, reached = found + (1 - at.prior) * p.fpr[i];
        if (!largest && p.fpr[i] === 0 && t === 0) return 0;
        return reached > 0 ? found / reached : 1;
      });
      if (largest) precision[0] = precision[Math.min(1, n - 1)];
      const origin = p.row.map((r) => (r > 0 ? order.origin[r - 1] : -1)), same = (i, j) => j > 0 && j < n && origin[i] === origin[j];
      let total = 0;
      for (let i = 1; i < n; i++) {
        const open = (origin[i] >= 0 && m.hidden[origin[i]]) || same(i, i + 1) || same(i, i - 1);
        const extreme = (largest ? Math.max : Math.min)(precision[i], precision[i - 1]);
        total += (p.tpr[i] - p.tpr[i - 1]) * (open ? extreme : precision[i]);
      }
      return total;
    });
  }
  const cutTo = (low, high, least, most) => [Math.min(Math.max(low, least), most), Math.max(Math.min(high, most), least)];

  // Limits that hold a repaired value with its own reach, where the repair moved it beyond them.
  function aroundBoth([low, high], value, raw, least) {
    if ((raw > value ? low < value && value <= high : low <= value && value < high) || low >= 1 || high <= least || !Number.isFinite(raw) || value === raw) return [low, high];
    return [Math.min(low, value - Math.max(raw - low, 0)), Math.max(high, value + Math.max(high - raw, 0))];
  }
  function rocAuc(m, at, p = path(m, at.prior, at.purity)) {
    const { limits } = uncorrectedArea(m), gap = at.purity - shareOf(m, at.prior);
    let value = rocArea(p);
    if (m.offset) value = Math.min(Math.max(value + m.offset / gap, 0), 1);
    const ends = limits.map((end) => (end - (1 - gap) / 2) / gap);
    const raw = (uncorrectedArea(m).area - (1 - gap) / 2) / gap;
    let reached = aroundBoth([Math.min(...ends), Math.max(...ends)], value, raw, 0);
    reached = [Math.min(reached[0], value), Math.max(reached[1], value)];
    if (m.hidden) reached = widened(reached, value, areaBracket(m, at));
    return { value, interval: cutTo(...reached, 0, 1) };
  }

  function foundAndReached(m, tpr, fpr, prior) {
    const found = new Float64Array(m.k), bottom = new Float64Array(m.k);
    for (let i = 0; i < m.k; i++) {
      found[i] = prior * tpr[i + 1];
      const reached = found[i] + (1 - prior) * fpr[i + 1];
      bottom[i] = Math.max(Math.max(reached, found[i]), TINY);
    }
    return [found, bottom];
  }
  function headVariance(m) {
    if (m.headVar) return m.headVar;
    const [counts, others] = othersOf(m), total = sum(counts), squares = sum(others);
    const weight = total / m.totalCmp, out = new Float64Array(m.k);
    for (let i = 0, run = 0; i < m.k; i++) {
      run += counts[i];
      const head = run / total;
      out[i] = head * (1 - head) * weight ** 2 * squares / total ** 2;
    }
    return (m.headVar = out);
  }
  // Whether precision is not held to 1.
  const varies = (found, bottom) => found < bottom * (1 - 1e-12);
  function precisionVariance(m, prior, purity, held = false) {
    const share = shareOf(m, prior), [tpr, fpr] = rates(m.G, m.F, share, purity);
    const [found, bottom] = foundAndReached(m, tpr, fpr, prior), spread = headVariance(m);
    let total = 0, deflated = 0;
    for (let i = 0; i < m.k; i++) {
      const gain = tpr[i + 1] - tpr[i];
      const excess = spread[i] / Math.max(bottom[i], 1 / m.sizeCmp) ** 2;
      const others = Math.max(m.sizePos * m.G[i + 1] - 1, 0) / Math.max(m.sizePos - 1, 1);
      const without = Math.max(prior * (others + (1 - purity) * ((others - m.F[i + 1]) / (purity - share))), 0);
      const precision = Math.max(found[i], 0) / bottom[i];
      total += gain * precision;
      deflated += gain * (held && !varies(found[i], bottom[i]) ? precision : without / bottom[i] / (1 + excess));
    }
    const inflation = total > 0 && deflated > 0 ? total / deflated : 1;
    const one = 1 / (purity - share), byPos = [1 + (1 - purity) * one, 0 - share * one];
    const byCmp = [(1 - purity) * -one, 1 - share * -one];
    const onPos = new Float64Array(m.k), onCmp = new Float64Array(m.k);
    let tailPos = 0, tailCmp = 0, next = 0;
    for (let i = m.k - 1; i >= 0; i--) {
      const gain = tpr[i + 1] - tpr[i], precision = Math.max(found[i], 0) / bottom[i];
      const slopeTpr = found[i] > 0 ? prior * (bottom[i] - found[i]) / bottom[i] ** 2 : 0;
      const slopeFpr = held && !varies(found[i], bottom[i]) ? 0 : -(1 - prior) * Math.max(found[i], 0) / bottom[i] ** 2;
      const onTpr = precision - next + gain * slopeTpr, onFpr = gain * slopeFpr;
      tailPos += byPos[0] * onTpr + byPos[1] * onFpr;
      tailCmp += byCmp[0] * onTpr + byCmp[1] * onFpr;
      onPos[i] = tailPos; onCmp[i] = tailCmp; next = precision;
    }
    return { ...linearVariance(m, onPos, onCmp), inflation: Math.max(inflation, 1) };
  }
  function precisionLimits(m, value, v) {
    const ends = [value / v.inflation, value].map((centre, side) => {
      const reach = studentOf(m, v.degrees) * Math.sqrt(v.total), plain = [centre - reach, centre + reach];
      const logit = v.total > 0 && centre > 0 && centre < 1 ? logitLimits(m, centre, v) : plain;
      return [logit[side], plain[side]];
    });
    return [Math.max(...ends[0]), (value > 0.5 ? Math.max : Math.min)(...ends[1])];
  }
  // ------------------------------------------------------------------ spacings (correction/precision_limits.py)
  function quadraticMoments(a, slope, tied) {
    const n = a.length, total = sum(a), two = total * (total + 1), four = (total + 2) * (total + 3);
    let running = 0, uptoHeads = 0, uptoSteps = 0, square = 0, own2 = 0, allSteps = 0;
    const steps = a.map((v, i) => (tied[i] ? slope[i] / 2 : 0) * v * (v + 1) / two);
    for (let i = 0; i < n; i++) allSteps += steps[i];
    for (let i = 0; i < n; i++) {
      running += a[i];
      const onHeads = (slope[i] - (i + 1 < n ? slope[i + 1] : 0)) / 2, onSteps = tied[i] ? slope[i] / 2 : 0;
      const head = onHeads * running * (running + 1) / two, outer = onHeads * (running + 2) * (running + 3) / four;
      square += 2 * outer * uptoHeads + outer * head;
      uptoHeads += head; uptoSteps += steps[i]; own2 += steps[i] ** 2;
      square += steps[i] * onSteps * (a[i] + 2) * (a[i] + 3) / four;
      square += 2 * (outer * uptoSteps + head * (allSteps - uptoSteps) * two / four);
    }
    square += (allSteps ** 2 - own2) * two / four;
    const mean = uptoHeads + uptoSteps;
    return [mean, Math.max(square - mean ** 2, 0)];
  }
  const MISSED = 2 / 3;
  // What does not depend on the prior: labels, rows and shares at each labelled score.
  function labelledHeads(m) {
    if (m.labelledHeads) return m.labelledHeads;
    const [others] = othersOf(m), scalePos = m.sizePos / m.totalPos, scaleCmp = m.sizeCmp / m.totalCmp;
    const out = { labels: [], rows: [], found: [], tied: [], place: [], skew: [], reached: [] };
    let run = 0, cmp = 0, labels = 0;
    for (let i = 0; i < m.k; i++) {
      run += others[i]; cmp += m.cmp[i];
      if (!(m.pos[i] > 0)) continue;
      const own = m.pos[i] * scalePos, count = Math.max(run * scaleCmp, 1);
      labels += own;
      out.labels.push(own); out.found.push(cmp / m.totalCmp); out.place.push(i); out.reached.push(labels);
      out.tied.push(!m.merged && (others[i] > 0 || m.pos[i] ** 2 > (1 + 1e-9) * m.posSq[i]));
      out.skew.push(Math.max(Math.log(count / Special.gamma(count, (1 - m.level) / 2, -m.z)) * Math.sqrt(count) / m.z, 1));
    }
    const total = sum(out.labels);
    return (m.labelledHeads = { ...out, total, reached: out.reached.map((v) => v / total), share: Special.beta((1 + m.level) / 2, MISSED, total) });
  }
  function missedSlope(h, prior, unit) {
    const certain = unit / 2 / prior, whole = h.share <= certain ? h.share ** 2 / 2 / certain : h.share - certain / 2;
    return 2 * whole / h.share ** 2;
  }
  function errorOfOthers(m, h, precision, rows, upper) {
    const [others] = othersOf(m), total = sum(others), weight = total / m.totalCmp, n = h.place.length;
    const below = new Float64Array(n + 1);
    for (let i = n - 1; i >= 0; i--) {
      below[i] = below[i + 1] + precision[i] / Math.max(rows[i], 1 / m.sizeCmp) * weight * (upper ? h.skew[i] : 1);
    }
    const reached = new Float64Array(m.k);
    for (let i = 0, j = 0; i < m.k; i++) {
      while (j < n && h.place[j] < i) j++;
      reached[i] = below[j];
    }
    const mean = dot(others, reached) / total;
    let spread = 0.5 * (below[0] - mean) ** 2;
    for (let i = 0; i < m.k; i++) spread += others[i] * (reached[i] - mean) ** 2;
    return Math.sqrt(spread / (total + 0.5) / (m.sizeCmp * weight));
  }
  function spacingLimits(m, prior) {
    const h = labelledHeads(m), unit = 1 / m.sizeCmp, tail = (1 - m.level) / 2;
    if (h.total < 3 - 1e-9) return [0, 1];
    const ends = [false, true].map((upper) => {
      const rows = h.found.map((f) => f + (upper ? 0 : 1) * unit);
      const slope = rows.map((r, i) => Math.min(prior / Math.max(r, unit / 2), 1 / h.reached[i]));
      let parameters, slopes, tied;
      if (upper) {
        parameters = [MISSED, ...h.labels];
        slopes = [missedSlope(h, prior, unit), ...slope.map((s, i) => (h.tied[i] ? s : (s + slope[Math.max(i - 1, 0)]) / 2))];
        tied = [false, ...h.tied];
      } else {
        parameters = [...h.labels, MISSED]; slopes = [...slope, prior]; tied = [...h.tied, false];
      }
      const [mean, variance] = quadraticMoments(parameters, slopes, tied);
      const byPos = Math.abs(betaQuantile(mean, variance, upper ? 1 - tail : tail) - mean);
      const all = sum(parameters), first = upper ? 1 : 0;
      let run = upper ? MISSED / all : 0;
      const precision = h.labels.map((_, i) => {
        const share = parameters[i + first] / all, before = run;
        run += share;
        const gain = tied[i + first] ? share * run : (run ** 2 - before ** 2) / 2;
        return gain * Math.min(slopes[i + first], 1 / h.reached[i]);
      });
      const error = errorOfOthers(m, h, precision, rows, upper);
      if (mean <= 0) return mean;
      const grown = upper ? Math.exp(Math.min(m.z * error / mean, 700)) : Math.exp(-m.z * error / mean);
      const reach = Math.sqrt(byPos ** 2 + (mean * Math.abs(grown - 1)) ** 2);
      return upper ? mean + reach : mean - reach;
    });
    return [Math.max(ends[0], 0), Math.min(ends[1], 1)];
  }
  // Limits from the variance of a precision that is held to 1 (statistics/precision_area.py).
  function linearLimits(m, value, v, held) {
    const doubt = 0.4 * m.sizePos / (m.sizePos + 50), error = Math.sqrt(held.total) * (1 - doubt) + Math.sqrt(v.total) * doubt;
    const limits = (centre, total, side) => {
      const plain = centre + (side ? 1 : -1) * studentOf(m, held.degrees) * Math.sqrt(total);
      return [total > 0 && centre > 0 && centre < 1 ? logitLimits(m, centre, { ...held, total })[side] : plain, plain];
    };
    const above = limits(value, held.total, 1);
    return [Math.max(...limits(value / held.inflation, error ** 2, 0)), value > 0.5 ? Math.max(...above) : above[0]];
  }
  function precisionEnds(m, value, prior, purity) {
    const v = precisionVariance(m, prior, purity), share = shareOf(m, prior), bySpacings = purity === 1 && share === prior;
    if (v.total === 0 && !bySpacings) return withoutVariance(m, value);
    const [least, most] = bySpacings ? spacingLimits(m, prior) : precisionLimits(m, value, v);
    if (v.total === 0 || m.sizePos < 3 - 1e-9) return [Math.min(least, value), Math.max(most, value)];
    let [low, high] = linearLimits(m, value, v, precisionVariance(m, prior, purity, true));
    low = Math.max(low, least);
    if (bySpacings) high = Math.min(high, most);
    const hidden = share * m.sizeCmp, byLabels = Math.max(1 - (8 / m.sizePos) ** 2, 0);
    low += (least - low) * (1 - byLabels * hidden / (15 + hidden));
    high += (most - high) * 6 / (6 + hidden);
    return [Math.min(low, value), Math.max(high, value)];
  }
  function averagePrecision(m, at, p = path(m, at.prior, at.purity)) {
    const value = stepArea(m, precisionCurve(p, at.prior));
    let ends = precisionEnds(m, value, at.prior, at.purity);
    if (m.hidden) ends = widened(ends, value, precisionBracket(m, at));
    return { value, interval: cutTo(...ends, 0, 1) };
  }
  // Prior and purity taken as known: the one pair that is possible.
  const known = (prior, purity) => ({ prior, purity, clean: purity === 1, pairs: [[prior, purity]], places: [[0, []]], errors: 1, least: 1 });
  function added(reach, more, shared) {
    if (!shared) return Math.hypot(reach, more);
    if (!Number.isFinite(reach + more)) return Infinity;
    return Math.sqrt(Math.max(reach ** 2 + more ** 2 + shared * reach * more, Math.max(reach, more) ** 2));
  }
  // Correlations of a prior that was read off these scores with the two shares that reach one of them.
  function withPrior(m, g, f) {
    if (!m.byHead) return [0, 0];
    const [labelled, unlabeled, byLabelled, byUnlabeled] = m.byHead, labels = labelled[labelled.length - 1], others = unlabeled[unlabeled.length - 1];
    const rows = m.single ? labels + others : others, hidden = m.single ? f * rows - g * labels : f * rows;
    const along = (x, xs, ys) => {
      const j = xs.findIndex((v) => v >= x);
      if (j === 0 || j < 0) return ys[j < 0 ? xs.length - 1 : 0];
      return ys[j - 1] + (ys[j] - ys[j - 1]) / (xs[j] - xs[j - 1]) * (x - xs[j - 1]);
    };
    const byPos = along(g * labels, labelled, byLabelled), byCmp = along(hidden, unlabeled, byUnlabeled) + (m.single ? byPos : 0);
    return [[byPos, g, labels], [byCmp, f, rows]].map(([by, share, size]) => {
      const spread = share > 0 && share < 1 ? Math.sqrt(size * share * (1 - share)) : 0;
      return spread > 0 ? m.byHead[4] * Math.min(Math.max(by / spread, -1), 1) : 0;
    });
  }
  // Limits over all places that may be true, from a statistic and its limits at every pair (sampling/uncertain.py).
  function limitsOver(m, at, spreads, least) {
    if (spreads.length === 1) return spreads[0].slice(1, 3);
    const shown = (value) => Math.min(Math.max(value, least), 1);
    const reaches = at.places.map(([place, errors]) => {
      const [here, low, high, sharedDown, sharedUp] = spreads[place];
      let down = Math.max(here - low, 0), up = Math.max(high - here, 0);
      for (const error of errors) {
        const there = [here, ...error.map((i) => spreads[i][0])].filter((v) => !Number.isNaN(v));
        const rises = Math.sign(spreads[error[error.length - 1]][0] - spreads[error[0]][0]);
        down = added(down, at.errors * Math.max(here - Math.min(...there), 0), 2 * sharedDown * rises);
        up = added(up, at.errors * Math.max(Math.max(...there) - here, 0), 2 * sharedUp * rises);
      }
      return Number.isFinite(here) ? [here, down, up] : [NaN, low, high];
    });
    const finite = reaches.filter((reach) => reach.every(Number.isFinite)), longest = Math.max(...finite.map(([c, d, u]) => shown(c + u) - shown(c - d))) * (1 - 1e-9);
    const told = (values) => values.filter((v) => !Number.isNaN(v));
    const ends = (factor, all) => [Math.min(...told(all.map(([c, d]) => c - factor * d))), Math.max(...told(all.map(([c, , u]) => c + factor * u)))];
    const enough = (factor) => {
      const [low, high] = ends(factor, finite);
      if (shown(high) - shown(low) < longest) return false;
      return finite.every(([c, d, u]) => Special.normal(u > 0 ? m.z * (high - c) / u : Infinity) - Special.normal(d > 0 ? -m.z * (c - low) / d : -Infinity) >= m.level);
    };
    let from = at.least, to = 1;
    for (let step = 0; step < 12 && reaches.length > 1 && finite.length && finite.length === told(reaches.map(([c]) => c)).length; step++) {
      const middle = (from + to) / 2;
      if (enough(middle)) to = middle; else from = middle;
    }
    const defined = reaches.filter(([c]) => !Number.isNaN(c)), others = reaches.filter(([c]) => Number.isNaN(c)), [low, high] = ends(to, defined);
    return [Math.min(low, ...told(others.map((r) => r[1]))), Math.max(high, ...told(others.map((r) => r[2])))];
  }

  // ------------------------------------------------------------------ at a threshold
  const add = (a, b) => (Math.abs(a + b) <= 1e-14 * (Math.abs(a) + Math.abs(b)) ? 0 : a + b);
  const ratio = (a, b) => a / (b + 0);
  const METRICS = {
    precision: [0, (tp, fp) => ratio(tp, add(tp, fp))],
    recall: [0, (tp, fp, fn) => ratio(tp, add(tp, fn))],
    specificity: [0, (tp, fp, fn, tn) => ratio(tn, add(tn, fp))],
    f1: [0, (tp, fp, fn) => ratio(2 * tp, 2 * tp + fn + fp)],
    accuracy: [0, (tp, fp, fn, tn) => ratio(tp + tn, tp + fp + fn + tn)],
    mcc: [-1, (tp, fp, fn, tn) => {
      const n = tp + fp + fn + tn;
      tp /= n; fp /= n; fn /= n; tn /= n;
      const spread = Math.sqrt(add(tp, fp) * add(tp, fn)) * Math.sqrt(add(tn, fp) * add(tn, fn));
      return ratio(tp * tn - fp * fn, spread);
    }],
  };
  function entries(m, g, f, prior, purity) {
    const apart = (g - f) / (purity - shareOf(m, prior));
    const tpr = g + (1 - purity) * apart, fpr = f - shareOf(m, prior) * apart;
    return [prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr), tpr, fpr];
  }
  function agrestiCoull(share, size, z) {
    const padded = size + z ** 2, centre = (share * size + z ** 2 / 2) / padded;
    const reach = z * Math.sqrt(centre * (1 - centre) / padded);
    return [Math.max(centre - reach, 0), Math.min(centre + reach, 1)];
  }
  const larger = (a, b) => (Number.isNaN(a) ? 0 : Number.isNaN(b) || b > a ? 1 : 0);
  // Rows whose plain shares would vary as much as the weighted ones, at a threshold (TwoSamples.sizes_at).
  function sizesAt(m, threshold) {
    if (!m.weighted || threshold === null) return [m.sizePos, m.sizeCmp];
    return [[m.pos, m.posSq, m.totalPos, m.sizePos], [m.cmp, m.cmpSq, m.totalCmp, m.sizeCmp]].map(([counts, squares, total, kish]) => {
      let head = 0, inside = 0, outside = 0;
      for (let i = 0; i < m.k; i++) {
        if (m.score[i] >= threshold) { head += counts[i]; inside += squares[i]; } else outside += squares[i];
      }
      const share = head / total, error = inside * (1 - share) ** 2 + outside * share ** 2;
      return share > 0 && share < 1 && inside > 0 && outside > 0 ? share * (1 - share) * total ** 2 / error : kish;
    });
  }
  // Limits, and the correlations of errors down and up with what goes so with g and with f.
  function recoveredLimits(m, fn, g, f, [sizePos, sizeCmp] = [m.sizePos, m.sizeCmp], [ofG, ofF] = [0, 0]) {
    const [gl, gh] = agrestiCoull(g, sizePos, m.z), [fl, fh] = agrestiCoull(f, sizeCmp, m.z);
    let correlation = 0;
    if (m.single && f > 0 && f < 1) {
      correlation = Math.sqrt(Math.min(m.shared * (g * (1 - g) / (f * (1 - f))), 1));
    }
    const centre = fn(g, f), atG = [fn(gl, f), fn(gh, f)], atF = [fn(g, fl), fn(g, fh)];
    if (!Number.isFinite(centre)) {
      const known = [fn(gl, fl), fn(gl, fh), fn(gh, fl), fn(gh, fh)].filter((v) => !Number.isNaN(v));
      return known.length ? [Math.min(...known), Math.max(...known), 0, 0] : [-Infinity, Infinity, 0, 0];
    }
    const both = [-1, 1].map((sign) => {
      const moveG = atG.map((v) => Math.max(sign * (v - centre), 0));
      const moveF = atF.map((v) => Math.max(sign * (v - centre), 0));
      const gs = larger(...moveG), fs = larger(...moveF), byG = moveG[gs], byF = moveF[fs];
      if (!Number.isFinite(byG + byF)) return [sign * Infinity, 0];
      const joint = 2 * correlation * byG * byF * (gs === fs ? 1 : -1);
      const reach = Math.sqrt(Math.max(byG ** 2 + byF ** 2 + joint, 0)), turn = (side) => ((side === 0) === (sign < 0) ? 1 : -1);
      return [centre + sign * reach, reach > 0 ? byG / reach * turn(gs) * ofG + byF / reach * turn(fs) * ofF : 0];
    });
    return [both[0][0], both[1][0], both[0][1], both[1][1]];
  }
  // Smallest and largest value between two heads: at the corners, and on a grid in between.
  function overBox(fn, [g0, f0], [g1, f1]) {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < 17; i++) {
      for (let j = 0; j < 17; j++) {
        const value = fn(i === 16 ? g1 : g0 + i * ((g1 - g0) / 16), j === 16 ? f1 : f0 + j * ((f1 - f0) / 16));
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    return low <= high ? [low, high] : null;
  }
  function metric(m, name, g, f, at, around = null, stop = { threshold: null }) {
    const sizes = stop.sizes || sizesAt(m, stop.threshold);
    const [least, formula] = METRICS[name];
    const compute = ([prior, purity]) => (a, b) => formula(...entries(m, a, b, prior, purity));
    const value = compute([at.prior, at.purity])(g, f);
    if (Number.isNaN(value)) return { value, interval: null };
    const ofPrior = at.pairs.length > 1 ? withPrior(m, g, f) : [0, 0];
    const limitsOf = (pair) => {
      const [low, high, ...shared] = recoveredLimits(m, compute(pair), g, f, sizes, ofPrior);
      return [Number.isNaN(low) ? Infinity : low, Number.isNaN(high) ? -Infinity : high, ...shared];
    };
    let ends = limitsOver(m, at, at.pairs.map((pair) => [compute(pair)(g, f), ...limitsOf(pair)]), least);
    const shownAt = ([prior, purity]) => {
      const kept = possible(m, formula, g, f, { prior, purity });
      return inside(Number.isNaN(kept) ? compute([prior, purity])(g, f) : kept, least);
    };
    const shown = shownAt([at.prior, at.purity]), there = at.pairs.length > 1 ? at.places.map(([i]) => shownAt(at.pairs[i])).filter((v) => !Number.isNaN(v)) : [];
    ends = [Math.min(ends[0], ...there), Math.max(ends[1], ...there)];
    ends = aroundBoth(ends, shown, value, least);
    ends = [Math.min(ends[0], value), Math.max(ends[1], value)];
    const box = around && overBox(compute([at.prior, at.purity]), ...around);
    if (box) ends = widened(ends, value, box);
    const interval = bounded(value, ends, least);
    return { value: shown, interval: [Math.min(interval[0], shown), Math.max(interval[1], shown)] };
  }
  // The metric of rates that were moved into [0, 1], which fits the other metrics at the threshold.
  function possible(m, formula, g, f, { prior, purity }) {
    const [tpr, fpr] = entries(m, g, f, prior, purity).slice(4).map((rate) => Math.min(Math.max(rate, 0), 1));
    return formula(prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr));
  }
  const inside = (v, least) => Math.min(Math.max(v, least), 1);
  // Where all of an interval lies outside the range, the value that was moved keeps its reach.
  function bounded(value, [low, high], least) {
    const moved = inside(value, least);
    let ends = [inside(low, least), inside(high, least)];
    if (ends[0] >= ends[1] && high > low) ends = Number.isFinite(value) ? [inside(moved - (value - low), least), inside(moved + (high - value), least)] : [least, 1];
    return [Math.min(ends[0], moved), Math.max(ends[1], moved)];
  }
  function hull(m, f, g, at) {
    const [tpr, fpr] = rates(g, f, shareOf(m, at.prior), at.purity);
    let s = 0;
    for (let i = 1; i < fpr.length; i++) s += (fpr[i] - fpr[i - 1]) * (tpr[i] + tpr[i - 1]);
    return { fpr, tpr, area: s / 2 };
  }
  return { prepare, shareOf, rates, path, rocArea, rocAuc, averagePrecision, precisionCurve, metric, METRICS,
    entries, recoveredLimits, known, hull };
})();
