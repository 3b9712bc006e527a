// What a cell holds, shown as text and nothing else: every value becomes a text node.
const LONGEST = 20000, SHORT = 60, MOST_LINKS = 200;
const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^]+/g;
const PICTURE = /\.(png|jpe?g|gif|webp|avif|svg)(\?[^\s]*)?$/i;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function pretty(text) {
  const start = text.trimStart()[0];
  if (start !== '{' && start !== '[') return null;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return null; }
}

function linked(text, into, images, column) {
  let last = 0, found = 0;
  for (const match of text.matchAll(ADDRESS)) {
    if (++found > MOST_LINKS) break;
    const address = match[0].replace(/[.,;:!?)\]]+$/, '');
    into.append(text.slice(last, match.index));
    const link = element('a', address);
    link.href = address; link.target = '_blank'; link.rel = 'noopener noreferrer';
    into.append(link);
    if (images && PICTURE.test(address)) {
      const picture = element('img');
      picture.referrerPolicy = 'no-referrer'; picture.alt = `${column}: picture at ${address}`; picture.src = address;
      into.append(picture);
    }
    last = match.index + address.length;
  }
  into.append(text.slice(last));
}

function filled(into, text, images, column) {
  into.replaceChildren();
  if (text.trim() === '') { into.append(element('span', 'empty', 'empty')); return; }
  const shown = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  const json = text.length > LONGEST ? null : pretty(text);
  if (json !== null) into.append(element('pre', json));
  else linked(shown, into, images, column);
  into.className = text.length <= SHORT && json === null && !text.includes('\n') ? 'short' : 'text';
  if (shown !== text) {
    const more = element('button', `Show all ${text.length.toLocaleString('en')} characters`, 'quiet');
    more.type = 'button';
    more.addEventListener('click', () => { into.replaceChildren(text); into.focus(); });
    into.append('… ', more);
  }
}

function fields(into, columns, cells, images) {
  const made = columns.map((column, at) => {
    const field = element('div', undefined, 'field'), value = element('dd');
    field.append(element('dt', column), value);
    value.dir = 'auto';
    filled(value, String(cells[at]), images, column);
    return field;
  });
  into.replaceChildren(...made);
  for (const value of into.querySelectorAll('dd')) {
    if (value.scrollHeight > value.clientHeight + 1) { value.tabIndex = 0; value.setAttribute('aria-label', value.previousSibling.textContent); value.setAttribute('role', 'group'); }
  }
}
