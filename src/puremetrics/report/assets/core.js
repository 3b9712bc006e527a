// Areas and metrics with their intervals: correction, confusion, intervals, brackets, hull of the library.
const Core = (() => {
  const { sum, dot, prepare, shareOf, rates, path, rocArea, precisionCurve, stepArea } = Curves;
  const TINY = 1e-100;

  // ------------------------------------------------------------------ variance
  const smallSample = (n) => (n > 1 ? Math.sqrt(n / (n - 1)) : 1);
  function linearVariance(m, onPos, onCmp) {
    const meanPos = dot(m.pos, onPos) / m.totalPos, meanCmp = dot(m.cmp, onCmp) / m.totalCmp;
    const a = smallSample(m.sizePos), b = smallSample(m.sizeCmp);
    let sizeOthers = m.sizeCmp, fromPos = 0, fromOthers = 0;
    if (m.single) sizeOthers = Math.max(sizeOthers - m.sizePos, 2);
    for (let i = 0; i < m.k; i++) {
      const viaCmp = (onCmp[i] - meanCmp) / m.totalCmp * b;
      let viaPos = (onPos[i] - meanPos) / m.totalPos * a;
      if (m.single) viaPos += viaCmp;
      fromPos += m.posSq[i] * viaPos ** 2;
      fromOthers += (m.single ? m.cmpSq[i] - m.posSq[i] : m.cmpSq[i]) * viaCmp ** 2;
    }
    const total = fromPos + fromOthers;
    const spread = fromPos ** 2 / Math.max(m.sizePos - 1, 1) + fromOthers ** 2 / Math.max(sizeOthers - 1, 1);
    return { total, degrees: spread > 0 ? total ** 2 / spread : 1 };
  }
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
    const v = linearVariance(m, below, above), limits = {};
    for (const [kind, weight] of [['clean', 0.25], ['noisy', 1]]) {
      let total = v.total;
      if (total > 0) total += weight * ((0.5 - area) / m.sizePos) ** 2 + weight * ((0.5 - area) / m.sizeCmp) ** 2;
      limits[kind] = total > 0 && area > 0 && area < 1
        ? logitLimits(m, area, { total, degrees: v.degrees }) : withoutVariance(m, area);
    }
    return (m.area = { area, limits });
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

  function rocAuc(m, at, p = path(m, at.prior, at.purity)) {
    const { limits } = uncorrectedArea(m), gap = at.purity - shareOf(m, at.prior);
    let value = rocArea(p);
    if (m.offset) value = Math.min(Math.max(value + m.offset / gap, 0), 1);
    const ends = [];
    const gaps = at.pairs.map(([prior, purity]) => purity - shareOf(m, prior));
    for (const end of limits[at.clean ? 'clean' : 'noisy']) {
      for (const g of [Math.min(...gaps), Math.max(...gaps)]) ends.push((end - (1 - g) / 2) / g);
    }
    if (at.spans) { // the values there: they need not lie between the limits
      for (const g of [Math.min(...gaps), Math.max(...gaps)]) {
        const there = rocArea(path(m, ...at.pairs[gaps.indexOf(g)]));
        ends.push(m.offset ? Math.min(Math.max(there + m.offset / g, 0), 1) : there);
      }
    }
    let reached = [Math.min(...ends, value), Math.max(...ends, value)];
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
    let total = 0, squares = 0;
    const counts = new Float64Array(m.k);
    for (let i = 0; i < m.k; i++) {
      counts[i] = m.single ? m.cmp[i] - m.pos[i] : m.cmp[i];
      squares += m.single ? m.cmpSq[i] - m.posSq[i] : m.cmpSq[i];
      total += counts[i];
    }
    const weight = total / m.totalCmp, out = new Float64Array(m.k);
    for (let i = 0, run = 0; i < m.k; i++) {
      run += counts[i];
      const head = run / total;
      out[i] = head * (1 - head) * weight ** 2 * squares / total ** 2;
    }
    return (m.headVar = out);
  }
  function precisionVariance(m, prior, purity) {
    const share = shareOf(m, prior), [tpr, fpr] = rates(m.G, m.F, share, purity);
    const [found, bottom] = foundAndReached(m, tpr, fpr, prior), spread = headVariance(m);
    let total = 0, deflated = 0;
    for (let i = 0; i < m.k; i++) {
      const gain = tpr[i + 1] - tpr[i];
      const excess = spread[i] / Math.max(bottom[i], 1 / m.sizeCmp) ** 2;
      const others = Math.max(m.sizePos * m.G[i + 1] - 1, 0) / Math.max(m.sizePos - 1, 1);
      const without = Math.max(prior * (others + (1 - purity) * ((others - m.F[i + 1]) / (purity - share))), 0);
      total += gain * (Math.max(found[i], 0) / bottom[i]);
      deflated += gain * (without / bottom[i] / (1 + excess));
    }
    const inflation = total > 0 && deflated > 0 ? total / deflated : 1;
    const one = 1 / (purity - share), byPos = [1 + (1 - purity) * one, 0 - share * one];
    const byCmp = [(1 - purity) * -one, 1 - share * -one];
    const onPos = new Float64Array(m.k), onCmp = new Float64Array(m.k);
    let tailPos = 0, tailCmp = 0, next = 0;
    for (let i = m.k - 1; i >= 0; i--) {
      const gain = tpr[i + 1] - tpr[i], precision = Math.max(found[i], 0) / bottom[i];
      const slopeTpr = found[i] > 0 ? prior * (bottom[i] - found[i]) / bottom[i] ** 2 : 0;
      const slopeFpr = -(1 - prior) * Math.max(found[i], 0) / bottom[i] ** 2;
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
  function averagePrecision(m, at, p = path(m, at.prior, at.purity)) {
    const value = stepArea(m, precisionCurve(p, at.prior));
    const limits = at.pairs.map(([prior, purity], i) => {
      const there = i === 0 ? value : stepArea(m, precisionCurve(path(m, prior, purity), prior));
      const v = precisionVariance(m, prior, purity);
      return v.total === 0 ? withoutVariance(m, there) : precisionLimits(m, there, v);
    });
    let ends = [Math.min(...limits.map((l) => l[0])), Math.max(...limits.map((l) => l[1]))];
    if (m.hidden) ends = widened(ends, value, precisionBracket(m, at));
    return { value, interval: cutTo(...ends, 0, 1) };
  }
  // Prior and purity taken as known: the one pair that is possible.
  const known = (prior, purity) => ({ prior, purity, clean: purity === 1, pairs: [[prior, purity]], spans: null });
  // Pairs around one of them, between its neighbours: an extreme may lie between the pairs.
  function refined(at, [prior, purity]) {
    const [priors, purities] = [[prior, ...at.spans.prior], [purity, ...at.spans.purity]].map(([centre, low, high]) => {
      const reach = (high - low) / 8, from = Math.max(centre - reach, low), to = Math.min(centre + reach, high);
      return to > from ? Array.from({ length: 9 }, (_, i) => (i === 8 ? to : from + i * ((to - from) / 8))) : [centre];
    });
    return purities.flatMap((b) => priors.map((p) => [p, b]));
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
  function recoveredLimits(m, fn, g, f) {
    const [gl, gh] = agrestiCoull(g, m.sizePos, m.z), [fl, fh] = agrestiCoull(f, m.sizeCmp, m.z);
    let correlation = 0;
    if (m.single && f > 0 && f < 1) {
      correlation = Math.sqrt(Math.min(m.shared * (g * (1 - g) / (f * (1 - f))), 1));
    }
    const centre = fn(g, f), atG = [fn(gl, f), fn(gh, f)], atF = [fn(g, fl), fn(g, fh)];
    if (!Number.isFinite(centre)) {
      const known = [fn(gl, fl), fn(gl, fh), fn(gh, fl), fn(gh, fh)].filter((v) => !Number.isNaN(v));
      return known.length ? [Math.min(...known), Math.max(...known)] : [-Infinity, Infinity];
    }
    return [-1, 1].map((sign) => {
      const moveG = atG.map((v) => Math.max(sign * (v - centre), 0));
      const moveF = atF.map((v) => Math.max(sign * (v - centre), 0));
      const gs = larger(...moveG), fs = larger(...moveF), byG = moveG[gs], byF = moveF[fs];
      if (!Number.isFinite(byG + byF)) return sign * Infinity;
      const joint = 2 * correlation * byG * byF * (gs === fs ? 1 : -1);
      return centre + sign * Math.sqrt(Math.max(byG ** 2 + byF ** 2 + joint, 0));
    });
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
  function metric(m, name, g, f, at, around = null) {
    const [least, formula] = METRICS[name];
    const compute = ([prior, purity]) => (a, b) => formula(...entries(m, a, b, prior, purity));
    const value = compute([at.prior, at.purity])(g, f);
    if (Number.isNaN(value)) return { value, interval: null };
    const limitsOf = (pair) => {
      const [low, high] = recoveredLimits(m, compute(pair), g, f);
      return [Number.isNaN(low) ? Infinity : low, Number.isNaN(high) ? -Infinity : high];
    };
    const limits = at.pairs.map(limitsOf), lows = limits.map((l) => l[0]), highs = limits.map((l) => l[1]);
    let ends = [Math.min(...lows), Math.max(...highs)];
    if (at.spans) {
      const closer = ends.map((end, side) => refined(at, at.pairs[(side ? highs : lows).indexOf(end)]).map((pair) => limitsOf(pair)[side]));
      ends = [Math.min(ends[0], ...closer[0]), Math.max(ends[1], ...closer[1])];
    }
    ends = [Math.min(ends[0], value), Math.max(ends[1], value)];
    const box = around && overBox(compute([at.prior, at.purity]), ...around);
    if (box) ends = widened(ends, value, box);
    return { value, interval: cutTo(...ends, least, 1) };
  }
  function hull(m, f, g, at) {
    const [tpr, fpr] = rates(g, f, shareOf(m, at.prior), at.purity);
    let s = 0;
    for (let i = 1; i < fpr.length; i++) s += (fpr[i] - fpr[i - 1]) * (tpr[i] + tpr[i - 1]);
    return { fpr, tpr, area: s / 2 };
  }
  return { prepare, shareOf, rates, path, rocArea, rocAuc, averagePrecision, precisionCurve, metric, METRICS,
    entries, recoveredLimits, known, hull, uncorrectedArea, sum, dot, smallSample };
})();
