// The library's formulas, step by step in its order of operations, so that both round alike.
// Here: the table (scenario), corrected rates (confusion), the repaired curves (recovery, correction).
const Curves = (() => {
  const sum = (a) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]; return s; };
  const dot = (a, b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; };

  // ------------------------------------------------------------------ the table
  function prepare(raw, meta, z, level) {
    const k = raw.pos.length, single = meta.single, unlabeled = meta.totals[1] > 0;
    const neg = raw.neg || new Float64Array(k);
    const sq = raw.squares || [raw.pos, raw.unl, neg];
    const cmp = new Float64Array(k), cmpSq = new Float64Array(k);
    for (let i = 0; i < k; i++) {
      cmp[i] = single ? raw.pos[i] + raw.unl[i] + neg[i] : unlabeled ? raw.unl[i] : neg[i];
      cmpSq[i] = single ? sq[0][i] + sq[1][i] + sq[2][i] : unlabeled ? sq[1][i] : sq[2][i];
    }
    const shares = (column) => {
      const out = new Float64Array(k + 1);
      for (let i = 0; i < k; i++) out[i + 1] = out[i] + column[i];
      const total = out[k];
      for (let i = 0; i <= k; i++) out[i] /= total;
      return out;
    };
    const m = { k, single, unlabeled, score: raw.score, pos: raw.pos, unl: raw.unl, neg, cmp, cmpSq,
      posSq: sq[0], G: shares(raw.pos), F: shares(cmp), z, level, weighted: !!raw.squares,
      totalPos: sum(raw.pos), totalCmp: sum(cmp), offset: raw.offset || 0, merged: !!raw.merged,
      hidden: raw.hidden || null, meta };
    m.sizePos = m.weighted ? m.totalPos ** 2 / sum(m.posSq) : m.totalPos;
    m.sizeCmp = m.weighted ? m.totalCmp ** 2 / sum(cmpSq) : m.totalCmp;
    m.shared = m.weighted ? sum(m.posSq) / sum(cmpSq) : m.totalPos / m.totalCmp;
    return m;
  }
  const shareOf = (m, prior) => (!m.single && !m.unlabeled ? 0 : prior);

  function rates(G, F, share, purity) {
    const n = G.length, tpr = new Float64Array(n), fpr = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const apart = (G[i] - F[i]) / (purity - share);
      tpr[i] = G[i] + (1 - purity) * apart;
      fpr[i] = F[i] - share * apart;
    }
    return [tpr, fpr];
  }

  // ------------------------------------------------------------------ recovery
  function envelope(x, y) {
    const n = x.length, left = new Float64Array(n), top = new Float64Array(n);
    for (let i = n - 1, low = Infinity; i >= 0; i--) {
      low = Math.min(low, x[i]);
      left[i] = Math.abs(low - x[i]) < 1e-12 ? x[i] : low;
    }
    for (let i = 0, high = -Infinity; i < n; i++) {
      high = Math.max(high, y[i]);
      top[i] = Math.abs(high - y[i]) < 1e-12 ? y[i] : high;
    }
    const ox = [left[0]], oy = [top[0]], row = [0];
    const push = (a, b, i) => { ox.push(a); oy.push(b); row.push(i); };
    for (let i = 0; i + 1 < n; i++) {
      const run = x[i + 1] - x[i], rise = y[i + 1] - y[i];
      const cx = left[i + 1], cy = top[i], slanted = run > 0 && rise > 0;
      let seen = false, hidden = true, ex = 0, ly = 0;
      if (slanted) {
        ex = Math.max(x[i] + (cy - y[i]) / rise * run, x[i]);
        ly = Math.min(y[i] + (cx - x[i]) / run * rise, y[i + 1]);
        seen = ex < cx && (cx < x[i + 1] || cy > y[i]);
        hidden = ex >= cx;
      }
      if (seen || hidden) push(seen ? ex : cx, cy, i + 1);
      if (seen) push(cx, ly, i + 1);
      push(cx, top[i + 1], i + 1);
    }
    const c = clipToSquare(ox, oy, row), out = { x: [], y: [], row: [] };
    for (let i = 0; i < c.x.length; i++) {
      if (i && c.x[i] === c.x[i - 1] && c.y[i] === c.y[i - 1]) continue;
      out.x.push(c.x[i]); out.y.push(c.y[i]); out.row.push(c.row[i]);
    }
    return out;
  }
  function clipToSquare(x, y, row) {
    for (let axis = 0; axis < 2; axis++) {
      const main = axis ? y : x, other = axis ? x : y;
      for (const level of [0, 1]) {
        for (let i = 0; i < main.length; i++) if (Math.abs(main[i] - level) < 1e-12) main[i] = level;
        for (let i = 0; i + 1 < main.length; i++) {
          if (!(main[i] < level && main[i + 1] > level)) continue;
          const part = (level - main[i]) / (main[i + 1] - main[i]);
          other.splice(i + 1, 0, other[i] + part * (other[i + 1] - other[i]));
          main.splice(i + 1, 0, level);
          row.splice(i + 1, 0, row[i + 1]);
          break;
        }
      }
    }
    const cut = (v) => Math.min(Math.max(v, 0), 1);
    return { x: x.map(cut), y: y.map(cut), row };
  }
  function path(m, prior, purity) {
    const [tpr, fpr] = rates(m.G, m.F, shareOf(m, prior), purity);
    const c = envelope(fpr, tpr), last = c.x.length - 1;
    if (c.x[0] > 0 || c.y[0] > 0) { c.x.unshift(0); c.y.unshift(0); c.row.unshift(0); }
    const end = c.x.length - 1;
    if (c.x[end] < 1 || c.y[end] < 1) { c.x.push(1); c.y.push(1); c.row.push(c.row[last]); }
    return { fpr: c.x, tpr: c.y, row: c.row, rawTpr: tpr, rawFpr: fpr };
  }
  function rocArea(p) {
    let s = 0;
    for (let i = 1; i < p.fpr.length; i++) s += (p.fpr[i] - p.fpr[i - 1]) * (p.tpr[i] + p.tpr[i - 1]);
    return s / 2;
  }
  function precisionCurve(p, prior) {
    const y = p.tpr.map((t, i) => {
      const found = prior * t, reached = found + (1 - prior) * p.fpr[i];
      return reached > 0 ? found / reached : 1;
    });
    y[0] = y[Math.min(1, y.length - 1)];
    return { x: p.tpr, y, row: p.row };
  }
  // By steps; across blocks of merged rows, whose precision changes on the way, by the mean of both ends.
  function stepArea(m, c) {
    let s = 0;
    for (let i = 1; i < c.x.length; i++) s += (c.x[i] - c.x[i - 1]) * (m.merged ? (c.y[i] + c.y[i - 1]) / 2 : c.y[i]);
    return s;
  }
  return { sum, dot, prepare, shareOf, rates, path, rocArea, precisionCurve, stepArea };
})();
