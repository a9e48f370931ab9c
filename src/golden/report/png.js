'use strict';
// All text comes in as data and goes out as text nodes: nothing a trace or a file name says is ever markup.
const report = JSON.parse(document.getElementById('data').textContent);

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

// Pictures that were looked at last, by their number. A large suite has more of them than memory.
const DECODED = 24;
const decoded = new Map();
function pictureOf(number) {
  const known = decoded.get(number) || decode(report.pictures[number]);
  decoded.delete(number);
  decoded.set(number, known);
  if (decoded.size > DECODED) decoded.delete(decoded.keys().next().value);
  return known;
}

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...present(children));
  return element;
}
const present = (children) => children.filter((child) => child !== null && child !== undefined && child !== '');
