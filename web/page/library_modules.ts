// The library for a page from a server: its bindings are a module.
import init, { start, add_file, answer, take_pixels, has_lost_device } from "./replayer.js";

export const load = (): Promise<unknown> => init();
export { start, add_file, answer, take_pixels, has_lost_device };
