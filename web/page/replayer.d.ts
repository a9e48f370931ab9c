// Types of the bindings that wasm-bindgen makes.

/** Loads the library; without a source, from the file beside the bindings. */
export default function init(options?: { module_or_path: BufferSource }): Promise<unknown>;
/** Opens a device, by WebGL2 where a canvas is given; gives the adapter's name. While many pipelines are made, `told` is called. */
export function start(canvas: unknown, told: (made: number, of: number) => void): Promise<string>;
export function add_file(name: string, file: Blob): void;
export function answer(request: string): Promise<string>;
/** Takes the pixels of the first picture of the message answered last that has the form `pixels`, then those of the next. */
export function take_pixels(): Uint8Array | undefined;
export function has_lost_device(): boolean;
