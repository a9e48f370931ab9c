// A list or tree of any number of rows: only the visible ones are elements. The container has the focus, and names the
// selected row by `aria-activedescendant`.
import { clamp } from "./dom";

export interface ListOptions {
  /** Name for screen readers. */
  label: string;
  /** Size of a row in pixels: its height, or its width in a horizontal list. */
  size: number;
  horizontal?: boolean;
  role?: "listbox" | "tree";
  /** Fills the element of a row. */
  draw(element: HTMLElement, index: number): void;
  /** Called when the selection was moved by a person. */
  select?(index: number): void;
  /** Called at Enter, or for a double click. */
  act?(index: number): void;
  /** Called with the visible rows, after each change of them. */
  visible?(first: number, end: number): void;
  /** Takes a key that moves in a tree; gives whether it was taken. */
  key?(event: KeyboardEvent, index: number): boolean;
}

/** Highest or widest body in pixels. Browsers cut much longer elements; the scroll position of longer lists is scaled. */
const MOST = 8_000_000;

let lists = 0;

export class VirtualList {
  readonly element: HTMLElement;
  count = 0;
  selected = -1;
  #body: HTMLElement;
  #options: ListOptions;
  #rows = new Map<number, HTMLElement>();
  #id: string;
  #frame = 0;
  /** Scroll position that was read last, and the position in the rows, in pixels, that belongs to it. */
  #scrolled = 0;
  #position = 0;

  constructor(element: HTMLElement, options: ListOptions) {
    this.element = element;
    this.#options = options;
    lists += 1;
    this.#id = `list${lists}`;
    element.classList.add("rows");
    if (options.horizontal) element.classList.add("horizontal");
    element.tabIndex = 0;
    element.setAttribute("role", options.role ?? "listbox");
    element.setAttribute("aria-label", options.label);
    if (options.horizontal) element.setAttribute("aria-orientation", "horizontal");
    this.#body = document.createElement("div");
    this.#body.className = "rows-body";
    this.#body.setAttribute("role", "presentation");
    element.append(this.#body);
    element.addEventListener("scroll", () => this.#schedule(), { passive: true });
    new ResizeObserver(() => this.#schedule()).observe(element);
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("click", (event) => {
      const index = this.#indexOf(event);
      if (index !== null) this.#choose(index);
    });
    element.addEventListener("dblclick", (event) => {
      const index = this.#indexOf(event);
      if (index !== null) options.act?.(index);
    });
  }

  /** Takes another number of rows, all of which may have changed. */
  reset(count: number): void {
    this.count = count;
    if (this.selected >= count) this.selected = -1;
    this.#body.style[this.#options.horizontal ? "width" : "height"] = `${Math.min(this.#length, MOST)}px`;
    // The position follows the scroll position again.
    this.#scrolled = Number.NaN;
    this.refresh();
  }

  /** Draws all visible rows anew. */
  refresh(): void {
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
    this.#update();
  }

  /** Selects a row, and scrolls to it if it is out of sight. */
  select(index: number, scrolls = true): void {
    const before = this.#rows.get(this.selected);
    this.selected = index;
    before?.setAttribute("aria-selected", "false");
    if (index >= 0 && scrolls) this.reveal(index);
    this.#rows.get(index)?.setAttribute("aria-selected", "true");
    this.#mark();
  }

  /** Length of all rows in pixels. */
  get #length(): number {
    return this.count * this.#options.size;
  }

  /** Length of the rows that are in sight, in pixels. */
  get #visibleLength(): number {
    return this.#options.horizontal ? this.element.clientWidth : this.element.clientHeight;
  }

  get #scroll(): number {
    return this.#options.horizontal ? this.element.scrollLeft : this.element.scrollTop;
  }

