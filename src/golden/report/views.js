
// The two pictures of a frame, in every way to look at them.
const VIEWS = ['side', 'flip', 'onion', 'difference', 'swipe'];
const VIEW_NAMES = { side: 'Side by side', flip: 'Flip', onion: 'Onion', difference: 'Difference', swipe: 'Swipe' };
// `scale` 0: as large as fits. `marks`: where pixels differ, and the worst of them.
const view = { kind: 'side', scale: 0, gain: 0, mix: 50, split: 50, shown: 'found', isOpaque: false, marks: true, pictures: {}, record: null };
const LARGEST = 64, SMALLEST = 1 / 16, FITTING = 16, CLOSE = 12;

function canvasOf(picture, rgba) {
  const canvas = make('canvas', { width: picture.width, height: picture.height });
  const pixels = new Uint8ClampedArray(rgba);
  if (view.isOpaque) for (let n = 3; n < pixels.length; n += 4) pixels[n] = 255;
  if (pixels.length) canvas.getContext('2d').putImageData(new ImageData(pixels, picture.width, picture.height), 0, 0);
  const size = scale();
  canvas.style.width = picture.width * size + 'px';
  canvas.style.height = picture.height * size + 'px';
  canvas.style.imageRendering = size < 1 ? 'auto' : 'pixelated';
  canvas.addEventListener('mousemove', (event) => readOut(Math.floor(event.offsetX / scale()), Math.floor(event.offsetY / scale())));
  return canvas;
}
// What lies over a picture is in its pixels.
function stageOf(canvas, ...over) {
  const stage = make('div', { class: 'stage' }, canvas, ...over);
  if (view.marks && view.record) {
    const { bounds, worst } = view.record;
    if (bounds) stage.append(box('bounds', bounds, 'where pixels differ'));
    if (worst) stage.append(box('worst', [worst[0], worst[1], 1, 1], 'the worst pixel'));
  }
  return stage;
}
function box(kind, [x, y, width, height], title) {
  const size = scale(), mark = make('div', { class: 'mark ' + kind, title });
  // A mark of one pixel is to be seen where pixels are small, too.
  const least = kind === 'worst' ? Math.max(0, (9 - size) / 2) : 0;
  mark.style.left = x * size - least + 'px';
  mark.style.top = y * size - least + 'px';
  mark.style.width = width * size + 2 * least + 'px';
  mark.style.height = height * size + 2 * least + 'px';
  return mark;
}
const figure = (title, ...content) => make('figure', {}, make('figcaption', {}, title), make('div', { class: 'pane' }, ...content));

// As large as fits beside each other: whole steps where pixels are enlarged, so that each is as large as the others.
function fitting() {
  const { expected, found } = view.pictures, picture = found || expected;
  if (!picture) return 1;
  const views = document.getElementById('views'), count = shownView() === 'side' && expected && found ? 2 : 1;
  const isNarrow = window.matchMedia('(max-width: 760px)').matches;
  const width = (views.clientWidth - 16 * (count - 1)) / (isNarrow ? 1 : count) - 4, height = window.innerHeight * 0.6;
  const fits = Math.min(width / picture.width, height / picture.height);
  return fits >= 1 ? Math.min(FITTING, Math.floor(fits)) : Math.max(SMALLEST, fits);
}
const scale = () => view.scale || fitting();
function largestStep() {
  const { expected, found } = view.pictures;
  let largest = 0;
  for (let n = 0; n < found.rgba.length; n++) largest = Math.max(largest, Math.abs(expected.rgba[n] - found.rgba[n]));
  return largest;
}
const gain = () => view.gain || Math.max(1, Math.floor(255 / Math.max(1, largestStep())));
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
  const rgba = new Uint8ClampedArray(found.rgba.length), t = view.mix / 100;
  for (let n = 0; n < rgba.length; n++) rgba[n] = expected.rgba[n] * (1 - t) + found.rgba[n] * t;
  return rgba;
}

function readOut(x, y) {
  const pixel = (picture) => {
    if (!picture || x < 0 || y < 0 || x >= picture.width || y >= picture.height) return null;
    return Array.from(picture.rgba.subarray((y * picture.width + x) * 4, (y * picture.width + x) * 4 + 4));
  };
  const { expected, found } = view.pictures, a = pixel(expected), b = pixel(found);
  const show = (name, value) => name.padEnd(9) + (value ? value.map((number) => String(number).padStart(4)).join('') : '  none');
  const lines = ['pixel ' + x + ',' + y + '    r   g   b   a', show('expected', a), show('found', b)];
  if (a && b) lines.push(show('apart', a.map((value, n) => Math.abs(value - b[n]))));
  document.getElementById('readout').textContent = lines.join('\n');
}

