// Bytes of the picture as the screen gets them: channels, range, alpha, and differences of two pictures.
import type { ImageAnswer } from "./protocol";

export interface Pixels {
  width: number;
  height: number;
  /** Four bytes a pixel, from the upper left. */
  rgba: Uint8ClampedArray;
}

/** Form in which pictures are asked for that are shown. */
export const AS_PIXELS = { form: "pixels" };

/** The pixels of an answer in that form. */
export function pixelsOf({ width, height, rgba }: ImageAnswer): Pixels {
  if (!rgba) throw new Error("the answer has no pixels");
  return { width, height, rgba: new Uint8ClampedArray(rgba.buffer, rgba.byteOffset, rgba.byteLength) };
}

export interface Display {
  /** Red, green, blue and alpha. */
  channels: [boolean, boolean, boolean, boolean];
  /** Values that become black and white, from 0 to 1. */
  low: number;
  high: number;
}

export const PLAIN: Display = { channels: [true, true, true, false], low: 0, high: 1 };

/** Sides of a comparison, as the window's keys choose them. */
export type Mode = "difference" | "amplified" | "a" | "b" | "side by side";

/** Factor of an amplified difference. */
const AMPLIFIED = 16;

/** Gives the picture for the screen. One channel alone is grey; without alpha everything is opaque. */
export function displayed({ width, height, rgba }: Pixels, { channels, low, high }: Display): ImageData {
  const out = new ImageData(Math.max(width, 1), Math.max(height, 1));
  const [from, to] = [
    new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length >> 2),
    new Uint32Array(out.data.buffer),
  ];
  const on = channels.flatMap((isOn, channel) => (isOn ? [channel] : []));
  // A picture that is transparent black all over was never written: it is not to be taken for black.
  const isUnwritten = from.every((pixel) => pixel === 0);
  if (low === 0 && high === 1 && on.length >= 3 && !channels[3]) {
    const opaque = isUnwritten ? 0 : 0xff000000;
    for (let index = 0; index < from.length; index += 1) to[index] = from[index]! | opaque;
    return out;
  }
  const table = new Uint8Array(256);
  for (let value = 0; value < 256; value += 1) {
    const scaled = (value / 255 - low) / Math.max(high - low, 1e-6);
    table[value] = Math.round(Math.min(Math.max(scaled, 0), 1) * 255);
  }
  const hasAlpha = channels[3] || isUnwritten;
  const single = on.length === 1 ? (on[0] ?? 0) * 8 : -1;
  const masks = [0, 1, 2].map((channel) => (channels[channel] ? 255 : 0));
  const [red, green, blue] = [masks[0]!, masks[1]!, masks[2]!];
  for (let index = 0; index < from.length; index += 1) {
    const pixel = from[index]!;
    if (single >= 0) {
      const grey = table[(pixel >>> single) & 255]!;
      to[index] = (255 << 24) | (grey << 16) | (grey << 8) | grey;
    } else {
      const alpha = hasAlpha ? pixel >>> 24 : 255;
      to[index] =
        (alpha << 24) |
        ((table[(pixel >>> 16) & 255]! & blue) << 16) |
        ((table[(pixel >>> 8) & 255]! & green) << 8) |
        (table[pixel & 255]! & red);
    }
  }
  return out;
}

/** Least and greatest value of the channels that are shown, from 0 to 1. */
export function range({ rgba }: Pixels, { channels }: Display): [number, number] {
  let [low, high] = [255, 0];
  const on = channels.flatMap((isOn, channel) =>
    isOn && (channel < 3 || !channels.slice(0, 3).includes(true)) ? [channel] : [],
  );
  for (let index = 0; index < rgba.length; index += 4) {
    for (const channel of on) {
      const value = rgba[index + channel]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low < high ? [low / 255, high / 255] : [0, 1];
}

/** Two pictures as one. */
export function combined(a: Pixels, b: Pixels, mode: Mode): Pixels {
  if (mode === "a") return a;
  if (mode === "b") return b;
  if (mode === "side by side") return beside(a, b);
  const [width, height] = [Math.max(a.width, b.width), Math.max(a.height, b.height)];
  const rgba = new Uint8ClampedArray(width * height * 4);
  const factor = mode === "amplified" ? AMPLIFIED : 1;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const to = (y * width + x) * 4;
      rgba[to + 3] = 255;
      const isInBoth = x < a.width && y < a.height && x < b.width && y < b.height;
      const [fromA, fromB] = [(y * a.width + x) * 4, (y * b.width + x) * 4];
      for (let channel = 0; channel < 3; channel += 1) {
        rgba[to + channel] = isInBoth ? Math.abs(a.rgba[fromA + channel]! - b.rgba[fromB + channel]!) * factor : 255;
      }
    }
  }
  return { width, height, rgba };
}

/** Pixels between two pictures side by side. */
const GAP = 4;

function beside(a: Pixels, b: Pixels): Pixels {
  const [width, height] = [a.width + GAP + b.width, Math.max(a.height, b.height)];
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    if (y < a.height) rgba.set(a.rgba.subarray(y * a.width * 4, (y + 1) * a.width * 4), y * width * 4);
    const to = (y * width + a.width + GAP) * 4;
    if (y < b.height) rgba.set(b.rgba.subarray(y * b.width * 4, (y + 1) * b.width * 4), to);
  }
  return { width, height, rgba };
}

/** Number of pixels whose colours differ. */
export function differing(a: Pixels, b: Pixels): number | null {
  if (a.width !== b.width || a.height !== b.height) return null;
  const [one, two] = [a, b].map(({ rgba }) => new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length >> 2));
  let count = 0;
  for (let index = 0; index < one!.length; index += 1) count += Number(one![index] !== two![index]);
  return count;
}
