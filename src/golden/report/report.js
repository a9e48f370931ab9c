
// Cases and their pictures: the list, the one that is looked at, links to it.
const names = report.cases.map((found) => found.case);
const groups = report.cases.map((found) => ({ found, key: names.filter((name) => name === found.case).length > 1 ? found.folder : found.case }));
const rank = (status) => (status === 'passed' ? 2 : status === 'known-failure' ? 1 : 0);
groups.sort((a, b) => rank(a.found.status) - rank(b.found.status));
const entries = [];
for (const group of groups) {
  const { found } = group, frames = [...found.frames].sort((a, b) => rank(a.status) - rank(b.status));
  for (const frame of frames) entries.push({ group, found, frame, key: frame.key });
  if (!frames.length) entries.push({ group, found, frame: null, key: '' });
}
let shownEntry = 0;
const statusOf = (entry) => (entry.frame || entry.found).status;
const tone = (status) => (status === 'passed' ? 'good' : status === 'known-failure' || status === 'flaky' ? 'odd' : 'bad');
const words = (status) => status.replace(/-/g, ' ');

function histogram(record) {
  const counts = new Map(record.histogram), bars = make('div', { class: 'histogram', id: 'histogram', role: 'img', 'aria-label': 'pixels by difference in steps' });
  let most = 1;
  for (const [step, count] of counts) if (step > 0) most = Math.max(most, count);
  for (let step = 1; step < 256; step++) {
    const count = counts.get(step) || 0, bar = make('span', { title: step + ' steps: ' + count + ' pixels' });
    bar.style.height = count ? Math.max(4, 100 * Math.log2(1 + count) / Math.log2(1 + most)) + '%' : '0';
    bars.append(bar);
  }
  return make('section', {}, make('h3', {}, 'Pixels by difference in steps (logarithmic)'), bars,
    make('div', { class: 'axis' }, make('span', {}, '1'), make('span', {}, 'most: ' + most + ' pixels'), make('span', {}, '255')));
}
const machine = (it) => (it ? it.adapter + ' (' + it.backend + ', ' + it.kind + ', ' + it.driver + ', CPU ' + it.cpu + ')' : 'none');
function facts({ found, frame }) {
  const list = make('dl', {});
  const fact = (name, text) => { if (text) list.append(make('dt', {}, name), make('dd', {}, String(text))); };
  const command = (name, text) => { if (text) list.append(make('dt', {}, name), make('dd', {}, make('code', {}, text), ' ', copyButton(() => text))); };
  const code = (name, text) => { if (text) list.append(make('dt', {}, name), make('dd', {}, make('code', {}, text))); };
  fact('verdict', words((frame || found).status) + (frame && frame.criterion ? ', decided by ' + frame.criterion : ''));
  if (frame && frame.difference && frame.difference.finding === 'one-step') fact('finding', 'rounding: no pixel differs by more than one step of 255');
  fact('says', frame ? frame.message : found.message);
  if (frame && found.message) fact('case', found.message);
  if (frame) { fact('known failure', frame.known_failure); fact('inputs', frame.input_change); fact('pixels', frame.cause); code('sha256', frame.sha256); }
  code('trace', found.trace);
  fact('recorded on', machine(found.recorded));
  fact('rendered on', machine(found.machine));
  fact('drawn by', report.tool + (report.shaders && report.shaders !== 'auto' ? ', shaders: ' + report.shaders : ''));
  command('again', found.reproduce);
  if (frame && frame.status !== 'passed') command('find the draw', frame.bisect);
  if (frame && frame.page) list.append(make('dt', {}, 'replay'), make('dd', {}, make('a', { href: frame.page }, 'this frame, draw by draw')));
  if (frame) command('approve', frame.approve);
  for (const warning of found.warnings) fact('warning', warning);
  for (const attempt of found.earlier_attempts) fact('earlier attempt', attempt);
  return list;
}

async function show(index) {
  if (!entries.length) return;
  shownEntry = Math.max(0, Math.min(entries.length - 1, index));
  const entry = entries[shownEntry], { found, frame } = entry;
  Object.assign(view, { scale: 0, gain: 0, shown: 'found', pictures: {}, record: (frame && frame.difference) || null });
  for (const { button } of entries) button.setAttribute('aria-current', String(button === entry.button));
  entry.group.details.open = true;
  entry.button.scrollIntoView({ block: 'nearest' });
  const title = frame ? found.case + ', ' + frame.title : found.case;
  const readout = make('div', { id: 'readout' }, 'Point at a pixel to read it. Keys: 1–5 views, space flips, f fits, 0 is 100 %, + and − zoom, m marks, w worst pixel, a opaque, j and k next and previous, y accepts, n rejects.');
  const pictures = (frame && frame.pictures) || {}, hasPictures = 'expected' in pictures || 'found' in pictures;
  document.getElementById('detail').replaceChildren(...present([make('h2', { class: tone(statusOf(entry)), tabindex: -1 }, title), decideBar(entry), viewBar(),
    make('div', { class: 'views', id: 'views' }), hasPictures ? readout : null, facts(entry), view.record ? histogram(view.record) : null]));
  // Back leads out of the report, not through all that was looked at.
  const link = '#' + encodeURIComponent(entry.group.key) + (entry.key ? '/' + encodeURIComponent(entry.key) : '');
  if (location.hash !== link) history.replaceState(null, '', link);
  const wanted = shownEntry;
  for (const side of ['expected', 'found']) {
    if (!(side in pictures)) continue;
    const picture = await pictureOf(pictures[side]);
    if (shownEntry !== wanted) return;
    view.pictures[side] = picture;
  }
  draw();
  showDecisions();
  document.body.dataset.ready = String(wanted);
}

