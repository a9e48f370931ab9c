// The picture of the place with its toolbar: channels, range, overlays, textures, comparison, and the value of a pixel.
import { Scope, type App, type Pixel } from "./app";
import { at, bytesOf, button, counted, debounced, fill, h, save, setBusy, short, Signal } from "./dom";
import { AS_PIXELS, combined, differing, displayed, PLAIN, pixelsOf, range } from "./pixels";
import type { Display, Mode, Pixels } from "./pixels";
import { params, words, type Place } from "./place";
import type { ImageAnswer, LegendEntry } from "./protocol";
import { Superseded } from "./session";
import { View } from "./view";

export type Overlay = "none" | "highlight" | "tests" | "sides" | "wireframe" | "overdraw" | "age";

/** Overlays, named as in the window. */
const OVERLAYS: [Overlay, string][] = [
  ["none", "none"],
  ["highlight", "this draw"],
  ["tests", "tests of this draw"],
  ["sides", "sides of its triangles"],
  ["wireframe", "wireframe"],
  ["overdraw", "overdraw"],
  ["age", "pixel age"],
];
/** Overlays of one draw, which need one. */
const OF_DRAWS = new Set<Overlay>(["highlight", "tests", "sides"]);
const MODES: [Mode, string][] = [
  ["difference", "difference"],
  ["amplified", "amplified difference"],
  ["a", "A, this trace"],
  ["b", "B, the other side"],
  ["side by side", "side by side"],
];
const CHANNELS = ["Red", "Green", "Blue", "Alpha"];

