// Types of the bindings that wasm-bindgen makes.

/** Loads the library; without a source, from the file beside the bindings. */
export default function init(options?: { module_or_path: BufferSource }): Promise<unknown>;
/** Opens a device, by WebGL2 where a canvas is given; gives the adapter's name. */
export function start(canvas?: unknown): Promise<string>;
export function add_file(name: string, file: Blob): void;
export function answer(request: string): Promise<string>;
/** Takes the pixels of the picture that was answered last in the form `pixels`. */
export function take_pixels(): Uint8Array | undefined;
export function has_lost_device(): boolean;
