// The canvas of the picture: zoom, pan, pixel grid, and the pixel under the pointer.
import { clamp, Signal } from "./dom";
import { colour, themed } from "./layout";
import type { Pixel } from "./app";

/** Zooms by a key or a button, in pixels of the screen for one of the picture. */
const ZOOMS = [0.0625, 0.125, 0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
const LEAST = 1 / 32;
const MOST = 128;
/** Zoom from which the grid is drawn. */
const GRID = 12;
/** Movement that is no click any more. */
const SLACK = 4;

export class View {
  readonly picked = new Signal<Pixel | null>();
  readonly hovered = new Signal<Pixel | null>();
  readonly zoomed = new Signal<void>();
  hasGrid = true;
  selected: Pixel | null = null;
  #canvas: HTMLCanvasElement;
  #image: HTMLCanvasElement = document.createElement("canvas");
  #width = 0;
  #height = 0;
  /** Null fits the picture into the canvas. */
  #zoom: number | null = null;
  /** The picture's point in the canvas's middle. */
  #centre = { x: 0, y: 0 };
  #frame = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.draw()).observe(canvas);
    themed.on(() => this.draw());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.hovered.emit(this.#pixelAt(event)));
    canvas.addEventListener("pointerleave", () => this.hovered.emit(null));
  }

  /** Shows other pixels; zoom and pan stay, unless the size is another. */
  show(data: ImageData, width: number, height: number): void {
    if (width !== this.#width || height !== this.#height) {
      this.#centre = { x: width / 2, y: height / 2 };
      this.#image.width = data.width;
      this.#image.height = data.height;
    }
    [this.#width, this.#height] = [width, height];
    this.#image.getContext("2d")?.putImageData(data, 0, 0);
    this.draw(true);
  }

  /** Zoom in pixels of the screen for one of the picture. */
  get zoom(): number {
    if (this.#zoom !== null) return this.#zoom;
    if (this.#width === 0 || this.#height === 0) return 1;
    const { clientWidth, clientHeight } = this.#canvas;
    const most = Math.min(clientWidth / this.#width, clientHeight / this.#height);
    // Whole factors keep pixels square.
    return most >= 2 ? Math.floor(most) : Math.max(most, LEAST);
  }

  get isFit(): boolean {
    return this.#zoom === null;
  }

  fit(): void {
    this.#zoom = null;
    this.#centre = { x: this.#width / 2, y: this.#height / 2 };
    this.#changed();
  }

  /** One pixel of the picture on one of the screen. */
  actual(): void {
    this.#zoomTo(1 / devicePixelRatio);
  }

  zoomBy(direction: 1 | -1): void {
    const now = this.zoom * 1.001;
    const next = direction > 0 ? ZOOMS.find((zoom) => zoom > now) : ZOOMS.filter((zoom) => zoom < now * 0.99).pop();
    if (next !== undefined) this.#zoomTo(next);
  }

  #zoomTo(zoom: number, about?: { x: number; y: number }): void {
    const before = this.zoom;
    const after = clamp(zoom, LEAST, MOST);
    const { clientWidth, clientHeight } = this.#canvas;
    const fixed = about ?? { x: clientWidth / 2, y: clientHeight / 2 };
    const centre = this.isFit ? { x: this.#width / 2, y: this.#height / 2 } : this.#centre;
    const shift = 1 / before - 1 / after;
    this.#centre = {
      x: centre.x + (fixed.x - clientWidth / 2) * shift,
      y: centre.y + (fixed.y - clientHeight / 2) * shift,
    };
    this.#zoom = after;
    this.#changed();
  }

  #changed(): void {
    this.draw();
    this.zoomed.emit();
  }

  #wheel(event: WheelEvent): void {
    // With Ctrl the browser zooms the page.
    if (event.ctrlKey || event.metaKey || this.#width === 0) return;
    event.preventDefault();
    const { left, top } = this.#canvas.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? event.deltaY * 24 : event.deltaY;
    this.#zoomTo(this.zoom * 2 ** (-lines / 240), { x: event.clientX - left, y: event.clientY - top });
  }

  #origin(): { x: number; y: number } {
    const zoom = this.zoom;
    const { clientWidth, clientHeight } = this.#canvas;
    const centre = this.isFit ? { x: this.#width / 2, y: this.#height / 2 } : this.#centre;
    return { x: clientWidth / 2 - centre.x * zoom, y: clientHeight / 2 - centre.y * zoom };
  }

  #pixelAt(event: MouseEvent): Pixel | null {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const origin = this.#origin();
    const x = Math.floor((event.clientX - left - origin.x) / this.zoom);
    const y = Math.floor((event.clientY - top - origin.y) / this.zoom);
    return x >= 0 && y >= 0 && x < this.#width && y < this.#height ? { x, y } : null;
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    const canvas = this.#canvas;
    const start = { x: event.clientX, y: event.clientY };
    const centre = this.isFit ? { x: this.#width / 2, y: this.#height / 2 } : { ...this.#centre };
    let isDragged = false;
    canvas.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => {
      const [dx, dy] = [moved.clientX - start.x, moved.clientY - start.y];
      if (!isDragged && Math.hypot(dx, dy) < SLACK) return;
      isDragged = true;
      const zoom = this.zoom;
      this.#zoom = zoom;
      this.#centre = { x: centre.x - dx / zoom, y: centre.y - dy / zoom };
      this.#changed();
    };
    const end = (ended: PointerEvent): void => {
      canvas.removeEventListener("pointermove", move);
      if (isDragged || ended.type !== "pointerup" || event.button !== 0) return;
      const pixel = this.#pixelAt(ended);
      if (pixel) this.picked.emit(pixel);
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", end, { once: true });
    canvas.addEventListener("pointercancel", end, { once: true });
  }

  /** Moves the selected pixel, or selects the middle; scrolls it into sight. */
  moveSelected(dx: number, dy: number): void {
    if (this.#width === 0) return;
    const from = this.selected ?? { x: this.#width >> 1, y: this.#height >> 1 };
    const to = this.selected ? { x: from.x + dx, y: from.y + dy } : from;
    const pixel = { x: clamp(to.x, 0, this.#width - 1), y: clamp(to.y, 0, this.#height - 1) };
    const origin = this.#origin();
    const [x, y] = [origin.x + pixel.x * this.zoom, origin.y + pixel.y * this.zoom];
    if (!this.isFit && (x < 0 || y < 0 || x > this.#canvas.clientWidth || y > this.#canvas.clientHeight)) {
      this.#centre = { x: pixel.x, y: pixel.y };
    }
    this.picked.emit(pixel);
  }

  draw(isNow = false): void {
    if (isNow) {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.#paint();
    } else if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#paint();
      });
    }
  }

  #paint(): void {
    const canvas = this.#canvas;
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width === 0 || height === 0) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    if (this.#width === 0) return;
    const zoom = this.zoom * ratio;
    const origin = this.#origin();
    const [left, top] = [Math.round(origin.x * ratio), Math.round(origin.y * ratio)];
    const [wide, high] = [Math.round(this.#width * zoom), Math.round(this.#height * zoom)];
    checkers(context, left, top, wide, high, ratio);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#image, left, top, wide, high);
    context.strokeStyle = colour("--line");
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    if (this.hasGrid && this.zoom >= GRID) this.#grid(context, left, top, zoom, width, height);
    if (this.selected) this.#crosshair(context, left, top, zoom, ratio);
  }

  #grid(
    context: CanvasRenderingContext2D,
    left: number,
    top: number,
    zoom: number,
    width: number,
    height: number,
  ): void {
    context.beginPath();
    const [right, bottom] = [Math.min(left + this.#width * zoom, width), Math.min(top + this.#height * zoom, height)];
    for (let x = Math.max(0, Math.floor(-left / zoom)); x <= this.#width; x += 1) {
      const at = Math.round(left + x * zoom) + 0.5;
      if (at > width) break;
      context.moveTo(at, Math.max(top, 0));
      context.lineTo(at, bottom);
    }
    for (let y = Math.max(0, Math.floor(-top / zoom)); y <= this.#height; y += 1) {
      const at = Math.round(top + y * zoom) + 0.5;
      if (at > height) break;
      context.moveTo(Math.max(left, 0), at);
      context.lineTo(right, at);
    }
    context.strokeStyle = "rgb(128 128 128 / 35%)";
    context.stroke();
  }

  #crosshair(context: CanvasRenderingContext2D, left: number, top: number, zoom: number, ratio: number): void {
    const { x, y } = this.selected as Pixel;
    const size = Math.max(zoom, 5 * ratio);
    const [cx, cy] = [left + (x + 0.5) * zoom, top + (y + 0.5) * zoom];
    const arm = 10 * ratio;
    for (const [style, width] of [
      ["#000", 3 * ratio],
      ["#fff", ratio],
    ] as const) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.strokeRect(cx - size / 2, cy - size / 2, size, size);
      context.beginPath();
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        context.moveTo(cx + (dx * size) / 2, cy + (dy * size) / 2);
        context.lineTo(cx + dx * (size / 2 + arm), cy + dy * (size / 2 + arm));
      }
      context.stroke();
    }
  }
}

/** Draws the checkerboard behind what is transparent. */
function checkers(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  ratio: number,
): void {
  const side = Math.round(8 * ratio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = side * 2;
  const tiles = tile.getContext("2d");
  if (!tiles) return;
  tiles.fillStyle = "#999";
  tiles.fillRect(0, 0, side * 2, side * 2);
  tiles.fillStyle = "#666";
  tiles.fillRect(0, 0, side, side);
  tiles.fillRect(side, side, side, side);
  const pattern = context.createPattern(tile, "repeat");
  if (!pattern) return;
  context.fillStyle = pattern;
  context.fillRect(left, top, width, height);
}
