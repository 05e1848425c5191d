import { signal } from "@preact/signals";

const STORED = "composer.enter";

/** What Enter does where a message is written; Shift+Enter does the other. */
export const enterSends = signal(localStorage.getItem(STORED) !== "breaks");

export function setEnterSends(sends: boolean): void {
  enterSends.value = sends;
  if (sends) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, "breaks");
}
