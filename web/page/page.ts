// The page: puts the panels together, and wires files, addresses and keys.
import { App } from "./app";
import { Ask } from "./ask";
import { Compare } from "./compare";
import { at, bytesOf, debounced, fill, isField, kept, save, sized } from "./dom";
import { Draws } from "./draws";
import { Events } from "./events";
import { openFiles, whole } from "./files";
import { Findings } from "./findings";
import { obey, sheet, type Section } from "./keys";
import { grow, setTheme, splitters, Tabs, toggleTheme, type Panel } from "./layout";
import { Mesh } from "./mesh";
import { Passes } from "./passes";
import { Picture } from "./picture";
import { PixelHistory } from "./pixel";
import { depth, readAddress, START, type Place, type View as LookedAt } from "./place";
import type { Mode } from "./pixels";
import { Resources } from "./resources";
import { Shaders } from "./shaders";
import { State } from "./state";
import { Strip } from "./strip";
import { Timeline } from "./timeline";

const app = new App();
const { session, shown } = app;

// For the console, and for tests.
Object.assign(window, {
  replayer: { session, shown, ask: (method: string, params?: Record<string, unknown>) => session.ask(method, params) },
});

setTheme(kept("theme"));
splitters();
const picture = new Picture(app);
const strip = new Strip(app);
picture.drawn.on(({ frame, pixels }) => void strip.offer(frame, pixels));
const draws = new Draws(app);
const events = new Events(app);
const findings = new Findings(app);
const passes = new Passes(app);
const state = new State(app);
const resources = new Resources(app, picture);
const mesh = new Mesh(app);
const shaders = new Shaders(app);
const pixel = new PixelHistory(app);
const compare = new Compare(app, picture);
const timeline = new Timeline(app);

const frames: Panel = { name: "Frames", element: at("frames"), refresh: () => {} };
const left = new Tabs(at("left"), "left", "Frame", [draws, passes, events, findings]);
const right = new Tabs(at("right"), "right", "Details", [
  state,
  mesh,
  shaders,
  pixel,
  resources,
  compare,
  new Ask(app),
]);
const bottom = new Tabs(at("bottom"), "bottom", "Trace", [frames, timeline]);

const showResource = (handle: number): void => {
  right.showPanel(resources);
  // The list may still be on its way.
  setTimeout(() => resources.showHandle(handle), 0);
};
state.showObject = showResource;
passes.showObject = showResource;
resources.showShader = (handle) => {
  shaders.showHandle(handle);
};

// Paint before the picture holds it up, where software draws the page by a tenth of a second and more. In milliseconds.
const PATIENCE = 250;
const follow = debounced(() => app.followed.emit(app.place), PATIENCE);
app.moved.on(() => follow.call());
picture.settled.on(() => follow.flush());
app.followed.on(() => {
  for (const tabs of [left, right, bottom]) tabs.refresh();
  fields();
});
app.counted.on(fields);
app.picked.on((picked) => {
  if (picked) right.showPanel(pixel);
  right.refreshPanel(pixel);
});
// An edited shader changes the state, the vertices and the pixel as well.
app.edited.on(() => {
  for (const panel of [state, mesh, pixel, resources]) right.refreshPanel(panel);
});
app.otherOpened.on((other) => {
  fill(at("other-name"), other ? `compared with ${other.name}` : null);
  if (other) right.showPanel(compare);
  right.refreshPanel(compare);
});
app.noted.on(() => {
  grow("split-bottom", innerHeight * 0.35);
  bottom.showPanel(timeline);
});

/** Writes the place into the fields. */
function fields(): void {
  const { trace, place } = app;
  if (!trace) return;
  const [frame, draw] = [at<HTMLInputElement>("frame"), at<HTMLInputElement>("draw")];
  frame.max = String(Math.max(trace.frames - 1, 0));
  draw.max = String(Math.max(app.draws - 1, 0));
  if (document.activeElement !== frame) frame.value = String(place.frame);
  if (document.activeElement !== draw) draw.value = place.draw === null ? "" : String(place.draw);
  draw.placeholder = place.packet === null ? "end" : `packet ${place.packet}`;
  fill(at("of"), `of ${trace.frames}`);
  fill(at("of-draws"), `of ${app.draws}`);
}

/** Number that a text is, if it is an integer that is not negative. */
const natural = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null);

function fieldPlace(): Place {
  const [frame, draw] = [at<HTMLInputElement>("frame").value.trim(), at<HTMLInputElement>("draw").value.trim()];
  const number = natural(draw);
  return { frame: natural(frame) ?? 0, draw: number !== null && number < app.draws ? number : null, packet: null };
}
at("frame").addEventListener("input", () => app.go({ ...START, frame: fieldPlace().frame }));
at("draw").addEventListener("input", () => app.go(fieldPlace()));

