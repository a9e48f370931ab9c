// The library for the page in one file, in a worker that is no module: the bindings are a global, the code a packed text.
import type init from "./replayer.js";
import type * as bindings from "./replayer.js";

declare const wasm_bindgen: typeof init & Omit<typeof bindings, "default">;
declare const packed: string;

export async function load(): Promise<unknown> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return wasm_bindgen({ module_or_path: await new Response(unpacked).arrayBuffer() });
}

export const { start, add_file, answer, take_pixels, has_lost_device } = wasm_bindgen;
