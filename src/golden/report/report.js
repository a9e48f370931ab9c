
'use strict';
// All text comes in as data and goes out as text nodes: nothing a trace or a file name says is ever markup.
const report = JSON.parse(document.getElementById('data').textContent);
const VIEWS = ['side', 'flip', 'onion', 'difference'];
const VIEW_NAMES = { side: 'Side by side', flip: 'Flip', onion: 'Onion', difference: 'Difference' };
const state = { frame: 0, view: 'side', zoom: 0, gain: 0, mix: 50, shown: 'found', isOpaque: false, pictures: {} };
const entries = [];
for (const found of report.cases) {
  for (const frame of found.frames) entries.push({ found, frame });
  if (!found.frames.length) entries.push({ found, frame: null });
}
const rank = (entry) => { const status = (entry.frame || entry.found).status; return status === 'passed' ? 2 : status === 'known-failure' ? 1 : 0; };
entries.sort((a, b) => rank(a) - rank(b));

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
const tone = (status) => (status === 'passed' ? 'good' : status === 'known-failure' || status === 'flaky' ? 'odd' : 'bad');

// PNG, 8 bits per channel, RGBA, not interlaced: the only kind that is put in here. Decoded by hand, since a canvas
// multiplies colours by alpha and would lose what is to be read out.
async function decode(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const words = new DataView(bytes.buffer);
  const parts = [];
  let width = 0, height = 0;
  for (let at = 8; at + 8 <= bytes.length;) {
    const length = words.getUint32(at), kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (kind === 'IHDR') { width = words.getUint32(at + 8); height = words.getUint32(at + 12); }
    if (kind === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const inflated = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'));
  const raw = new Uint8Array(await new Response(inflated).arrayBuffer());
  const rgba = new Uint8ClampedArray(width * height * 4), row = width * 4;
  const paeth = (a, b, c) => { const p = a + b - c, x = Math.abs(p - a), y = Math.abs(p - b), z = Math.abs(p - c); return x <= y && x <= z ? a : y <= z ? b : c; };
  for (let y = 0, from = 0; y < height; y++) {
    const filter = raw[from++], start = y * row;
    for (let n = 0; n < row; n++) {
      const left = n >= 4 ? rgba[start + n - 4] : 0, up = y ? rgba[start + n - row] : 0, corner = n >= 4 && y ? rgba[start + n - row - 4] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      rgba[start + n] = (raw[from++] + guess) & 255;
    }
  }
  return { width, height, rgba };
}

function canvasOf(picture, rgba) {
  const canvas = make('canvas', { width: picture.width, height: picture.height });
  const pixels = new Uint8ClampedArray(rgba);
  if (state.isOpaque) for (let n = 3; n < pixels.length; n += 4) pixels[n] = 255;
  if (pixels.length) canvas.getContext('2d').putImageData(new ImageData(pixels, picture.width, picture.height), 0, 0);
  canvas.style.width = picture.width * zoom() + 'px';
  canvas.style.height = picture.height * zoom() + 'px';
  canvas.addEventListener('mousemove', (event) => readOut(Math.floor(event.offsetX / zoom()), Math.floor(event.offsetY / zoom())));
  return canvas;
}
const figure = (title, ...content) => make('figure', {}, make('figcaption', {}, title), make('div', { class: 'pane' }, ...content));
const zoom = () => {
  if (state.zoom) return state.zoom;
  const { expected, found } = state.pictures, width = (found || expected).width;
  return Math.max(1, Math.min(8, Math.floor(440 / width)));
};
function largestStep() {
  const { expected, found } = state.pictures;
  let largest = 0;
  for (let n = 0; n < found.rgba.length; n++) largest = Math.max(largest, Math.abs(expected.rgba[n] - found.rgba[n]));
  return largest;
}
const gain = () => state.gain || Math.max(1, Math.floor(255 / Math.max(1, largestStep())));
function difference(expected, found) {
  const rgba = new Uint8ClampedArray(found.rgba.length), times = gain();
  for (let n = 0; n < rgba.length; n += 4) {
    const alpha = Math.abs(expected.rgba[n + 3] - found.rgba[n + 3]);
    for (let c = 0; c < 3; c++) rgba[n + c] = Math.max(Math.abs(expected.rgba[n + c] - found.rgba[n + c]), alpha) * times;
    rgba[n + 3] = 255;
  }
  return rgba;
}
function blend(expected, found) {
  const rgba = new Uint8ClampedArray(found.rgba.length), t = state.mix / 100;
  for (let n = 0; n < rgba.length; n++) rgba[n] = expected.rgba[n] * (1 - t) + found.rgba[n] * t;
  return rgba;
}

function readOut(x, y) {
  const pixel = (picture) => {
    if (!picture || x < 0 || y < 0 || x >= picture.width || y >= picture.height) return null;
    return Array.from(picture.rgba.subarray((y * picture.width + x) * 4, (y * picture.width + x) * 4 + 4));
  };
  const { expected, found } = state.pictures, a = pixel(expected), b = pixel(found);
  const show = (name, value) => name.padEnd(9) + (value ? value.map((number) => String(number).padStart(4)).join('') : '  none');
  const lines = ['pixel ' + x + ',' + y + '    r   g   b   a', show('expected', a), show('found', b)];
  if (a && b) lines.push(show('apart', a.map((value, n) => Math.abs(value - b[n]))));
  document.getElementById('readout').textContent = lines.join('\n');
}

const drawings = {
  side({ expected, found }) {
    const figures = [];
    if (expected) figures.push(figure('expected', canvasOf(expected, expected.rgba)));
    if (found) figures.push(figure('found', canvasOf(found, found.rgba)));
    return figures;
  },
  flip({ expected, found }) {
    const picture = state.shown === 'expected' ? expected : found;
    return [figure(state.shown + ' (space flips)', canvasOf(picture, picture.rgba))];
  },
  onion({ expected, found }) {
    const slider = make('input', { type: 'range', min: 0, max: 100, value: state.mix, id: 'mix', 'aria-label': 'expected to found' });
    const holder = make('div', { class: 'pane' }, canvasOf(found, blend(expected, found)));
    slider.addEventListener('input', () => { state.mix = Number(slider.value); holder.replaceChildren(canvasOf(found, blend(expected, found))); });
    return [make('figure', {}, make('figcaption', {}, 'expected ', slider, ' found'), holder)];
  },
  difference({ expected, found }) {
    const slider = make('input', { type: 'range', min: 1, max: 255, value: gain(), id: 'gain', 'aria-label': 'amplification' });
    const label = make('span', {}, '×' + gain());
    const holder = make('div', { class: 'pane' }, canvasOf(found, difference(expected, found)));
    slider.addEventListener('input', () => { state.gain = Number(slider.value); label.textContent = '×' + gain(); holder.replaceChildren(canvasOf(found, difference(expected, found))); });
    return [make('figure', {}, make('figcaption', {}, 'difference, amplified ', slider, ' ', label), holder)];
  },
};
const canCompare = () => {
  const { expected, found } = state.pictures;
  return expected && found && expected.width === found.width && expected.height === found.height;
};
function draw() {
  const views = document.getElementById('views');
  if (!views) return;
  const { expected, found } = state.pictures;
  const view = canCompare() ? state.view : 'side';
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll('[data-view-button]')) {
    button.setAttribute('aria-pressed', String(button.dataset.viewButton === view));
  }
  views.replaceChildren(...(expected || found ? drawings[view](state.pictures) : ['No pictures.']));
}

function histogram(record) {
  const counts = new Map(record.histogram), bars = make('div', { class: 'histogram', id: 'histogram', role: 'img', 'aria-label': 'how many pixels are how many steps apart' });
  let most = 1;
  for (const [step, count] of counts) if (step > 0) most = Math.max(most, count);
  for (let step = 1; step < 256; step++) {
    const count = counts.get(step) || 0, bar = make('span', { title: step + ' steps: ' + count + ' pixels' });
    bar.style.height = count ? Math.max(4, 100 * Math.log2(1 + count) / Math.log2(1 + most)) + '%' : '0';
    bars.append(bar);
  }
  return make('section', {}, make('h3', {}, 'Pixels by steps apart (logarithmic)'), bars,
    make('div', { class: 'axis' }, make('span', {}, '1'), make('span', {}, 'most: ' + most + ' pixels'), make('span', {}, '255')));
}
const machine = (it) => (it ? it.adapter + ' (' + it.backend + ', ' + it.kind + ', ' + it.driver + ', CPU ' + it.cpu + ')' : 'none');
function facts({ found, frame }) {
  const list = make('dl', {});
  const fact = (name, text, tag) => { if (text) list.append(make('dt', {}, name), make('dd', {}, make(tag || 'span', {}, String(text)))); };
  fact('verdict', (frame || found).status + (frame && frame.rung ? ', decided by ' + frame.rung : ''));
  fact('says', frame ? frame.message : found.message);
  if (frame && found.message) fact('case', found.message);
  if (frame) { fact('known failure', frame.known_failure); fact('cause', frame.cause); fact('sha256', frame.sha256, 'code'); }
  fact('trace', found.trace, 'code');
  fact('recorded on', machine(found.recorded));
  fact('rendered on', machine(found.machine));
  fact('drawn by', report.tool + (report.shaders && report.shaders !== 'auto' ? ', shaders: ' + report.shaders : ''));
  fact('again', found.reproduce, 'code');
  if (frame && frame.status !== 'passed') fact('find the draw', frame.bisect, 'code');
  for (const warning of found.warnings) fact('warning', warning);
  for (const attempt of found.earlier_attempts) fact('earlier attempt', attempt);
  return list;
}
async function show(index) {
  if (!entries.length) return;
  state.frame = Math.max(0, Math.min(entries.length - 1, index));
  Object.assign(state, { zoom: 0, gain: 0, shown: 'found', pictures: {} });
  const entry = entries[state.frame], { found, frame } = entry;
  for (const button of document.querySelectorAll('nav button')) button.setAttribute('aria-current', String(Number(button.dataset.entry) === state.frame));
  const bar = make('div', { class: 'bar' });
  VIEWS.forEach((view, n) => bar.append(make('button', { 'data-view-button': view, onclick: () => choose(view) }, (n + 1) + ' ' + VIEW_NAMES[view])));
  bar.append(make('button', { onclick: () => rescale(2) }, 'zoom +'), make('button', { onclick: () => rescale(0.5) }, 'zoom −'),
    make('button', { id: 'alpha', onclick: toggleAlpha }, 'a alpha'));
  const title = frame ? frame.title : found.case;
  const detail = document.getElementById('detail');
  detail.replaceChildren(make('h2', { class: tone((frame || found).status) }, title), bar, make('div', { class: 'views', id: 'views' }),
    make('div', { id: 'readout' }, 'Point at a pixel to read it. Keys: 1–4 views, space flips, + and − zoom, a alpha, j and k next and previous.'), facts(entry),
    frame && frame.difference ? histogram(frame.difference) : null);
  const pictures = (frame && frame.pictures) || {}, wanted = state.frame;
  for (const side of ['expected', 'found']) {
    if (!pictures[side]) continue;
    const picture = await decode(pictures[side]);
    if (state.frame !== wanted) return;
    state.pictures[side] = picture;
  }
  draw();
  document.body.dataset.ready = String(wanted);
}
function choose(view) { state.view = view; draw(); }
function rescale(factor) { if (!state.pictures.found && !state.pictures.expected) return; state.zoom = Math.max(0.25, Math.min(64, zoom() * factor)); draw(); }
function toggleAlpha() { state.isOpaque = !state.isOpaque; document.body.dataset.alpha = state.isOpaque ? 'ignored' : 'blended'; draw(); }
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    '+': () => rescale(2), '=': () => rescale(2), '-': () => rescale(0.5), a: toggleAlpha,
    j: () => show(state.frame + 1), k: () => show(state.frame - 1),
    ' ': () => { state.shown = state.shown === 'found' ? 'expected' : 'found'; draw(); },
  };
  VIEWS.forEach((view, n) => { actions[String(n + 1)] = () => choose(view); });
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});

document.getElementById('summary').textContent = report.summary;
entries.forEach(({ found, frame }, index) => {
  const status = (frame || found).status;
  document.getElementById('list').append(make('button', { 'data-entry': index, onclick: () => show(index) },
    frame ? frame.title : found.case, make('small', { class: tone(status) }, status.replace('-', ' '))));
});
const wanted = new URLSearchParams(location.hash.slice(1));
if (VIEWS.includes(wanted.get('view'))) state.view = wanted.get('view');
show(Number(wanted.get('entry')) || 0);
