// Tabs, splitters and the theme.
import { at, clamp, h, keep, kept, Signal } from "./dom";

/** Contents of a tab: asks only while it is in front. */
export interface Panel {
  readonly name: string;
  readonly element: HTMLElement;
  /** Shows what belongs to the place; called when the place has changed, and when the tab comes to the front after that. */
  refresh(): void;
}

/** Row of tabs with their panels. */
export class Tabs {
  readonly changed = new Signal<Panel>();
  #panels: Panel[] = [];
  #tabs: HTMLElement[] = [];
  #front = 0;
  #stale = new Set<Panel>();
  #list: HTMLElement;
  #key: string;

  constructor(host: HTMLElement, key: string, label: string, panels: Panel[]) {
    this.#key = key;
    this.#panels = panels;
    this.#list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
    panels.forEach((panel, index) => {
      const id = `${key}-tab-${index}`;
      panel.element.classList.add("panel");
      panel.element.id = `${key}-panel-${index}`;
      panel.element.setAttribute("role", "tabpanel");
      panel.element.setAttribute("aria-labelledby", id);
      const tab = h(
        "button",
        {
          type: "button",
          role: "tab",
          id,
          "aria-controls": panel.element.id,
          on: { click: () => this.show(index), keydown: (event) => this.#press(event, index) },
        },
        panel.name,
      );
      this.#tabs.push(tab);
      this.#list.append(tab);
    });
    host.append(this.#list, ...panels.map((panel) => panel.element));
    this.show(
      Math.max(
        panels.findIndex((panel) => panel.name === kept(key)),
        0,
      ),
      false,
    );
  }

  get front(): Panel | undefined {
    return this.#panels[this.#front];
  }

  #press(event: KeyboardEvent, index: number): void {
    const count = this.#panels.length;
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.show((to + count) % count);
    this.#tabs[this.#front]?.focus();
  }

  show(index: number, keeps = true): void {
    this.#front = index;
    this.#panels.forEach((panel, number) => {
      panel.element.hidden = number !== index;
      this.#tabs[number]?.setAttribute("aria-selected", String(number === index));
      this.#tabs[number]?.setAttribute("tabindex", number === index ? "0" : "-1");
    });
    const panel = this.front;
    if (!panel) return;
    if (keeps) {
      keep(this.#key, panel.name);
      this.#tabs[index]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (this.#stale.delete(panel)) panel.refresh();
    this.changed.emit(panel);
  }

  showPanel(panel: Panel): void {
    const index = this.#panels.indexOf(panel);
    if (index >= 0) this.show(index);
  }

  /** Has every panel ask anew: the one in front now, the others once they are in front. */
  refresh(): void {
    for (const panel of this.#panels) this.#stale.add(panel);
    const panel = this.front;
    if (panel && this.#stale.delete(panel)) panel.refresh();
  }

  /** Has one panel ask anew. */
  refreshPanel(panel: Panel): void {
    if (panel === this.front) panel.refresh();
    else this.#stale.add(panel);
  }
}

interface Splitter {
  id: string;
  /** Custom property that holds the size of the part beside it. */
  property: string;
  label: string;
  horizontal: boolean;
  /** 1 if the part grows with the coordinate, -1 otherwise. */
  direction: 1 | -1;
  least: number;
  most(): number;
  size: number;
}

const SPLITTERS: Splitter[] = [
  {
    id: "split-left",
    property: "--left",
    label: "Width of the left side",
    horizontal: true,
    direction: 1,
    least: 160,
    most: () => innerWidth * 0.45,
    size: 260,
  },
  {
    id: "split-right",
    property: "--right",
    label: "Width of the right side",
    horizontal: true,
    direction: -1,
    least: 200,
    most: () => innerWidth * 0.55,
    size: 420,
  },
  {
    id: "split-bottom",
    property: "--bottom",
    label: "Height of the strip",
    horizontal: false,
    direction: -1,
    least: 92,
    most: () => innerHeight * 0.6,
    size: 150,
  },
];

/** Has the sides be resized by pointer and by keyboard; a double click, or Home, takes the first size again. */
export function splitters(): void {
  const main = at("main");
  for (const splitter of SPLITTERS) {
    const { id, property, label, horizontal, direction, least, most } = splitter;
    // The wider the window, the wider its sides.
    const first = (): number => Math.round(splitter.size * (horizontal ? clamp(innerWidth / 1600, 1, 1.8) : 1));
    const element = at(id);
    element.tabIndex = 0;
    element.setAttribute("role", "separator");
    element.setAttribute("aria-label", label);
    element.setAttribute("aria-orientation", horizontal ? "vertical" : "horizontal");
    let chosen: number | null = Number(kept(property)) || null;
    let size = 0;
    const set = (wanted: number): void => {
      size = Math.round(clamp(wanted, least, most()));
      main.style.setProperty(property, `${size}px`);
      element.setAttribute("aria-valuemin", String(least));
      element.setAttribute("aria-valuemax", String(Math.round(most())));
      element.setAttribute("aria-valuenow", String(size));
    };
    set(chosen ?? first());
    growers.set(id, (wanted) => {
      if (chosen === null && wanted > size) set(wanted);
    });
    const change = (wanted: number): void => {
      set(wanted);
      chosen = size;
      keep(property, String(size));
    };
    element.addEventListener("pointerdown", (event) => {
      const start = horizontal ? event.clientX : event.clientY;
      const before = size;
      element.setPointerCapture(event.pointerId);
      const move = (moved: PointerEvent): void =>
        change(before + direction * ((horizontal ? moved.clientX : moved.clientY) - start));
      element.addEventListener("pointermove", move);
      element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", move), {
        once: true,
      });
    });
    element.addEventListener("dblclick", () => change(first()));
    element.addEventListener("keydown", (event) => {
      const grow = horizontal ? "ArrowRight" : "ArrowDown";
      const shrink = horizontal ? "ArrowLeft" : "ArrowUp";
      const step = event.shiftKey ? 64 : 16;
      if (event.key === grow) change(size + direction * step);
      else if (event.key === shrink) change(size - direction * step);
      else if (event.key === "Home") change(first());
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    addEventListener("resize", () => set(chosen ?? first()));
  }
}

const growers = new Map<string, (size: number) => void>();

/** Makes a side larger, unless its size was chosen. */
export function grow(id: string, size: number): void {
  growers.get(id)?.(size);
}

const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
let theme: Theme = "auto";

/** Colours of the canvases follow these. */
export const themed = new Signal<Theme>();

export function setTheme(wanted: string | null): void {
  theme = THEMES.find((known) => known === wanted) ?? "auto";
  document.documentElement.dataset["theme"] = theme;
  const shown = at("theme");
  shown.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
  shown.setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  shown.title = `Colours: ${theme === "auto" ? "as the system" : theme} (Ctrl L)`;
  themed.emit(theme);
}

/** Takes the next theme. */
export function toggleTheme(): void {
  setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto");
  keep("theme", theme);
}

/** Value of a custom property, for canvases. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
