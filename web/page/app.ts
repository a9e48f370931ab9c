// State that the panels share: the open traces, the place, the selected pixel, and what is being worked on.
import { at, fill, h, hex, button, Signal, counted, setBusy } from "./dom";
import { addressOf, endStepping, isSame, params, remember, START, words, type Place } from "./place";
import type { Answers, At, OpenAnswer, Params } from "./protocol";
import { RequestError, Session, Superseded, type AskOptions } from "./session";

export interface Trace extends OpenAnswer {
  /** Path for `open`: that of a file from disk, which no other file has, or an address. */
  path: string;
  /** File name, for display. */
  name: string;
  /** Address by which another machine finds it. */
  address: string | null;
}

/** File of annotations beside the trace. */
export interface Notes {
  path: string;
  /** File name or address, for display. */
  name: string;
  address: string | null;
}

export interface Pixel {
  x: number;
  y: number;
}

/** Details of an opening that may be left out. */
export interface Opening {
  /** Place that is shown first. */
  place?: Place | null;
  /** Name for display, where it is not the path. */
  name?: string;
  /** More parameters of `open`. */
  params?: Params;
}

type Step = "frame" | "draw" | "packet";

/** File name at the end of a path or address. */
const fileName = (path: string): string => (path.split("?")[0] ?? path).split(/[/\\]/).pop() || path;

/** Has an error that names the path of a file give the file's name. */
export function renamed(error: unknown, path: string, name: string): unknown {
  if (error instanceof Error && path !== name) error.message = error.message.replaceAll(path, name);
  return error;
}

/** Work that takes longer than this is named, in milliseconds. */
const LONG = 1000;

export function sentence(error: unknown): string {
  if (error instanceof RequestError && error.offset !== null)
    return `${error.message} (file offset ${hex(error.offset)})`;
  return error instanceof Error ? error.message : String(error);
}

export class App {
  readonly session = new Session();
  trace: Trace | null = null;
  /** Second trace, which the first is compared with. */
  other: Trace | null = null;
  notes: Notes[] = [];
  place: Place = START;
  draws = 0;
  packets = 0;
  /** Number of edits so far: answers from before an edit are of no use. */
  edits = 0;
  pixel: Pixel | null = null;
  /** Pixel's own question: which texture it belongs to, if not to the frame's picture. */
  target: string | null = null;
  /** Overlay over the picture. */
  overlay: string | null = null;
  /** The state for the console, and for tests. */
  readonly shown = { trace: null as number | null, frames: 0, frame: 0, draws: 0, draw: null as number | null };
  readonly opened = new Signal<Trace>();
  readonly otherOpened = new Signal<Trace | null>();
  readonly noted = new Signal<Notes>();
  /** Another place is shown: the picture of it is asked for. */
  readonly moved = new Signal<Place>();
  /** The picture of the place is shown, or takes long: now everything else may be painted. */
  readonly followed = new Signal<Place>();
  readonly counted = new Signal<void>();
  readonly edited = new Signal<void>();
  readonly picked = new Signal<Pixel | null>();
  /** A texture that the picture is to show: "7:1:2", or null for the frame's own. */
  readonly targeted = new Signal<string | null>();
  /** Frame whose draws and packets are counted. */
  #countedOf = "";
  /** Steps that wait until they are counted. */
  #steps: { what: Step; by: number }[] = [];
  #said = 0;
  /** The browser's history does not have the place yet: its entry is made once the picture is there. */
  #isUnremembered = false;
  #opening = 0;
  #openingOther = 0;
  #counting = new Scope(this);

