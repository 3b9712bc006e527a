// Who keeps the answers: the program that served the page, or this browser.
class Trouble extends Error {}

function fromServer() {
  const held = new Map();
  async function ask(path, body) {
    const asked = { headers: { 'X-Puremetrics': '1' }, cache: 'no-store', credentials: 'omit' };
    if (body !== undefined) {
      asked.method = 'POST'; asked.body = JSON.stringify(body); asked.headers['Content-Type'] = 'application/json';
    }
    let answer;
    try { answer = await fetch(path, asked); } catch {
      throw Object.assign(new Trouble('The program that keeps your answers does not answer.'), { gone: true });
    }
    const content = await answer.json().catch(() => ({ trouble: `The program refused (${answer.status}). Open the address that it printed.` }));
    if (!answer.ok) throw Object.assign(new Trouble(content.trouble || 'The program refused.'), { content });
    return content;
  }
  async function load(first, count) {
    const found = await ask(`rows?first=${first}&count=${count}`);
    found.rows.forEach((row, at) => held.set(first + at, row));
  }
  return {
    about: () => ask('about'),
    async row(at) {
      if (!held.has(at)) await load(at, 12);
      return held.get(at);
    },
    ahead(rows) {
      const lacking = rows.find((at) => !held.has(at));
      if (lacking !== undefined) load(lacking, 12).catch(() => {});
      if (held.size > 400) for (const key of [...held.keys()].slice(0, 200)) if (!rows.includes(key)) held.delete(key);
    },
    answer: (row, said, base, request, settle) => ask('answer', { row, said, base, request, settle }),
    undo: () => ask('undo', {}),
    news: () => ask('news'),
    score: (row) => ask(`score?row=${row}`),
    verdict: () => ask('verdict'),
    end: () => ask('end', {}),
  };
}

function fromFile(data) {
  const size = data.places.length;
  let kept = { said: {}, at: {}, order: [], name: '', saved: true };
  let works = true;
  try { kept = { ...kept, ...JSON.parse(localStorage.getItem(data.key) || '{}') }; } catch { works = false; }
  const store = () => { try { localStorage.setItem(data.key, JSON.stringify(kept)); } catch { works = false; } };
  let version = 0;
  const state = () => ({
    version, rows: data.places.map((_, at) => at), said: data.places.map((_, at) => kept.said[at] || null), double: [], total: size,
    answered: Object.values(kept.said).filter((said) => said !== 'unsure').length, differ: [],
    notes: works ? [] : ['This browser keeps nothing for files: save your answers before you close the page.'],
  });
  const told = () => ({ state: state(), interval: null });
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return {
    about: async () => ({ ...data, overlap: 0, checker: '', resume: '', scores: false, live: false, verdict: false, report: false, truth: [], ...told() }),
    row: async (at) => ({ place: data.places[at], cells: data.cells[at] }),
    ahead() {},
    async answer(row, said) {
      version += 1;
      if (said === null) { delete kept.said[row]; delete kept.at[row]; } else {
        kept.said[row] = said; kept.at[row] = new Date().toISOString(); kept.order.push(row);
      }
      kept.saved = false; store();
      return told();
    },
    async undo() {
      let row = kept.order.pop();
      while (row !== undefined && !(row in kept.said)) row = kept.order.pop();
      if (row !== undefined) { delete kept.said[row]; delete kept.at[row]; version += 1; kept.saved = false; store(); }
      return { undone: row === undefined ? null : row, ...told() };
    },
    news: async () => told(),
    get name() { return kept.name; },
    set name(text) { kept.name = text; store(); },
    get saved() { return kept.saved; },
    sheet() {
      const code = { yes: '1', no: '0' };
      const lines = data.starts.map((start, at) => {
        const said = kept.said[at] || '';
        return [start, code[said] || '', said, said ? quoted(kept.name) : '', kept.at[at] || ''].join(',');
      });
      return [data.head, ...lines, ''].join('\n');
    },
    markSaved() { kept.saved = true; store(); },
  };
}
