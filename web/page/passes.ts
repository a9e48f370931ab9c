// Passes of the frame: what each draws to, reads of others and writes for whom, over all frames. Their names lead there.
import { Scope, type App } from "./app";
import { button, counted, fill, h, type Child } from "./dom";
import type { Panel } from "./layout";
import type { Pass, PassId, PassResource } from "./protocol";
import type { ShowObject } from "./state";

const VERBS = { reads: "reads", tests: "tests against", writes_over: "writes over" };
const FATES = {
  read: "",
  own: "only the pass itself uses it",
  overwritten: "overwritten before anything reads it",
  unread: "nothing reads it",
};

export class Passes implements Panel {
  readonly name = "Passes";
  readonly element = h("section");
  showObject: ShowObject = () => {};
  #app: App;
  #scope: Scope;
  #body = h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Passes of the frame" });
  #asked = "";

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.element.append(this.#body);
    app.opened.on(() => {
      this.#asked = "";
      fill(this.#body);
    });
  }

  refresh(): void {
    const { frame } = this.#app.place;
    const asked = `${this.#app.trace?.trace}/${frame}`;
    if (asked === this.#asked) {
      this.#scope.cancel();
      return;
    }
    void this.#scope.run(this.#body, async (options) => {
      options.label = `linking the passes of frame ${frame}`;
      const { passes, pass_count: count } = await this.#app.ask("passes", { frame }, options);
      this.#asked = asked;
      const more =
        count > passes.length ? h("p", { class: "hint" }, `and ${counted(count - passes.length, "more")}`) : null;
      const none = count === 0 ? h("p", { class: "hint" }, `Frame ${frame} draws nothing.`) : null;
      fill(this.#body, none, ...passes.map((pass) => this.#pass(pass, frame)), more);
    });
  }

  #pass(pass: Pass, frame: number): HTMLElement {
    const isForNothing =
      pass.writes.length > 0 && pass.writes.every(({ fate }) => fate === "overwritten" || fate === "unread");
    const lines = [
      ...pass.reads.map((read) =>
        this.#line(
          VERBS[read.how],
          read,
          pass,
          frame,
          this.#places("from", read.from, frame),
          read.has_unwritten && warning(read.from.length === 0 ? "never written" : "in part never written"),
        ),
      ),
      ...pass.writes.map((write) =>
        this.#line(
          "writes",
          write,
          pass,
          frame,
          write.fate === "read" ? this.#places("for", write.read_by, frame) : null,
          write.fate === "own" && h("span", { class: "dim" }, FATES.own),
          (write.fate === "overwritten" || write.fate === "unread") && warning(FATES[write.fate]),
          write.more_frames > 0 &&
            h("span", { class: "dim" }, `and ${counted(write.more_frames, "further frame")}`),
        ),
      ),
      pass.could_join !== null && h("li", {}, warning(`could be one with pass ${pass.could_join}`)),
    ];
    return h(
      "section",
      { class: isForNothing || pass.could_join !== null ? "pass doubtful" : "pass" },
      h("h2", {}, button(heading(pass), () => this.#goTo(pass, frame), { class: "link" })),
      h("ul", {}, ...lines),
    );
  }

  #line(verb: string, resource: PassResource, pass: Pass, frame: number, ...rest: Child[]): HTMLElement {
    const { handle } = resource;
    const text = words(resource);
    const shown =
      handle === null
        ? h("span", {}, text)
        : button(
            text,
            () => {
              this.#goTo(pass, frame);
              this.showObject(handle);
            },
            { class: "link" },
          );
    return h("li", {}, h("span", { class: "dim" }, `${verb} `), shown, " ", ...rest);
  }

  #places(word: string, places: PassId[], frame: number): HTMLElement | null {
    if (places.length === 0) return null;
    const links = places.flatMap((place, index): Child[] => {
      const text = place.frame === frame ? `pass ${place.pass}` : `frame ${place.frame} pass ${place.pass}`;
      const go = (): void => this.#app.goTo({ frame: place.frame, packet: place.packet });
      return [index === 0 ? null : ", ", button(text, go, { class: "link" })];
    });
    return h("span", {}, h("span", { class: "dim" }, `${word} `), ...links, " ");
  }

  #goTo(pass: Pass, frame: number): void {
    const { first_draw: first, draw_count: count, packet } = pass;
    this.#app.goTo(first === null ? { frame, packet } : { frame, packet: null, draw: first + count - 1 });
  }
}

const warning = (text: string): HTMLElement => h("span", { class: "warns" }, text);

/** The pass in a line, in the words of the verb. */
function heading(pass: Pass): string {
  const number = `pass ${pass.pass}`;
  switch (pass.kind) {
    case "uploads":
      return `${number}: uploads, ${counted(pass.commands, "command")}`;
    case "copies":
      return `${number}: copies, ${counted(pass.commands, "command")}`;
    case "dispatches":
      return `${number}: ${pass.commands === 1 ? "1 dispatch" : `${pass.commands} dispatches`}`;
    case "present":
      return `${number}: present`;
    case "draws":
      return `${number}: ${drawn(pass)} ${pass.targets.map(target).join(", ") || "no target"}`;
  }
}

function drawn({ first_draw: first, draw_count: count }: Pass): string {
  if (first === null) return "clears";
  return count === 1 ? `draw ${first} to` : `draws ${first} to ${first + count - 1} to`;
}

function target({ texture, aspect, name, mip, layer }: Pass["targets"][number]): string {
  if (texture === null) return "the back buffer";
  const part = mip === 0 && layer === 0 ? "" : ` mip ${mip} layer ${layer}`;
  return `${aspect === "color" ? "" : `${aspect} `}texture ${texture}${name === undefined ? "" : ` "${name}"`}${part}`;
}

function words({ resource, handle, name, size_bytes: bytes, size_px: size, format }: PassResource): string {
  const named = name === undefined ? "" : ` "${name}"`;
  switch (resource) {
    case "back_buffer":
      return "the back buffer";
    case "guest_memory":
      return "guest memory";
    case "buffer":
      return `buffer ${handle}${named} (${counted(bytes ?? 0, "byte")})`;
    case "texture":
      return `texture ${handle}${named} (${size?.join("x")} ${format})`;
  }
}