  constructor() {
    this.followed.on(() => this.#isUnremembered && this.remember(true));
    setInterval(() => this.#progress(), 200);
    this.edited.on(() => {
      this.edits += 1;
    });
  }

  /** Says a sentence in the status line; gives its number. */
  say(text: string, isError = false): number {
    const line = at("said");
    if (line.textContent !== text) line.textContent = text;
    line.title = text;
    line.classList.toggle("error", isError);
    this.#said += 1;
    return this.#said;
  }

  get said(): number {
    return this.#said;
  }

  /** Clears the status line, if nothing was said since. */
  unsay(number: number): void {
    if (number === this.#said) this.say("");
  }

  fail(error: unknown): void {
    if (!(error instanceof Superseded)) this.say(sentence(error), true);
  }

  /** Asks about the open trace. */
  ask<M extends keyof Answers>(method: M, given: Params = {}, options: AskOptions = {}): Promise<Answers[M]> {
    return this.session.ask(method, { trace: this.trace?.trace, ...given }, options);
  }

  #progress(): void {
    const working = this.session.working;
    const isLong = working !== null && performance.now() - working.since > LONG;
    const bar = at("progress");
    if (bar.hidden === isLong) bar.hidden = !isLong;
    if (!isLong) return;
    const text = `${working.label} …`;
    const label = at("progress-label");
    if (label.textContent !== text) label.textContent = text;
  }

  /** Opens a trace; gives whether it is open. */
  async open(path: string, address: string | null, opening: Opening = {}): Promise<boolean> {
    const { place, name = path, params: options = {} } = opening;
    this.#opening += 1;
    const number = this.#opening;
    this.say(`Opening ${name} …`);
    document.body.classList.add("opening");
    try {
      const asked = { path, ...options };
      const opened = await this.session.ask("open", asked, { label: `opening ${name}` });
      // Another trace was opened meanwhile.
      if (number !== this.#opening) {
        this.session.ask("close", { trace: opened.trace }).catch(() => {});
        return false;
      }
      const before = this.trace;
      if (before) this.session.ask("close", { trace: before.trace }).catch(() => {});
      this.trace = { ...opened, path, name: address === null ? name : fileName(name), address };
      this.draws = this.packets = 0;
      Object.assign(this.shown, { trace: opened.trace, frames: opened.frames, draws: 0 });
      this.pixel = null;
      this.target = null;
      if (before && before.path !== path) this.notes = [];
      document.body.classList.add("has-trace");
      at("name").textContent = name;
      at("name").title = name;
      document.title = `${this.trace.name} – aerogpu-replay`;
      const { adapter, lacks } = this.session;
      at("adapter").textContent = at("adapter").title = adapter ?? "none yet";
      fill(at("lacks"), lacks === null ? null : `WebGL2: ${lacks}`);
      at("lacks").title = lacks ?? "";
      this.#warn(opened, name, options);
      for (const control of document.querySelectorAll<HTMLInputElement>("[data-needs-trace]")) control.disabled = false;
      this.say(opened.frames === 0 ? "The trace has no frames." : "");
      this.opened.emit(this.trace);
      this.picked.emit(null);
      // The address of a page that has just been opened is made whole; another trace is a place of its own.
      endStepping();
      if (opened.frames > 0) this.go(place ?? START, before !== null);
      if (before === null) this.remember(false);
      return true;
    } catch (error) {
      if (number === this.#opening) this.fail(renamed(error, path, name));
      return false;
    } finally {
      if (number === this.#opening) document.body.classList.remove("opening");
    }
  }

  /** Lists warnings and faults, and offers to draw on behind faults. */
  #warn(opened: OpenAnswer, name: string, options: Params): void {
    const lines = opened.warnings.map((warning) => h("li", {}, warning));
    const { read_error: cut, faults } = opened;
    if (cut !== null) lines.push(h("li", {}, typeof cut === "string" ? cut : cut.message));
    for (const kind of faults.kinds) {
      const where = button(`frame ${kind.first.frame}`, () => this.goTo(kind.first), { class: "link" });
      lines.push(h("li", {}, `${kind.message} (${counted(kind.count, "time")}, first in `, where, ")"));
    }
    if (faults.count > 0 && options["keep_going"] !== true) {
      const { path, address } = this.trace as Trace;
      const goOn = button(
        "Draw on behind faults",
        () => void this.open(path, address, { place: this.place, name, params: { keep_going: true } }),
      );
      lines.unshift(h("li", {}, "Pictures behind a fault are refused. ", goOn));
    }
    fill(at("warnings"), ...lines);
    at("notices").hidden = lines.length === 0;
  }

  /** Opens a second trace to compare with, or none. */
  async openOther(path: string | null, address: string | null, name = path ?? ""): Promise<void> {
    this.#openingOther += 1;
    const number = this.#openingOther;
    try {
      let other: Trace | null = null;
      if (path !== null) {
        this.say(`Opening ${name} …`);
        const opened = await this.session.ask("open", { path }, { label: `opening ${name}` });
        // Another one was opened meanwhile, or the comparison was closed.
        if (number !== this.#openingOther) {
          this.session.ask("close", { trace: opened.trace }).catch(() => {});
          return;
        }
        other = { ...opened, path, name: address === null ? name : fileName(name), address };
        this.say("");
      }
      const before = this.other;
      this.other = other;
      if (before) this.session.ask("close", { trace: before.trace }).catch(() => {});
      this.otherOpened.emit(other);
      this.remember(false);
    } catch (error) {
      if (number === this.#openingOther) this.fail(renamed(error, path ?? "", name));
    }
  }

  dropNotes(path: string): void {
    this.notes = this.notes.filter((known) => known.path !== path);
    this.remember(false);
  }

  addNotes(path: string, address: string | null, name = path): void {
    const notes = { path, name, address };
    this.notes = [...this.notes.filter((known) => known.path !== path), notes];
    this.noted.emit(notes);
    this.remember(false);
  }

  /** Address of what is shown. */
  get link(): URL {
    const notes = this.notes.flatMap(({ address }) => address ?? []);
    const { trace, other, place, pixel, target, overlay } = this;
    const view = { pixel, target, overlay };
    return addressOf(trace?.address ?? null, other?.address ?? null, notes, trace && place, view);
  }

  /** Has the browser's address, and with `isNew` its history, name what is shown. */
  remember(isNew: boolean): void {
    remember(this.link, isNew || this.#isUnremembered);
    this.#isUnremembered = false;
  }

  /** Goes to a place; `isNew` adds it to the browser's history. */
  go(place: Place, isNew = true): void {
    if (!this.trace || this.trace.frames === 0) return;
    const frame = Math.min(Math.max(place.frame, 0), this.trace.frames - 1);
    this.place = { ...place, frame };
    Object.assign(this.shown, { frame, draw: place.draw });
    this.moved.emit(this.place);
    this.#count();
    this.#isUnremembered = isNew;
  }

  /** Goes to the place of a command: behind it. */
  goTo({ frame, packet, draw }: { frame: number; packet: number | null; draw?: number | null }): void {
    this.go({ frame, draw: draw ?? null, packet: draw === null || draw === undefined ? packet : null });
  }

  at({ offset, frame, packet }: At): HTMLButtonElement {
    return button(hex(offset), () => this.goTo({ frame, packet }), {
      class: "link",
      title: `frame ${frame}, packet ${packet}`,
    });
  }

  /** Asks how many draws and packets the frame has, and has later questions without a place be about this one. */
  #count(): void {
    const { place } = this;
    const key = `${this.trace?.trace}/${place.frame}`;
    void this.#counting.run(null, async (options) => {
      if (this.#countedOf !== key) {
        const events = await this.ask("events", { frame: place.frame, count: 0 }, options);
        this.draws = this.shown.draws = events.draws;
        this.packets = events.packets;
        this.#countedOf = key;
        this.counted.emit();
        for (const { what, by } of this.#steps.splice(0)) this.step(what, by);
      }
      await this.ask("seek", params(this.place), options);
    });
  }

  /** The next or previous frame, draw or packet. */
  step(what: Step, by: number): void {
    if (!this.trace || this.trace.frames === 0) return;
    if (what === "frame") this.#steps = [];
    else if (this.#countedOf !== `${this.trace.trace}/${this.place.frame}`) {
      this.#steps.push({ what, by });
      return;
    }
    const { frame, draw, packet } = this.place;
    let place: Place;
    if (what === "frame") place = { frame: frame + by, draw: null, packet: null };
    else if (what === "draw") {
      if (this.draws === 0) return;
      const from = draw ?? (by > 0 ? -1 : this.draws);
      const to = from + by;
      place = { frame, draw: to < 0 || to >= this.draws ? null : to, packet: null };
    } else {
      if (this.packets === 0) return;
      const to = (packet ?? (by > 0 ? -1 : this.packets)) + by;
      place = { frame, draw: null, packet: to < 0 || to >= this.packets ? null : to };
    }
    place.frame = Math.min(Math.max(place.frame, 0), this.trace.frames - 1);
    if (!isSame(place, this.place)) this.go(place);
  }

  pick(pixel: Pixel | null): void {
    this.pixel = pixel;
    this.picked.emit(pixel);
    if (this.trace) this.remember(false);
  }

  /** Has the picture show a texture, or the frame again. */
  aim(target: string | null): void {
    this.target = target;
    this.targeted.emit(target);
    this.remember(false);
  }

  get words(): string {
    return words(this.place);
  }
}

/** Questions of one panel. A new run supersedes the one before. */
export class Scope {
  #app: App;
  #controller: AbortController | null = null;
  /** Element that is marked as busy. */
  #host: HTMLElement | null = null;

  constructor(app: App) {
    this.#app = app;
  }

  /** Drops the question that is being answered; its host is no longer busy. */
  cancel(): void {
    this.#controller?.abort();
    this.#controller = null;
    setBusy(this.#host, false);
    this.#host = null;
  }

  /** Asks by `act`, whose error is said, and is shown in `host`. Meanwhile `host` keeps its content, dimmed. */
  async run(host: HTMLElement | null, act: (options: AskOptions) => Promise<void>): Promise<void> {
    this.cancel();
    const controller = new AbortController();
    this.#controller = controller;
    this.#host = host;
    setBusy(host, true);
    try {
      await act({ signal: controller.signal });
    } catch (error) {
      if (error instanceof Superseded || controller.signal.aborted) return;
      if (host) fill(host, h("p", { class: "refused" }, sentence(error)));
      else this.#app.fail(error);
    } finally {
      if (this.#controller === controller) setBusy(host, false);
    }
  }
}
