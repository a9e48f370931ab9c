// A session with a worker that may be replaced at any time: one that hangs, traps or loses its device is ended, and the next
// one gets the files, the open traces with their edits, and the question that was not answered, once.
//
// Questions of a person are answered in order; those of the background wait until nothing else was asked for a moment.
import type { Answers, Params } from "./protocol";

/** Longest time for an answer, in milliseconds. */
const PATIENCE = 60_000;
/** Silence after which the background's questions are sent, in milliseconds. */
const QUIET = 300;

/** Longest rest behind a question of the background, in milliseconds. */
const MOST_REST = 400;
/** Pause before a worker is replaced, in milliseconds: a browser needs a moment to restart what draws. */
const PAUSE = 1000;

/** Message to the worker: to start, to take a file, or a request. */
export interface Message {
  number: number;
  start?: boolean;
  backend?: string | null;
  name?: string;
  file?: Blob;
  text?: string;
}

export interface Reply {
  number: number;
  /** Sign of life before the answer: how many pipelines are made, and how many there will be. */
  pipelines?: Pipelines;
  value?: unknown;
  /** Pixels of pictures, in their order: the answers are without them. */
  pixels?: Uint8Array[];
  lost?: boolean;
  error?: string;
}

export interface Pipelines {
  made: number;
  of: number;
}

export interface AskOptions {
  /** Sent only while nothing else is wanted. */
  background?: boolean;
  /** Drops the question while it waits, and its answer afterwards. */
  signal?: AbortSignal | undefined;
  /** Words for the progress line, as "drawing frame 7". */
  label?: string | undefined;
}

interface RequestFailure {
  code: number;
  message: string;
  data?: { offset?: number; kind?: string };
}

/** Error of JSON-RPC: a sentence, its code, and where in the file the fault is. */
export class RequestError extends Error {
  readonly code: number;
  readonly offset: number | null;
  readonly kind: string | null;

  constructor({ code, message, data }: RequestFailure) {
    super(message);
    this.code = code;
    this.offset = data?.offset ?? null;
    this.kind = data?.kind ?? null;
  }
}

/** Rejection of a question that nobody wants any more. */
export class Superseded extends Error {}

class WorkerEnded extends Error {
  /** The answer took too long. */
  readonly isLate: boolean;

  constructor(message: string, isLate = false) {
    super(message);
    this.isLate = isLate;
  }
}

/** Trace that the page has open, with all that another worker needs to open it again. */
interface OpenedTrace {
  params: Params;
  /** The worker's handle; null if another worker could not open the trace again. */
  handle: number | null;
  /** Error of that worker, with which questions are refused. */
  refusal: Error | null;
  place: string | null;
  edits: Map<number, Params>;
  /** Error that an edited shader may be the reason of: all questions but edits are refused with it, until there is one. */
  suspicion: Error | null;
}

interface Question {
  method: string;
  params: Params;
  /** Parameters of several questions that are asked in one message. */
  all: Params[] | null;
  options: AskOptions;
  since: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Message to the worker that waits for its reply. */
interface PendingReply {
  resolve(reply: Reply): void;
  reject(error: Error): void;
  /** Ends the worker if it gives no sign of life for so long. */
  wait(): void;
  timer: number;
}

/** Parameters that hold a handle of a trace. */
const HANDLES = ["trace", "with"];
/** Code of the error for a trace that is not open. */
const NOT_OPEN = -32000;

export class Session {
  /** API to draw with: "webgpu", "webgl2", or the best one there is. */
  backend: string | null = null;
  /** Adapter in use. */
  adapter: string | null = null;
  /** Reason why the adapter is not WebGPU's, where that was to be. */
  lacks: string | null = null;
  /** Number of workers that were replaced. */
  replaced = 0;
  patience = PATIENCE;
  #worker: Worker | null = null;
  #starting = false;
  #number = 0;
  #waiting = new Map<number, PendingReply>();
  #files = new Map<string, Blob>();
  /** Traces by the page's handle. */
  #traces = new Map<number, OpenedTrace>();
  #handle = 0;
  #foreground: Question[] = [];
  #background: Question[] = [];
  #current: Question | null = null;
  /** Pipelines that the question being answered has made so far. */
  #pipelines: Pipelines | null = null;
  /** Time before which the background's questions wait. */
  #restUntil = 0;
  #timer = 0;

