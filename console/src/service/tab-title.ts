import { effect, signal } from "@preact/signals";

/** The name of the page, as its heading says it. */
export const pageName = signal(document.title);

/** The open part of a page that has several; empty for the first. */
export const partName = signal("");

/** How many calls wait for the person. */
export const waiting = signal(0);

// In brackets before the name, as mail programs count what is unread: it is seen in a tab that is not looked at.
effect(() => {
  const name = partName.value === "" ? pageName.value : `${partName.value} · ${pageName.value}`;
  document.title = waiting.value > 0 ? `(${waiting.value}) ${name}` : name;
});
