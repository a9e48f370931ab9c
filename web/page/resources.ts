// Textures and buffers that are alive at the place. A texture is shown in the picture, a buffer as bytes or as vertices.
import { Scope, sentence, type App } from "./app";
import { counted, fill, h, hex, short, sized } from "./dom";
import type { Panel } from "./layout";
import { VirtualList } from "./list";
import type { Picture } from "./picture";
import type { BufferAnswer, LiveObject } from "./protocol";
import { params } from "./place";
import { Superseded } from "./session";
import { askState } from "./state";

/** Bytes of a buffer that one question is for. */
const PART = 4096;
/** Rows of vertices that are shown. */
const VERTICES = 500;
const KINDS = ["all", "texture", "view", "buffer", "shader", "other"] as const;
type Kind = (typeof KINDS)[number];

const handleOf = (object: LiveObject): number => object.handle ?? object.id ?? 0;

export class Resources implements Panel {
  readonly name = "Resources";
  readonly element = h("section");
  showShader: (handle: number) => void = () => {};
  #app: App;
  #picture: Picture;
  #scope: Scope;
  #details: Scope;
  #list: VirtualList;
  #body = h("div", { class: "fills" });
  #told = h("p", { class: "hint" });
  #content = h("div", { class: "details tall", tabindex: 0, role: "region", "aria-label": "Contents of the resource" });
  #filter = h("input", { type: "search", placeholder: "Filter resources", "aria-label": "Filter resources" });
  #kind = h("select", { "aria-label": "Kind of resource" });
  #objects: LiveObject[] = [];
  #rows: LiveObject[] = [];
  #buffer: { id: number; start: number; as: "bytes" | "vertices" } | null = null;

  constructor(app: App, picture: Picture) {
    this.#app = app;
    this.#picture = picture;
    this.#scope = new Scope(app);
    this.#details = new Scope(app);
    for (const kind of KINDS)
      this.#kind.append(
        h("option", { value: kind }, kind === "all" ? "all kinds" : kind === "other" ? "other" : `${kind}s`),
      );
    this.#kind.addEventListener("change", () => this.#build());
    this.#filter.addEventListener("input", () => this.#build());
    this.element.append(
      h("div", { class: "row-of-tools" }, this.#filter, this.#kind),
      this.#body,
      this.#told,
      this.#content,
    );
    this.#list = new VirtualList(this.#body, {
      label: "Resources",
      size: 22,
      draw: (row, index) => this.#draw(row, index),
      select: (index) => this.#show(index),
    });
    app.opened.on(() => {
      this.#buffer = null;
      fill(this.#content);
    });
  }

  refresh(): void {
    void this.#scope.run(this.#told, async (options) => {
      options.label = `listing the resources of ${this.#app.words}`;
      const state = await askState(this.#app, options);
      this.#objects = state.objects;
      this.#build();
      if (this.#buffer) this.#showBuffer();
    });
  }

  #build(): void {
    const before = this.#rows[this.#list.selected];
    const kind = this.#kind.value as Kind;
    const sought = this.#filter.value.trim().toLowerCase();
    this.#rows = this.#objects.filter((object) => {
      const isOfKind =
        kind === "all" ||
        (kind === "other" ? !(KINDS as readonly string[]).includes(object.kind) : object.kind === kind);
      return (
        isOfKind &&
        `${object.kind} ${handleOf(object)} ${object.name ?? ""} ${object.description ?? ""}`
          .toLowerCase()
          .includes(sought)
      );
    });
    this.#list.reset(this.#rows.length);
    const same = before
      ? this.#rows.findIndex((object) => handleOf(object) === handleOf(before) && object.kind === before.kind)
      : -1;
    this.#list.select(same, false);
    fill(this.#told, `${this.#rows.length} of ${this.#objects.length} objects`);
  }

  #draw(element: HTMLElement, index: number): void {
    const object = this.#rows[index];
    if (!object) return;
    const description =
      object.description ??
      [object.stage, object.size_bytes ? sized(object.size_bytes) : null].filter(Boolean).join(", ");
    const plain = description.replace(new RegExp(`^${object.kind}(,| of)? `), "");
    element.title = `${object.kind} ${handleOf(object)}: ${description}`;
    element.append(
      h("span", { class: `kind ${object.kind}` }, object.kind),
      h("span", { class: "index" }, handleOf(object)),
      h("span", { class: "text" }, object.name ?? "", h("span", { class: "dim" }, ` ${plain}`)),
    );
  }

  /** Shows an object by its handle, as a link of another panel asks. */
  showHandle(handle: number): void {
    this.#kind.value = "all";
    this.#filter.value = "";
    this.#build();
    const index = this.#rows.findIndex((object) => handleOf(object) === handle);
    if (index < 0) return;
    this.#list.select(index);
    this.#show(index);
  }

  #show(index: number): void {
    const object = this.#rows[index];
    if (!object) return;
    const handle = handleOf(object);
    const created = h(
      "p",
      { class: "hint" },
      `${object.kind} ${handle}${object.name ? ` “${object.name}”` : ""}, created at `,
      this.#app.at(object.created_at),
    );
    this.#buffer = null;
    if (object.kind === "texture" || object.kind === "view") {
      const description = object.description ?? "";
      const most = (what: string): number => Number(new RegExp(`${what} 0 to (\\d+)`).exec(description)?.[1] ?? 0) + 1;
      this.#picture.showTexture(handle, object.name ?? "", most("mips"), most("layers"));
      fill(
        this.#content,
        created,
        h("p", {}, description),
        h("p", { class: "hint" }, "The picture shows the texture; Esc shows the frame again."),
      );
    } else if (object.kind === "buffer") {
      this.#buffer = { id: handle, start: 0, as: "bytes" };
      this.#showBuffer();
    } else {
      fill(this.#content, created, h("p", {}, object.description ?? ""));
      if (object.kind === "shader") this.showShader(handle);
    }
  }

  #showBuffer(): void {
    const shown = this.#buffer;
    if (!shown) return;
    void this.#details.run(this.#content, async (options) => {
      options.label = `reading buffer ${shown.id}`;
      const place = params(this.#app.place);
      const asked = shown.as === "bytes" ? { start: shown.start, end: shown.start + PART } : { vertices: true };
      try {
        const answer = await this.#readBuffer({ ...place, id: shown.id, ...asked }, shown, options);
        fill(this.#content, this.#bufferTools(answer), ...(shown.as === "bytes" ? bytes(answer) : vertices(answer)));
      } catch (error) {
        if (error instanceof Superseded || options.signal?.aborted) throw error;
        // The choice between bytes and vertices stays.
        fill(this.#content, this.#bufferTools({}), h("p", { class: "refused" }, sentence(error)));
      }
    });
  }

  /** Asks for a range of a buffer; of one that is shorter, for all of it. */
  async #readBuffer(asked: Record<string, unknown>, shown: { as: string }, options: object): Promise<BufferAnswer> {
    try {
      return await this.#app.ask("buffer", asked, options);
    } catch (error) {
      if (shown.as !== "bytes" || asked["start"] !== 0) throw error;
      const { start: _start, end: _end, ...whole } = asked;
      return this.#app.ask("buffer", whole, options);
    }
  }

  #bufferTools(answer: BufferAnswer): HTMLElement {
    const shown = this.#buffer!;
    const size = answer.size_bytes ?? 0;
    const as = h(
      "select",
      { "aria-label": "Show the buffer as" },
      h("option", { value: "bytes" }, "bytes"),
      h("option", { value: "vertices" }, "vertices"),
    );
    as.value = shown.as;
    as.addEventListener("change", () => {
      shown.as = as.value as "bytes" | "vertices";
      this.#showBuffer();
    });
    const start = h("input", {
      type: "number",
      min: 0,
      max: Math.max(size - 1, 0),
      step: 16,
      value: shown.start,
      "aria-label": "First byte",
    });
    start.addEventListener("change", () => {
      shown.start = Math.max(Number(start.value), 0);
      this.#showBuffer();
    });
    const needsStart = shown.as === "bytes" && size > PART;
    return h(
      "div",
      { class: "row-of-tools" },
      h("span", { class: "name" }, `Buffer ${shown.id}${answer.name ? ` “${answer.name}”` : ""}`),
      size > 0 && h("span", { class: "dim" }, sized(size)),
      as,
      needsStart && h("label", {}, "from ", start),
    );
  }
}

