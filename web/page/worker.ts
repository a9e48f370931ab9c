// Runs the replayer. Messages are taken one after the other, and each is answered with its number.
import "./queries";
import { load, start, add_file, answer, take_pixels, has_lost_device } from "replayer-library";
import type { Message, Reply } from "./session";

const scope = self as unknown as { onmessage: (event: MessageEvent<Message>) => void; postMessage(reply: Reply, handedOver: Transferable[]): void };
const platform = WebAssembly as unknown as Record<string, unknown>;

// Without promise integration nothing may suspend; WebGL2 never does.
const suspends = "Suspending" in WebAssembly;
if (!suspends) {
  platform["Suspending"] = function Suspending(called: unknown) {
    return called;
  };
  platform["promising"] = (called: unknown) => called;
}
const loaded = load();
let before: Promise<unknown> = loaded.catch(() => {});
/** The context that draws, where it is WebGL2. */
let context: WebGL2RenderingContext | null = null;

/** Number of the message that is being answered. */
let current = 0;
const told = (made: number, of: number): void => scope.postMessage({ number: current, pipelines: { made, of } }, []);

interface Device {
  adapter: string;
  lacks: string | null;
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens a device by the API that is named, else by the best one there is; gives its adapter, and why no better one. */
async function open(backend: string | null | undefined): Promise<Device> {
  let lacks: string | null = null;
  if (backend !== "webgl2") {
    try {
      if (!suspends) throw new Error("this browser has no JavaScript Promise Integration");
      if (!("gpu" in navigator)) throw new Error("this browser has no WebGPU");
      return { adapter: await start(undefined, told), lacks };
    } catch (error) {
      lacks = message(error);
      if (backend === "webgpu") throw error;
    }
  }
  const canvas = new OffscreenCanvas(1, 1);
  const adapter = await start(canvas, told);
  context = canvas.getContext("webgl2");
  return { adapter, lacks };
}

/** Refuses an answer during which WebGL2 refused a call: what it was to draw is not there. */
function checked(text: string): string {
  const code = context?.getError() ?? 0;
  if (code === 0) return text;
  // Several kinds of errors are kept until each is asked for.
  while (context?.getError() !== 0);
  const error = {
    code: -32603,
    message: `WebGL2 refused a call (error 0x${code.toString(16)}): the picture may be wrong`,
  };
  return JSON.stringify([{ jsonrpc: "2.0", id: 0, error }]);
}

async function take(taken: Message): Promise<Reply> {
  const { number } = taken;
  await loaded;
  current = number;
  if (taken.start) return { number, value: await open(taken.backend) };
  if (taken.file) {
    add_file(taken.name ?? "", taken.file);
    return { number, value: null };
  }
  const value = checked(await answer(taken.text ?? ""));
  const pixels: Uint8Array[] = [];
  for (let next = take_pixels(); next; next = take_pixels()) pixels.push(next);
  return { number, value, pixels, lost: has_lost_device() || (context?.isContextLost() ?? false) };
}

scope.onmessage = ({ data }) => {
  const done = before.then(() => take(data));
  // A trap leaves nothing to go on with; whatever else fails is told and is over.
  before = done.catch(() => {});
  done.then(
    (reply) => scope.postMessage(reply, (reply.pixels ?? []).map(({ buffer }) => buffer)),
    (error: unknown) =>
      scope.postMessage(
        {
          number: data.number,
          error: message(error),
          lost: error instanceof WebAssembly.RuntimeError,
        },
        [],
      ),
  );
};
