// One row at a time.
const at = (id) => document.getElementById(id);
const data = JSON.parse(at('data').textContent);
const keeper = data ? fromFile(data) : fromServer();
const NAMES = { yes: 'positive', no: 'negative', unsure: 'unsure' }, GAP = 120000, RECENT = 20;
let about = null, state = null, interval = null;
let place = 0, settling = false, finished = false, again = false, busy = true, ended = false, unsaved = null, playing = null, drawnRow = null;
const gaps = [];
let lastTime = null;

const current = () => (settling ? state.differ[place].row : state.rows[place]);
const count = () => (settling ? state.differ.length : state.rows.length);
const saidAt = (where) => (settling ? state.differ[where].settled : state.said[where]);
const openRows = () => state.rows.map((_, where) => where).filter((where) => !state.said[where]);
const unsureRows = () => state.rows.map((_, where) => where).filter((where) => state.said[where] === 'unsure');
const unsettled = () => state.differ.map((_, where) => where).filter((where) => !state.differ[where].settled);

function announce(text) { at('status').textContent = text; }

function duration(seconds) {
  if (seconds < 90) return `${Math.max(Math.round(seconds), 1)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

function showProgress() {
  const total = state.rows.length, done = state.said.filter(Boolean).length;
  at('track').setAttribute('aria-valuemax', total); at('track').setAttribute('aria-valuenow', done);
  at('track').setAttribute('aria-valuetext', `${done} of ${total} rows answered`);
  at('track-done').style.width = `${100 * done / Math.max(total, 1)}%`;
  at('counted').textContent = `${done} of ${total} answered`;
  if (gaps.length >= 3) {
    const sorted = [...gaps].sort((a, b) => a - b), pace = sorted[Math.floor(sorted.length / 2)] / 1000;
    const left = pace * (total - done);
    at('pace').textContent = total > done ? `${duration(pace)} a row, ${duration(left)} left` : '';
  }
  const by = about.checker ? `${about.checker}: ` : '';
  if (about.mode === 'alone') at('saved').textContent = keeper.saved ? (done ? 'saved as a file' : '') : 'kept in this browser, not saved yet';
  else at('saved').textContent = `${by}kept in ${about.output}`;
  const notes = state.notes;
  at('note').hidden = !notes.length; at('note').textContent = notes[notes.length - 1] || '';
}

function showButtons() {
  const said = finished ? null : saidAt(place);
  for (const name of ['yes', 'no', 'unsure']) {
    at(name).setAttribute('aria-pressed', String(said === name));
    at(name).disabled = finished || (settling && name === 'unsure');
  }
  at('back').disabled = place === 0 && !finished;
  at('forward').disabled = finished || place >= count() - 1;
  at('mark').hidden = !said;
  at('mark').className = `mark ${said || ''}`;
  at('mark').textContent = said ? NAMES[said] : '';
  at('double').hidden = finished || settling || !state.double.includes(current());
}

async function show(focus) {
  if (finished) { showFinish(); return; }
  const row = current(), found = await keeper.row(row);
  if (!found) return;
  at('finish').hidden = true; at('cells').hidden = false; at('verdict').hidden = !about.verdict;
  at('row-title').textContent = settling ? `Difference ${place + 1} of ${count()}` : `Row ${place + 1} of ${count()}`;
  if (drawnRow !== row || settling) {
    fields(at('cells'), about.columns, found.cells, about.images);
    if (!about.columns.length) at('cells').append(element('p', `Row ${found.place} of the data`));
    at('score').textContent = ''; at('show-score').hidden = false;
    if (settling) at('cells').append(both(state.differ[place]));
    if (drawnRow !== row) window.scrollTo(0, 0);
    drawnRow = row;
  }
  at('score-line').hidden = !about.scores;
  showButtons(); showProgress();
  document.body.dataset.row = String(row);
  if (focus) at('card').focus({ preventScroll: true });
  keeper.ahead(state.rows.slice(place + 1, place + 8));
}

function both(differ) {
  const box = element('div', undefined, 'two');
  for (const one of [differ.first, differ.second]) {
    const side = element('div');
    side.append(element('b', NAMES[one.said]), ` said ${one.by || 'somebody'}`);
    box.append(side);
  }
  return box;
}

function button(text, action, className) {
  const made = element('button', text, className);
  made.type = 'button';
  made.addEventListener('click', action);
  return made;
}

function showFinish(extra) {
  at('cells').hidden = true; at('finish').hidden = false; at('score-line').hidden = true; drawnRow = null;
  at('row-title').textContent = 'Every row has an answer';
  const box = at('finish'), left = unsettled().length, unsure = unsureRows().length;
  const parts = [], actions = element('div', undefined, 'answers');
  if (left) {
    parts.push(element('p', `Two people differ about ${left} ${left === 1 ? 'row' : 'rows'}. Settle them together.`));
    actions.append(button('Settle the differences', () => { settling = true; finished = false; place = unsettled()[0]; show(true); }, 'main'));
  }
  if (unsure) {
    parts.push(element('p', `You were unsure about ${unsure} ${unsure === 1 ? 'row' : 'rows'}. They count for nothing until they have an answer.`));
    actions.append(button('Look at these again', () => { again = true; settling = false; finished = false; place = unsureRows()[0]; show(true); }));
  }
  if (about.mode === 'alone') {
    parts.push(element('p', `Save the answers and send the file ${about.output} back.`));
    actions.append(button('Save answers', save, 'main'));
  } else if (about.verdict) {
    if (!extra) actions.append(button('See the verdict', verdict, left ? '' : 'main'));
  } else parts.push(element('p', `All answers are in ${about.output}.`));
  if (openRows().length) actions.append(button('Go on checking', () => { finished = false; next(-1); show(true); }));
  at('verdict').hidden = true;
  box.replaceChildren(...(extra || []), ...parts, actions);
  showButtons(); showProgress();
  document.body.dataset.row = 'none';
}

async function verdict() {
  if (busy) return;
  busy = true;
  announce('The verdict is being made.');
  try {
    const found = await keeper.verdict();
    const extra = found.sentences.map((text, where) => element('p', text, where ? '' : 'lead'));
    if (about.report) {
      const link = element('a', 'Open the report');
      link.href = 'report'; link.target = '_blank'; link.rel = 'noopener';
      const line = element('p'); line.append(link); extra.push(line);
    }
    finished = true;
    showFinish(extra);
    at('row-title').textContent = openRows().length ? 'What the answers say so far' : 'What the answers say';
    at('card').focus();
    announce(found.sentences[0] || '');
  } catch (error) { trouble(error); }
  busy = false;
}

// The next row without an answer after this one, then those before it.
function next(after) {
  if (settling) {
    const left = unsettled();
    if (!left.length) { settling = false; finished = true; return; }
    place = left.find((where) => where > after) ?? left[0];
    return;
  }
  const open = openRows(), unsure = again ? unsureRows().filter((where) => where > after) : [];
  if (!open.length && !unsure.length) { again = false; finished = true; return; }
  const list = open.length ? open : unsure;
  place = list.find((where) => where > after) ?? list[0];
  finished = false;
}

function trouble(error, row, said) {
  const lost = said === undefined ? '' : ` Your answer to this row (${said === null ? 'taken back' : NAMES[said]}) is not kept yet.`;
  at('trouble').hidden = false;
  at('trouble-words').textContent = `${error.message}${error.content && error.content.changed ? '' : lost}${error.gone && about && about.resume ? ' If it has ended, start it again and open the address that it prints:' : ''}`;
  at('trouble-command').hidden = !(error.gone && about && about.resume);
  at('trouble-command').textContent = about ? about.resume : '';
  at('again').hidden = !unsaved;
}

function take(found) {
  state = found.state;
  if (found.interval !== undefined) {
    const before = interval && interval.enough;
    interval = found.interval;
    showInterval(interval);
    if (interval && interval.enough && !before) announce(interval.words);
  }
}

async function answer(said, request) {
  if (busy || ended || finished || (settling && said === 'unsure')) return;
  busy = true;
  const row = current(), where = place;
  const asked = request || `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  unsaved = { said, request: asked };
  try {
    take(await keeper.answer(row, said, state.version, asked, settling));
    unsaved = null;
    at('trouble').hidden = true;
    const time = Date.now();
    if (lastTime !== null && time - lastTime < GAP) { gaps.push(time - lastTime); if (gaps.length > RECENT) gaps.shift(); }
    lastTime = time;
    next(Math.max(state.rows.indexOf(row), settling ? where : -1));
    await show(document.activeElement === document.body);
    announce(finished ? `${NAMES[said]}. Every row has an answer.` : `${NAMES[said]}. ${at('row-title').textContent}.`);
    poll();
  } catch (error) {
    if (error.content) { take(error.content); if (error.content.changed) unsaved = null; }
    trouble(error, row, said);
    if (!settling) { const now = state.rows.indexOf(row); if (now >= 0) place = now; }
    await show(false);
  }
  busy = false;
}