// Files and addresses.
const asked = readAddress();
/** Place that the address named when the page was opened; it is for the first trace. */
let first: Place | null = asked.place;
const takeFirst = (): Place | null => {
  const place = first;
  first = null;
  return place;
};
const take = (files: FileList | null | undefined, isOther: boolean): void => {
  if (files && files.length > 0) void openFiles(app, [...files], isOther && app.trace !== null, takeFirst());
};
for (const [id, isOther] of [
  ["file", false],
  ["other-file", true],
] as const) {
  at<HTMLInputElement>(id).addEventListener("change", ({ target }) => {
    const input = target as HTMLInputElement;
    take(input.files, isOther);
    input.value = "";
  });
}
for (const id of ["open", "start-open"]) at(id).addEventListener("click", () => at<HTMLInputElement>("file").click());
at("compare-with").addEventListener("click", () => at<HTMLInputElement>("other-file").click());

const linkDialog = at<HTMLDialogElement>("link-dialog");
at("open-link").addEventListener("click", () => linkDialog.showModal());
const link = async (address: string, as: string): Promise<void> => {
  try {
    const path = whole(address);
    if (as === "with") await app.openOther(path, address);
    else if (as === "notes") app.addNotes(path, address);
    else await app.open(path, address);
  } catch {
    app.say(`${address} is no address: expected one such as https://example.org/trace.bin`, true);
  }
};
at("link").addEventListener("submit", (event) => {
  event.preventDefault();
  void link(at<HTMLInputElement>("address").value, "trace");
});
at("link-dialog").addEventListener("close", () => {
  const address = at<HTMLInputElement>("dialog-address").value.trim();
  if (linkDialog.returnValue === "open" && address) void link(address, at<HTMLSelectElement>("dialog-as").value);
});

let depthOfDrag = 0;
const dragged = (by: number): void => {
  depthOfDrag = Math.max(depthOfDrag + by, 0);
  document.body.classList.toggle("dragging", depthOfDrag > 0);
};
document.addEventListener("dragenter", () => dragged(1));
document.addEventListener("dragleave", () => dragged(-1));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.toggle("dragging-other", event.shiftKey && app.trace !== null);
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  depthOfDrag = 0;
  dragged(0);
  take(event.dataTransfer?.files, event.shiftKey);
});

/** Shows the pixel, texture and overlay that an address names. */
function look({ target, overlay, pixel: picked }: LookedAt): void {
  if (target !== app.target) app.aim(target);
  picture.showOverlay(overlay);
  if (picked?.x !== app.pixel?.x || picked?.y !== app.pixel?.y) app.pick(picked);
}

addEventListener("popstate", () => {
  const { trace, place, view } = readAddress();
  if (trace !== null && trace !== app.trace?.address) {
    void app.open(whole(trace), trace, { place }).then((isOpen) => isOpen && look(view));
  } else {
    app.go(place ?? START, false);
    look(view);
  }
});

// Buttons and keys.
async function copyLink(): Promise<void> {
  const { href } = app.link;
  const isElsewhere = app.trace?.address ?? null;
  const note = isElsewhere === null ? " The trace is a file on this machine: the link names the place alone." : "";
  try {
    await navigator.clipboard.writeText(href);
    app.say(`Copied ${href}.${note}`);
  } catch {
    app.say(`The browser does not allow copying. The link: ${href}`);
  }
}

async function saveFrame(): Promise<void> {
  const { trace, place } = app;
  if (!trace) return;
  try {
    const options = { label: `collecting the commands of frame ${place.frame}` };
    const trimmed = await app.ask("trim", { frames: String(place.frame) }, options);
    const name = `${trace.name.replace(/\.[^.]*$/, "")}_frame_${place.frame}.aerogputrace`;
    save(name, await bytesOf(trimmed.bytes), "application/octet-stream");
    app.say(`Saved ${name}: ${sized(trimmed.size_bytes)} of ${sized(trimmed.source_size_bytes)}.`);
  } catch (error) {
    app.fail(error);
  }
}

let playing = 0;
/** Plays the frames, each as soon as the one before is shown. */
function play(): void {
  if (playing !== 0) {
    clearInterval(playing);
    playing = 0;
    app.say("");
    return;
  }
  playing = window.setInterval(() => {
    if (at("stage").hasAttribute("aria-busy") || !app.trace) return;
    app.go({ ...START, frame: (app.place.frame + 1) % app.trace.frames }, false);
  }, 1000 / 15);
}

function focusFilter(): void {
  const panel = left.front;
  if (panel !== events && panel !== draws) left.showPanel(draws);
  const field = left.front === events ? events.filter : draws.filter;
  field.focus();
  field.select();
}

const back = (): void => {
  if (depth() > 0) history.back();
};

function escape(): void {
  if (picture.mode !== null) picture.compare(null);
  else if (picture.overlay !== "none") picture.setOverlay("none");
  else if (app.target !== null) picture.showFrame();
  else if (app.pixel) app.pick(null);
  else back();
}

