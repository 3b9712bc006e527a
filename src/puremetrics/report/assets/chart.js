// Axes, lines, legends and read-outs in SVG. Text enters the document as text only.
const Chart = (() => {
  const NS = 'http://www.w3.org/2000/svg';
  function make(tag, attributes = {}, text) {
    const node = document.createElementNS(NS, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }
  function html(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }
  const rhombus = (x, y, r) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
  const MARGIN = { left: 50, right: 14, top: 12, bottom: 44 };

  // Counts of rows: a comma between thousands, and short from ten thousand on.
  const shortCount = (v) => (v >= 1e6 ? `${Number((v / 1e6).toPrecision(3))}M` : v >= 1e4 ? `${Number((v / 1e3).toPrecision(3))}k`
    : String(Number(v.toPrecision(6))).replace(/^(\d)(\d{3})$/, '$1,$2'));
  function ticksOf([low, high], wanted) {
    const raw = (high - low) / wanted, base = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((f) => f * base).find((s) => s >= raw * 0.75);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i++) out.push([i * step, (i * step).toFixed(digits)]);
    return out;
  }

  class Chart {
    // kind: "slider" charts take the focus and the arrow keys
    constructor(figure, options) {
      Object.assign(this, { xDomain: [0, 1], yDomain: [0, 1], ratio: 1, largest: 470, paper: 340 }, options);
      this.figure = figure;
      this.plot = figure.querySelector('.plot');
      this.plot.textContent = '';
      this.svg = make('svg', { class: 'live', tabindex: 0, role: 'slider', 'aria-label': this.label });
      this.tip = html('div', 'tip');
      this.tip.hidden = true;
      this.plot.append(this.svg, this.tip);
      this.legend = figure.querySelector('.legend');
      this.measure(this.wide);
    }
    measure(wide = window.matchMedia('print').matches ? this.paper : this.plot.clientWidth) {
      this.width = Math.max(Math.min(wide || 440, 760), 260);
      this.height = Math.round(Math.min(this.width * this.ratio, this.largest));
      this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    }
    // On axes of square roots what is small is spread.
    part(v, [low, high]) { const t = (v - low) / (high - low); return this.roots ? Math.sqrt(Math.max(t, 0)) : t; }
    x(v) { return MARGIN.left + (this.width - MARGIN.left - MARGIN.right) * this.part(v, this.xDomain); }
    y(v) { return this.height - MARGIN.bottom - (this.height - MARGIN.top - MARGIN.bottom) * this.part(v, this.yDomain); }
    inverse(px) {
      const t = (px - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right);
      return this.xDomain[0] + (this.roots ? Math.max(t, 0) ** 2 : t) * (this.xDomain[1] - this.xDomain[0]);
    }

    start() {
      this.svg.textContent = '';
      const [x0, x1] = this.xDomain.map((v) => this.x(v)), [y0, y1] = this.yDomain.map((v) => this.y(v));
      const g = make('g', { 'aria-hidden': 'true' });
      const told = (v, text) => (this.counts ? shortCount(v) : text);
      for (const [v, text] of this.roots || ticksOf(this.yDomain, 5)) {
        g.append(make('path', { class: 'grid', d: `M${x0} ${this.y(v)}H${x1}` }),
          make('text', { class: 'tick end', x: x0 - 8, y: this.y(v) + 4 }, told(v, text)));
      }
      let last = -Infinity; // a label that would touch the one before is left out
      for (const [v, text] of this.roots || ticksOf(this.xDomain, this.width < 360 ? 4 : 5)) {
        if (this.x(v) - last < 27) continue;
        last = this.x(v);
        g.append(make('path', { class: 'grid', d: `M${this.x(v)} ${y0}V${y1}` }),
          make('text', { class: 'tick mid', x: this.x(v), y: y0 + 18 }, told(v, text)));
      }
      g.append(make('path', { class: 'base', d: `M${x0} ${y0}H${x1}` }),
        make('text', { class: 'axis mid', x: (x0 + x1) / 2, y: this.height - 6 }, this.xLabel),
        make('text', { class: 'axis mid', transform: `translate(11 ${(y0 + y1) / 2}) rotate(-90)` }, this.yLabel));
      const name = `clip-${this.figure.id}`, clip = make('clipPath', { id: name });
      clip.append(make('rect', { x: x0 - 3, y: y1 - 4, width: x1 - x0 + 6, height: y0 - y1 + 8 }));
      this.layer = make('g', { 'clip-path': `url(#${name})`, 'aria-hidden': 'true' });
      this.front = make('g', { 'aria-hidden': 'true' });
      this.svg.append(clip, g, this.layer, this.front);
      this.legend.textContent = '';
    }
    // Points closer than a third of a pixel to the one before are left out.
    outline(xs, ys, step = false) {
      const out = [];
      let px = NaN, py = NaN;
      const put = (a, b, last) => {
        if (!last && Math.abs(a - px) < 0.35 && Math.abs(b - py) < 0.35) return;
        out.push(`${a.toFixed(1)} ${b.toFixed(1)}`);
        px = a; py = b;
      };
      for (let i = 0; i < xs.length; i++) {
        if (step && i) put(this.x(xs[i - 1]), this.y(ys[i]), true);
        put(this.x(xs[i]), this.y(ys[i]), step || i === xs.length - 1);
      }
      return out;
    }
    line(xs, ys, className, step = false) {
      if (xs.length) this.layer.append(make('path', { class: className, d: `M${this.outline(xs, ys, step).join('L')}` }));
    }
    area(xs, low, high, className) {
      const up = this.outline(xs, high), down = this.outline(xs, low).reverse();
      this.layer.append(make('path', { class: className, d: `M${up.concat(down).join('L')}Z` }));
    }
    between(low, high, className) {
      const up = this.outline(high.x, high.y), down = this.outline(low.x, low.y).reverse();
      this.layer.append(make('path', { class: className, d: `M${up.concat(down).join('L')}Z` }));
    }
    dot(x, y, className, r = 5) {
      const cx = Math.min(Math.max(this.x(x), 4), this.width - 4), cy = Math.min(Math.max(this.y(y), 4), this.height - 4);
      this.front.append(make('circle', { class: className, cx, cy, r }));
    }
    diamond(x, y, className, r = 6) {
      const cx = Math.min(Math.max(this.x(x), 4), this.width - 4), cy = Math.min(Math.max(this.y(y), 4), this.height - 4);
      this.front.append(make('path', { class: className, d: rhombus(cx, cy, r) }));
    }
    key(className, text, kind = 'line') {
      const item = html('span', `key ${className}`), sample = make('svg', { width: 26, height: 12, 'aria-hidden': 'true' });
      sample.append(kind === 'band' ? make('rect', { class: className, x: 1, y: 1, width: 24, height: 10 })
        : kind === 'diamond' ? make('path', { class: className, d: rhombus(13, 6, 5) })
          : make('path', { class: className, d: 'M1 6H25' }));
      const label = html('bdi', 'model', text);
      label.title = text.slice(0, 200);
      item.append(sample, label);
      this.legend.append(item);
    }
    place(event) {
      const box = this.svg.getBoundingClientRect(), scale = this.width / box.width;
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    }
    show(lines, px, py) {
      this.tip.textContent = '';
      lines.forEach(([text, className]) => this.tip.append(html('div', className || '', text)));
      this.tip.hidden = false;
      const scale = this.svg.getBoundingClientRect().width / this.width;
      const left = px * scale, wide = this.tip.offsetWidth;
      const flip = left + wide + 24 > this.plot.clientWidth;
      this.tip.style.left = `${Math.max(flip ? left - wide - 12 : left + 12, 0)}px`;
      const below = py * scale + 14, room = below + this.tip.offsetHeight < this.plot.clientHeight;
      this.tip.style.top = `${room ? below : Math.max(py * scale - this.tip.offsetHeight - 8, 0)}px`;
    }
    hide() { this.tip.hidden = true; }
    // hover(px, py) shows a read-out, drag(px, py) moves what the chart controls, key(steps) too
    listen({ hover, drag, key }) {
      let down = false;
      this.svg.addEventListener('pointermove', (e) => {
        if (down) drag(...this.place(e));
        hover(...this.place(e));
      });
      this.svg.addEventListener('pointerdown', (e) => {
        if (e.button !== 0) return;
        down = true;
        if (e.pointerType !== 'touch') this.svg.setPointerCapture(e.pointerId);
        drag(...this.place(e));
        hover(...this.place(e));
      });
      for (const type of ['pointerup', 'pointercancel']) this.svg.addEventListener(type, () => { down = false; });
      this.svg.addEventListener('pointerleave', () => { this.hide(); });
      this.svg.addEventListener('keydown', (e) => {
        const far = e.shiftKey || e.key.startsWith('Page') ? 10 : 1;
        const steps = { ArrowRight: far, ArrowUp: far, PageUp: far, ArrowLeft: -far, ArrowDown: -far, PageDown: -far,
          Home: -Infinity, End: Infinity }[e.key];
        if (steps === undefined) return;
        e.preventDefault();
        key(steps);
      });
    }
    value(now, most, text) {
      this.svg.setAttribute('aria-valuemin', 0);
      this.svg.setAttribute('aria-valuemax', most);
      this.svg.setAttribute('aria-valuenow', now);
      this.svg.setAttribute('aria-valuetext', text);
    }
  }

  // The bar beside a figure: bounds, interval, value, naive value and truth on the metric's range.
  const widths = new WeakMap(); // asking for a width makes the browser lay out the page: ask once, and for all
  const askWidths = (list) => list.map((svg) => [svg, svg.clientWidth]).forEach(([svg, width]) => widths.set(svg, width));
  function range(svg, { least, value, interval, naive, bounds, truth }) {
    const full = widths.get(svg) || 150, wide = full - 12;
    const x = (v) => wide * (Math.min(Math.max(v, least), 1) - least) / (1 - least);
    svg.setAttribute('viewBox', `-6 0 ${full} 18`);
    const parts = [make('path', { class: 'base', d: `M0 10H${wide}` })];
    for (const v of least < 0 ? [-1, 0, 1] : [0, 0.5, 1]) parts.push(make('path', { class: 'base', d: `M${x(v)} 8V12` }));
    const box = ([a, b], y, h, className) => parts.push(make('rect', { class: className, x: x(a), y, width: Math.max(x(b) - x(a), 1), height: h, rx: 1 }));
    if (bounds) box(bounds, 4, 12, 'possible');
    if (interval) box(interval, 6.5, 7, 'sure');
    if (Number.isFinite(naive)) parts.push(make('path', { class: 'tick-naive', d: `M${x(naive)} 5V15` }));
    if (Number.isFinite(value)) parts.push(make('rect', { class: 'dot', x: x(value) - 1.5, y: 3, width: 3, height: 14, rx: 1 }));
    if (Number.isFinite(truth)) parts.push(make('path', { class: 'diamond', d: `M${x(truth)} 4l4 -5h-8z` }));
    svg.replaceChildren(...parts);
  }
  const ROOTS = [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1].map((v) => [v, String(v)]);
  return { ROOTS, Chart, range, askWidths, make, html };
})();
