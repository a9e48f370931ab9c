// State at the place: settings by group, each with the command that set it.
import { Scope, type App } from "./app";
import { button, fill, h, sized, type Child } from "./dom";
import type { Panel } from "./layout";
import { params } from "./place";
import type { At, StateAnswer } from "./protocol";
import { Superseded, type AskOptions } from "./session";

/** Answer for the place that was asked about last. */
let shared: { key: string; answer: Promise<StateAnswer>; controller: AbortController } | null = null;

/** Shows an object of the trace, wherever it is shown. */
export type ShowObject = (handle: number) => void;

export class State implements Panel {
  readonly name = "State";
  readonly element = h("section");
  showObject: ShowObject = () => {};
  #app: App;
  #scope: Scope;
  #body = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "State at the place" });
  #closed = new Set<string>();

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.element.append(this.#body);
  }

  refresh(): void {
    void this.#scope.run(this.#body, async (options) => {
      options.label = `reading the state of ${this.#app.words}`;
      const state = await askState(this.#app, options);
      const scroll = this.#body.scrollTop;
      fill(this.#body, ...(state.settings ? this.#submitted(state) : this.#appendixA(state)));
      this.#body.scrollTop = scroll;
    });
  }

  #at(at: At | null | undefined): Child {
    return at ? this.#app.at(at) : h("span", { class: "dim", title: "No command has set it" }, "default");
  }

  #drawing(state: StateAnswer): HTMLElement {
    const { drawing } = state;
    if (!drawing) return h("p", { class: "hint" }, `Behind ${this.#app.words}; nothing is being drawn.`);
    const size =
      drawing.vertex_count === undefined
        ? ""
        : `, vertices ${drawing.first_vertex} to ${(drawing.first_vertex ?? 0) + drawing.vertex_count - 1}`;
    const name = drawing.name ?? `draw ${drawing.draw}`;
    return h("p", { class: "hint" }, `${name} at `, this.#at(drawing.at), size);
  }

  #submitted(state: StateAnswer): Child[] {
    const groups = new Map<string, HTMLElement[]>();
    for (const { group, name, value, handle, set_at: at } of state.settings ?? []) {
      const shown = handle === undefined ? value : button(value, () => this.showObject(handle), { class: "link" });
      const line = h(
        "tr",
        { class: at ? "" : "is-default" },
        h("th", { scope: "row" }, name.replaceAll("_", " ")),
        h("td", {}, shown),
        h("td", { class: "at" }, this.#at(at)),
      );
      const lines = groups.get(group);
      if (lines) lines.push(line);
      else groups.set(group, [line]);
    }
    const context =
      (state.contexts?.length ?? 0) > 1
        ? h("p", { class: "hint" }, `Context ${state.context} of ${state.contexts?.join(", ")}`)
        : null;
    return [this.#drawing(state), context, ...[...groups].map(([name, lines]) => this.#group(name, lines))];
  }

  #group(name: string, lines: HTMLElement[]): HTMLElement {
    const details = h(
      "details",
      { open: !this.#closed.has(name), class: "state-group" },
      h("summary", {}, name, h("span", { class: "count" }, lines.length)),
      h("table", { class: "settings" }, h("tbody", {}, ...lines)),
    );
    details.addEventListener("toggle", () => {
      if (details.open) this.#closed.delete(name);
      else this.#closed.add(name);
    });
    return details;
  }

  #appendixA(state: StateAnswer): Child[] {
    const line = (name: string, value: Child, at?: At | null): HTMLElement =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        h("td", {}, value),
        h("td", { class: "at" }, at === undefined ? null : this.#at(at)),
      );
    const { pipeline, vertices, viewport } = state;
    const object = (kind: string, id: number): HTMLElement =>
      button(`${kind} ${id}`, () => this.showObject(id), { class: "link" });
    return [
      this.#drawing(state),
      this.#group(
        "pipeline",
        pipeline
          ? [
              line("pipeline", `pipeline ${pipeline.id}`, pipeline.set_at),
              line(
                "vertex shader",
                pipeline.vertex
                  ? `shader ${pipeline.vertex.id}, ${pipeline.vertex.entry_point ?? "no entry point"}`
                  : "none",
                pipeline.vertex?.created_at,
              ),
              line(
                "fragment shader",
                pipeline.fragment
                  ? `shader ${pipeline.fragment.id}, ${pipeline.fragment.entry_point ?? "no entry point"}`
                  : "none",
                pipeline.fragment?.created_at,
              ),
              line("language", pipeline.language ?? "none"),
              ...(pipeline.problem === null ? [] : [line("problem", pipeline.problem)]),
            ]
          : [line("pipeline", "none")],
      ),
      this.#group(
        "vertices",
        vertices
          ? [
              line("buffer", object("buffer", vertices.id), vertices.set_at),
              line("size", sized(vertices.size_bytes)),
              line("stride", sized(vertices.layout.stride_bytes)),
              line("position", `at byte ${vertices.layout.position_offset_bytes}`),
              line("color", `at byte ${vertices.layout.color_offset_bytes}`),
            ]
          : [line("buffer", "none")],
      ),
      this.#group("targets", [
        line("viewport", viewport?.size_px ? viewport.size_px.join("×") : "the whole target", viewport?.set_at),
      ]),
    ];
  }
}

/** Asks for the state of the place, once for all panels that show a part of it. */
export async function askState(app: App, { label, signal }: AskOptions): Promise<StateAnswer> {
  const key = JSON.stringify([app.trace?.trace, app.place, app.edits]);
  if (shared?.key !== key) {
    shared?.controller.abort();
    const controller = new AbortController();
    const answer = app.ask("state", params(app.place), { label, signal: controller.signal });
    const mine = { key, answer, controller };
    shared = mine;
    answer.catch(() => {
      if (shared === mine) shared = null;
    });
  }
  const answer = await shared.answer;
  if (signal?.aborted) throw new Superseded("superseded");
  return answer;
}