const help = at<HTMLDialogElement>("help");
const key = (
  keys: string[],
  label: string,
  meaning: string,
  act: () => void,
  more: object = {},
): Section["bindings"][number] => ({ keys, label, meaning, act, ...more });
const mode = (wanted: Mode) => (): void => picture.compare(picture.mode === wanted ? null : wanted);
const sections: Section[] = [
  {
    title: "Moving",
    bindings: [
      key([" "], "Space", "play, pause", play),
      key(["ArrowLeft"], "⬅", "previous frame", () => app.step("frame", -1)),
      key(["ArrowRight"], "➡", "next frame", () => app.step("frame", 1)),
      key(["Home"], "Home", "first frame", () => app.go(START)),
      key(["End"], "End", "last frame", () => app.go({ ...START, frame: Infinity })),
      key(["ArrowUp"], "⬆", "previous draw", () => app.step("draw", -1)),
      key(["ArrowDown"], "⬇", "next draw", () => app.step("draw", 1)),
      key(["ArrowUp"], "Shift ⬆", "previous packet", () => app.step("packet", -1), { shift: true }),
      key(["ArrowDown"], "Shift ⬇", "next packet", () => app.step("packet", 1), { shift: true }),
      key(["d"], "d", "strip: this frame's draws or all frames", () => strip.toggle()),
      key(["Backspace"], "Backspace", "back to where you were", back),
    ],
  },
  {
    title: "Finding",
    bindings: [
      key(["/"], "/", "filter draws or events", focusFilter),
      key(["n"], "n", "next row that matches the events' filter", () => void events.find("next")),
      key(["n"], "Shift N", "previous row that matches", () => void events.find("previous"), { shift: true }),
    ],
  },
  {
    title: "Picture",
    bindings: [
      key(["1"], "1", "compare: difference", mode("difference")),
      key(["2"], "2", "compare: amplified difference", mode("amplified")),
      key(["3"], "3", "compare: A, this trace", mode("a")),
      key(["4"], "4", "compare: B, the other side", mode("b")),
      key(["h"], "h", "overlay: pixels that this draw covers", () => picture.toggleOverlay("highlight")),
      key(["e"], "e", "overlay: tests that its pixels pass", () => picture.toggleOverlay("tests")),
      key(["t"], "t", "overlay: triangles", () => picture.toggleOverlay("wireframe")),
      key(["o"], "o", "overlay: overdraw", () => picture.toggleOverlay("overdraw")),
      key(["p"], "p", "overlay: pixel age", () => picture.toggleOverlay("age")),
      key(["x"], "Shift X", "no overlay", () => picture.setOverlay("none"), { shift: true }),
      key(["0"], "0", "fit the picture", () => picture.view.fit()),
      key(["9"], "9", "zoom to 100 %", () => picture.view.actual()),
      key(["+", "="], "+", "zoom in", () => picture.view.zoomBy(1)),
      key(["-"], "-", "zoom out", () => picture.view.zoomBy(-1)),
      key(["g"], "g", "pixel grid", () => {
        picture.view.hasGrid = !picture.view.hasGrid;
        picture.view.draw();
      }),
      key(["s"], "s", "save the picture", () => void picture.save()),
      key(["y"], "y", "copy a link to this view", () => void copyLink()),
    ],
  },
  {
    title: "Window",
    bindings: [
      key(["o"], "Ctrl O", "open a trace", () => at<HTMLInputElement>("file").click(), { ctrl: true }),
      key(["?", "F1"], "?, F1", "this sheet", () => help.showModal()),
    ],
  },
];
obey(sections, escape);
at("keys").replaceChildren(sheet(sections));

const buttons: Record<string, () => void> = {
  theme: toggleTheme,
  "show-keys": () => help.showModal(),
  "copy-link": () => void copyLink(),
  "save-png": () => void picture.save(),
  "save-frame": () => void saveFrame(),
  "close-notices": () => {
    at("notices").hidden = true;
  },
  previous: () => app.step("frame", -1),
  next: () => app.step("frame", 1),
  "previous-draw": () => app.step("draw", -1),
  "next-draw": () => app.step("draw", 1),
};
for (const [id, act] of Object.entries(buttons)) at(id).addEventListener("click", act);
// A field that is typed into keeps the place it is for until it is left.
for (const id of ["frame", "draw"]) at(id).addEventListener("blur", () => !isField(document.activeElement) && fields());

session.backend = asked.backend;
void (async () => {
  if (asked.trace === null) return;
  const isOpen = await app.open(whole(asked.trace), asked.trace, { place: takeFirst() });
  if (!isOpen) return;
  look(asked.view);
  if (asked.other !== null) await app.openOther(whole(asked.other), asked.other);
  for (const notes of asked.notes) app.addNotes(whole(notes), notes);
})();
