// Special functions that JavaScript lacks: erf, and quantiles of Student's, the Beta and the Gamma law.
const Special = (() => {
  function erf(x) {
    const a = Math.abs(x);
    if (a > 6) return Math.sign(x);
    let term = a, total = a;
    for (let n = 1; term > total * 1e-17 && n < 400; n++) {
      term *= 2 * a * a / (2 * n + 1);
      total += term;
    }
    return Math.sign(x) * total * 2 / Math.sqrt(Math.PI) * Math.exp(-a * a);
  }
  const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  function logGamma(x) {
    const z = x - 1, t = z + 7.5;
    let a = LANCZOS[0];
    for (let i = 1; i < 9; i++) a += LANCZOS[i] / (z + i);
    return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(a);
  }
  function betaFraction(x, a, b) { // Lentz's method
    const tiny = 1e-300, safe = (v) => (Math.abs(v) < tiny ? tiny : v);
    let c = 1, d = 1 / safe(1 - (a + b) * x / (a + 1)), h = d;
    for (let i = 1; i < 100000; i++) {
      const even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
      d = 1 / safe(1 + even * d); c = safe(1 + even / c); h *= d * c;
      const odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
      d = 1 / safe(1 + odd * d); c = safe(1 + odd / c);
      const step = d * c;
      h *= step;
      if (Math.abs(step - 1) < 1e-16) break;
    }
    return h;
  }
  // What Stirling's formula leaves of the logarithm of the gamma function, from LARGE on.
  const LARGE = 10;
  const rest = (x) => { const q = 1 / (x * x); return (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q * 691 / 360360))))) / x; };
  // log(x^a (1 - x)^b / B(a, b)); large parameters cancel before they are added.
  function logPower(x, a, b) {
    const all = a + b, plain = a * Math.log(x) + b * Math.log1p(-x);
    if (a >= LARGE && b >= LARGE) {
      const apart = x - a / all;
      return a * Math.log1p(apart * all / a) + b * Math.log1p(-apart * all / b) + 0.5 * Math.log(a / all * b / (2 * Math.PI)) + rest(all) - rest(a) - rest(b);
    }
    const [few, many] = a < b ? [a, b] : [b, a];
    if (many < LARGE) return plain + logGamma(all) - logGamma(a) - logGamma(b);
    return plain + (many - 0.5) * Math.log1p(few / many) + few * Math.log(all) - few + rest(all) - rest(many) - logGamma(few);
  }
  const seen = new Map();
  // t such that a Student variable lies within ±t with probability `level`; z is the normal quantile.
  function student(df, level, z) {
    if (df > 1000) { // Cornish–Fisher; the next term is below 1e-12
      const q = z * z;
      return z + z * (q + 1) / (4 * df) + z * (5 * q * q + 16 * q + 3) / (96 * df ** 2)
        + z * (3 * q ** 3 + 19 * q * q + 17 * q - 15) / (384 * df ** 3)
        + z * (79 * q ** 4 + 776 * q ** 3 + 1482 * q * q - 1920 * q - 945) / (92160 * df ** 4);
    }
    const key = `${df} ${level}`;
    if (seen.has(key)) return seen.get(key);
    const a = df / 2, b = 0.5, tail = 1 - level;
    const front = logGamma(a + b) - logGamma(a) - logGamma(b);
    let t = z; // left of the answer: the tail is convex there, so Newton's steps never overshoot
    for (let i = 0; i < 200; i++) {
      const x = df / (df + t * t), y = t * t / (df + t * t);
      const part = Math.exp(front + a * Math.log(x) + b * Math.log(y));
      const over = x < (a + 1) / (a + b + 2) ? part * betaFraction(x, a, b) / a : 1 - part * betaFraction(y, b, a) / b;
      const density = Math.exp(front - (a + 0.5) * Math.log1p(t * t / df)) / Math.sqrt(df);
      const step = (over - tail) / (2 * density);
      t += step;
      if (Math.abs(step) < 1e-14 * t) break;
    }
    if (seen.size > 5000) seen.clear();
    seen.set(key, t);
    return t;
  }
  // x below which a Beta variable lies with probability p: Newton's steps inside a shrinking bracket.
  function beta(p, a, b) {
    let low = 0, high = 1, x = a / (a + b);
    for (let i = 0; i < 300; i++) {
      const part = Math.exp(logPower(x, a, b));
      const over = (x < (a + 1) / (a + b + 2) ? part * betaFraction(x, a, b) / a : 1 - part * betaFraction(1 - x, b, a) / b) - p;
      if (over > 0) high = x; else low = x;
      let next = x - over * x * (1 - x) / part;
      if (!(next > low && next < high)) next = low > 0 && low < high / 4 ? Math.sqrt(low * high) : (low + high) / 2;
      if (Math.abs(next - x) <= 1e-16 + 4e-16 * x) return next;
      x = next;
    }
    return x;
  }
  // x below which a Gamma variable of shape a lies; z is the normal quantile of that probability, below 0.
  function gamma(a, p, z) {
    if (a > 1000) { // Cornish–Fisher
      const r = Math.sqrt(a), q = z * z;
      return a + r * z + (q - 1) / 3 + z * (q - 7) / (36 * r) - (3 * q * q + 7 * q - 16) / (810 * a)
        + z * (9 * q * q + 256 * q - 433) / (38880 * a * r) + (12 * q ** 3 - 243 * q * q - 923 * q + 1472) / (204120 * a * a);
    }
    const front = -logGamma(a + 1);
    let low = 0, high = a, x = Math.max(a * (1 - 1 / (9 * a) + z / (3 * Math.sqrt(a))) ** 3, a * 1e-3);
    for (let i = 0; i < 300; i++) {
      let term = 1, total = 1;
      for (let n = 1; n < 100000 && term > total * 1e-17; n++) { term *= x / (a + n); total += term; }
      const head = Math.exp(front + a * Math.log(x) - x), over = head * total - p;
      if (over > 0) high = x; else low = x;
      let next = x - over * x / (a * head);
      if (!(next > low && next < high)) next = (low + high) / 2;
      if (Math.abs(next - x) <= 1e-15 * x) return next;
      x = next;
    }
    return x;
  }
  const normal = (x) => (Math.abs(x) > 8 ? Number(x > 0) : (1 + erf(x / Math.SQRT2)) / 2);
  return { erf, normal, student, beta, gamma };
})();
