// Helpers for elements, for values that are kept, and for numbers as text.

export type Child = Node | string | number | null | undefined | false;
type Listeners = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

interface Props {
  class?: string;
  on?: Listeners;
  [attribute: string]: unknown;
}

/** Makes an element with attributes, listeners and children. An attribute that is false or null is left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value as Listeners)) {
        element.addEventListener(event, listener as EventListener);
      }
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  add(element, children);
}

/** The element with an id, which `index.html` has. */
export function at<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element as T;
}

/** Link-like button: it acts within the page. */
export function link(text: string, act: () => void, title?: string): HTMLButtonElement {
  return h("button", { type: "button", class: "link", title, on: { click: act } }, text);
}

export function button(text: string, act: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", ...props, on: { click: act } }, text);
}

/** List of functions that are called with each new value. */
export class Signal<T> {
  #listeners: ((value: T) => void)[] = [];

  on(listener: (value: T) => void): void {
    this.#listeners.push(listener);
  }

  emit(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}

/** Reads a kept value. A page from disk may have no storage. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`aerogpu-replay.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`aerogpu-replay.${name}`, value);
  } catch {
    // It holds for this page alone.
  }
}

export const hex = (number: number): string => `0x${number.toString(16)}`;

/** A number with at most six significant digits. */
export function short(number: number | null | undefined): string {
  if (number === null || number === undefined) return "–";
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(6)));
}

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

export function sized(bytes: number): string {
  if (bytes < 1024) return counted(bytes, "byte");
  const units = ["KiB", "MiB", "GiB"];
  let size = bytes / 1024;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit += 1) size /= 1024;
  return `${size.toFixed(1)} ${units[unit]}`;
}

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Calls a function once, a while after the last call. */
export function debounced(act: () => void, after: number): { call(): void; cancel(): void; flush(): void } {
  let timer = 0;
  const cancel = (): void => {
    clearTimeout(timer);
    timer = 0;
  };
  const now = (): void => {
    cancel();
    act();
  };
  return {
    call() {
      clearTimeout(timer);
      timer = window.setTimeout(now, after);
    },
    cancel,
    flush: () => timer !== 0 && now(),
  };
}

/** Milliseconds after which an element that is busy is dimmed. */
const LATE = 250;
const lateness = new WeakMap<HTMLElement, number>();

/** Marks an element as busy, or not. Most answers come before it is dimmed, which would paint it twice more. */
export function setBusy(element: HTMLElement | null, isBusy: boolean): void {
  if (!element) return;
  clearTimeout(lateness.get(element));
  if (isBusy) {
    element.setAttribute("aria-busy", "true");
    lateness.set(
      element,
      window.setTimeout(() => element.classList.add("late"), LATE),
    );
  } else {
    element.removeAttribute("aria-busy");
    element.classList.remove("late");
  }
}

/** Characters that are read at once without holding the page up. */
const AT_ONCE = 4 << 20;

/** Bytes of a text in base64. */
export async function bytesOf(base64: string): Promise<Uint8Array> {
  if (base64.length < AT_ONCE) {
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = letters.charCodeAt(at);
    return bytes;
  }
  const response = await fetch(`data:application/octet-stream;base64,${base64}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Has the browser save bytes as a file. */
export function save(name: string, bytes: Uint8Array, type: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Tells whether a key belongs to the element that has the focus: it is typed into, or moves within it. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
