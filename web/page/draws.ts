// Tree of the frame's draws, grouped by markers; where a frame has no markers, by targets.
import { Scope, type App } from "./app";
import { button, counted, debounced, fill, h, setBusy, short } from "./dom";
import type { Panel } from "./layout";
import { VirtualList } from "./list";
import type { DrawRow, DrawTarget } from "./protocol";

/** Most draws that one question is for: the most that an answer has. */
const PART = 10_000;

interface Group {
  kind: "group";
  key: string;
  name: string;
  level: number;
  count: number;
  children: Node[];
}

interface Leaf {
  kind: "draw";
  level: number;
  row: DrawRow;
}

type Node = Group | Leaf;

export class Draws implements Panel {
  readonly name = "Draws";
  readonly element = h("section");
  readonly filter = h("input", { type: "search", placeholder: "Filter draws ( / )", "aria-label": "Filter draws" });
  #app: App;
  #scope: Scope;
  #list: VirtualList;
  #body = h("div", { class: "tree fills" });
  #told = h("p", { class: "hint", role: "status" });
  #rows: DrawRow[] = [];
  #frame = -1;
  #nodes: Node[] = [];
  #visible: Node[] = [];
  #folded = new Set<string>();

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    const filtered = debounced(() => this.#build(), 80);
    this.filter.addEventListener("input", () => filtered.call());
    this.filter.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "Enter") return;
      event.preventDefault();
      this.#body.focus();
    });
    const fold = (isFolded: boolean) => (): void => {
      this.#folded.clear();
      if (isFolded) this.#eachGroup(this.#nodes, (group) => this.#folded.add(group.key));
      this.#flatten();
    };
    this.element.append(
      h(
        "div",
        { class: "row-of-tools" },
        this.filter,
        button("⊟", fold(true), { "aria-label": "Fold all groups", title: "Fold all groups" }),
        button("⊞", fold(false), { "aria-label": "Unfold all groups", title: "Unfold all groups" }),
      ),
      this.#body,
      this.#told,
    );
    this.#list = new VirtualList(this.#body, {
      label: "Draws of the frame",
      size: 22,
      role: "tree",
      draw: (row, index) => this.#draw(row, index),
      select: (index) => this.#select(index),
      act: (index) => this.#toggle(index),
      key: (event, index) => this.#key(event, index),
    });
    this.#body.addEventListener("click", (event) => {
      const twisty = (event.target as Element).closest(".twisty");
      const row = twisty?.closest("[data-index]");
      if (row) this.#toggle(Number(row.getAttribute("data-index")));
    });
    app.opened.on(() => {
      this.#frame = -1;
      this.#folded.clear();
      this.#rows = [];
      this.#build();
    });
  }

  refresh(): void {
    const { place } = this.#app;
    if (place.frame === this.#frame) {
      this.#scope.cancel();
      setBusy(this.#body, false);
      this.#mark();
      return;
    }
    void this.#scope.run(this.#told, async (options) => {
      setBusy(this.#body, true);
      options.label = `listing the draws of frame ${place.frame}`;
      const rows: DrawRow[] = [];
      try {
        for (;;) {
          const asked = { frame: place.frame, first: rows.length, count: PART };
          const answer = await this.#app.ask("draws", asked, options);
          rows.push(...answer.draws);
          if (answer.draws.length === 0 || rows.length >= answer.draw_count) break;
        }
        this.#frame = place.frame;
        this.#rows = rows;
        this.#build();
      } finally {
        // A later question is busy itself.
        if (!options.signal?.aborted) setBusy(this.#body, false);
      }
    });
  }

  /** Makes the tree of the draws that the filter lets through. */
  #build(): void {
    const sought = this.filter.value.trim().toLowerCase();
    const rows = this.#rows.filter((row) => sought === "" || textOf(row).includes(sought));
    const hasMarkers = this.#rows.some((row) => row.markers.length > 0);
    this.#nodes = [];
    let path: Group[] = [];
    let number = 0;
    for (const row of rows) {
      const names = hasMarkers ? row.markers : [targetsOf(row)];
      let depth = 0;
      while (depth < path.length && depth < names.length && path[depth]?.name === names[depth]) depth += 1;
      path = path.slice(0, depth);
      for (; depth < names.length; depth += 1) {
        number += 1;
        const name = names[depth] ?? "";
        const group: Group = {
          kind: "group",
          key: `${number}/${name}`,
          name,
          level: depth + 1,
          count: 0,
          children: [],
        };
        (path[depth - 1]?.children ?? this.#nodes).push(group);
        path.push(group);
      }
      (path[path.length - 1]?.children ?? this.#nodes).push({ kind: "draw", level: path.length + 1, row });
      for (const group of path) group.count += 1;
    }
    const isFiltered = rows.length < this.#rows.length;
    const count = `${isFiltered ? `${rows.length} of ` : ""}${counted(this.#rows.length, "draw")}`;
    fill(
      this.#told,
      this.#frame < 0
        ? ""
        : this.#rows.length === 0
          ? "This frame has no draws."
          : `${count}${hasMarkers ? "" : ", grouped by targets"}`,
    );
    this.#flatten();
  }

  #eachGroup(nodes: Node[], act: (group: Group) => void): void {
    for (const node of nodes) {
      if (node.kind !== "group") continue;
      act(node);
      this.#eachGroup(node.children, act);
    }
  }

  #flatten(): void {
    this.#visible = [];
    const add = (nodes: Node[]): void => {
      for (const node of nodes) {
        this.#visible.push(node);
        if (node.kind === "group" && !this.#folded.has(node.key)) add(node.children);
      }
    };
    add(this.#nodes);
    this.#list.reset(this.#visible.length);
    this.#mark();
  }

  /** Selects the row of the place, or of the group that hides it. */
  #mark(): void {
    const { draw } = this.#app.place;
    if (draw === null) {
      const before = this.#visible[this.#list.selected];
      if (before?.kind !== "group") this.#list.select(-1);
      return;
    }
    let index = this.#visible.findIndex((node) => node.kind === "draw" && node.row.draw === draw);
    if (index < 0) {
      const holds = (node: Node): boolean =>
        node.kind === "draw" ? node.row.draw === draw : node.children.some((child) => holds(child));
      for (index = this.#visible.length - 1; index >= 0; index -= 1) {
        const node = this.#visible[index];
        if (node && holds(node)) break;
      }
    }
    this.#list.select(index);
  }

  #draw(element: HTMLElement, index: number): void {
    const node = this.#visible[index];
    if (!node) return;
    element.style.paddingInlineStart = `${(node.level - 1) * 14 + 4}px`;
    element.setAttribute("aria-level", String(node.level));
    if (node.kind === "group") {
      const isOpen = !this.#folded.has(node.key);
      element.setAttribute("aria-expanded", String(isOpen));
      element.classList.add("group-row");
      element.title = node.name;
      element.append(
        h("span", { class: "twisty", "aria-hidden": "true" }, isOpen ? "▾" : "▸"),
        h("span", { class: "text" }, node.name),
        h("span", { class: "count" }, node.count),
      );
      return;
    }
    const { row } = node;
    element.title = `${row.name} at 0x${row.offset.toString(16)}, packet ${row.packet}\n${targetsOf(row)}`;
    element.append(
      h("span", { class: "index" }, row.draw),
      h("span", { class: "text" }, row.name, h("span", { class: "dim" }, ` ${sizeOf(row)}`)),
    );
  }

  #select(index: number): void {
    const node = this.#visible[index];
    if (node?.kind === "draw") this.#app.go({ frame: this.#frame, draw: node.row.draw, packet: null });
  }

  #toggle(index: number): void {
    const node = this.#visible[index];
    if (node?.kind !== "group") return;
    if (!this.#folded.delete(node.key)) this.#folded.add(node.key);
    this.#flatten();
    this.#list.select(index);
  }

  #key(event: KeyboardEvent, index: number): boolean {
    const node = this.#visible[index];
    if (!node) return false;
    const isOpen = node.kind === "group" && !this.#folded.has(node.key);
    if (event.key === "ArrowRight" && node.kind === "group") {
      if (!isOpen) this.#toggle(index);
      else if (index + 1 < this.#visible.length) this.#move(index + 1);
    } else if (event.key === "ArrowLeft") {
      if (isOpen) this.#toggle(index);
      else {
        let parent = index - 1;
        while (parent >= 0 && (this.#visible[parent]?.level ?? 0) >= node.level) parent -= 1;
        if (parent >= 0) this.#move(parent);
      }
    } else return event.key === "ArrowRight";
    return true;
  }

  #move(index: number): void {
    this.#list.select(index);
    this.#select(index);
  }
}

/** Number of vertices or indices, and of instances. */
function sizeOf(row: DrawRow): string {
  const size = row.index_count ?? row.vertex_count;
  const instances = row.instance_count ?? 1;
  return `${short(size)}${instances === 1 ? "" : ` × ${instances}`}`;
}

const nameOf = ({ texture, aspect, mip, layer, name }: DrawTarget): string => {
  const part = mip === 0 && layer === 0 ? "" : `:${mip}:${layer}`;
  const which = texture === null ? "back buffer" : name ? `${name} (${texture}${part})` : `texture ${texture}${part}`;
  return aspect === "color" ? which : `${aspect} ${which}`;
};

export const targetsOf = (row: DrawRow): string =>
  row.targets.length === 0 ? "no target" : row.targets.map(nameOf).join(", ");

const textOf = (row: DrawRow): string =>
  `${row.draw} ${row.name} ${sizeOf(row)} ${row.markers.join(" ")} ${targetsOf(row)} ${Object.values(row.shaders)
    .map((shader) => `shader ${shader}`)
    .join(" ")}`.toLowerCase();