export class Picture {
  readonly view: View;
  /** The picture that was asked for last is shown, or refused. */
  readonly settled = new Signal<void>();
  /** Pictures of whole frames, as they come. */
  readonly drawn = new Signal<{ frame: number; pixels: Pixels }>();
  overlay: Overlay = "none";
  mode: Mode | null = null;
  /** Gives the place of the other side for a place of this one; null if it has none. */
  partner: (place: Place) => { trace: number; place: Place } | null = () => null;
  #app: App;
  #canvas = at<HTMLCanvasElement>("picture");
  #scope: Scope;
  #display: Display = { ...PLAIN };
  #a: Pixels | null = null;
  #b: Pixels | null = null;
  #shown: Pixels | null = null;
  /** Name of the shown picture's file, and what asks for it. */
  #file: { name: string; ask: () => Promise<ImageAnswer> } | null = null;
  #legend = at("legend");
  #value = at("value");
  #overlays!: HTMLSelectElement;
  #modes!: HTMLSelectElement;
  #channels: HTMLButtonElement[] = [];
  #range!: [HTMLInputElement, HTMLInputElement];
  #target!: HTMLElement;
  #fit!: HTMLButtonElement;
  #zoom = h("output", { class: "zoom", "aria-label": "Zoom" });

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.view = new View(this.#canvas);
    this.#toolbar();
    this.view.picked.on((pixel) => app.pick(pixel));
    this.view.hovered.on((pixel) => this.#tell(pixel ?? app.pixel));
    this.view.zoomed.on(() => this.#tellZoom());
    new ResizeObserver(() => this.#tellZoom()).observe(this.#canvas);
    app.picked.on((pixel) => {
      this.view.selected = pixel;
      this.view.draw();
      this.#tell(pixel);
    });
    app.moved.on(() => this.refresh());
    app.edited.on(() => this.refresh());
    app.targeted.on(() => {
      app.pick(null);
      this.refresh();
    });
    app.opened.on(() => {
      this.#chooseOverlay("none");
      this.#fillTarget();
      this.#clear();
    });
    app.otherOpened.on((other) => this.compare(other ? (this.mode ?? "side by side") : null));
    this.#canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  #toolbar(): void {
    const group = (label: string, ...children: HTMLElement[]): HTMLElement =>
      h("div", { class: "group", role: "group", "aria-label": label }, ...children);
    const select = (label: string, options: [string, string][], change: (value: string) => void): HTMLSelectElement => {
      const made: HTMLSelectElement = h("select", { "aria-label": label, on: { change: () => change(made.value) } });
      for (const [value, text] of options) made.append(h("option", { value }, text));
      return made;
    };
    this.#overlays = select("Overlay", OVERLAYS, (value) => this.setOverlay(value as Overlay));
    this.#modes = select("Comparison", [["", "off"], ...MODES], (value) =>
      this.compare((value || null) as Mode | null),
    );
    this.#channels = CHANNELS.map((name, channel) =>
      button(name[0] ?? "", () => this.#toggle(channel), {
        class: `channel ${name.toLowerCase()}`,
        "aria-label": name,
        "aria-pressed": String(this.#display.channels[channel]),
        title: `${name}: show or hide the channel`,
      }),
    );
    const limit = (label: string, value: number): HTMLInputElement =>
      h("input", {
        type: "number",
        min: 0,
        max: 1,
        step: 0.01,
        value,
        "aria-label": label,
        class: "limit",
        on: { change: () => this.#limit() },
      });
    this.#range = [limit("Value shown as black", 0), limit("Value shown as white", 1)];
    this.#target = h("div", { class: "group target" });
    this.#fit = button("Fit", () => this.view.fit(), { title: "Fit the picture (0)", "aria-pressed": "true" });
    fill(
      at("toolbar"),
      group(
        "Zoom",
        this.#fit,
        button("100 %", () => this.view.actual(), { title: "Zoom to 100 % (9)" }),
        button("−", () => this.view.zoomBy(-1), { title: "Zoom out (-)", "aria-label": "Zoom out" }),
        button("+", () => this.view.zoomBy(1), { title: "Zoom in (+)", "aria-label": "Zoom in" }),
        this.#zoom,
      ),
      group("Channels", ...this.#channels),
      group(
        "Range",
        h("span", { class: "name" }, "Range"),
        this.#range[0],
        this.#range[1],
        button("Auto", () => this.autoRange(), { title: "Fit the range to the values of the picture" }),
        button("0–1", () => this.#setRange(0, 1), { title: "Range from 0 to 1", "aria-label": "Range 0–1" }),
      ),
      group("Overlay", h("label", {}, h("span", { class: "name" }, "Overlay "), this.#overlays)),
      group("Compare", h("label", {}, h("span", { class: "name" }, "Compare "), this.#modes)),
      this.#target,
    );
    this.#tellZoom();
  }

  /** Asks for the picture of the place, and shows it when it is there. */
  refresh(): void {
    const app = this.#app;
    const { place, target } = app;
    if (!app.trace) return;
    const said = app.said;
    const stage = at("stage");
    void this.#scope.run(null, async (options) => {
      setBusy(stage, true);
      options.label = `drawing ${words(place)}`;
      try {
        const answer = await this.#ask(place, AS_PIXELS, options);
        const other = this.mode === null ? null : this.partner(place);
        const second = other
          ? await app.session.ask("image", { trace: other.trace, ...params(other.place), ...AS_PIXELS }, options)
          : null;
        if (options.signal?.aborted) throw new Superseded("superseded");
        const pixels = pixelsOf(answer);
        this.#take(answer, pixels, second && pixelsOf(second), place, target);
        stage.classList.remove("old");
        app.unsay(said);
        const isFrame = place.draw === null && place.packet === null && target === null && this.overlay === "none";
        if (isFrame) this.drawn.emit({ frame: place.frame, pixels });
      } catch (error) {
        if (!options.signal?.aborted) {
          stage.classList.add("old");
          this.#explain([]);
        }
        throw error;
      } finally {
        if (!options.signal?.aborted) {
          setBusy(stage, false);
          this.settled.emit();
        }
      }
    });
  }

  async #ask(place: Place, form: object, options: object): Promise<ImageAnswer> {
    const app = this.#app;
    const wanted = { ...form, ...(app.target === null ? {} : { target: app.target }) };
    if (this.overlay === "none") {
      this.#explain([]);
      return app.ask("image", { ...params(place), ...wanted }, options);
    }
    let named = place;
    if (OF_DRAWS.has(this.overlay) && place.draw === null) {
      // A frame's end is behind its last draw.
      const events = await app.ask("events", { frame: place.frame, count: 0 }, options);
      if (events.draws === 0) throw new Error("The frame has no draws.");
      named = { ...place, draw: events.draws - 1, packet: null };
    }
    const answer = await app.ask("overlay", { ...params(named), ...wanted, kind: this.overlay }, options);
    this.#explain(answer.legend);
    return answer;
  }

  #take(answer: ImageAnswer, a: Pixels, b: Pixels | null, place: Place, target: string | null): void {
    const app = this.#app;
    [this.#a, this.#b] = [a, b];
    const stem = (app.trace?.name ?? "trace").replace(/\.[^.]*$/, "");
    const draw = place.draw === null ? (place.packet === null ? "" : `_packet_${place.packet}`) : `_draw_${place.draw}`;
    const texture = target === null ? "" : `_texture_${target.replaceAll(":", "_")}`;
    const name = `${stem}_frame_${place.frame}${draw}${texture}.png`;
    this.#file = { name, ask: () => this.#ask(place, {}, { label: `packing ${name}` }) };
    this.#compose();
    this.#canvas.dataset["shown"] = words(place);
    this.#canvas.dataset["width"] = String(answer.width);
    this.#canvas.dataset["height"] = String(answer.height);
    this.#canvas.setAttribute(
      "aria-label",
      `Picture of ${words(place)}${target === null ? "" : `, texture ${target}`}`,
    );
    fill(at("hash"), `${answer.width}×${answer.height} ${answer.sha256}`);
    at("hash").title = answer.sha256;
    performance.mark("picture");
  }

  /** Forgets the picture of another trace. */
  #clear(): void {
    this.#a = this.#b = this.#shown = this.#file = null;
    delete this.#canvas.dataset["shown"];
    this.#canvas.setAttribute("aria-label", "No picture yet");
    this.view.show(new ImageData(1, 1), 0, 0);
    this.#explain([]);
    for (const id of ["hash", "compared"]) fill(at(id));
  }

  /** Shows the pixels as the toolbar says. */
  #compose(): void {
    if (!this.#a) return;
    const mode = this.mode;
    this.#shown = mode !== null && this.#b ? combined(this.#a, this.#b, mode) : this.#a;
    this.view.show(displayed(this.#shown, this.#display), this.#shown.width, this.#shown.height);
    this.#tell(this.#app.pixel);
    this.#tellZoom();
    const count = mode !== null && this.#b ? differing(this.#a, this.#b) : null;
    const lacks = mode !== null && !this.#b ? "no picture to compare with" : null;
    const text = count === null ? lacks : count === 0 ? "identical" : `${counted(count, "pixel")} differ`;
    fill(at("compared"), mode === null ? null : (text ?? "the sizes differ"));
  }

  #explain(legend: LegendEntry[]): void {
    fill(
      this.#legend,
      ...legend.map(({ color, meaning, pixels }) => {
        const swatch = h("span", { class: "swatch" });
        swatch.style.background = color;
        return h("li", {}, swatch, `${meaning} (${counted(pixels, "pixel")})`);
      }),
    );
    this.#legend.hidden = legend.length === 0;
  }

  /** Writes the value of a pixel under the picture. */
  #tell(pixel: Pixel | null): void {
    const shown = this.#shown;
    if (!pixel || !shown || pixel.x >= shown.width || pixel.y >= shown.height) {
      fill(this.#value, "click a pixel, or press an arrow key in the picture");
      return;
    }
    const start = (pixel.y * shown.width + pixel.x) * 4;
    const rgba = [...shown.rgba.subarray(start, start + 4)];
    const swatch = h("span", { class: "swatch" });
    swatch.style.background = `rgb(${rgba.slice(0, 3).join(" ")})`;
    const floats = rgba.map((value) => (value / 255).toFixed(3)).join(" ");
    fill(
      this.#value,
      `${pixel.x},${pixel.y} `,
      swatch,
      ` ${rgba.join(" ")} `,
      h("span", { class: "dim" }, `${floats}`),
    );
  }

  #tellZoom(): void {
    fill(this.#zoom, `${short(Math.round(this.view.zoom * devicePixelRatio * 1000) / 10)} %`);
    this.#fit?.setAttribute("aria-pressed", String(this.view.isFit));
  }

  #toggle(channel: number): void {
    this.#display.channels[channel] = !this.#display.channels[channel];
    this.#channels[channel]?.setAttribute("aria-pressed", String(this.#display.channels[channel]));
    this.#compose();
  }

  #limit(): void {
    const [low, high] = this.#range.map((input) => Number(input.value));
    [this.#display.low, this.#display.high] = [low ?? 0, high ?? 1];
    this.#compose();
  }

  #setRange(low: number, high: number): void {
    this.#range[0].value = String(Number(low.toFixed(3)));
    this.#range[1].value = String(Number(high.toFixed(3)));
    [this.#display.low, this.#display.high] = [low, high];
    this.#compose();
  }

  autoRange(): void {
    if (this.#shown) this.#setRange(...range(this.#shown, this.#display));
  }

  #chooseOverlay(overlay: Overlay): void {
    this.overlay = overlay;
    this.#overlays.value = overlay;
    this.#app.overlay = overlay === "none" ? null : overlay;
  }

  setOverlay(overlay: Overlay): void {
    this.#chooseOverlay(overlay);
    this.#app.remember(false);
    this.refresh();
  }

  /** Shows the overlay that an address names; none if there is no such overlay. */
  showOverlay(name: string | null): void {
    const named = OVERLAYS.find(([overlay]) => overlay === name)?.[0] ?? "none";
    if (named !== this.overlay) this.setOverlay(named as Overlay);
  }

  /** Shows an overlay, or takes it away if it is there. */
  toggleOverlay(overlay: Overlay): void {
    this.setOverlay(this.overlay === overlay ? "none" : overlay);
  }

  /** Compares with the other side, or ends the comparison. */
  compare(mode: Mode | null): void {
    const hadB = this.#b !== null;
    this.mode = mode;
    this.#modes.value = mode ?? "";
    if (mode !== null && hadB) this.#compose();
    else this.refresh();
  }

  /** Asks for the other side anew. */
  refreshComparison(): void {
    if (this.mode !== null) this.refresh();
  }

  /** Shows a texture with a choice of mips and layers, as far as they are known. */
  showTexture(handle: number, name: string, mips: number, layers: number): void {
    this.#chooseOverlay("none");
    const [mip, layer] = [
      ["Mip", mips],
      ["Layer", layers],
    ].map(([label, count]) =>
      h("input", {
        type: "number",
        min: 0,
        max: (count as number) - 1,
        value: 0,
        class: "limit",
        "aria-label": label,
        disabled: count === 1,
        title: `${label} of ${count}`,
      }),
    ) as [HTMLInputElement, HTMLInputElement];
    const aim = (): void => this.#app.aim(`${handle}:${Number(mip.value)}:${Number(layer.value)}`);
    const later = debounced(aim, 60);
    for (const input of [mip, layer]) input.addEventListener("input", () => later.call());
    const frame = button("Show the frame", () => this.showFrame(), { title: "Show the frame's picture again (Esc)" });
    const label = h("span", { class: "name" }, `Texture ${handle}${name ? ` “${name}”` : ""}`);
    this.#fillTarget(label, h("label", {}, "Mip ", mip), h("label", {}, "Layer ", layer), frame);
    aim();
  }

  #fillTarget(...children: HTMLElement[]): void {
    fill(this.#target, ...children);
    this.#target.hidden = children.length === 0;
  }

  showFrame(): void {
    this.#fillTarget();
    this.#app.aim(null);
  }

  /** Saves exactly the bytes of the answer. */
  async save(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    try {
      const { png } = await file.ask();
      save(file.name, await bytesOf(png ?? ""), "image/png");
      this.#app.say(`Saved ${file.name}.`);
    } catch (error) {
      this.#app.fail(error);
    }
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const move = moves[event.key];
    if (!move) return;
    const step = event.shiftKey ? 10 : 1;
    this.view.moveSelected(move[0] * step, move[1] * step);
    event.preventDefault();
    event.stopPropagation();
  }
}
