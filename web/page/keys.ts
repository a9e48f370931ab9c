// Keys, named and chosen as in the window: one table that is both obeyed and shown.
import { h, isField } from "./dom";

export interface Binding {
  /** Value of `key` of the event. */
  keys: string[];
  shift?: boolean;
  ctrl?: boolean;
  label: string;
  meaning: string;
  act(): void;
}

export interface Section {
  title: string;
  bindings: Binding[];
}

/** Elements that scroll, or move within themselves, by these keys. */
const OWN_KEYS: Record<string, string> = {
  ArrowUp: ".scrolls, .details, .table-box, pre, [role=listbox], [role=tree]",
  ArrowDown: ".scrolls, .details, .table-box, pre, [role=listbox], [role=tree]",
  ArrowLeft: ".table-box, pre",
  ArrowRight: ".table-box, pre",
  Home: ".scrolls, .details, .table-box, pre",
  End: ".scrolls, .details, .table-box, pre",
  " ": "input, button, summary, a, [role=tab], .scrolls, .details, .table-box, pre",
};

function isBinding(binding: Binding, event: KeyboardEvent): boolean {
  if (event.altKey || (event.ctrlKey || event.metaKey) !== (binding.ctrl ?? false)) return false;
  // The characters of these need Shift on some keyboards and not on others.
  const shiftIsPart = binding.keys.some((key) => ["?", "/", "+", "-"].includes(key));
  if (!shiftIsPart && event.shiftKey !== (binding.shift ?? false)) return false;
  return binding.keys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key);
}

/** Obeys the keys, wherever nobody types. */
export function obey(sections: Section[], escape: () => void): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (isField(event.target)) (event.target as HTMLElement).blur();
      else escape();
      return;
    }
    const binding = sections.flatMap(({ bindings }) => bindings).find((known) => isBinding(known, event));
    if (!binding || (isField(event.target) && !binding.ctrl)) return;
    const own = OWN_KEYS[event.key];
    if (own !== undefined && event.target instanceof Element && event.target.matches(own)) return;
    event.preventDefault();
    binding.act();
  });
}

/** The sheet of all keys. */
export function sheet(sections: Section[]): HTMLElement {
  const others: [string, string][] = [
    ["Arrows in the picture", "move the selected pixel; with Shift by ten"],
    ["Wheel, drag", "zoom and move the picture"],
    ["Ctrl Enter in a shader", "draw with the edited text"],
    ["Shift while dropping", "compare with the dropped trace"],
    ["Esc", "leave the comparison, the overlay, the texture, the pixel; then go back"],
  ];
  const table = (title: string, rows: [string, string][], areKeys = true): HTMLElement =>
    h(
      "section",
      {},
      h("h3", {}, title),
      h(
        "table",
        { class: "keys" },
        h(
          "tbody",
          {},
          ...rows.map(([label, meaning]) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                ...(areKeys
                  ? label.split(", ").flatMap((key, index) => [index > 0 && ", ", h("kbd", {}, key)])
                  : [label]),
              ),
              h("td", {}, meaning),
            ),
          ),
        ),
      ),
    );
  const tables = sections.map(({ title, bindings }) =>
    table(
      title,
      bindings.map(({ label, meaning }) => [label, meaning]),
    ),
  );
  // The columns are about as long as each other.
  tables.splice(2, 0, table("Elsewhere", others, false));
  return h("div", { class: "sheet" }, ...tables);
}
