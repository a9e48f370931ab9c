// Comparison of two traces: which frames differ, the first difference, and what differs there.
import { Scope, type App, type Trace } from "./app";
import { at, button, counted, fill, h, type Child } from "./dom";
import type { Panel } from "./layout";
import type { Picture } from "./picture";
import type { Place } from "./place";
import type { CompareAnswer, DifferenceSide } from "./protocol";

/** Most differing frames that are listed. */
const MOST = 500;

export class Compare implements Panel {
  readonly name = "Compare";
  readonly element = h("section");
  #app: App;
  #picture: Picture;
  #scope: Scope;
  #body = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Comparison of two traces" });
  #asked = "";
  #partners: Map<number, number | null> | null = null;

  constructor(app: App, picture: Picture) {
    this.#app = app;
    this.#picture = picture;
    this.#scope = new Scope(app);
    this.element.append(
      h(
        "div",
        { class: "row-of-tools" },
        button("Compare with…", () => at<HTMLInputElement>("other-file").click(), {
          title: "Open a second trace beside this one",
        }),
        button("Close it", () => void app.openOther(null, null), { title: "Close the second trace" }),
      ),
      this.#body,
    );
    picture.partner = (place) => this.#partner(place);
    app.opened.on(() => this.#forget());
    app.otherOpened.on(() => this.#forget());
  }

  #forget(): void {
    this.#asked = "";
    this.#partners = null;
  }

  /** Place of the other trace; without one, of the frame before. */
  #partner(place: Place): { trace: number; place: Place } | null {
    const { other, trace } = this.#app;
    if (!other)
      return trace && place.frame > 0 ? { trace: trace.trace, place: { ...place, frame: place.frame - 1 } } : null;
    const frame = this.#partners ? this.#partners.get(place.frame) : place.frame;
    if (frame === null || frame === undefined || frame >= other.frames) return null;
    return { trace: other.trace, place: { ...place, frame } };
  }

  refresh(): void {
    const { trace, other } = this.#app;
    if (!trace || !other) {
      this.#scope.cancel();
      fill(
        this.#body,
        h(
          "p",
          { class: "hint" },
          "Open a second trace with “Compare with…”, or drop it with Shift held. Without one, the picture is compared " +
            "with the previous frame (keys 1 to 4).",
        ),
      );
      return;
    }
    const asked = `${trace.trace}/${other.trace}`;
    if (asked === this.#asked) {
      this.#scope.cancel();
      return;
    }
    void this.#scope.run(this.#body, async (options) => {
      options.label = "comparing the traces";
      const answer = await this.#app.ask("compare", { with: other.trace }, options);
      this.#asked = asked;
      this.#partners = new Map(answer.frames.map(({ frame, frame_b }) => [frame, frame_b]));
      fill(this.#body, ...this.#show(answer, trace, other));
      this.#picture.refreshComparison();
    });
  }

  #show(answer: CompareAnswer, a: Trace, b: Trace): Child[] {
    const frames = answer.frames.filter(({ frame_b, is_same }) => !is_same && frame_b !== null);
    const unmatched = (name: string, list: number[]): Child =>
      list.length === 0
        ? null
        : h("p", { class: "hint" }, `Only in ${name}: ${list.slice(0, 50).join(", ")}${list.length > 50 ? " …" : ""}`);
    const to = (frame: number, draw: number | null, text: string): HTMLElement =>
      button(text, () => this.#app.go({ frame, draw, packet: null }), { class: "link" });
    const { first } = answer;
    return [
      h(
        "p",
        {},
        h("strong", {}, "A "),
        `${a.name}, ${counted(a.frames, "frame")}`,
        h("br"),
        h("strong", {}, "B "),
        `${b.name}, ${counted(b.frames, "frame")}`,
      ),
      h("p", {}, `${counted(answer.identical, "frame")} with identical inputs, ${answer.different} different.`),
      unmatched("A", answer.unmatched_a),
      unmatched("B", answer.unmatched_b),
      frames.length > 0 && h("h2", {}, "Frames that differ"),
      frames.length > 0 &&
        h(
          "ul",
          { class: "chips" },
          ...frames
            .slice(0, MOST)
            .map(({ frame, frame_b }) =>
              h("li", {}, to(frame, null, frame_b === frame ? String(frame) : `${frame} (B ${frame_b})`)),
            ),
        ),
      first &&
        h(
          "h3",
          {},
          "First difference: ",
          to(first.frame, first.draw, `frame ${first.frame}${first.draw === null ? "" : `, draw ${first.draw}`}`),
        ),
      first &&
        first.settings.length > 0 &&
        h(
          "table",
          { class: "settings both" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "setting"),
              h("th", { scope: "col" }, "A"),
              h("th", { scope: "col" }, "B"),
            ),
          ),
          h(
            "tbody",
            {},
            ...first.settings.map(({ group, name, a: one, b: two }) =>
              h(
                "tr",
                {},
                h("th", { scope: "row", title: group }, name.replaceAll("_", " ")),
                h("td", { class: "only-a" }, one ?? "–"),
                h("td", { class: "only-b" }, two ?? "–"),
              ),
            ),
          ),
        ),
      ...(first?.commands ?? []).map(({ a: one, b: two }) =>
        h("div", { class: "pair" }, this.#side("A", one), this.#side("B", two)),
      ),
      first?.has_more_commands && h("p", { class: "hint" }, "More commands differ."),
      ...(first?.shaders ?? []).flatMap(({ name, lines }) => [
        h("h2", {}, name),
        h(
          "pre",
          { class: "difference", tabindex: 0 },
          ...lines.map(({ side, number, text }) =>
            h(
              "span",
              { class: `line ${side}` },
              `${side === "a" ? "−" : side === "b" ? "+" : " "}${String(number).padStart(4)} ${text}\n`,
            ),
          ),
        ),
      ]),
    ];
  }

  #side(name: string, side: DifferenceSide | null): HTMLElement {
    if (!side) return h("p", {}, h("strong", {}, `${name} `), "has no such command");
    const go =
      name === "A" ? this.#app.at(side) : h("span", { class: "dim" }, `frame ${side.frame}, packet ${side.packet}`);
    return h(
      "p",
      {},
      h("strong", {}, `${name} `),
      `${side.name} `,
      go,
      h("span", { class: "dim wraps" }, ` ${side.arguments}`),
    );
  }
}
