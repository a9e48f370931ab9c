// Files from disk, dropped or chosen, and addresses: traces and annotations are told apart by their first bytes.
import type { App } from "./app";
import type { Place } from "./place";

/** Bytes that tell a format. */
const HEAD = 16;

type Format = "trace" | "notes";

/** Number of files from disk so far. Two files may have one name, so that each has a number in its path. */
let opened = 0;

/** Tells the format by the first bytes; a compressed file by those that it holds. */
async function formatOf(file: Blob): Promise<Format> {
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  if (head[0] === 0x1f && head[1] === 0x8b) return formatOfBytes(await unpackedHead(file));
  return formatOfBytes(head);
}

async function unpackedHead(file: Blob): Promise<Uint8Array> {
  const reader = file
    .slice(0, 1 << 16)
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .getReader();
  try {
    return (await reader.read()).value ?? new Uint8Array();
  } catch {
    return new Uint8Array();
  } finally {
    reader.cancel().catch(() => {});
  }
}

function formatOfBytes(head: Uint8Array): Format {
  const text = String.fromCharCode(...head.subarray(0, HEAD));
  const isMagic = (bytes: number[]): boolean => bytes.every((byte, index) => head[index] === byte);
  if (text.startsWith("WIP15") || isMagic([0xef, 0xbe, 0xad, 0xde]) || isMagic([0xde, 0xad, 0xbe, 0xef]))
    return "notes";
  // A wtf-trace may be JSON.
  return /^\s*[{[]/.test(text) ? "notes" : "trace";
}

/** Opens files: the first trace, or, with `isOther`, the one to compare with; a second trace is compared with the first. */
export async function openFiles(
  app: App,
  files: readonly File[],
  isOther: boolean,
  place: Place | null = null,
): Promise<void> {
  let wantsOther = isOther;
  const formats = await Promise.all(files.map(formatOf));
  const ordered = files
    .map((file, index) => ({ file, format: formats[index] }))
    .sort((a, b) => Number(a.format === "notes") - Number(b.format === "notes"));
  for (const { file, format } of ordered) {
    opened += 1;
    const path = `${opened}/${file.name}`;
    await app.session.addFile(path, file);
    if (format === "notes") app.addNotes(path, null, file.name);
    else if (wantsOther) await app.openOther(path, null, file.name);
    else {
      await app.open(path, null, { place, name: file.name });
      wantsOther = true;
    }
  }
  if (!app.trace && ordered.every(({ format }) => format === "notes")) {
    app.say("These are annotations: open the trace that they belong to as well.");
  }
}

/** Makes an address whole; the text may be relative to the page. */
export const whole = (address: string): string => new URL(address, location.href).href;
