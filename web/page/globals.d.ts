// Parts of the platform that the compiler's own library does not have yet.

declare class DecompressionStream {
  constructor(format: "gzip" | "deflate" | "deflate-raw");
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

declare class OffscreenCanvas {
  constructor(width: number, height: number);
  getContext(kind: "webgl2"): WebGL2RenderingContext | null;
}
