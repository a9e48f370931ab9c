// Findings of lint: commands that are legal and look wrong. A click goes to the place.
import { Scope, type App } from "./app";
import { button, counted, fill, h, hex } from "./dom";
import type { Panel } from "./layout";
import { VirtualList } from "./list";
import type { Finding } from "./protocol";

type Row = { group: string; count: number } | Finding;

export class Findings implements Panel {
  readonly name = "Findings";
  readonly element = h("section");
  #app: App;
  #scope: Scope;
  #list: VirtualList;
  #body = h("div", { class: "fills" });
  #told = h("p", { class: "hint", role: "status" });
  #frameOnly = h("input", { type: "checkbox" });
  #rows: Row[] = [];
  #asked = "";

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.#frameOnly.addEventListener("change", () => this.refresh());
    this.element.append(
      h(
        "div",
        { class: "row-of-tools" },
        h("label", {}, this.#frameOnly, " this frame only"),
        button(
          "Again",
          () => {
            this.#asked = "";
            this.refresh();
          },
          { title: "Ask again" },
        ),
      ),
      this.#body,
      this.#told,
    );
    this.#list = new VirtualList(this.#body, {
      label: "Findings",
      size: 58,
      draw: (row, index) => this.#draw(row, index),
      select: (index) => this.#select(index),
    });
    app.opened.on(() => {
      this.#asked = "";
      this.#rows = [];
      this.#list.reset(0);
    });
  }

  refresh(): void {
    const frame = this.#frameOnly.checked ? this.#app.place.frame : null;
    const asked = `${this.#app.trace?.trace}/${frame}`;
    if (asked === this.#asked) {
      this.#scope.cancel();
      return;
    }
    void this.#scope.run(this.#told, async (options) => {
      options.label = "looking for what looks wrong";
      const { findings } = await this.#app.ask("lint", frame === null ? {} : { frame }, options);
      this.#asked = asked;
      const groups = new Map<string, Finding[]>();
      for (const finding of findings) {
        const group = groups.get(finding.group);
        if (group) group.push(finding);
        else groups.set(finding.group, [finding]);
      }
      this.#rows = [...groups].flatMap(([group, all]) =>
        all.length > 1 ? [{ group, count: all.length }, ...all] : all,
      );
      this.#list.selected = -1;
      this.#list.reset(this.#rows.length);
      const where = frame === null ? "the trace" : `frame ${frame}`;
      fill(
        this.#told,
        findings.length === 0
          ? `Nothing in ${where} looks wrong.`
          : `${counted(findings.length, "finding")} in ${where}`,
      );
    });
  }

  #draw(element: HTMLElement, index: number): void {
    const row = this.#rows[index];
    if (!row) return;
    element.classList.add("finding");
    if (!("rule" in row)) {
      element.classList.add("group-row");
      element.title = row.group;
      element.append(h("span", { class: "text wraps" }, row.group), h("span", { class: "count" }, row.count));
      return;
    }
    element.title = `${row.rule}: ${row.message}`;
    const where =
      row.frame === null ? hex(row.offset) : `frame ${row.frame}${row.packet === null ? "" : `, packet ${row.packet}`}`;
    const more = row.count > 1 ? `, ${row.count} commands` : "";
    element.append(
      h("span", { class: "text wraps" }, row.message),
      h("span", { class: "text dim" }, `${row.rule}, ${where}${more}`),
    );
  }

  #select(index: number): void {
    const row = this.#rows[index];
    if (row && "rule" in row && row.frame !== null) this.#app.goTo({ frame: row.frame, packet: row.packet });
  }
}