  /** Has `open` find a file under its name. */
  async addFile(name: string, file: Blob): Promise<void> {
    this.#files.set(name, file);
    if (this.#worker) await this.#send({ name, file });
  }

  /** Asks; gives the result, or throws the error. */
  ask<M extends keyof Answers>(method: M, params?: Params, options?: AskOptions): Promise<Answers[M]>;
  ask(method: string, params?: Params, options?: AskOptions): Promise<unknown>;
  ask(method: string, params: Params = {}, options: AskOptions = {}): Promise<unknown> {
    return this.#asked(method, params, null, options);
  }

  /** Asks for several pictures, which are drawn before the first is read back; gives their results, or throws the first error. */
  askAll<M extends keyof Answers>(method: M, all: Params[], options: AskOptions = {}): Promise<Answers[M][]> {
    if (all.length === 0) return Promise.resolve([]);
    return this.#asked(method, {}, all, options) as Promise<Answers[M][]>;
  }

  #asked(method: string, params: Params, all: Params[] | null, options: AskOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted) return reject(new Superseded("superseded"));
      const question = { method, params, all, options, since: performance.now(), resolve, reject };
      const queue = options.background ? this.#background : this.#foreground;
      queue.push(question);
      signal?.addEventListener("abort", () => {
        const at = queue.indexOf(question);
        if (at >= 0) queue.splice(at, 1);
        reject(new Superseded("superseded"));
      });
      this.#pump();
      return undefined;
    });
  }

  /** The question that is being answered, and since when somebody waits for it. */
  get working(): { label: string; since: number } | null {
    if (!this.#current) return null;
    const { method, options, since } = this.#current;
    const label = this.#starting ? "starting the replayer" : (options.label ?? method);
    const pipelines = this.#pipelines;
    return { label: pipelines ? `${label}: making pipeline ${pipelines.made} of ${pipelines.of}` : label, since };
  }

  /** Sends the next question, if none is on its way. */
  #pump(): void {
    if (this.#current) return;
    let next = this.#foreground.shift();
    if (!next && this.#background.length > 0) {
      const wait = this.#restUntil - performance.now();
      if (wait > 0) {
        clearTimeout(this.#timer);
        this.#timer = window.setTimeout(() => this.#pump(), wait);
        return;
      }
      next = this.#background.shift();
      if (next) next.since = performance.now();
    }
    if (!next) return;
    const question = next;
    this.#current = question;
    this.#answered(question)
      .then(question.resolve, question.reject)
      .then(() => {
        this.#current = null;
        const now = performance.now();
        // The background rests as long as it has worked, so that a person's question seldom waits for it.
        this.#restUntil = now + (question.options.background ? Math.min(now - question.since, MOST_REST) : QUIET);
        this.#pump();
      });
  }

  async #answered({ method, params, all }: Question): Promise<unknown> {
    const named = [params, ...(all ?? [])].flatMap((params) =>
      HANDLES.flatMap((name) => this.#traces.get(params[name] as number) ?? []),
    );
    if (method === "edit") {
      for (const known of named) {
        // The next worker is not to meet an edit that is taken back, or that never ends.
        if (known.suspicion || params["text"] === null) known.edits.delete(params["record_offset"] as number);
        known.suspicion = null;
      }
    }
    const suspicion = named.find((known) => known.suspicion !== null)?.suspicion;
    if (suspicion && method !== "close") throw suspicion;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#ready();
        if (all) return await this.#call(method, all.map((params) => this.#sent(params)));
        return await this.#once(method, params);
      } catch (error) {
        if (!(error instanceof WorkerEnded)) throw error;
        const edited = method === "edit" ? [] : named.filter(({ edits }) => edits.size > 0);
        if (edited.length > 0 && (error.isLate || attempt > 0)) {
          const suspicion = new Error(`${error.message}: an edited shader may never end; revert or change it`);
          for (const known of edited) known.suspicion = suspicion;
          throw suspicion;
        }
        if (attempt > 0) throw error;
        this.replaced += 1;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  async #once(method: string, params: Params): Promise<unknown> {
    const known = this.#traces.get(params["trace"] as number);
    if (method === "close" && known?.handle === null) {
      this.#traces.delete(params["trace"] as number);
      return null;
    }
    const [result] = await this.#call(method, [this.#sent(params)]);
    const fields = (result ?? {}) as Record<string, unknown>;
    if (method === "open") {
      this.#handle += 1;
      const handle = fields["trace"] as number;
      const opened = { params, handle, refusal: null, place: null, edits: new Map(), suspicion: null };
      this.#traces.set(this.#handle, opened);
      return { ...fields, trace: this.#handle };
    }
    if (method === "close") this.#traces.delete(params["trace"] as number);
    if (method === "seek" && known) known.place = fields["place"] as string;
    if (method === "edit" && known && fields["is_used"] !== undefined) {
      known.edits.set(params["record_offset"] as number, params);
    }
    return result;
  }

  /** Parameters with the worker's handles. */
  #sent(params: Params): Params {
    const sent = { ...params };
    for (const name of HANDLES) {
      const given = params[name];
      // A handle of another type is the worker's to refuse.
      if (typeof given === "number") sent[name] = this.#handleOf(given);
    }
    return sent;
  }

  /** The worker's handle for one of the page's; throws if there is none. */
  #handleOf(handle: number): number {
    const known = this.#traces.get(handle);
    if (!known) throw new RequestError({ code: NOT_OPEN, message: `trace ${handle} is not open` });
    if (known.handle === null) throw known.refusal;
    return known.handle;
  }

  /** Has a worker that knows all that the last one knew. */
  async #ready(): Promise<void> {
    if (this.#worker) return;
    this.#starting = true;
    try {
      this.#worker = newWorker();
      this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#settle(data);
      this.#worker.onerror = (event) => this.#end(`the worker ended: ${event.message ?? "it could not be loaded"}`);
      const started = await this.#send({ start: true, backend: this.backend });
      const { adapter, lacks } = started.value as { adapter: string; lacks: string | null };
      Object.assign(this, { adapter, lacks });
      for (const [name, file] of this.#files) await this.#send({ name, file });
      for (const known of this.#traces.values()) await this.#reopen(known);
    } catch (error) {
      if (error instanceof WorkerEnded) throw error;
      // A worker without a device answers nothing. If there was one before, there will be one again.
      const { message } = error as Error;
      this.#end(message);
      throw this.adapter === null ? error : new WorkerEnded(message);
    } finally {
      this.#starting = false;
    }
  }

  /** Opens a trace in the next worker, with its edits and its place. A trace that is refused is left aside. */
  async #reopen(known: OpenedTrace): Promise<void> {
    known.handle = null;
    try {
      const [opened] = await this.#call("open", [known.params]);
      const { trace } = opened as { trace: number };
      // Going to the place draws it: an edit that never ends may be about to be taken back.
      if (known.place !== null) await this.#call("seek", [{ trace, place: known.place }]);
      for (const edit of known.edits.values()) await this.#call("edit", [{ ...edit, trace }]);
      known.handle = trace;
    } catch (error) {
      if (error instanceof WorkerEnded) throw error;
      known.refusal = error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Asks the worker in one message; gives the results, or throws the first error. */
  async #call(method: string, all: Params[]): Promise<unknown[]> {
    const requests = all.map((params, id) => ({ jsonrpc: "2.0", id, method, params }));
    const { value, pixels, lost } = await this.#send({ text: JSON.stringify(requests) });
    if (lost) this.#end("the device was lost");
    const answers = JSON.parse(value as string) as { result?: object; error?: RequestFailure }[];
    const error = answers.find((answer) => answer.error)?.error;
    if (error && lost) throw new WorkerEnded(error.message);
    if (error) throw new RequestError(error);
    return answers.map(({ result }, at) => (pixels?.[at] ? { ...result, rgba: pixels[at] } : result));
  }

  #send(message: Omit<Message, "number">): Promise<Reply> {
    this.#number += 1;
    const number = this.#number;
    const reply = new Promise<Reply>((resolve, reject) => {
      const late = (): void => this.#end(`no answer within ${this.patience / 1000} s`, true);
      const pending: PendingReply = {
        resolve,
        reject,
        timer: 0,
        wait: () => {
          clearTimeout(pending.timer);
          pending.timer = window.setTimeout(late, this.patience);
        },
      };
      pending.wait();
      this.#waiting.set(number, pending);
    });
    this.#worker?.postMessage({ number, ...message });
    return reply;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number);
    if (!waiting) return;
    if (reply.pipelines) {
      const { made, of } = reply.pipelines;
      this.#pipelines = made < of ? reply.pipelines : null;
      waiting.wait();
      return;
    }
    this.#pipelines = null;
    this.#waiting.delete(reply.number);
    clearTimeout(waiting.timer);
    if (reply.error === undefined) waiting.resolve(reply);
    else if (reply.lost) {
      waiting.reject(new WorkerEnded(reply.error));
      this.#end(reply.error);
    } else waiting.reject(new Error(reply.error));
  }

  #end(reason: string, isLate = false): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#pipelines = null;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new WorkerEnded(reason, isLate));
    }
    this.#waiting.clear();
  }
}

/** Address of the worker's text, in the page in one file. */
let script: string | null = null;

/** Starts the worker from its own file, or, in the page in one file, from the text in the page. */
function newWorker(): Worker {
  const text = document.getElementById("worker-script")?.textContent;
  if (!text) return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  script ??= URL.createObjectURL(new Blob([JSON.parse(text)], { type: "text/javascript" }));
  return new Worker(script);
}
