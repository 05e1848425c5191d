import { attempt } from "./page.ts";

interface Line {
  name: string;
  tag?: string | undefined;
  facts: readonly (string | null | undefined)[];
  /** The word of its button, and what that does. */
  action?: string | undefined;
  run: () => Promise<void>;
}

/** Builds one line of a list. All content is inserted as text. */
export function lineOf({ name, tag, facts, action, run }: Line): HTMLLIElement {
  const line = document.createElement("li");
  const what = line.appendChild(document.createElement("div"));
  what.className = "what";
  const title = what.appendChild(document.createElement("p"));
  title.textContent = name;
  if (tag !== undefined) {
    const label = title.appendChild(document.createElement("span"));
    label.className = "tag badge good";
    label.textContent = tag;
  }
  const details = what.appendChild(document.createElement("p"));
  details.className = "muted small";
  details.textContent = facts.filter(Boolean).join(" · ");
  if (action !== undefined) {
    const button = line.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = action;
    button.setAttribute("aria-label", `${action}: ${name}`);
    button.addEventListener("click", () => void attempt(button, run));
  }
  return line;
}

/** A time in words. */
export const momentOf = (text: string): string =>
  new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
