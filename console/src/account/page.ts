import { WorkspaceError } from "@agent-workspace/client";
import { sentenceOf } from "./service.ts";

// The theme that the person chose in the console.
const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset["theme"] = theme;

type Kind<T> = new () => T;

/** The page's element with this id. Throws if there is none of this kind. */
export function element(id: string): HTMLElement;
export function element<T extends HTMLElement>(id: string, kind: Kind<T>): T;
export function element(id: string, kind: Kind<HTMLElement> = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no #${id}`);
  return found;
}

/** Shows one step of a page instead of others, and focuses its first field. */
export function show(shown: string, ...hidden: string[]): void {
  for (const id of hidden) element(id).hidden = true;
  const step = element(shown);
  step.hidden = false;
  (step.querySelector<HTMLElement>("input, button, a") ?? step).focus();
}

/** Shows a message; an empty text hides it. */
export function tell(text: string, isBad = false): void {
  const message = element("message");
  message.textContent = text;
  message.hidden = text === "";
  message.className = isBad ? "notice bad" : "notice good";
  message.setAttribute("role", isBad ? "alert" : "status");
}

/** Runs work that may be refused, and then shows the refusal. */
export async function tryTo(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    for (const waiting of document.querySelectorAll("#wait-step .muted")) waiting.remove();
    const isRefusal = error instanceof WorkspaceError;
    tell(isRefusal ? sentenceOf(error) : "Something went wrong. Reload the page.", true);
    if (!isRefusal) throw error;
  }
}

/** Same as `tryTo`, with the button disabled meanwhile. */
export async function attempt(button: HTMLButtonElement, work: () => unknown): Promise<void> {
  button.disabled = true;
  tell("");
  try {
    await tryTo(work);
  } finally {
    button.disabled = false;
  }
}

// Buttons are disabled until here: a form that is submitted before its script is loaded would do nothing.

/** Runs `work` when a form is submitted, with what reads its fields by their names. */
export function onSubmit(id: string, work: (field: (name: string) => string) => unknown): void {
  const form = element(id, HTMLFormElement);
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!button) throw new Error(`The form #${id} has no button`);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = new FormData(form);
    const field = (name: string) => {
      const value = values.get(name);
      return typeof value === "string" ? value : "";
    };
    void attempt(button, () => work(field));
  });
  button.disabled = false;
}

/** Runs `work` when a button is pressed. */
export function onPress(id: string, work: () => unknown): void {
  const button = element(id, HTMLButtonElement);
  button.addEventListener("click", () => void attempt(button, work));
  button.disabled = false;
}