function bytes(answer: BufferAnswer): HTMLElement[] {
  const text = answer.hex ?? "";
  const start = answer.start ?? 0;
  const lines = [];
  for (let at = 0; at < text.length; at += 32) {
    const pairs = text.slice(at, at + 32).match(/../g) ?? [];
    const letters = pairs.map((pair) => {
      const code = Number.parseInt(pair, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
    });
    const halves = [pairs.slice(0, 8).join(" "), pairs.slice(8).join(" ")].join("  ");
    lines.push(`${(start + at / 2).toString(16).padStart(6, "0")}  ${halves.padEnd(48)}  ${letters.join("")}`);
  }
  const writers = counted((answer.ranges ?? []).length, "written range");
  const isPart = answer.end !== undefined && answer.size_bytes !== undefined && answer.end < answer.size_bytes;
  return [
    h("pre", { class: "bytes" }, lines.join("\n")),
    h("p", { class: "hint" }, isPart ? `Bytes ${hex(start)} to ${hex(answer.end ?? 0)}; ${writers}` : writers),
  ];
}

/** Makes a table of numbers. */
export function table(heads: string[], rows: (string | number)[][]): HTMLElement {
  return h(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      { class: "numbers" },
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))))),
    ),
  );
}

export const values = (numbers: (number | null)[] | null | undefined): string =>
  numbers ? numbers.map((number) => short(number)).join(", ") : "–";

function vertices(answer: BufferAnswer): HTMLElement[] {
  const { vertices: plain, streams } = answer;
  if (plain) {
    const rows = plain.rows.slice(0, VERTICES).map((row) => [row.vertex, values(row.position), values(row.color)]);
    return [table(["vertex", "position", "color"], rows)];
  }
  return (streams ?? []).flatMap((stream) => {
    const heads = ["row", ...stream.attributes.map(({ name }) => name)];
    const rows = stream.rows.slice(0, VERTICES).map((row) => [row.row, ...row.values.map(values)]);
    const buffer = `buffer ${stream.buffer}${stream.name ? ` “${stream.name}”` : ""}`;
    const name = `Slot ${stream.slot}: ${buffer}, stride ${stream.stride_bytes}, ${counted(stream.row_count, "row")}`;
    return [h("p", { class: "hint" }, name), table(heads, rows)];
  });
}
