// Reads a PNG with the exact bytes of its pixels: a canvas multiplies colours by alpha, and loses those that are transparent.
// Long pictures are read in turns, so that the page goes on meanwhile.

export interface Pixels {
  width: number;
  height: number;
  /** Four bytes a pixel, from the upper left. */
  rgba: Uint8ClampedArray;
}

/** Longest turn, in milliseconds. */
const TURN = 12;
const SIGNATURE = 8;
/** Channels by colour type. */
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 };

export async function decode(png: Uint8Array): Promise<Pixels> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  let [width, height, depth, type, interlaced] = [0, 0, 0, 0, 0];
  const parts: Uint8Array[] = [];
  for (let offset = SIGNATURE; offset + 12 <= png.length;) {
    const length = view.getUint32(offset);
    const name = String.fromCharCode(...png.subarray(offset + 4, offset + 8));
    const data = offset + 8;
    if (name === "IHDR") {
      [width, height] = [view.getUint32(data), view.getUint32(data + 4)];
      [depth, type, interlaced] = [view.getUint8(data + 8), view.getUint8(data + 9), view.getUint8(data + 12)];
    } else if (name === "IDAT") parts.push(png.subarray(data, data + length));
    offset = data + length + 4;
  }
  const channels = CHANNELS[type];
  if (channels === undefined || interlaced !== 0 || (depth !== 8 && depth !== 16)) {
    throw new Error(`the picture is a PNG of colour type ${type} with ${depth} bits: expected 8 or 16 bits a channel`);
  }
  const bytes = channels * (depth / 8);
  const rows = await inflate(parts, (width * bytes + 1) * height);
  await unfilter(rows, width * bytes, height, bytes);
  return { width, height, rgba: await expand(rows, width, height, channels, depth / 8) };
}

/** Unpacks what the parts hold: `length` bytes. */
async function inflate(parts: Uint8Array[], length: number): Promise<Uint8Array> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const written = (async () => {
    for (const part of parts) await writer.write(part);
    await writer.close();
  })();
  const whole = new Uint8Array(length);
  const reader = stream.readable.getReader();
  let filled = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    whole.set(value.subarray(0, length - filled), filled);
    filled += value.length;
  }
  await written;
  return whole;
}

/** Waits for the next turn. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Undoes the filter of each row, in place. A row is preceded by the number of its filter. */
async function unfilter(rows: Uint8Array, rowBytes: number, height: number, step: number): Promise<void> {
  let since = performance.now();
  for (let row = 0; row < height; row += 1) {
    const start = row * (rowBytes + 1) + 1;
    const above = row === 0 ? -1 : start - rowBytes - 1;
    filterRow(rows, rows[start - 1] ?? 0, start, rowBytes, above, step);
    if ((row & 15) === 0 && performance.now() - since > TURN) {
      await turn();
      since = performance.now();
    }
  }
}

function filterRow(rows: Uint8Array, filter: number, start: number, length: number, above: number, step: number): void {
  const end = start + length;
  const lift = start - above;
  const hasAbove = above >= 0;
  if (filter === 1) {
    for (let at = start + step; at < end; at += 1) rows[at] += rows[at - step]!;
  } else if (filter === 2 && hasAbove) {
    for (let at = start; at < end; at += 1) rows[at] += rows[at - lift]!;
  } else if (filter === 3) {
    for (let at = start; at < end; at += 1) {
      const left = at - start >= step ? rows[at - step]! : 0;
      rows[at] += (left + (hasAbove ? rows[at - lift]! : 0)) >> 1;
    }
  } else if (filter === 4) {
    for (let at = start; at < end; at += 1) {
      const isFirst = at - start < step;
      const left = isFirst ? 0 : rows[at - step]!;
      const up = hasAbove ? rows[at - lift]! : 0;
      const corner = isFirst || !hasAbove ? 0 : rows[at - lift - step]!;
      const guess = left + up - corner;
      const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      rows[at] += toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
    }
  }
}

/** Makes RGBA of 8 bits of the rows. */
async function expand(
  rows: Uint8Array,
  width: number,
  height: number,
  channels: number,
  size: number,
): Promise<Uint8ClampedArray> {
  const rgba = new Uint8ClampedArray(width * height * 4);
  const rowBytes = width * channels * size;
  const isGrey = channels < 3;
  const hasAlpha = channels === 2 || channels === 4;
  let since = performance.now();
  for (let row = 0; row < height; row += 1) {
    const start = row * (rowBytes + 1) + 1;
    if (channels === 4 && size === 1) rgba.set(rows.subarray(start, start + rowBytes), row * width * 4);
    else {
      for (let column = 0; column < width; column += 1) {
        const from = start + column * channels * size;
        const to = (row * width + column) * 4;
        for (let channel = 0; channel < 3; channel += 1)
          rgba[to + channel] = rows[from + (isGrey ? 0 : channel * size)]!;
        rgba[to + 3] = hasAlpha ? rows[from + (channels - 1) * size]! : 255;
      }
    }
    if ((row & 15) === 0 && performance.now() - since > TURN) {
      await turn();
      since = performance.now();
    }
  }
  return rgba;
}
