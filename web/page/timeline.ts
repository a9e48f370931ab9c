// Frames on an axis, with the lanes of the application's own recordings beside them.
import { renamed, Scope, type App, type Notes } from "./app";
import { clamp, counted, fill, h, short } from "./dom";
import { colour, themed, type Panel } from "./layout";
import type { AnnotationsAnswer, NoteSpan, NoteTrack } from "./protocol";
import { Superseded } from "./session";

const ROW = 16;
const RULER = 18;
const GAP = 6;
/** Colours of spans: hue by name, so that a name has one colour everywhere. */
const HUES = 12;

interface Lane {
  title: string;
  top: number;
  rows: number;
  track: NoteTrack | null;
  notes: AnnotationsAnswer | null;
}

interface Box {
  start: number;
  end: number;
}

export class Timeline implements Panel {
  readonly name = "Timeline";
  readonly element = h("section", { class: "timeline" });
  #align = h("input", {
    list: "alignments",
    value: "",
    placeholder: "one by one, where counts agree",
    "aria-label": "How frames of a recording are matched",
  });
  #tools = h(
    "div",
    { class: "row-of-tools", hidden: true },
    h("label", {}, "Match frames ", this.#align),
    h(
      "datalist",
      { id: "alignments" },
      ...["frames", "frames:0=1", "numbers", "auto", "mark:NAME"].map((value) => h("option", { value })),
    ),
  );
  #app: App;
  #canvas = h("canvas", {
    tabindex: 0,
    role: "application",
    "aria-label": "Timeline: arrow keys scroll, plus and minus zoom, Enter goes to the frame in the middle",
  });
  #told = h("p", { class: "hint", role: "status" });
  #tip = h("div", { class: "tip", hidden: true });
  #notes = new Map<string, AnnotationsAnswer>();
  /** Recording that gives the axis. */
  #axis: AnnotationsAnswer | null = null;
  #lanes: Lane[] = [];
  /** Place of each frame of the trace on the axis, if it has one. */
  #boxes: (Box | null)[] = [];
  #extent: Box = { start: 0, end: 1 };
  #seen: Box = { start: 0, end: 1 };
  #scroll = 0;
  #frame = 0;

  constructor(app: App) {
    this.#app = app;
    this.element.append(this.#tools, this.#canvas, this.#tip, this.#told);
    this.#align.addEventListener("change", () => {
      for (const notes of app.notes) void this.#add(notes);
    });
    new ResizeObserver(() => this.#draw()).observe(this.#canvas);
    themed.on(() => this.#draw());
    app.opened.on(() => {
      this.#notes.clear();
      this.#layOut(true);
      for (const notes of app.notes) void this.#add(notes);
    });
    app.noted.on((notes) => void this.#add(notes));
    app.followed.on(() => this.#draw());
    this.#canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#canvas.addEventListener("pointerdown", (event) => this.#press(event));
    this.#canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.#canvas.addEventListener("pointerleave", () => {
      this.#tip.hidden = true;
    });
    this.#canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  refresh(): void {
    this.#draw();
  }

  async #add({ path, name }: Notes): Promise<void> {
    const app = this.#app;
    const { trace } = app;
    if (!trace) return;
    // Each file has questions of its own.
    await new Scope(app).run(null, async (options) => {
      options.label = `reading ${name}`;
      const align = this.#align.value.trim();
      const asked = { path, ...(align === "" ? {} : { align }) };
      const answer = await app.ask("annotations", asked, options).catch((error: unknown) => {
        if (trace !== app.trace) throw new Superseded("superseded");
        if (align === "") app.dropNotes(path);
        throw renamed(error, path, name);
      });
      // Another trace was opened meanwhile: it has questions of its own.
      if (trace !== app.trace) return;
      this.#notes.set(path, answer);
      this.#layOut(true);
      app.say(`${answer.title ?? name}: ${counted(answer.frame_count, "frame")}, ${counted(answer.tracks.length, "track")}.`);
    });
  }

  /** Places frames and lanes. Without recordings every frame is as long as another. */
  #layOut(isWhole: boolean): void {
    const frames = this.#app.trace?.frames ?? 0;
    const all = [...this.#notes.values()];
    const first = all.find(({ matched }) => (matched ?? []).length > 0) ?? all[0];
    this.#axis = first ?? null;
    if (first) {
      this.#boxes = Array.from({ length: frames }, () => null);
      for (const { frame, start, end } of first.matched ?? []) this.#boxes[frame] = { start, end: end ?? first.end };
      this.#extent = { start: first.start, end: Math.max(first.end, first.start + 1) };
    } else {
      this.#boxes = Array.from({ length: frames }, (_, frame) => ({ start: frame, end: frame + 1 }));
      this.#extent = { start: 0, end: Math.max(frames, 1) };
    }
    this.#lanes = [];
    let top = RULER + ROW + GAP;
    for (const [path, notes] of this.#notes) {
      const name = this.#app.notes.find((known) => known.path === path)?.name ?? path;
      this.#lanes.push({ title: `${notes.title ?? name}: frames`, top, rows: 1, track: null, notes });
      top += ROW * 2 + GAP;
      for (const track of notes.tracks) {
        const isEmpty = track.spans.length + track.instants.length + track.samples.length === 0;
        if (isEmpty) continue;
        const rows = track.spans.reduce(
          (most, { depth }) => Math.max(most, depth + 1),
          track.kind === "counter" ? 2 : 1,
        );
        this.#lanes.push({ title: track.name, top, rows, track, notes });
        top += ROW * (rows + 1) + GAP;
      }
    }
    if (isWhole) this.#seen = { ...this.#extent };
    this.#tell(all);
    this.#draw();
  }

  /** Says what the axis is, and what is missing on it. */
  #tell(all: AnnotationsAnswer[]): void {
    this.#tools.hidden = all.length === 0;
    if (!this.#axis) {
      fill(
        this.#told,
        "Every frame is one step: a trace has no clock. Add the application's own recording (WIP15 or wtf-trace) with " +
          "“Open…”. The wheel scrolls, with Ctrl it zooms.",
      );
      return;
    }
    const texts = [`Axis in ${this.#axis.unit}.`];
    if (all.some((notes) => notes !== this.#axis && (notes.matched ?? []).length === 0))
      texts.push("A recording whose frames do not match is as long as the axis.");
    for (const { alignment, not_aligned: refused, left_out: left, error, warnings, title } of all) {
      const own = [
        alignment ? `${alignment}.` : null,
        refused ? `Frames do not match: ${refused.split(";")[0]}.` : null,
        left > 0 ? `${left} events are left out.` : null,
        error ? `It ends early: ${error}.` : null,
        warnings.length > 0 ? `${warnings.join("; ")}.` : null,
      ].filter((text) => text !== null);
      if (own.length > 0) texts.push(`${title ?? "Recording"}: ${own.join(" ")}`);
    }
    fill(this.#told, texts.join(" "));
  }

  get #height(): number {
    const last = this.#lanes[this.#lanes.length - 1];
    return last ? last.top + ROW * (last.rows + 1) + GAP : RULER + ROW + GAP;
  }

  #x(value: number): number {
    const { start, end } = this.#seen;
    return ((value - start) / (end - start)) * this.#canvas.clientWidth;
  }

  /** Point of the axis for a time of a recording. Of others than the one that gives the axis, frames lie at the same frame
   * of the trace; those without matched frames are stretched to its length. */
  #along(notes: AnnotationsAnswer | null, time: number): number {
    if (!notes || notes === this.#axis) return time;
    const matched = notes.matched ?? [];
    let [low, high] = [0, matched.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((matched[middle]?.start ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    const match = matched[low];
    const box = match && this.#boxes[match.frame];
    const [from, long] =
      match && box ? [match.start, (match.end ?? notes.end) - match.start] : [notes.start, notes.end - notes.start];
    const on = box ?? this.#extent;
    return on.start + ((time - from) / Math.max(long, 1)) * (on.end - on.start);
  }

  #value(x: number): number {
    const { start, end } = this.#seen;
    return start + (x / Math.max(this.#canvas.clientWidth, 1)) * (end - start);
  }

  #look(start: number, length: number): void {
    const whole = this.#extent.end - this.#extent.start;
    const long = clamp(length, whole / 1e7, whole);
    const from = clamp(start, this.#extent.start, this.#extent.end - long);
    this.#seen = { start: from, end: from + long };
    this.#draw();
  }

  #zoom(factor: number, about: number): void {
    const { start, end } = this.#seen;
    const long = clamp(
      (end - start) * factor,
      (this.#extent.end - this.#extent.start) / 1e7,
      this.#extent.end - this.#extent.start,
    );
    this.#look(about - ((about - start) / (end - start)) * long, long);
  }

  #pan(share: number): void {
    const { start, end } = this.#seen;
    this.#look(start + share * (end - start), end - start);
  }

  #scrollBy(by: number): void {
    this.#scroll = clamp(this.#scroll + by, 0, Math.max(this.#height - this.#canvas.clientHeight, 0));
    this.#draw();
  }

  #wheel(event: WheelEvent): void {
    const lines = event.deltaMode === 1 ? 24 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.#zoom(2 ** ((event.deltaY * lines) / 240), this.#value(event.offsetX));
      return;
    }
    const isAcross =
      event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY) || this.#height <= this.#canvas.clientHeight;
    const whole = this.#seen.end - this.#seen.start >= this.#extent.end - this.#extent.start;
    // A page that has nothing to scroll here scrolls itself.
    if (isAcross && whole) return;
    event.preventDefault();
    if (isAcross) this.#pan((((event.deltaX || event.deltaY) * lines) / this.#canvas.clientWidth) * 0.8);
    else this.#scrollBy(event.deltaY * lines);
  }

  #press(event: PointerEvent): void {
    const canvas = this.#canvas;
    canvas.setPointerCapture(event.pointerId);
    const start = { x: event.clientX, y: event.clientY, ...this.#seen, scroll: this.#scroll };
    let isDragged = false;
    const move = (moved: PointerEvent): void => {
      const [dx, dy] = [moved.clientX - start.x, moved.clientY - start.y];
      if (!isDragged && Math.hypot(dx, dy) < 4) return;
      isDragged = true;
      this.#scroll = clamp(start.scroll - dy, 0, Math.max(this.#height - canvas.clientHeight, 0));
      this.#look(start.start - (dx / canvas.clientWidth) * (start.end - start.start), start.end - start.start);
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("lostpointercapture", () => canvas.removeEventListener("pointermove", move), {
      once: true,
    });
    canvas.addEventListener(
      "pointerup",
      (ended) => {
        if (!isDragged) this.#goTo(this.#value(ended.offsetX));
      },
      { once: true },
    );
  }

  /** Goes to the frame at a point of the axis. */
  #goTo(value: number): void {
    const frame = this.#boxes.findIndex((box) => box && value >= box.start && value < box.end);
    if (frame >= 0) this.#app.go({ frame, draw: null, packet: null });
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (this.#seen.start + this.#seen.end) / 2;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.#pan(-0.2),
      ArrowRight: () => this.#pan(0.2),
      ArrowUp: () => this.#scrollBy(-ROW * 3),
      ArrowDown: () => this.#scrollBy(ROW * 3),
      "+": () => this.#zoom(0.5, middle),
      "-": () => this.#zoom(2, middle),
      "0": () => this.#look(this.#extent.start, Infinity),
      Enter: () => this.#goTo(middle),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #hover(event: PointerEvent): void {
    const value = this.#value(event.offsetX);
    const y = event.offsetY + this.#scroll;
    const texts: string[] = [];
    const frame = this.#boxes.findIndex((box) => box && value >= box.start && value < box.end);
    if (frame >= 0) texts.push(`frame ${frame}`);
    for (const { top, rows, track, notes } of this.#lanes) {
      if (!track || y < top + ROW || y >= top + ROW * (rows + 1)) continue;
      const depth = Math.floor((y - top - ROW) / ROW);
      const span = track.spans.find(
        (known) =>
          known.depth === depth &&
          value >= this.#along(notes, known.start) &&
          (known.end === null || value < this.#along(notes, known.end)),
      );
      const sample = track.samples.filter(({ at: when }) => this.#along(notes, when) <= value).pop();
      if (sample) texts.unshift(`${track.name}: ${short(sample.value)}`);
      if (span)
        texts.unshift(
          `${span.name}: ${span.end === null ? "never ended" : `${short(span.end - span.start)} ${notes?.unit ?? ""}`}`,
        );
    }
    this.#tip.hidden = texts.length === 0;
    this.#tip.textContent = texts.join(" · ");
    const right = Math.max(this.#canvas.clientWidth - this.#tip.offsetWidth, 0);
    const [x, below] = [clamp(event.offsetX + 12, 0, right), this.#canvas.offsetTop + event.offsetY + 16];
    this.#tip.style.transform = `translate(${x}px, ${below}px)`;
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const canvas = this.#canvas;
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    context.font = `11px ${colour("--sans") || "sans-serif"}`;
    context.textBaseline = "middle";
    context.save();
    context.translate(0, -this.#scroll);
    for (const lane of this.#lanes) this.#paintLane(context, lane, width);
    context.restore();
    this.#paintFrames(context, width, height);
  }

  #paintFrames(context: CanvasRenderingContext2D, width: number, height: number): void {
    const [line, text, accent] = [colour("--line"), colour("--text"), colour("--accent")];
    context.fillStyle = colour("--panel");
    context.fillRect(0, 0, width, RULER + ROW);
    let lastLabel = -Infinity;
    let lastEdge = -Infinity;
    this.#boxes.forEach((box, frame) => {
      if (!box) return;
      const [x, to] = [this.#x(box.start), this.#x(box.end)];
      const isShown = frame === this.#app.place.frame;
      if (to < 0 || x > width) return;
      if (isShown) {
        context.fillStyle = accent;
        context.fillRect(x, RULER, Math.max(to - x, 2), ROW);
        context.globalAlpha = 0.12;
        context.fillRect(x, RULER + ROW, Math.max(to - x, 2), height);
        context.globalAlpha = 1;
      } else if (x - lastEdge < 1) return;
      lastEdge = x;
      context.strokeStyle = line;
      context.strokeRect(Math.round(x) + 0.5, RULER + 0.5, Math.max(Math.round(to - x), 1), ROW - 1);
      if (x - lastLabel > 44 || (isShown && x - lastLabel > 0)) {
        context.fillStyle = text;
        context.fillText(String(frame), clamp(x, 2, width - 20), RULER / 2);
        lastLabel = x;
      }
    });
  }

  #paintLane(context: CanvasRenderingContext2D, { title, top, rows, track, notes }: Lane, width: number): void {
    const visible = this.#canvas.clientHeight;
    if (top + ROW * (rows + 1) < this.#scroll || top > this.#scroll + visible) return;
    context.fillStyle = colour("--dim");
    context.fillText(title, 4, top + ROW / 2);
    const y = top + ROW;
    if (!track) {
      for (const { start, end } of notes?.frames ?? []) {
        const [x, to] = [start, end ?? start].map((time) => this.#x(this.#along(notes, time))) as [number, number];
        if (to < 0 || x > width) continue;
        context.strokeStyle = colour("--dim");
        context.strokeRect(Math.round(x) + 0.5, y + 0.5, Math.max(Math.round(to - x), 1), ROW - 2);
      }
      return;
    }
    if (track.samples.length > 0) this.#paintCounter(context, track, notes, y, rows * ROW - 4, width);
    const edges: number[] = [];
    for (const span of track.spans) this.#paintSpan(context, notes, span, y, width, edges);
    context.fillStyle = colour("--accent");
    let last = -Infinity;
    for (const { at: when } of track.instants) {
      const x = this.#x(this.#along(notes, when));
      if (x < 0 || x > width || x - last < 1) continue;
      last = x;
      context.fillRect(x - 1, y, 2, ROW - 2);
    }
  }

  #paintCounter(
    context: CanvasRenderingContext2D,
    { samples }: NoteTrack,
    notes: AnnotationsAnswer | null,
    y: number,
    height: number,
    width: number,
  ): void {
    const most = samples.reduce((high, { value }) => Math.max(high, value), 0) || 1;
    context.fillStyle = colour("--accent");
    context.globalAlpha = 0.5;
    let edge = -Infinity;
    samples.forEach(({ value, at: when }, index) => {
      const x = this.#x(this.#along(notes, when));
      const next = samples[index + 1];
      const to = next ? this.#x(this.#along(notes, next.at)) : this.#x(this.#along(notes, notes?.end ?? when));
      if (to < 0 || x > width || (to - x < 1 && x - edge < 1)) return;
      edge = x;
      const high = Math.max((value / most) * height, 0.5);
      context.fillRect(x, y + height - high, Math.max(to - x, 1), high);
    });
    context.globalAlpha = 1;
  }

  #paintSpan(
    context: CanvasRenderingContext2D,
    notes: AnnotationsAnswer | null,
    span: NoteSpan,
    y: number,
    width: number,
    edges: number[],
  ): void {
    const x = this.#x(this.#along(notes, span.start));
    const to = span.end === null ? this.#x(this.#extent.end) : this.#x(this.#along(notes, span.end));
    if (to < 0 || x > width) return;
    // Spans narrower than a pixel are drawn once a pixel.
    if (to - x < 1 && x - (edges[span.depth] ?? -Infinity) < 1) return;
    edges[span.depth] = x;
    const hue =
      ([...span.name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7) % HUES) * (360 / HUES);
    const top = y + span.depth * ROW;
    const [left, right] = [Math.max(x, 0), Math.min(to, width)];
    context.fillStyle = `hsl(${hue} 45% ${colour("--span-light") || "70%"})`;
    context.fillRect(left, top, Math.max(right - left, 1), ROW - 2);
    if (right - left > 28) {
      context.save();
      context.beginPath();
      context.rect(left, top, right - left - 2, ROW);
      context.clip();
      context.fillStyle = "#111";
      context.fillText(span.name, left + 3, top + ROW / 2 - 1);
      context.restore();
    }
  }
}
