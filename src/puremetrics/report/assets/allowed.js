// Which priors, purities and label biases the data allow (evaluation/allowed.py, priors/largest.py).
const Allowed = (() => {
  // Between the steps of the slider, what the next larger bias allows: nothing is ruled out that is possible.
  function place(biases, bias) {
    const at = biases.findIndex((b) => b >= bias);
    return at < 0 ? biases.length - 1 : at;
  }
  const priorOf = ({ single, totals: [pos, unl, neg] }, share, purity) => (single ? (purity * pos + share * unl) / (pos + unl + neg) : share);
  function largestPrior(meta, purity, bias) {
    const { allowed } = meta, clean = allowed.clean[place(meta.grid.bias, bias)];
    if (!allowed.counted) return null;
    const limit = Math.min(priorOf(meta, purity, purity), meta.single ? priorOf(meta, 1, purity) : 1);
    return clean === null ? limit : Math.min(purity * clean, limit);
  }
  function hiddenShare({ single, totals: [pos, unl, neg] }, prior, purity) {
    if (!single) return prior;
    return Math.min(Math.max((prior * (pos + unl + neg) - purity * pos) / unl, 0), 1);
  }
  function leastPurity(meta, prior, purity) {
    const { alike } = meta.allowed;
    return alike === null ? null : 1 - alike * (1 - hiddenShare(meta, prior, purity));
  }
  // What the data say against a position, if anything: the prior first, as the library does.
  function against(meta, prior, purity, bias) {
    const most = largestPrior(meta, purity, bias);
    if (most !== null && prior > most) return { what: 'prior', limit: most };
    const least = purity < 1 ? leastPurity(meta, prior, purity) : null;
    return least !== null && purity < least ? { what: 'purity', limit: least } : null;
  }
  return { largestPrior, leastPurity, against };
})();
