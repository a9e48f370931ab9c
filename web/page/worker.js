// Runs the replayer. Messages are taken one after the other, and each is answered with its number.
import init, { start, add_file, answer, has_lost_device } from "./replayer.js";

// Without promise integration nothing may suspend; WebGL2 never does.
const suspends = "Suspending" in WebAssembly;
if (!suspends) {
  WebAssembly.Suspending = function Suspending(called) { return called; };
  WebAssembly.promising = (called) => called;
}
const loaded = init();
let before = loaded.catch(() => {});
/** The context that draws, where it is WebGL2. */
let context = null;

/** Opens a device by the API that is named, else by the best one there is; gives its adapter, and why no better one. */
async function open(backend) {
  let lacks = null;
  if (backend !== "webgl2") {
    try {
      if (!suspends) throw new Error("this browser has no JavaScript Promise Integration");
      if (!navigator.gpu) throw new Error("this browser has no WebGPU");
      return { adapter: await start(), lacks };
    } catch (error) {
      lacks = String(error?.message ?? error);
      if (backend === "webgpu") throw error;
    }
  }
  const canvas = new OffscreenCanvas(1, 1);
  const adapter = await start(canvas);
  context = canvas.getContext("webgl2");
  return { adapter, lacks };
}

/** Refuses an answer during which WebGL2 refused a call: what it was to draw is not there. */
function checked(text) {
  const code = context?.getError() ?? 0;
  if (code === 0) return text;
  // Several kinds of errors are kept until each is asked for.
  while (context.getError() !== 0) {}
  const error = { code: -32603, message: `WebGL2 refused a call (error 0x${code.toString(16)}): the picture may be wrong` };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, error });
}

async function take({ number, start: starts, backend, name, file, text }) {
  await loaded;
  if (starts) return { number, value: await open(backend) };
  if (file) return { number, value: add_file(name, file) };
  const value = checked(await answer(text));
  return { number, value, lost: has_lost_device() || (context?.isContextLost() ?? false) };
}

self.onmessage = ({ data }) => {
  const done = before.then(() => take(data));
  // A trap leaves nothing to go on with; whatever else fails is told and is over.
  before = done.catch(() => {});
  done.then(
    (reply) => self.postMessage(reply),
    (error) => self.postMessage({
      number: data.number,
      error: String(error?.message ?? error),
      lost: error instanceof WebAssembly.RuntimeError,
    }),
  );
};
