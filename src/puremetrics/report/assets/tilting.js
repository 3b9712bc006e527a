// The most extreme distribution within a factor of a given one: small linear programs (numerics/tilting.py).
const Tilting = (() => {
  const { sum, dot } = Curves;
  const STEPS = 200, SLACK = 1e-12, SAME = 1e-13, FLAT = 1e-12;
  // A share moved by log(ratio) on the logit scale.
  const shifted = (share, ratio) => ratio * share / (ratio * share + (1 - share));
  const running = (a) => { let s = 0; return a.map((v) => (s += v)); };
  // Places of values from the largest to the smallest, equal ones in their order.
  function falling(values) {
    const order = new Uint32Array(values.length);
    let sorted = true;
    for (let i = 0; i < order.length; i++) { order[i] = i; sorted = sorted && !(values[i] > values[i - 1]); }
    return sorted ? order : order.sort((i, j) => values[j] - values[i] || i - j);
  }
  function taken(a, order) {
    const out = new Float64Array(order.length);
    for (let i = 0; i < out.length; i++) out[i] = a[order[i]];
    return out;
  }
  function putBack(a, order) {
    const out = new Float64Array(order.length);
    for (let i = 0; i < out.length; i++) out[order[i]] = a[i];
    return out;
  }
  // v is the ratio in a head of the rows as they come, and 1 after it.
  function stepped(share, values, ratio) {
    const allShare = sum(share), allValues = dot(share, values);
    let head = 0, sums = 0, best = -Infinity, cut = share.length;
    const means = new Float64Array(share.length);
    for (let i = 0; i < share.length; i++) {
      head += share[i]; sums += share[i] * values[i];
      means[i] = (allValues + (ratio - 1) * sums) / (allShare + (ratio - 1) * head);
      if (means[i] > best) best = means[i];
    }
    // Of cuts that are equally good the last: rows with equal values are not tilted against each other.
    while (cut > 1 && !(means[cut - 1] >= best - SAME * Math.max(1, Math.abs(best)))) cut--;
    const found = share.map((g, i) => (i < cut ? g * ratio : g)), total = sum(found);
    return found.map((v) => v / total);
  }
  function tilted(share, values, ratio) {
    const order = falling(values);
    return putBack(stepped(taken(share, order), taken(values, order), ratio), order);
  }
  // Γ·s at which Σ min(Γ·s·g, cap) reaches 1: in rising order of cap/g rows reach their caps.
  function reaching(g, cap) {
    const rows = [];
    for (let i = 0; i < g.length; i++) if (g[i] > 0) rows.push([cap[i] / g[i], g[i], cap[i]]);
    rows.sort((a, b) => a[0] - b[0]);
    const left = new Float64Array(rows.length);
    for (let i = rows.length - 1, s = 0; i >= 0; i--) left[i] = (s += rows[i][1]);
    for (let i = 0, reached = 0; i < rows.length; i++) {
      const needed = (1 - reached) / left[i];
      if (needed <= rows[i][0] * (1 + SLACK)) return needed;
      reached += rows[i][2];
    }
    return rows[rows.length - 1][0];
  }
  // The largest s at which every row has room for s·g; and all the room there is.
  function room(g, cap) {
    let most = 1, all = 0;
    for (let i = 0; i < g.length; i++) {
      if (!(g[i] > 0)) continue;
      if (cap[i] / g[i] < most) most = cap[i] / g[i];
      all += cap[i];
    }
    return [most, all];
  }
  // The smallest ratio at which some tilt keeps below the caps of all rows.
  function feasibleRatio(share, caps) {
    const [most, all] = room(share, caps);
    if (most <= 0 || all < 1 - SLACK) return Infinity;
    return most >= 1 ? 1 : Math.max(reaching(share, caps) / most, 1);
  }
  function firstReaching(a, wanted) {
    let low = 0, high = a.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (a[middle] < wanted) low = middle + 1; else high = middle;
    }
    return low;
  }
  // As tilted, with a cap on every row; null if the caps leave no tilt within the ratio.
  function cappedRows(share, values, ratio, caps) {
    const least = feasibleRatio(share, caps);
    if (least > ratio * (1 + SLACK)) return null;
    ratio = Math.max(ratio, least);
    const order = falling(values), g = taken(share, order), h = taken(values, order), cap = taken(caps, order);
    const high = Math.min(1, room(g, cap)[0]), low = Math.min(reaching(g, cap) / ratio, high);
    const n = g.length, fixed = dot(g, h), whole = sum(g), space = new Float64Array(n), filled = new Float64Array(n);
    const fill = (s, found = null) => {
      let run = 0;
      for (let i = 0; i < n; i++) {
        space[i] = Math.min((ratio - 1) * s * g[i], cap[i] - s * g[i]);
        filled[i] = (run += space[i]);
      }
      const budget = 1 - s, last = Math.min(firstReaching(filled, budget), n - 1), price = h[last];
      let slope = fixed - price * whole, value = 0;
      for (let i = 0; i < n; i++) {
        const here = s * g[i] + (i < last ? space[i] : i > last ? 0 : Math.max(budget - (last ? filled[last - 1] : 0), 0));
        if (i < last) slope += (space[i] < (ratio - 1) * s * g[i] ? -g[i] : (ratio - 1) * g[i]) * (h[i] - price);
        value += here * h[i];
        if (found) found[i] = here;
      }
      return { s, value, slope };
    };
    const found = new Float64Array(n);
    fill(peak(fill, low, high), found);
    const total = sum(found);
    return putBack(found.map((v) => v / total), order);
  }
  // Heads of the tilt that makes Σ weights · head largest while every head keeps below its cap.
  function filledHeads(share, weights, ratio, caps) {
    const n = share.length, heads = running(share).map((v) => Math.min(v, 1));
    heads[n - 1] = 1;
    let low = 0;
    for (let i = 0; i < n; i++) if (1 - heads[i] > 0) low = Math.max(low, (1 - caps[i]) / (1 - heads[i]));
    low = Math.min(Math.max(1 / ratio, low / ratio), 1);
    const space = new Float64Array(n), later = new Int32Array(n);
    const fill = (s, kept = null) => {
      // Every row keeps s·g, so a head must leave room for what the rows below it add before their caps.
      for (let i = n - 1, least = Infinity, at = n - 1; i >= 0; i--) {
        const here = caps[i] - s * heads[i];
        if (here <= least) { least = here; at = i; }
        space[i] = least; later[i] = at;
      }
      let lowest = Infinity, at = 0, value = 0, slope = 0;
      for (let i = 0; i < n; i++) {
        const most = ratio * s * heads[i], rest = 1 - heads[i];
        const held = Math.min(space[i] + s * heads[i] - most, 0);
        if (held <= lowest) { lowest = held; at = i; }
        const byFill = most + lowest, byRest = 1 - s * rest, full = byFill >= byRest, last = i === n - 1;
        const here = last ? 1 : full ? byRest : byFill;
        const byCap = lowest < 0 ? heads[at] - heads[later[at]] - ratio * heads[at] : 0;
        value += weights[i] * here;
        if (!last) slope += weights[i] * (full ? -rest : ratio * heads[i] + byCap);
        if (kept) kept[i] = here;
      }
      return { s, value, slope };
    };
    const found = new Float64Array(n);
    fill(peak(fill, low, 1), found);
    return found;
  }
  // Where a concave function of straight pieces has its peak, by crossing tangents.
  function peak(fill, low, high) {
    let a = fill(low);
    if (a.slope <= FLAT || low >= high) return low;
    let b = fill(high);
    if (b.slope >= -FLAT) return high;
    let best = b.value > a.value ? b : a;
    for (let i = 0; i < STEPS; i++) {
      const at = (b.value - a.value + a.slope * low - b.slope * high) / (a.slope - b.slope);
      if (!(low < at && at < high)) break;
      const here = fill(at), top = Math.min(a.value + a.slope * (at - low), b.value + b.slope * (at - high));
      if (here.value > best.value) best = here;
      if (Math.abs(here.slope) <= FLAT) return at;
      if (here.value >= top - 1e-15 * Math.abs(top)) break;
      if (here.slope > 0) { low = at; a = here; } else { high = at; b = here; }
    }
    return best.s;
  }
  return { shifted, stepped, tilted, cappedRows, filledHeads };
})();
