// How far a result may be off: variance of a linear statistic, limits of means of bounded values.
const Sampling = (() => {
  const { sum, dot } = Curves, ROUNDING = 1e-24;

  // ------------------------------------------------------------------ variance
  const smallSample = (n) => (n > 1 ? Math.sqrt(n / (n - 1)) : 1);
  // Rows of F without those of G: counts, and squared weights.
  const othersOf = (m) => (m.others || (m.others = [m.cmp.map((c, i) => (m.single ? c - m.pos[i] : c)),
    m.cmpSq.map((c, i) => (m.single ? c - m.posSq[i] : c))]));
  function linearVariance(m, onPos, onCmp) {
    const [, squares] = othersOf(m), meanPos = dot(m.pos, onPos) / m.totalPos, meanCmp = dot(m.cmp, onCmp) / m.totalCmp;
    const a = smallSample(m.sizePos), b = smallSample(m.sizeCmp);
    let sizeOthers = m.sizeCmp, fromPos = 0, fromOthers = 0;
    if (m.single) sizeOthers = Math.max(sizeOthers - m.sizePos, 2);
    for (let i = 0; i < m.k; i++) {
      const viaCmp = (onCmp[i] - meanCmp) / m.totalCmp * b;
      const viaPos = (onPos[i] - meanPos) / m.totalPos * a;
      fromPos += m.posSq[i] * (m.single ? viaPos + viaCmp : viaPos) ** 2;
      fromOthers += squares[i] * viaCmp ** 2;
    }
    const total = fromPos + fromOthers;
    const spread = fromPos ** 2 / Math.max(m.sizePos - 1, 1) + fromOthers ** 2 / Math.max(sizeOthers - 1, 1);
    return { total, degrees: spread > 0 ? total ** 2 / spread : 1 };
  }
  // ------------------------------------------------------------------ means of bounded values (sampling/bounded.py)
  function betaQuantile(mean, variance, tail) {
    mean = Math.min(Math.max(mean, 0), 1);
    if (variance <= 0 || mean === 0 || mean === 1) return mean;
    const size = mean * (1 - mean) / variance - 1;
    if (size <= 0) return tail < 0.5 ? 0 : 1;
    return Special.beta(tail, mean * size, (1 - mean) * size);
  }
  function meanReaches(counts, values, squares, level, [low, high], part) {
    const total = sum(counts), width = high - low, scaled = values.map((v) => (v - low) / width);
    if (width <= 0 || total <= 0) return [0, 0];
    const mean = (dot(counts, values) / total - low) / width;
    const apart = scaled.map((v) => (v - mean) ** 2), spread = dot(counts, apart) / total;
    let size = total;
    if (squares) {
      const error = dot(squares, apart) / total ** 2;
      const same = spread <= ROUNDING * (mean + low / width) ** 2; // but for rounding
      size = error <= 0 || same ? total ** 2 / sum(squares) : Math.max(spread / error, 1);
    }
    const few = Math.min(1, 2 / size) ** 2;
    return [[0, (1 - level) / 2], [1, (1 + level) / 2]].map(([end, tail]) => {
      const weight = part * (few + (1 - few) * 0.6 * Math.abs(end - mean)), rows = size + weight;
      const centre = (size * mean + weight * end) / rows, square = (size * (spread + mean ** 2) + weight * end ** 2) / rows;
      const limit = betaQuantile(centre, Math.max(square - centre ** 2, 0) / (rows + 1), tail);
      return Math.max(end === 0 ? mean - limit : limit - mean, 0) * width;
    });
  }
  function linearReaches(m, onPos, onCmp, spans) {
    const [others, squares] = othersOf(m), labelled = m.single ? m.totalPos / m.totalCmp : 0;
    const both = labelled ? onPos.map((v, i) => v + labelled * onCmp[i]) : onPos;
    const byPos = meanReaches(m.pos, both, m.weighted ? m.posSq : null, m.level, spans[0], 1);
    const byOthers = meanReaches(others, onCmp, m.weighted ? squares : null, m.level, spans[1], 0.5);
    let byShare = 0;
    if (labelled) {
      const error = Math.sqrt(labelled * (1 - labelled) / m.sizeCmp);
      byShare = m.z * error * Math.abs(dot(m.pos, onCmp) / m.totalPos - dot(others, onCmp) / sum(others));
    }
    return byPos.map((a, i) => Math.sqrt(a ** 2 + ((1 - labelled) * byOthers[i]) ** 2 + byShare ** 2));
  }
  return { smallSample, linearVariance, othersOf, betaQuantile, meanReaches, linearReaches };
})();