// The next one that the filter shows.
function step(by) {
  for (let index = shownEntry + by; index >= 0 && index < entries.length; index += by) {
    if (!entries[index].button.hidden) return show(index);
  }
}
function filter() {
  const text = document.getElementById('search').value.trim().toLowerCase(), status = document.getElementById('status').value;
  let count = 0;
  for (const group of groups) {
    let isEmpty = true;
    for (const entry of entries.filter((one) => one.group === group)) {
      const { found, frame } = entry, says = [found.case, found.folder, found.message, frame && frame.title, frame && frame.message, frame && frame.cause];
      const isWanted = !text || says.some((part) => part && part.toLowerCase().includes(text));
      const isShown = isWanted && (status === 'all' || statusOf(entry) === status || (status === 'open' && rank(statusOf(entry)) === 0));
      entry.button.hidden = !isShown;
      if (isShown) { count += 1; isEmpty = false; }
    }
    group.details.hidden = isEmpty;
  }
  document.getElementById('count').textContent = count === entries.length ? '' : count + ' of ' + entries.length;
}

// Small pictures are made when they come into sight.
async function drawThumbnail(canvas, number) {
  const picture = await pictureOf(number), context = canvas.getContext('2d');
  const whole = make('canvas', { width: picture.width, height: picture.height });
  if (picture.rgba.length) whole.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(picture.rgba), picture.width, picture.height), 0, 0);
  const size = Math.min(canvas.width / picture.width, canvas.height / picture.height);
  const [width, height] = [Math.max(1, picture.width * size), Math.max(1, picture.height * size)];
  context.imageSmoothingEnabled = size < 1;
  context.drawImage(whole, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
}
function list() {
  const seen = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawThumbnail(target, Number(target.dataset.picture));
    }
  });
  for (const group of groups) {
    const { found } = group, own = entries.filter((entry) => entry.group === group);
    group.details = make('details', { class: 'case' }, make('summary', {}, found.case, ' ', make('small', { class: tone(found.status) }, words(found.status))));
    group.details.open = rank(found.status) === 0;
    for (const entry of own) {
      const { frame } = entry, pictures = (frame && frame.pictures) || {}, number = 'found' in pictures ? pictures.found : pictures.expected;
      entry.mark = make('span', { class: 'decision' });
      const thumbnail = make('canvas', { class: 'thumbnail', width: 56, height: 42, 'aria-hidden': 'true' });
      // What is as expected has no picture in here.
      if (number === undefined) thumbnail.classList.add('none');
      else { thumbnail.dataset.picture = number; seen.observe(thumbnail); }
      const status = statusOf(entry), label = make('span', { class: 'label' }, frame ? frame.title : 'the case', make('small', { class: tone(status) }, words(status)));
      entry.button = make('button', { 'data-entry': entries.indexOf(entry), onclick: () => { document.body.dataset.place = 'detail'; show(entries.indexOf(entry)); } }, thumbnail, label, entry.mark);
      group.details.append(entry.button);
    }
    document.getElementById('list').append(group.details);
  }
}
function linked() {
  const [key, of] = location.hash.slice(1).split('/').map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  const index = entries.findIndex((entry) => entry.group.key === key && (of === undefined || entry.key === of));
  return index;
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || ['INPUT', 'TEXTAREA', 'SELECT'].includes(event.target.tagName) && event.target.type !== 'range') return;
  const actions = {
    '+': () => rescale(2), '=': () => rescale(2), '-': () => rescale(0.5), 0: actual, f: fit, a: toggleAlpha, m: toggleMarks, w: goToWorst,
    j: () => step(1), k: () => step(-1), ' ': flip, '/': () => document.getElementById('search').focus(),
    y: () => { if (canDecide(entries[shownEntry])) toggleDecision('accept'); }, n: () => { if (canDecide(entries[shownEntry])) toggleDecision('reject'); },
  };
  VIEWS.forEach((kind, n) => { actions[String(n + 1)] = () => choose(kind); });
  if (entries.length && actions[event.key]) { event.preventDefault(); actions[event.key](); }
});
window.addEventListener('hashchange', () => { const index = linked(); if (index >= 0) show(index); });
window.addEventListener('resize', () => { if (!view.scale) draw(); });

document.getElementById('summary').textContent = report.summary;
const statuses = [...new Set(entries.map(statusOf))];
document.getElementById('status').append(make('option', { value: 'all' }, 'all'), make('option', { value: 'open' }, 'everything unexpected'),
  ...statuses.map((status) => make('option', { value: status }, words(status))));
document.getElementById('search').addEventListener('input', filter);
document.getElementById('status').addEventListener('change', filter);
document.getElementById('back').addEventListener('click', () => { document.body.dataset.place = 'list'; });
recall();
list();
triageBar();
showDecisions();
filter();
if (linked() >= 0) document.body.dataset.place = 'detail';
show(Math.max(0, linked()));
