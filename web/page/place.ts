// Places of a trace, and the address that names them. The browser's Back and Forward go through places.
import type { Params } from "./protocol";

export interface Place {
  frame: number;
  draw: number | null;
  packet: number | null;
}

export const START: Place = { frame: 0, draw: null, packet: null };

/** Parameters of a method that name the place. */
export function params({ frame, draw, packet }: Place): Params {
  if (draw !== null) return { frame, draw };
  return packet !== null ? { frame, packet } : { frame };
}

export function words({ frame, draw, packet }: Place): string {
  if (draw !== null) return `frame ${frame}, draw ${draw}`;
  return packet !== null ? `frame ${frame}, packet ${packet}` : `frame ${frame}`;
}

export const isSame = (a: Place, b: Place): boolean =>
  a.frame === b.frame && a.draw === b.draw && a.packet === b.packet;

/** Pixel, texture and overlay that are looked at. */
export interface View {
  pixel: { x: number; y: number } | null;
  /** Texture that is shown instead of the frame: "7:1:2". */
  target: string | null;
  overlay: string | null;
}

/** Contents of the page's address: files by link, the place, and its pixel, texture and overlay. */
export interface PageAddress {
  trace: string | null;
  other: string | null;
  notes: string[];
  backend: string | null;
  place: Place | null;
  view: View;
}

function number(search: URLSearchParams, name: string): number | null {
  const text = search.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

export function readAddress(): PageAddress {
  const search = new URL(location.href).searchParams;
  const [, x, y] = /^(\d+),(\d+)$/.exec(search.get("pixel") ?? "") ?? [];
  const [frame, draw, packet] = [number(search, "frame"), number(search, "draw"), number(search, "packet")];
  return {
    trace: search.get("trace"),
    other: search.get("with"),
    notes: search.getAll("notes"),
    backend: search.get("backend"),
    place: frame === null ? null : { frame, draw, packet: draw === null ? packet : null },
    view: {
      pixel: x === undefined || y === undefined ? null : { x: Number(x), y: Number(y) },
      target: search.get("target"),
      overlay: search.get("overlay"),
    },
  };
}

/** Steps within so many milliseconds are one entry of the history. */
const STEPPING = 1000;
let lastChange = -Infinity;

/** Address of this page that names files, a place, and its pixel, texture and overlay. */
export function addressOf(
  trace: string | null,
  other: string | null,
  notes: string[],
  place: Place | null,
  { pixel, target, overlay }: View,
): URL {
  const address = new URL(location.href);
  const { searchParams } = address;
  const names = ["trace", "with", "notes", "frame", "draw", "packet", "target", "overlay", "pixel"];
  for (const name of names) searchParams.delete(name);
  if (trace !== null) searchParams.set("trace", trace);
  if (other !== null) searchParams.set("with", other);
  for (const note of notes) searchParams.append("notes", note);
  for (const [name, value] of Object.entries(place ? params(place) : {})) searchParams.set(name, String(value));
  if (target !== null) searchParams.set("target", target);
  if (overlay !== null) searchParams.set("overlay", overlay);
  if (pixel !== null) searchParams.set("pixel", `${pixel.x},${pixel.y}`);
  return address;
}

/** Changes of the address that are made at once in a span of time, in milliseconds: browsers refuse more for long. */
const AT_ONCE = 30;
const SPAN = 10_000;
/** Wait for the others. */
const PACE = 250;
let changes: number[] = [];
let pending = 0;

/** Has the address bar name what is shown. A page from disk has no address to change. */
export function remember(address: URL, isNew: boolean): void {
  clearTimeout(pending);
  if (location.protocol === "file:" || address.href === location.href) return;
  const now = performance.now();
  const since = now - lastChange;
  lastChange = now;
  changes = changes.filter((time) => now - time < SPAN);
  const change = (): void => {
    changes.push(performance.now());
    if (isNew && since > STEPPING) history.pushState({ depth: depth() + 1 }, "", address);
    else history.replaceState(history.state, "", address);
  };
  if (changes.length < AT_ONCE) change();
  else pending = window.setTimeout(change, PACE);
}

/** Has the next place be an entry of its own, however soon it comes. */
export function endStepping(): void {
  lastChange = -Infinity;
}

/** Number of earlier places in the history. */
export const depth = (): number => Number((history.state as { depth?: number } | null)?.depth ?? 0);
