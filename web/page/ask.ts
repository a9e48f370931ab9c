// Form for any method with any parameters.
import { sentence, type App } from "./app";
import { h } from "./dom";
import type { Panel } from "./layout";

/** Characters of an answer that are shown. */
const MOST = 200_000;

export class Ask implements Panel {
  readonly name = "Ask";
  readonly element = h("section");
  #app: App;

  constructor(app: App) {
    this.#app = app;
    const method = h("input", {
      id: "method",
      value: "state",
      required: true,
      autocapitalize: "off",
      spellcheck: "false",
    });
    const given = h("textarea", { id: "params", rows: 3, placeholder: '{"frame": 0, "draw": 1}', spellcheck: "false" });
    const answer = h("pre", { id: "answer", tabindex: 0, role: "region", "aria-label": "Answer", class: "fills" });
    const form = h(
      "form",
      { id: "ask" },
      h("label", {}, "Method ", method),
      h("label", {}, "Parameters ", given),
      h("button", { "data-needs-trace": true, disabled: true }, "Ask"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#ask(method.value, given.value, answer);
    });
    this.element.append(form, answer);
  }

  refresh(): void {}

  async #ask(method: string, text: string, answer: HTMLElement): Promise<void> {
    try {
      const given = { trace: this.#app.trace?.trace, ...JSON.parse(text || "{}") };
      const result = await this.#app.session.ask(method, given);
      const whole = JSON.stringify(result, null, 2);
      answer.textContent =
        whole.length > MOST ? `${whole.slice(0, MOST)}\n… ${whole.length - MOST} more characters` : whole;
    } catch (error) {
      answer.textContent = sentence(error);
    }
  }
}
