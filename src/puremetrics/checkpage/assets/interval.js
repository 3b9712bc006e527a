// What the answers say so far, as a figure, a band along the rows, and a sentence.
const SVG = 'http://www.w3.org/2000/svg', WIDE = 320, HIGH = 130, LEFT = 30, BELOW = 20;

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function words(interval) {
  const name = interval.target.replaceAll('_', ' ');
  return interval.threshold === null ? name : `${name} at score ≥ ${Number(interval.threshold.toPrecision(6))}`;
}

function funnel(interval) {
  const picture = drawn('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, role: 'img', 'aria-label': `${words(interval)} after ${interval.checked} rows: ${interval.told}` });
  const most = Math.max(interval.planned, interval.checked, 1);
  const x = (rows) => LEFT + (WIDE - LEFT - 4) * rows / most, y = (value) => 6 + (HIGH - BELOW - 6) * (1 - Math.min(Math.max(value, 0), 1));
  for (const at of [0, 0.5, 1]) {
    const text = drawn('text', { x: LEFT - 6, y: y(at) + 4, 'text-anchor': 'end' });
    text.textContent = String(at);
    picture.append(drawn('line', { x1: LEFT, x2: WIDE - 4, y1: y(at), y2: y(at), class: 'axis' }), text);
  }
  const trail = interval.trail;
  const upper = trail.map(([n, , high]) => `${x(n)},${y(high)}`), lower = trail.map(([n, low]) => `${x(n)},${y(low)}`).reverse();
  picture.append(drawn('polygon', { points: [...upper, ...lower].join(' '), class: 'band' }));
  const [n, low, high] = trail[trail.length - 1];
  picture.append(drawn('line', { x1: x(n), x2: x(n), y1: y(low), y2: y(high), class: 'middle' }));
  if (interval.value !== null) picture.append(drawn('circle', { cx: x(n), cy: y(interval.value), r: 3.5, class: 'dot' }));
  if (interval.promised) picture.append(drawn('line', { x1: LEFT, x2: WIDE - 4, y1: y(interval.promised.value), y2: y(interval.promised.value), class: 'said' }));
  const first = drawn('text', { x: LEFT, y: HIGH - 4 }), last = drawn('text', { x: WIDE - 4, y: HIGH - 4, 'text-anchor': 'end' });
  first.textContent = '0 rows'; last.textContent = `${most} rows`;
  picture.append(first, last);
  return picture;
}

function showInterval(interval) {
  const at = (id) => document.getElementById(id);
  at('live').hidden = !interval;
  if (!interval) return;
  const title = words(interval);
  at('live-title').textContent = title[0].toUpperCase() + title.slice(1);
  const ready = interval.state === 'ready';
  at('live-value').textContent = ready ? interval.best : '';
  at('live-span').textContent = ready ? interval.told : '';
  at('live-words').textContent = ready && interval.enough ? '' : interval.words;
  at('stop').hidden = !(ready && interval.enough);
  if (ready && interval.enough) at('stop').textContent = interval.words;
  at('funnel').replaceChildren(...(ready && interval.trail.length ? [funnel(interval)] : []));
  at('promised').textContent = interval.promised ? `What the labels promised, if they were random: ${interval.promised.told}.${ready && interval.against ? ` The answers say ${interval.against}.` : ''}` : '';
  at('verdict').classList.toggle('main', Boolean(ready && interval.enough));
}