  /** Position in the rows. Of a scaled list a short way moves as many pixels as it has, and a long one moves in proportion. */
  #start(): number {
    const scroll = this.#scroll;
    if (this.#length <= MOST) return scroll;
    if (scroll === this.#scrolled) return this.#position;
    const visible = this.#visibleLength;
    const [last, end] = [this.#length - visible, MOST - visible];
    const way = scroll - this.#scrolled;
    const isShort = Math.abs(way) < visible && scroll > 0 && scroll < Math.floor(end);
    this.#position = clamp(isShort ? this.#position + way : (scroll / end) * last, 0, last);
    this.#scrolled = scroll;
    return this.#position;
  }

  #scrollTo(position: number): void {
    const visible = this.#visibleLength;
    const isScaled = this.#length > MOST;
    const to = isScaled ? (position / (this.#length - visible)) * (MOST - visible) : position;
    if (this.#options.horizontal) this.element.scrollLeft = to;
    else this.element.scrollTop = to;
    // The browser rounds; the position does not.
    this.#scrolled = this.#scroll;
    this.#position = clamp(position, 0, Math.max(this.#length - visible, 0));
  }

  reveal(index: number): void {
    const { size } = this.#options;
    const [start, length] = [this.#start(), this.#visibleLength];
    const from = index * size;
    let to = start;
    // A row far out of sight comes to the middle.
    if (from + 2 * size < start || from - size > start + length) to = from - (length - size) / 2;
    else if (from < start) to = from;
    else if (from + size > start + length) to = from + size - length;
    if (to !== start) this.#scrollTo(to);
    this.#update();
  }

  #indexOf(event: Event): number | null {
    const row = (event.target as Element).closest("[data-index]");
    return row ? Number(row.getAttribute("data-index")) : null;
  }

  #choose(index: number): void {
    this.select(index);
    this.#options.select?.(index);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target !== this.element) return;
    if (this.count === 0) return;
    if (this.#options.key?.(event, this.selected)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const { size, horizontal } = this.#options;
    const page = Math.max(
      Math.floor((horizontal ? this.element.clientWidth : this.element.clientHeight) / size) - 1,
      1,
    );
    const [previous, next] = horizontal ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const moves: Record<string, number> = { PageUp: -page, PageDown: page, Home: -this.count, End: this.count };
    moves[previous ?? ""] = -1;
    moves[next ?? ""] = 1;
    const step = moves[event.key];
    if (step !== undefined) this.#choose(clamp(this.selected < 0 ? 0 : this.selected + step, 0, this.count - 1));
    else if (event.key === "Enter" && this.selected >= 0) (this.#options.act ?? this.#options.select)?.(this.selected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #schedule(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#update();
    });
  }

  #update(): void {
    const { size, horizontal, draw, visible } = this.#options;
    const [start, length] = [this.#start(), this.#visibleLength];
    if (length === 0) return;
    const isScaled = this.#length > MOST;
    // Rows of a scaled list lie where the body is scrolled to.
    const shift = isScaled ? this.#scroll - start : 0;
    const place = (row: HTMLElement, index: number): void => {
      row.style.transform = `translate${horizontal ? "X" : "Y"}(${index * size + shift}px)`;
    };
    const first = clamp(Math.floor(start / size) - 2, 0, this.count);
    const end = clamp(Math.ceil((start + length) / size) + 2, 0, this.count);
    for (const [index, row] of this.#rows) {
      if (index < first || index >= end) {
        row.remove();
        this.#rows.delete(index);
      } else if (isScaled) place(row, index);
    }
    for (let index = first; index < end; index += 1) {
      if (this.#rows.has(index)) continue;
      const row = document.createElement("div");
      row.className = "row";
      row.id = `${this.#id}-${index}`;
      row.dataset["index"] = String(index);
      row.setAttribute("role", this.#options.role === "tree" ? "treeitem" : "option");
      row.setAttribute("aria-selected", String(index === this.selected));
      if (this.#options.role !== "tree") {
        row.setAttribute("aria-setsize", String(this.count));
        row.setAttribute("aria-posinset", String(index + 1));
      }
      place(row, index);
      row.style[horizontal ? "width" : "height"] = `${size}px`;
      draw(row, index);
      this.#rows.set(index, row);
      this.#body.append(row);
    }
    this.#mark();
    visible?.(first, end);
  }

  /** Has screen readers find the selected row, as long as it is an element. */
  #mark(): void {
    if (this.#rows.has(this.selected))
      this.element.setAttribute("aria-activedescendant", `${this.#id}-${this.selected}`);
    else this.element.removeAttribute("aria-activedescendant");
  }
}
