// Runs the replayer. Messages are taken one after the other, and each is answered with its number.
import init, { start, add_file, answer, has_lost_device } from "./replayer.js";

const lacks = "this browser has no JavaScript Promise Integration: Chromium has it since version 137, Firefox since 153";
const loaded = "Suspending" in WebAssembly ? init() : Promise.reject(new Error(lacks));
let before = loaded.catch(() => {});

async function take({ number, start: starts, name, file, text }) {
  await loaded;
  if (starts) return { number, value: await start() };
  if (file) return { number, value: add_file(name, file) };
  return { number, value: await answer(text), lost: has_lost_device() };
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
