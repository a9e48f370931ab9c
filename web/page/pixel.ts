// History of the selected pixel: every command that could have changed it, and what it did.
import { Scope, type App } from "./app";
import { button, fill, h, hex, setBusy, type Child } from "./dom";
import type { Panel } from "./layout";
import type { PixelRow, Rgba } from "./protocol";
import { params } from "./place";

export class PixelHistory implements Panel {
  readonly name = "Pixel";
  readonly element = h("section");
  #app: App;
  #scope: Scope;
  #body = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "History of the pixel" });
  #all = h("input", { type: "checkbox" });

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.#all.addEventListener("change", () => this.#body.classList.toggle("with-all", this.#all.checked));
    this.element.append(
      h("div", { class: "row-of-tools" }, h("label", {}, this.#all, " also commands that did not write")),
      this.#body,
    );
  }

  refresh(): void {
    const app = this.#app;
    const { pixel, place, target } = app;
    if (!pixel) {
      this.#scope.cancel();
      setBusy(this.#body, false);
      fill(this.#body, h("p", { class: "hint" }, "Click a pixel of the picture to see every command that wrote it."));
      return;
    }
    void this.#scope.run(this.#body, async (options) => {
      options.label = `tracing pixel ${pixel.x},${pixel.y}`;
      const asked = { ...params(place), x: pixel.x, y: pixel.y, ...(target === null ? {} : { target }) };
      const { events } = await app.ask("pixel", asked, options);
      fill(
        this.#body,
        h("h2", {}, `Pixel ${pixel.x},${pixel.y} of ${app.words}`),
        h("ol", { class: "history" }, ...events.map((row) => this.#row(row))),
      );
    });
  }

  #row(row: PixelRow): HTMLElement {
    const app = this.#app;
    if (row.type === "pixel-start") {
      const from =
        row.origin_frame === null || row.origin_frame === undefined
          ? (row.origin ?? "")
          : button(
              `frame ${row.origin_frame}${row.origin_draw === null || row.origin_draw === undefined ? "" : `, draw ${row.origin_draw}`}`,
              () =>
                app.goTo({
                  frame: row.origin_frame ?? 0,
                  packet: row.origin_packet ?? null,
                  draw: row.origin_draw ?? null,
                }),
              { class: "link" },
            );
      const of =
        row.texture === null || row.texture === undefined
          ? ""
          : ` of texture ${row.texture}${row.name ? ` “${row.name}”` : ""}`;
      return h(
        "li",
        { class: "wrote" },
        h("div", {}, `Start of the frame${of}, from `, from, row.error ? ` – ${row.error}` : ""),
        swatches(row.rgba),
      );
    }
    if (row.type === "pixel-end") {
      const sources = (row.sources ?? []).flatMap(({ texture, name, draw }): Child[] => [
        h(
          "div",
          { class: "dim" },
          `It reads texture ${texture}${name ? ` “${name}”` : ""}, written by `,
          button(`draw ${draw}`, () => app.go({ frame: app.place.frame, draw, packet: null }), { class: "link" }),
        ),
      ]);
      return h(
        "li",
        { class: "wrote" },
        h("div", {}, `End: ${row.writes} write${row.writes === 1 ? "" : "s"}${row.error ? ` – ${row.error}` : ""}`),
        swatches(row.rgba),
        ...sources,
      );
    }
    const { draw, command, frame, packet } = row;
    const name = draw === null || draw === undefined ? `${command ?? "command"}` : `draw ${draw}`;
    const go = button(name, () => app.goTo({ frame: frame ?? 0, packet: packet ?? null, draw: draw ?? null }), {
      class: "link",
      title: hex(row.offset ?? 0),
    });
    const what = row.wrote ? "" : (row.message ?? (row.cause ?? "").replaceAll("-", " "));
    const more = [
      row.blending ? `blended ${row.blending}` : null,
      row.triangle !== undefined ? `triangle ${row.triangle}` : null,
    ]
      .filter(Boolean)
      .join(", ");
    return h(
      "li",
      { class: row.wrote ? "wrote" : "skipped" },
      h("div", {}, go, what ? `: ${what}` : "", more ? h("span", { class: "dim" }, ` ${more}`) : null),
      row.wrote ? swatches(row.before, row.after) : null,
    );
  }
}

function swatches(...colours: (Rgba | null | undefined)[]): HTMLElement {
  const box = h("div", { class: "values" });
  colours.forEach((rgba, index) => {
    if (index > 0) box.append(" → ");
    if (!rgba) return box.append("unknown");
    const swatch = h("span", { class: "swatch" });
    swatch.style.background = `rgb(${rgba.slice(0, 3).join(" ")})`;
    return box.append(swatch, ` ${rgba.join(" ")}`);
  });
  return box;
}
