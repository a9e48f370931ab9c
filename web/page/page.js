// The bare page: opens a trace from disk or by link, shows any place of it, and passes questions on.
import { Session } from "./session.js";

const session = new Session();
const at = (id) => document.getElementById(id);
const shown = { trace: null, frames: 0, frame: 0, draws: 0, draw: null };
let drawing = 0;

// For the console, and for tests.
window.replayer = { session, shown, ask: (method, params) => session.ask(method, params) };

function say(text, isError = false) {
  at("said").textContent = text;
  at("said").classList.toggle("error", isError);
}

function sentence(error) {
  return error.offset == null ? error.message : `${error.message} (file offset 0x${error.offset.toString(16)})`;
}

/** Has the address bar name the place. A page from disk has no address to change. */
function remember(address) {
  if (location.protocol !== "file:") history.replaceState(null, "", address);
}

async function open(path, place = {}) {
  say(`opening ${path} …`);
  try {
    if (shown.trace !== null) await session.ask("close", { trace: shown.trace });
    shown.trace = null;
    const opened = await session.ask("open", { path });
    Object.assign(shown, { trace: opened.trace, frames: opened.frames, frame: 0, draw: null });
    at("name").textContent = path;
    at("adapter").textContent = session.lacks === null ? session.adapter : `${session.adapter}: ${session.lacks}`;
    at("warnings").replaceChildren(...opened.warnings.map((warning) => {
      const line = document.createElement("li");
      line.textContent = warning;
      return line;
    }));
    for (const control of document.querySelectorAll("[data-needs-trace]")) control.disabled = false;
    at("frame").max = at("strip").max = Math.max(opened.frames - 1, 0);
    at("of").textContent = `of ${opened.frames}`;
    await show(place.frame ?? 0, place.draw ?? null);
  } catch (error) {
    say(sentence(error), true);
  }
}

async function show(frame, draw) {
  const wanted = ++drawing;
  Object.assign(shown, { frame, draw });
  at("frame").value = at("strip").value = frame;
  const named = draw === null ? { frame } : { frame, draw };
  try {
    const events = await session.ask("events", { trace: shown.trace, frame, count: 0 });
    if (wanted !== drawing) return;
    shown.draws = events.draws;
    at("draw").max = at("draws").max = Math.max(events.draws - 1, 0);
    at("draw").value = draw ?? "";
    at("draws").value = draw ?? events.draws;
    at("of-draws").textContent = `of ${events.draws}`;
    // What is asked beside the picture is about the same place.
    await session.ask("seek", { trace: shown.trace, ...named });
    if (wanted !== drawing) return;
    const picture = await session.ask("image", { trace: shown.trace });
    if (wanted !== drawing) return;
    at("picture").src = `data:image/png;base64,${picture.png}`;
    at("picture").alt = `frame ${frame}${draw === null ? "" : `, draw ${draw}`}`;
    at("hash").textContent = `${picture.width}×${picture.height} ${picture.sha256}`;
    say("");
    const address = new URL(location.href);
    address.searchParams.set("frame", frame);
    if (draw === null) address.searchParams.delete("draw");
    else address.searchParams.set("draw", draw);
    remember(address);
  } catch (error) {
    if (wanted === drawing) say(sentence(error), true);
  }
}

async function openFile(file) {
  await session.addFile(file.name, file);
  await open(file.name);
}

const number = (id) => Number.parseInt(at(id).value, 10) || 0;
at("file").addEventListener("change", ({ target }) => target.files[0] && openFile(target.files[0]));
at("link").addEventListener("submit", (event) => {
  event.preventDefault();
  const address = new URL(at("address").value, location.href).href;
  const page = new URL(location.href);
  page.searchParams.set("trace", address);
  remember(page);
  open(address);
});
for (const id of ["frame", "strip"]) at(id).addEventListener("input", () => show(number(id), null));
for (const id of ["draw", "draws"]) {
  at(id).addEventListener("input", () => {
    const isEnd = at(id).value === "" || number(id) >= shown.draws;
    show(shown.frame, isEnd ? null : number(id));
  });
}
at("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const params = { trace: shown.trace, ...JSON.parse(at("params").value || "{}") };
    at("answer").textContent = JSON.stringify(await session.ask(at("method").value, params), null, 2);
  } catch (error) {
    at("answer").textContent = sentence(error);
  }
});
document.addEventListener("keydown", ({ key, target }) => {
  if (shown.trace === null || target.matches("input, textarea, select")) return;
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -shown.frames, End: shown.frames }[key];
  if (step) show(Math.min(Math.max(shown.frame + step, 0), shown.frames - 1), null);
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
});

const asked = new URL(location.href).searchParams;
session.backend = asked.get("backend");
const named = (name) => (asked.has(name) ? Number.parseInt(asked.get(name), 10) : undefined);
if (asked.has("trace")) open(asked.get("trace"), { frame: named("frame"), draw: named("draw") });