async function undo() {
  if (busy || ended) return;
  busy = true;
  try {
    const found = await keeper.undo();
    take(found);
    at('trouble').hidden = true;
    if (found.undone === null) announce('There is nothing to undo.');
    else {
      settling = state.differ.some((one) => one.row === found.undone);
      place = settling ? state.differ.findIndex((one) => one.row === found.undone) : Math.max(state.rows.indexOf(found.undone), 0);
      finished = false;
      await show(false);
      announce(`Answer taken back. ${at('row-title').textContent}.`);
    }
    poll();
  } catch (error) { trouble(error); }
  busy = false;
}

async function move(step) {
  if (busy || ended) return;
  if (finished && step < 0) { finished = false; settling = false; place = state.rows.length - 1; } else {
    const wanted = place + step;
    if (finished || wanted < 0 || wanted >= count()) return;
    place = wanted;
  }
  busy = true;
  try { await show(false); announce(`${at('row-title').textContent}. ${saidAt(place) ? NAMES[saidAt(place)] : 'No answer yet'}.`); } catch (error) { trouble(error); }
  busy = false;
}

async function showScore() {
  if (!about.scores || finished) return;
  try {
    const found = await keeper.score(current());
    at('score').textContent = found.score === null ? 'no score is known' : `Score ${Number(found.score.toPrecision(6))}`;
    at('show-score').hidden = true;
    announce(at('score').textContent);
  } catch (error) { trouble(error); }
}

