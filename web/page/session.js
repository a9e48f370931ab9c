// A session with a worker that may be replaced at any time: one that hangs, traps or loses its device is ended, and the next
// one gets the files, the open traces with their edits, and the question that was not answered, once.

/** Longest time for an answer, in milliseconds. */
const PATIENCE = 60_000;

export class RequestError extends Error {
  /** An error of JSON-RPC: a sentence, its code, and where in the file the fault is. */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.offset = data?.offset ?? null;
    this.kind = data?.kind ?? null;
  }
}

class WorkerEnded extends Error {}

export class Session {
  /** Where the worker's script is, if not beside this one: one that is no module. */
  static worker = null;
  #worker = null;
  #number = 0;
  #waiting = new Map();
  #files = new Map();
  /** By the page's handle: what it was opened with, the worker's handle, the place and the edits. */
  #traces = new Map();
  #handle = 0;
  #queue = Promise.resolve();
  /** The API to draw with: "webgpu", "webgl2", or the best one there is. */
  backend = null;
  /** The adapter in use. */
  adapter = null;
  /** Why it is not WebGPU's, where that was to be. */
  lacks = null;
  /** How often a worker was replaced. */
  replaced = 0;
  patience = PATIENCE;

  /** Has `open` find a file under its name. */
  async addFile(name, file) {
    this.#files.set(name, file);
    if (this.#worker) await this.#send({ name, file });
  }

  /** Asks; gives the result, or throws the error. Questions are answered in order. */
  ask(method, params = {}) {
    const asked = this.#queue.then(() => this.#answered(method, params));
    this.#queue = asked.catch(() => {});
    return asked;
  }

  async #answered(method, params) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#ready();
        return await this.#once(method, params);
      } catch (error) {
        if (!(error instanceof WorkerEnded) || attempt > 0) throw error;
        this.replaced += 1;
      }
    }
  }

  async #once(method, params) {
    const known = this.#traces.get(params.trace);
    const result = await this.#call(method, known ? { ...params, trace: known.handle } : params);
    if (method === "open") {
      this.#handle += 1;
      this.#traces.set(this.#handle, { params, handle: result.trace, place: null, edits: new Map() });
      return { ...result, trace: this.#handle };
    }
    if (method === "close") this.#traces.delete(params.trace);
    if (method === "seek" && known) known.place = result.place;
    if (method === "edit" && known && (result.reverted !== undefined || result.is_used !== undefined)) {
      known.edits.set(params.record_offset, params);
    }
    return result;
  }

  /** Has a worker that knows all that the last one knew. */
  async #ready() {
    if (this.#worker) return;
    this.#worker = Session.worker
      ? new Worker(Session.worker)
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#settle(data);
    this.#worker.onerror = (event) => this.#end(`the worker ended: ${event.message ?? "it could not be loaded"}`);
    const { adapter, lacks } = (await this.#send({ start: true, backend: this.backend })).value;
    Object.assign(this, { adapter, lacks });
    for (const [name, file] of this.#files) await this.#send({ name, file });
    for (const known of this.#traces.values()) {
      known.handle = (await this.#call("open", known.params)).trace;
      for (const edit of known.edits.values()) await this.#call("edit", { ...edit, trace: known.handle });
      if (known.place !== null) await this.#call("seek", { trace: known.handle, place: known.place });
    }
  }

  async #call(method, params) {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { value, lost } = await this.#send({ text });
    if (lost) this.#end("the device was lost");
    const { result, error } = JSON.parse(value);
    if (error && lost) throw new WorkerEnded(error.message);
    if (error) throw new RequestError(error);
    return result;
  }

  #send(message) {
    this.#number += 1;
    const number = this.#number;
    const reply = new Promise((resolve, reject) => {
      const late = () => this.#end(`no answer within ${this.patience / 1000} s`);
      this.#waiting.set(number, { resolve, reject, timer: setTimeout(late, this.patience) });
    });
    this.#worker.postMessage({ number, ...message });
    return reply;
  }

  #settle(reply) {
    const waiting = this.#waiting.get(reply.number);
    if (!waiting) return;
    this.#waiting.delete(reply.number);
    clearTimeout(waiting.timer);
    if (reply.error === undefined) waiting.resolve(reply);
    else if (reply.lost) {
      waiting.reject(new WorkerEnded(reply.error));
      this.#end(reply.error);
    } else waiting.reject(new Error(reply.error));
  }

  #end(reason) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new WorkerEnded(reason));
    }
    this.#waiting.clear();
  }
}
