// Events of the frame: every record and packet, of which only the rows in sight are asked for.
import { Scope, type App } from "./app";
import { button, counted, debounced, fill, h, hex, sized } from "./dom";
import type { Panel } from "./layout";
import { VirtualList } from "./list";
import { isSame, type Place } from "./place";
import type { EventRow } from "./protocol";

/** Rows that one question is for. */
const PART = 400;
/** Number of a row behind all rows of a frame. */
const BEHIND_ALL = 0xffffffff;

/** Row that was found or chosen last, from which the next search goes on as long as its place is shown. */
interface Hit {
  frame: number;
  row: number;
  place: Place;
}

export class Events implements Panel {
  readonly name = "Events";
  readonly element = h("section");
  readonly filter = h("input", {
    type: "search",
    placeholder: "Filter events ( / )",
    "aria-label": "Filter events",
    title: "Part of a name, or an expression such as DRAW(marker =~ /shadow/)",
  });
  #app: App;
  #scope: Scope;
  #list: VirtualList;
  #body = h("div", { class: "fills" });
  #told = h("p", { class: "hint", role: "status" });
  #details = h("div", { class: "details", tabindex: 0, role: "region", "aria-label": "Arguments of the row" });
  #parts = new Map<number, EventRow[] | "asked">();
  #frame = -1;
  #asked = "";
  #controller = new AbortController();
  #hit: Hit | null = null;
  /** Row that is to be selected once the rows of its frame are listed. */
  #wanted: EventRow | null = null;
  /** End of the last search: each goes on from the row that the one before found. */
  #searched = Promise.resolve();
  #filtered = debounced(() => this.#reload(), 250);

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.filter.addEventListener("input", () => this.#filtered.call());
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        this.#filtered.cancel();
        this.#reload();
        this.#body.focus();
      } else if (event.key === "ArrowDown") {
        event.preventDefault();
        this.#body.focus();
      }
    });
    this.element.append(
      h(
        "div",
        { class: "row-of-tools" },
        this.filter,
        button("↑", () => void this.find("previous"), {
          "aria-label": "Previous match in the trace",
          title: "Previous match in the trace (Shift N)",
        }),
        button("↓", () => void this.find("next"), {
          "aria-label": "Next match in the trace",
          title: "Next match in the trace (n)",
        }),
      ),
      this.#body,
      this.#told,
      this.#details,
    );
    this.#list = new VirtualList(this.#body, {
      label: "Events of the frame",
      size: 20,
      draw: (row, index) => this.#draw(row, index),
      select: (index) => this.#select(index),
      act: (index) => this.#goTo(index),
      visible: (first, end) => this.#visible(first, end),
    });
    app.opened.on(() => {
      this.#frame = -1;
      this.#hit = this.#wanted = null;
    });
    app.moved.on((place) => {
      if (this.#hit && !isSame(this.#hit.place, place)) this.#hit = null;
    });
  }

  refresh(): void {
    if (this.#app.place.frame !== this.#frame || this.filter.value.trim() !== this.#asked) this.#reload();
    else this.#scope.cancel();
  }

  #reload(): void {
    const { place, trace } = this.#app;
    if (!trace) return;
    const filter = this.filter.value.trim();
    void this.#scope.run(this.#told, async (options) => {
      options.label = `listing the events of frame ${place.frame}`;
      this.#controller.abort();
      this.#controller = new AbortController();
      const asked = { frame: place.frame, first: 0, count: PART, ...(filter ? { filter } : {}) };
      const answer = await this.#app.ask("events", asked, options);
      this.#frame = place.frame;
      this.#asked = filter;
      this.#parts.clear();
      this.#parts.set(0, answer.rows);
      this.#list.selected = -1;
      this.#body.scrollTop = 0;
      this.#list.reset(answer.matching_rows ?? answer.rows.length);
      fill(this.#details);
      const { error } = answer;
      const cut = error === null ? "" : ` ${typeof error === "string" ? error : error.message}`;
      fill(
        this.#told,
        `${counted(this.#list.count, "row")}${filter ? " match" : ""}, ${counted(answer.packets, "packet")}, ${sized(answer.size_bytes)}.${cut}`,
      );
      await this.#selectWanted();
    });
  }

  /** Selects the row that a search found, if it is of the frame that is listed. */
  async #selectWanted(): Promise<void> {
    const wanted = this.#wanted;
    if (!wanted || wanted.frame !== this.#frame) return;
    this.#wanted = null;
    const { signal } = this.#controller;
    const index = await this.#indexOf(wanted.row);
    if (index === null || signal.aborted) return;
    this.#list.select(index);
    this.#describe(wanted);
  }

  /** Index in the list of a row of the frame; with a filter, of the first match that is not before it. */
  async #indexOf(row: number): Promise<number | null> {
    if (!this.#asked) return row < this.#list.count ? row : null;
    let [low, high] = [0, Math.ceil(this.#list.count / PART) - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (!this.#parts.has(middle)) await this.#fetch(middle);
      const first = this.#row(middle * PART);
      if (!first) return null;
      if (first.row <= row) low = middle;
      else high = middle - 1;
    }
    if (!this.#parts.has(low)) await this.#fetch(low);
    const part = this.#parts.get(low);
    if (!part || part === "asked") return null;
    const within = part.findIndex((known) => known.row >= row);
    return within < 0 ? null : low * PART + within;
  }

  #row(index: number): EventRow | null {
    const part = this.#parts.get(Math.floor(index / PART));
    return part && part !== "asked" ? (part[index % PART] ?? null) : null;
  }

  #visible(first: number, end: number): void {
    for (let part = Math.floor(first / PART); part * PART < end; part += 1) {
      if (!this.#parts.has(part)) void this.#fetch(part);
    }
  }

  async #fetch(part: number): Promise<void> {
    this.#parts.set(part, "asked");
    const { signal } = this.#controller;
    const filter = this.#asked ? { filter: this.#asked } : {};
    try {
      const asked = { frame: this.#frame, first: part * PART, count: PART, ...filter };
      const answer = await this.#app.ask("events", asked, {
        signal,
        label: `listing the events of frame ${this.#frame}`,
      });
      this.#parts.set(part, answer.rows);
      this.#list.refresh();
    } catch (error) {
      if (signal.aborted) return;
      this.#parts.delete(part);
      this.#app.fail(error);
    }
  }

  #draw(element: HTMLElement, index: number): void {
    const row = this.#row(index);
    if (!row) {
      element.append(h("span", { class: "index" }), h("span", { class: "dim" }, "…"));
      return;
    }
    const isDraw = row.name.startsWith("DRAW") || row.name.startsWith("DISPATCH");
    element.classList.toggle("is-draw", isDraw);
    element.classList.toggle("is-record", row.packet === null);
    element.classList.toggle("has-note", row.notes.length > 0);
    element.append(
      h("span", { class: "index" }, row.packet ?? ""),
      h("span", { class: "text" }, row.name, h("span", { class: "dim" }, ` ${argumentsOf(row)}`)),
    );
    element.title = `${row.name} at ${hex(row.offset)}`;
  }

  #select(index: number): void {
    const row = this.#row(index);
    if (!row) return;
    this.#hit = { frame: row.frame, row: row.row, place: this.#app.place };
    this.#describe(row);
  }

  #goTo(index: number): void {
    const row = this.#row(index);
    if (row) this.#goToRow(row);
  }

  #goToRow(row: EventRow): void {
    const place = placeOf(row);
    this.#hit = { frame: row.frame, row: row.row, place };
    this.#app.go(place);
  }

  #describe(row: EventRow): void {
    const go = button("Go to this place", () => this.#goToRow(row), { title: "Enter" });
    const lines = Object.entries(row.arguments ?? {}).map(([name, value]) => {
      const meaning = row.meanings?.[name];
      const known = typeof value === "number" ? row.resource_names?.[String(value)] : undefined;
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        h("td", {}, text(value), (meaning ?? known) && h("span", { class: "dim" }, ` ${meaning ?? `“${known}”`}`)),
      );
    });
    const notes = row.notes.map((note) => h("p", { class: "note" }, note.message));
    const marks = row.markers && row.markers.length > 0 ? h("p", { class: "dim" }, row.markers.join(" › ")) : null;
    fill(
      this.#details,
      h("h2", {}, row.name, h("span", { class: "dim" }, ` ${hex(row.offset)}, ${sized(row.size_bytes)}`), go),
      marks,
      ...notes,
      h("table", { class: "fields" }, h("tbody", {}, ...lines)),
    );
  }

  /** Goes to the next or previous row of the trace that the filter matches. */
  find(direction: "next" | "previous"): Promise<void> {
    this.#searched = this.#searched.then(() => this.#find(direction));
    return this.#searched;
  }

  async #find(direction: "next" | "previous"): Promise<void> {
    const { place, trace } = this.#app;
    if (!trace) return;
    this.#filtered.cancel();
    const filter = this.filter.value.trim();
    const from = this.#hit ?? searchStart(direction, place.frame);
    const known = from ? { from: { frame: from.frame, row: from.row } } : {};
    await new Scope(this.#app).run(null, async (options) => {
      options.label = "searching the trace";
      const row = await this.#app.ask("find", { filter: filter || "*", direction, ...known }, options);
      // Another trace was opened meanwhile.
      if (this.#app.trace !== trace) return;
      if (row === null) {
        this.#app.say(`No ${direction} row matches.`);
        return;
      }
      this.#wanted = row;
      this.#goToRow(row);
      // Rows that are listed already are not listed again for a place of their frame.
      if (this.#frame === row.frame && this.#asked === filter) await this.#selectWanted();
      this.#describe(row);
    });
  }
}

/** Row from which a search looks without an earlier hit: it takes all rows of the shown frame. */
function searchStart(direction: "next" | "previous", frame: number): { frame: number; row: number } | null {
  if (direction === "previous") return { frame, row: BEHIND_ALL };
  return frame > 0 ? { frame: frame - 1, row: BEHIND_ALL } : null;
}

/** The place behind a row: a draw's own, else behind its packet. */
function placeOf(row: EventRow): { frame: number; draw: number | null; packet: number | null } {
  if (row.draw !== null && /^DRAW/.test(row.name)) return { frame: row.frame, draw: row.draw, packet: null };
  return { frame: row.frame, draw: null, packet: row.packet };
}

const text = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Most characters of arguments in a row. */
const MOST = 160;

function argumentsOf(row: EventRow): string {
  if (row.marker !== undefined && row.name === "DEBUG_MARKER") return row.marker;
  const all = Object.entries(row.arguments ?? {}).map(([name, value]) => `${name}=${text(value)}`);
  return all.join(" ").slice(0, MOST);
}