function save() {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([keeper.sheet()], { type: 'text/csv' }));
  link.download = about.output;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  keeper.markSaved();
  showProgress();
  announce(`The answers are saved as ${about.output}.`);
}

// Ask for news while the interval of the newest answers is being made.
let asking = null;
function poll() {
  if (asking || !about.live || ended) return;
  const wait = () => { asking = setTimeout(async () => {
    asking = null;
    try {
      const found = await keeper.news();
      if (!busy && found.state.version >= state.version) { take(found); if (!finished) { showButtons(); } showProgress(); }
      if (interval && interval.state !== 'none' && (interval.version < state.version || (interval.state === 'counting'))) wait();
    } catch { /* the next answer tells it */ }
  }, 250); };
  wait();
}

async function refresh() {
  if (busy || ended || !state || about.mode === 'alone') return;
  try {
    const row = finished ? null : current(), found = await keeper.news();
    if (busy) return;
    take(found);
    if (row !== null && !settling) place = Math.max(state.rows.indexOf(row), 0);
    if (!finished) showButtons();
    showProgress();
  } catch { /* the next answer tells it */ }
}

function pause() {
  clearInterval(playing); playing = null;
  at('pause').textContent = 'Go on by itself';
}

function play() {
  at('pause').textContent = 'Pause the demonstration';
  playing = setInterval(() => {
    if (busy || finished) { if (finished) { pause(); at('pause').hidden = true; verdict(); } return; }
    if (interval && interval.enough) { pause(); verdict(); return; }
    const said = about.truth[current()];
    at(said).classList.add('struck');
    setTimeout(() => { at(said).classList.remove('struck'); answer(said); }, 180);
  }, 420);
}

const KEYS = { 1: 'yes', y: 'yes', Y: 'yes', 0: 'no', n: 'no', N: 'no', '?': 'unsure' };
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  const target = event.target;
  if (target.tagName === 'INPUT' && target.type !== 'checkbox') return;
  const inside = target.closest && target.closest('dd');
  if (inside && event.key.startsWith('Arrow') && !['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
  if (!at('keys').checked && !event.key.startsWith('Arrow')) return;
  const known = KEYS[event.key];
  if (playing && (known || event.key === 'Backspace')) pause();
  if (known) answer(known);
  else if (event.key === 'Backspace') undo();
  else if (event.key === 'ArrowLeft') move(-1);
  else if (event.key === 'ArrowRight') move(1);
  else if (event.key === 's') showScore();
  else return;
  event.preventDefault();
}

async function begin() {
  try { about = await keeper.about(); } catch (error) { trouble(error); at('row-title').textContent = 'No rows'; return; }
  take(about);
  at('question').textContent = about.question;
  document.title = about.question;
  document.addEventListener('keydown', pressed);
  for (const name of ['yes', 'no', 'unsure']) at(name).addEventListener('click', () => { if (playing) pause(); answer(name); });
  at('back').addEventListener('click', () => move(-1));
  at('forward').addEventListener('click', () => move(1));
  at('undo').addEventListener('click', () => { if (playing) pause(); undo(); });
  at('show-score').addEventListener('click', showScore);
  at('again').addEventListener('click', () => { if (unsaved) answer(unsaved.said, unsaved.request); });
  const alone = about.mode === 'alone';
  at('save').hidden = !alone; at('name-line').hidden = !alone; at('end').hidden = alone; at('verdict').hidden = !about.verdict;
  at('save').addEventListener('click', save);
  at('verdict').addEventListener('click', verdict);
  at('end').addEventListener('click', async () => {
    try { await keeper.end(); ended = true; at('note').hidden = false; at('note').textContent = `The program has ended; all answers are in ${about.output}. You can close this page.`; announce(at('note').textContent); } catch (error) { trouble(error); }
  });
  if (alone) { at('name').value = keeper.name; at('name').addEventListener('input', () => { keeper.name = at('name').value; }); }
  addEventListener('beforeunload', (event) => { if (unsaved || (alone && !keeper.saved)) { event.preventDefault(); event.returnValue = ''; } });
  addEventListener('focus', refresh);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
  next(-1);
  await show(false);
  busy = false;
  document.documentElement.classList.add('ready');
  poll();
  if (about.truth.length) {
    at('pause').hidden = false;
    at('pause').addEventListener('click', () => { if (playing) pause(); else play(); });
    play();
  }
}
begin();
