// Shaders of the draw: texts or assembly, with issues at their lines. An edited text without errors is drawn with.
import { Scope, type App } from "./app";
import { button, counted, debounced, fill, h } from "./dom";
import type { Panel } from "./layout";
import { params } from "./place";
import type { Issue, ShadersAnswer } from "./protocol";

/** Pause in typing after which a text is tried, in milliseconds. */
const PAUSE = 600;

/** A text of a shader, whichever kind of trace it is from. */
interface Text {
  key: string;
  title: string;
  /** Offset that names it to `edit`. */
  offset: number;
  original: string;
  replacement: string | null;
  handle: number;
  error: string | null;
  isEditable: boolean;
}

export class Shaders implements Panel {
  readonly name = "Shaders";
  readonly element = h("section");
  #app: App;
  #scope: Scope;
  #editing: Scope;
  #told = h("p", { class: "hint", role: "status" });
  #choice = h("select", { "aria-label": "Shader" });
  #revert = button("Revert", () => void this.#apply(null), { disabled: true, title: "Take the edit back" });
  #use = button("Apply", () => void this.#apply(this.#area.value), {
    disabled: true,
    title: "Draw with this text (Ctrl Enter)",
  });
  #area = h("textarea", {
    "aria-label": "Text of the shader",
    spellcheck: "false",
    wrap: "off",
    autocapitalize: "off",
    autocomplete: "off",
  });
  #gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  #marks = h("div", { class: "marks", "aria-hidden": "true" });
  #editor = h(
    "div",
    { class: "editor fills", hidden: true },
    this.#gutter,
    h("div", { class: "code" }, this.#marks, this.#area),
  );
  #issues = h("ol", { class: "issues", "aria-label": "Issues" });
  #texts: Text[] = [];
  #current: Text | null = null;
  /** Texts that are typed and not applied, by shader. */
  #drafts = new Map<string, string>();
  /** Issues of the last try, by shader. */
  #found = new Map<string, Issue[]>();
  #wanted: number | null = null;
  #later = debounced(() => void this.#apply(this.#area.value), PAUSE);

  constructor(app: App) {
    this.#app = app;
    this.#scope = new Scope(app);
    this.#editing = new Scope(app);
    this.#choice.addEventListener("change", () =>
      this.#show(this.#texts.find(({ key }) => key === this.#choice.value) ?? null),
    );
    this.element.append(
      h("div", { class: "row-of-tools" }, this.#choice, this.#use, this.#revert),
      this.#editor,
      this.#issues,
      this.#told,
    );
    this.#area.addEventListener("input", () => {
      if (!this.#current) return;
      this.#drafts.set(this.#current.key, this.#area.value);
      this.#use.disabled = false;
      this.#number();
      this.#later.call();
    });
    this.#area.addEventListener("scroll", () => this.#follow(), { passive: true });
    this.#area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.#later.cancel();
        void this.#apply(this.#area.value);
      }
    });
    app.opened.on(() => {
      this.#drafts.clear();
      this.#found.clear();
      this.#texts = [];
      fill(this.#choice);
      this.#show(null);
    });
  }

  /** Shows a shader, as a link of another panel asks. */
  showHandle(handle: number): void {
    this.#wanted = handle;
    const text = this.#texts.find((known) => known.handle === handle);
    if (text) this.#show(text);
  }

  refresh(): void {
    void this.#scope.run(this.#told, async (options) => {
      options.label = `reading the shaders of ${this.#app.words}`;
      const answer = await this.#app.ask("shaders", params(this.#app.place), options);
      this.#texts = textsOf(answer);
      fill(this.#choice, ...this.#texts.map(({ key, title }) => h("option", { value: key }, title)));
      for (const { issues, language } of answer.compiled ?? []) {
        for (const text of this.#texts) {
          const own = issues.filter((issue) => (issue.stage ?? "") === text.key.split("/")[0]);
          if (text.key.includes(`/${language}/`) && !this.#drafts.has(text.key)) this.#found.set(text.key, own);
        }
      }
      const wanted = this.#wanted === null ? undefined : this.#texts.find(({ handle }) => handle === this.#wanted);
      this.#wanted = null;
      const before = this.#current;
      const same =
        this.#texts.find(({ key }) => key === before?.key) ??
        this.#texts.find(({ key }) => key.split("/")[0] === before?.key.split("/")[0]);
      this.#show(wanted ?? same ?? this.#texts[this.#texts.length - 1] ?? null);
    });
  }

  #show(text: Text | null): void {
    this.#later.cancel();
    const isSame = text !== null && text.key === this.#current?.key;
    this.#current = text;
    this.#editor.hidden = text === null;
    this.#choice.disabled = text === null;
    if (!text) {
      this.#use.disabled = this.#revert.disabled = true;
      fill(this.#issues);
      fill(this.#told, "No shader is bound here.");
      return;
    }
    this.#choice.value = text.key;
    const shown = this.#drafts.get(text.key) ?? text.replacement ?? text.original;
    // The caret stays where somebody types.
    if (!isSame || this.#area.value !== shown) this.#area.value = shown;
    this.#area.readOnly = !text.isEditable;
    this.#revert.disabled = text.replacement === null && !this.#drafts.has(text.key);
    this.#use.disabled = !this.#drafts.has(text.key);
    this.#number();
    this.#mark();
    const edited = text.replacement !== null ? " Drawn with the edited text." : "";
    fill(this.#told, text.error ?? `${counted(shown.split("\n").length - 1, "line")}.${edited}`);
  }

  /** Writes the numbers of the lines. */
  #number(): void {
    const lines = this.#area.value.split("\n").length;
    if (this.#gutter.childElementCount === 1 && this.#gutter.dataset["lines"] === String(lines)) return;
    this.#gutter.dataset["lines"] = String(lines);
    fill(this.#gutter, h("pre", {}, Array.from({ length: lines }, (_, index) => index + 1).join("\n")));
    this.#follow();
  }

  /** Has numbers and marks scroll with the text. */
  #follow(): void {
    this.#gutter.style.transform = `translateY(${-this.#area.scrollTop}px)`;
    this.#marks.style.transform = `translateY(${-this.#area.scrollTop}px)`;
  }

  #mark(): void {
    const issues = this.#current ? (this.#found.get(this.#current.key) ?? []) : [];
    const kindOf = (issue: Issue): string => (issue.severity === "error" || !issue.severity ? "error" : "remark");
    fill(
      this.#marks,
      ...issues.flatMap((issue) => {
        if (issue.line === null) return [];
        const mark = h("div", { class: `mark ${kindOf(issue)}` });
        mark.style.top = `calc(${issue.line - 1} * var(--code-line) + 4px)`;
        return [mark];
      }),
    );
    fill(
      this.#issues,
      ...issues.map((issue) => {
        const where =
          issue.line === null ? "" : `line ${issue.line}${issue.column === null ? "" : `:${issue.column}`}: `;
        const text = `${where}${issue.message}${issue.hint ? ` (${issue.hint})` : ""}`;
        return h(
          "li",
          { class: kindOf(issue) },
          button(text, () => this.#jump(issue), { class: "link" }),
        );
      }),
    );
  }

  /** Moves the caret to an issue. */
  #jump(issue: Issue): void {
    const lines = this.#area.value.split("\n");
    const line = Math.min((issue.line ?? 1) - 1, lines.length - 1);
    const start =
      lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + Math.max((issue.column ?? 1) - 1, 0);
    this.#area.focus();
    this.#area.setSelectionRange(start, start);
    const height = Number.parseFloat(getComputedStyle(this.#area).lineHeight);
    this.#area.scrollTop = Math.max(line * height - this.#area.clientHeight / 2, 0);
  }

  /** Tries a text; null takes the edit back. */
  async #apply(text: string | null): Promise<void> {
    const shown = this.#current;
    if (!shown || !shown.isEditable) return;
    this.#later.cancel();
    await this.#editing.run(null, async (options) => {
      options.label = text === null ? "taking the edit back" : "compiling the shader";
      const place = params(this.#app.place);
      const answer = await this.#app.ask("edit", { ...place, record_offset: shown.offset, text }, options);
      if (text === null) {
        this.#drafts.delete(shown.key);
        this.#found.delete(shown.key);
        shown.replacement = null;
      } else {
        this.#found.set(shown.key, [...answer.issues, ...(answer.remarks ?? [])]);
        if (answer.is_used !== undefined) {
          shown.replacement = text;
          this.#drafts.delete(shown.key);
        }
      }
      if (this.#current === shown) this.#show(shown);
      if (answer.issues.length > 0)
        fill(this.#told, `${counted(answer.issues.length, "issue")}; drawn with the last text that compiled.`);
      if (answer.is_used !== undefined || answer.reverted !== undefined) this.#app.edited.emit();
    });
  }
}

function textsOf({ shaders, vertex, fragment }: ShadersAnswer): Text[] {
  if (shaders) {
    return shaders.map((shader) => ({
      key: `${shader.stage}/assembly/${shader.code_offset}`,
      title: `${shader.stage} shader ${shader.handle}${shader.purpose ? `, ${shader.purpose}` : ""}`,
      offset: shader.code_offset,
      original: shader.assembly ?? "",
      replacement: shader.replacement,
      handle: shader.handle,
      error: shader.error,
      isEditable: shader.assembly !== null,
    }));
  }
  return [vertex, fragment].flatMap((stage) =>
    (stage?.texts ?? []).map((text) => ({
      key: `${stage?.stage}/${text.language}/${text.record_offset}`,
      title: `${stage?.stage} shader ${stage?.id}, ${text.language.toUpperCase()}`,
      offset: text.record_offset,
      original: text.text,
      replacement: text.replacement,
      handle: stage?.id ?? 0,
      error: null,
      isEditable: true,
    })),
  );
}
