// Which priors and purities the data allow, at the evaluated label bias (evaluation/page_numbers.py, bounds/largest.py).
const Allowed = (() => {
  const largestPrior = ({ allowed }, purity) => (allowed.clean === null ? null : purity * allowed.clean);
  function hiddenShare({ single, totals: [pos, unl, neg] }, prior, purity) {
    if (!single) return prior;
    return Math.min(Math.max((prior * (pos + unl + neg) - purity * pos) / unl, 0), 1);
  }
  function leastPurity(meta, prior, purity) {
    const { alike } = meta.allowed;
    return alike === null ? null : 1 - alike * (1 - hiddenShare(meta, prior, purity));
  }
  // What the data say against a position, if anything: the prior first, as the library does.
  function against(meta, prior, purity) {
    const most = largestPrior(meta, purity);
    if (most !== null && prior > most) return { what: 'prior', limit: most };
    const least = purity < 1 ? leastPurity(meta, prior, purity) : null;
    return least !== null && purity < least ? { what: 'purity', limit: least } : null;
  }
  return { hiddenShare, largestPrior, leastPurity, against };
})();