const drawings = {
  side({ expected, found }) {
    const figures = [];
    if (expected) figures.push(figure('expected', stageOf(canvasOf(expected, expected.rgba))));
    if (found) figures.push(figure('found', stageOf(canvasOf(found, found.rgba))));
    return figures;
  },
  flip({ expected, found }) {
    const picture = view.shown === 'expected' ? expected : found;
    return [figure(view.shown + ' (space flips)', stageOf(canvasOf(picture, picture.rgba)))];
  },
  onion({ expected, found }) {
    const slider = make('input', { type: 'range', min: 0, max: 100, value: view.mix, id: 'mix', 'aria-label': 'expected to found' });
    const holder = make('div', { class: 'pane' }), fill = () => holder.replaceChildren(stageOf(canvasOf(found, blend(expected, found))));
    slider.addEventListener('input', () => { view.mix = Number(slider.value); fill(); });
    fill();
    return [make('figure', {}, make('figcaption', {}, 'expected ', slider, ' found'), holder)];
  },
  difference({ expected, found }) {
    const slider = make('input', { type: 'range', min: 1, max: 255, value: gain(), id: 'gain', 'aria-label': 'amplification' });
    const label = make('span', {}, '×' + gain());
    const holder = make('div', { class: 'pane' }), fill = () => holder.replaceChildren(stageOf(canvasOf(found, difference(expected, found))));
    slider.addEventListener('input', () => { view.gain = Number(slider.value); label.textContent = '×' + gain(); fill(); });
    fill();
    return [make('figure', {}, make('figcaption', {}, 'difference, amplified ', slider, ' ', label), holder)];
  },
  swipe({ expected, found }) {
    const slider = make('input', { type: 'range', min: 0, max: 100, value: view.split, id: 'split', 'aria-label': 'position of the split' });
    const over = canvasOf(found, found.rgba), line = make('div', { class: 'split' });
    over.classList.add('over');
    const place = (percent) => {
      view.split = Math.max(0, Math.min(100, percent));
      slider.value = view.split;
      over.style.clipPath = 'inset(0 0 0 ' + view.split + '%)';
      line.style.left = view.split + '%';
    };
    const stage = stageOf(canvasOf(expected, expected.rgba), over, line);
    stage.addEventListener('pointermove', (event) => { if (event.buttons === 1) place(100 * (event.clientX - stage.getBoundingClientRect().left) / stage.clientWidth); });
    slider.addEventListener('input', () => place(Number(slider.value)));
    place(view.split);
    return [make('figure', {}, make('figcaption', {}, 'expected ', slider, ' found (or drag on the picture)'), make('div', { class: 'pane' }, stage))];
  },
};
const canCompare = () => {
  const { expected, found } = view.pictures;
  return expected && found && expected.width === found.width && expected.height === found.height;
};
const shownView = () => (canCompare() ? view.kind : 'side');
function draw() {
  const views = document.getElementById('views');
  if (!views) return;
  const { expected, found } = view.pictures, kind = shownView();
  document.body.dataset.view = kind;
  for (const button of document.querySelectorAll('[data-view-button]')) {
    button.setAttribute('aria-pressed', String(button.dataset.viewButton === kind));
    button.disabled = !canCompare() && button.dataset.viewButton !== 'side';
  }
  const pressed = { fit: !view.scale, marks: view.marks, alpha: view.isOpaque };
  for (const [id, isPressed] of Object.entries(pressed)) document.getElementById(id).setAttribute('aria-pressed', String(isPressed));
  document.getElementById('worst').disabled = !(view.record && view.record.worst);
  document.getElementById('scale').textContent = Math.round(scale() * 100) + ' %';
  views.replaceChildren(...(expected || found ? drawings[kind](view.pictures) : ['No pictures.']));
}

function choose(kind) { view.kind = kind; draw(); }
function rescale(factor) { view.scale = Math.max(SMALLEST, Math.min(LARGEST, scale() * factor)); draw(); }
function fit() { view.scale = 0; draw(); }
function actual() { view.scale = 1; draw(); }
function toggleAlpha() { view.isOpaque = !view.isOpaque; document.body.dataset.alpha = view.isOpaque ? 'ignored' : 'blended'; draw(); }
function toggleMarks() { view.marks = !view.marks; draw(); }
function flip() { view.shown = view.shown === 'found' ? 'expected' : 'found'; draw(); }
// Close enough to see the pixel, and in the middle.
function goToWorst() {
  if (!view.record || !view.record.worst) return;
  view.scale = Math.max(CLOSE, scale());
  view.marks = true;
  draw();
  const [x, y] = view.record.worst;
  for (const pane of document.querySelectorAll('.pane')) {
    pane.scrollLeft = (x + 0.5) * view.scale - pane.clientWidth / 2;
    pane.scrollTop = (y + 0.5) * view.scale - pane.clientHeight / 2;
  }
  readOut(x, y);
}
function viewBar() {
  const bar = make('div', { class: 'bar', role: 'toolbar', 'aria-label': 'view' });
  VIEWS.forEach((kind, n) => bar.append(make('button', { 'data-view-button': kind, onclick: () => choose(kind), title: 'key ' + (n + 1) }, VIEW_NAMES[kind])));
  bar.append(make('span', { class: 'gap' }),
    make('button', { id: 'fit', onclick: fit, title: 'key f: fit the view' }, 'Fit'), make('button', { onclick: actual, title: 'key 0: 100 %' }, '100 %'),
    make('button', { onclick: () => rescale(0.5), title: 'key −' }, '−'), make('span', { id: 'scale' }), make('button', { onclick: () => rescale(2), title: 'key +' }, '+'),
    make('span', { class: 'gap' }),
    make('button', { id: 'marks', onclick: toggleMarks, title: 'key m: where pixels differ' }, 'Marks'), make('button', { id: 'worst', onclick: goToWorst, title: 'key w' }, 'Worst pixel'),
    make('button', { id: 'alpha', onclick: toggleAlpha, title: 'key a: show without alpha' }, 'Opaque'));
  return bar;
}
