// Vertices of the draw before and after its vertex shader, and the triangles as lines.
import { Scope, type App } from "./app";
import { counted, fill, h, setBusy } from "./dom";
import { colour, themed, type Panel } from "./layout";
import type { MeshAnswer, MeshVertex } from "./protocol";
import { table, values } from "./resources";

/** Vertices that one question is for. */
const PART = 600;

export class Mesh implements Panel {
  readonly name = "Vertices";
  readonly element = h("section");
  #app: App;
  #scope: Scope;
  #canvas = h("canvas", { class: "mesh", tabindex: 0, role: "img", "aria-label": "Wireframe of the draw" });
  #told = h("p", { class: "hint" });
  #table = h("div", { class: "fills" });
  #space = h(
    "select",
    { "aria-label": "Wireframe of" },
    h("option", { value: "target" }, "as drawn"),
    h("option", { value: "input" }, "input"),
  );
  #first = h("input", { type: "number", min: 0, step: PART, value: 0, "aria-label": "First vertex" });
  #instance = h("input", { type: "number", min: 0, value: 0, "aria-label": "Instance" });
  #answer: MeshAnswer | null = null;
  #turn = { yaw: 0.6, pitch: 0.4 };

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.#space.addEventListener("change", () => this.#paint());
    for (const input of [this.#first, this.#instance]) input.addEventListener("change", () => this.refresh());
    this.element.append(
      h(
        "div",
        { class: "row-of-tools" },
        h("label", {}, "Wireframe ", this.#space),
        h("label", {}, "From ", this.#first),
        h("label", {}, "Instance ", this.#instance),
      ),
      this.#canvas,
      this.#told,
      this.#table,
    );
    new ResizeObserver(() => this.#paint()).observe(this.#canvas);
    themed.on(() => this.#paint());
    this.#canvas.addEventListener("pointerdown", (event) => {
      this.#canvas.setPointerCapture(event.pointerId);
      const move = (moved: PointerEvent): void => this.#rotate(moved.movementX / 100, moved.movementY / 100);
      this.#canvas.addEventListener("pointermove", move);
      this.#canvas.addEventListener("lostpointercapture", () => this.#canvas.removeEventListener("pointermove", move), {
        once: true,
      });
    });
    this.#canvas.addEventListener("keydown", (event) => {
      const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
      if (!turn || this.#space.value !== "input") return;
      event.preventDefault();
      event.stopPropagation();
      this.#rotate(turn[0] ?? 0, turn[1] ?? 0);
    });
    app.opened.on(() => {
      this.#first.value = this.#instance.value = "0";
    });
  }

  #rotate(yaw: number, pitch: number): void {
    this.#turn.yaw += yaw;
    this.#turn.pitch = Math.min(Math.max(this.#turn.pitch + pitch, -1.57), 1.57);
    this.#paint();
  }

  refresh(): void {
    const { place } = this.#app;
    if (place.draw === null) {
      this.#scope.cancel();
      this.#answer = null;
      this.#paint();
      fill(this.#table);
      fill(this.#told, "Choose a draw to see its vertices.");
      return;
    }
    void this.#scope.run(this.#told, async (options) => {
      options.label = `reading the vertices of ${this.#app.words}`;
      const asked = {
        frame: place.frame,
        draw: place.draw,
        first: Number(this.#first.value),
        count: PART,
        instance: Number(this.#instance.value),
      };
      setBusy(this.#table, true);
      try {
        const answer = await this.#app.ask("mesh", asked, options);
        this.#answer = answer;
        this.#first.max = String(Math.max(answer.vertex_count - 1, 0));
        this.#instance.max = String(Math.max(answer.instance_count - 1, 0));
        this.#paint();
        this.#fill(answer);
      } catch (error) {
        this.#answer = null;
        this.#paint();
        fill(this.#table);
        throw error;
      } finally {
        setBusy(this.#table, false);
      }
    });
  }

  #fill(answer: MeshAnswer): void {
    const outcomes = new Map<string, number>();
    for (const { outcome } of answer.triangles) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const what = [...outcomes].map(([outcome, count]) => `${count} ${outcome.replaceAll("-", " ")}`).join(", ");
    const instances = counted(answer.instance_count, "instance");
    const whole = `${answer.topology}: ${answer.vertex_count} vertices, ${answer.triangle_count} triangles, ${instances}.`;
    fill(this.#told, `${whole} Shown: ${answer.vertices.length} vertices${what ? `, triangles: ${what}` : ""}.`);
    const isPlain = answer.inputs.length === 0;
    const inputs = isPlain ? ["position", "color"] : answer.inputs.map(({ name }) => name);
    const heads = ["vertex", "index", ...inputs, "clip", "window", ...answer.outputs.map(({ name }) => `→ ${name}`)];
    const rows = answer.vertices.map((vertex, number) => [
      answer.first + number,
      vertex.index,
      ...(isPlain ? [values(vertex.position), values(vertex.color)] : (vertex.inputs ?? []).map(values)),
      values(vertex.clip),
      values(vertex.window),
      ...vertex.outputs.map(values),
    ]);
    fill(this.#table, table(heads, rows));
  }

  /** Point of a vertex: on the target, or turned in front of the eye. */
  #point(vertex: MeshVertex | undefined): [number, number] | null {
    if (!vertex) return null;
    if (this.#space.value === "target") return vertex.window ? [vertex.window[0] ?? 0, vertex.window[1] ?? 0] : null;
    const [x = 0, y = 0, z = 0] = vertex.inputs?.[0] ?? vertex.position ?? [];
    const { yaw, pitch } = this.#turn;
    const across = x * Math.cos(yaw) + z * Math.sin(yaw);
    const depth = z * Math.cos(yaw) - x * Math.sin(yaw);
    return [across, -(y * Math.cos(pitch) - depth * Math.sin(pitch))];
  }

  #paint(): void {
    const canvas = this.#canvas;
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width === 0 || height === 0) return;
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    const answer = this.#answer;
    if (!context || !answer) return;
    const points = answer.vertices.map((vertex) => this.#point(vertex));
    const isTarget = this.#space.value === "target";
    const [wide, high] = answer.target_px;
    const known = points.flatMap((point) => (point ? [point] : []));
    const [xs, ys] = [known.map(([x]) => x), known.map(([, y]) => y)];
    const [left, top, right, bottom] = isTarget
      ? [0, 0, wide, high]
      : [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    const margin = 6 * ratio;
    const scale = Math.min(
      (width - 2 * margin) / Math.max(right - left, 1e-6),
      (height - 2 * margin) / Math.max(bottom - top, 1e-6),
    );
    const to = ([x, y]: [number, number]): [number, number] => [
      width / 2 + (x - (left + right) / 2) * scale,
      height / 2 + (y - (top + bottom) / 2) * scale,
    ];
    if (isTarget) {
      context.strokeStyle = colour("--line");
      const [x, y] = to([0, 0]);
      context.strokeRect(x, y, wide * scale, high * scale);
    }
    context.lineWidth = ratio;
    for (const { vertices, outcome } of answer.triangles) {
      const corners = vertices.map((index) => points[index - answer.first] ?? points[index]);
      if (corners.some((corner) => !corner)) continue;
      context.strokeStyle = outcome === "drawn" ? colour("--accent") : colour("--dim");
      context.beginPath();
      corners.forEach((corner, number) => {
        const [x, y] = to(corner as [number, number]);
        if (number === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      });
      context.closePath();
      context.stroke();
    }
    if (answer.triangles.length === 0) {
      context.fillStyle = colour("--accent");
      for (const point of known) {
        const [x, y] = to(point);
        context.fillRect(x - ratio, y - ratio, 2 * ratio, 2 * ratio);
      }
    }
  }
}
