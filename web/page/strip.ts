// Strip of all frames with thumbnails. They are asked for only while nothing else is asked, and only those in sight.
import type { App } from "./app";
import { at, h } from "./dom";
import { VirtualList } from "./list";
import { AS_PIXELS, pixelsOf, type Pixels } from "./pixels";
import { Superseded } from "./session";
import type { Place } from "./place";

const WIDTH = 104;
/** Height of a thumbnail in pixels of the page. */
const HEIGHT = 58;
/** Most thumbnails that are kept. */
const MOST = 600;

type Thumbnail = ImageBitmap | "asked" | "refused";

/** Makes a thumbnail of a picture. */
function scaled({ width, height, rgba }: Pixels): Promise<ImageBitmap> {
  const wanted = Math.min(Math.round(HEIGHT * Math.min(devicePixelRatio, 2)), height);
  const data = new ImageData(rgba, width, height);
  return createImageBitmap(data, { resizeHeight: Math.max(wanted, 1), resizeQuality: "medium" });
}

export class Strip {
  #app: App;
  #list: VirtualList;
  #thumbnails = new Map<number, Thumbnail>();
  #controllers = new Map<number, AbortController>();
  #showsDraws = false;

  constructor(app: App) {
    this.#app = app;
    this.#list = new VirtualList(at("strip"), {
      label: "Frames",
      size: WIDTH,
      horizontal: true,
      draw: (row, index) => this.#draw(row, index),
      select: (index) => app.go(this.#placeOf(index)),
      visible: (first, end) => this.#visible(first, end),
    });
    app.opened.on(() => {
      this.#showsDraws = false;
      this.#reset();
    });
    app.followed.on(() => {
      if (!this.#showsDraws) this.#list.select(app.place.frame);
    });
    app.counted.on(() => {
      if (!this.#showsDraws) return;
      this.#reset();
    });
    app.edited.on(() => this.#reset());
  }

  /** Shows the draws of the frame instead of frames, or the other way. */
  toggle(): void {
    this.#showsDraws = !this.#showsDraws;
    this.#app.say(this.#showsDraws ? "The strip shows this frame's draws." : "The strip shows all frames.");
    this.#reset();
  }

  #placeOf(index: number): Place {
    if (this.#showsDraws) return { frame: this.#app.place.frame, draw: index, packet: null };
    return { frame: index, draw: null, packet: null };
  }

  #reset(): void {
    for (const controller of this.#controllers.values()) controller.abort();
    this.#controllers.clear();
    for (const thumbnail of this.#thumbnails.values()) if (thumbnail instanceof ImageBitmap) thumbnail.close();
    this.#thumbnails.clear();
    const { trace, place, draws } = this.#app;
    this.#list.reset(this.#showsDraws ? draws : (trace?.frames ?? 0));
    if (this.#showsDraws && place.draw === null) at("strip").scrollLeft = 0;
    this.#list.select(this.#showsDraws ? (place.draw ?? -1) : place.frame);
  }

  #draw(row: HTMLElement, index: number): void {
    const canvas = h("canvas", { width: 2, height: 1, "aria-hidden": "true" });
    row.append(canvas, h("span", { class: "number" }, index));
    row.setAttribute("aria-label", `${this.#showsDraws ? "draw" : "frame"} ${index}`);
    this.#paint(row, this.#thumbnails.get(index));
  }

  #paint(row: HTMLElement, thumbnail: Thumbnail | undefined): void {
    row.classList.toggle("refused", thumbnail === "refused");
    const canvas = row.querySelector("canvas");
    if (!canvas || !(thumbnail instanceof ImageBitmap)) return;
    canvas.width = thumbnail.width;
    canvas.height = thumbnail.height;
    canvas.getContext("2d")?.drawImage(thumbnail, 0, 0);
    row.classList.add("has-picture");
  }

  /** Drops questions for what went out of sight, and asks for what came into it: in order from the place on, since a replay
   * goes forwards at little cost, and then what lies before. */
  #visible(first: number, end: number): void {
    for (const [index, controller] of this.#controllers) {
      if (index >= first && index < end) continue;
      controller.abort();
      this.#controllers.delete(index);
      if (this.#thumbnails.get(index) === "asked") this.#thumbnails.delete(index);
    }
    const wanted = [];
    for (let index = first; index < end; index += 1) if (!this.#thumbnails.has(index)) wanted.push(index);
    const isBefore = (index: number): number => Number(index < this.#list.selected);
    wanted.sort((a, b) => isBefore(a) - isBefore(b) || a - b);
    for (const index of wanted) void this.#fetch(index);
  }

  async #fetch(index: number): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#controllers.set(index, controller);
    this.#thumbnails.set(index, "asked");
    const { frame, draw } = this.#placeOf(index);
    const label = `drawing thumbnail of frame ${frame}`;
    let thumbnail: Thumbnail = "refused";
    try {
      const asked = { ...AS_PIXELS, ...(draw === null ? { frame } : { frame, draw }) };
      const answer = await this.#app.ask("image", asked, { background: true, signal, label });
      thumbnail = await scaled(pixelsOf(answer));
      if (signal.aborted) return;
    } catch (error) {
      if (error instanceof Superseded || signal.aborted) return;
    }
    this.#controllers.delete(index);
    this.#take(index, thumbnail);
  }

  /** Takes a picture that was asked for anyway. */
  async offer(frame: number, pixels: Pixels): Promise<void> {
    if (this.#showsDraws || this.#thumbnails.get(frame) instanceof ImageBitmap) return;
    const thumbnail = await scaled(pixels);
    this.#controllers.get(frame)?.abort();
    this.#controllers.delete(frame);
    this.#take(frame, thumbnail);
  }

  #take(index: number, thumbnail: Thumbnail): void {
    this.#thumbnails.set(index, thumbnail);
    if (this.#thumbnails.size > MOST) this.#forget(index);
    const row = at("strip").querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (row) this.#paint(row, thumbnail);
  }

  /** Forgets the thumbnails that are farthest from a frame. */
  #forget(about: number): void {
    const far = [...this.#thumbnails.keys()].sort((a, b) => Math.abs(b - about) - Math.abs(a - about));
    for (const index of far.slice(0, MOST / 4)) {
      const thumbnail = this.#thumbnails.get(index);
      if (thumbnail instanceof ImageBitmap) thumbnail.close();
      if (thumbnail !== "asked") this.#thumbnails.delete(index);
    }
  }
}
