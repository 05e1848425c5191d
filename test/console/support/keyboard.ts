import type { Page } from "@playwright/test";
import { expectPage } from "./open-console.ts";

/** More places than a page of the console has. */
const PLACES = 150;

/** What the focused element is called: by its label, its words, or its id. */
const FOCUSED = `(() => {
  const { activeElement: element } = document;
  if (element === document.body) return "";
  return element.ariaLabel ?? (element.labels?.[0]?.innerText || element.innerText || element.id);
})()`;

/** Presses Tab until the focus is on what has this name; with Shift, before an editor, which takes Tab for itself. */
export async function tabTo(
  page: Page,
  name: string | RegExp,
  by: "Tab" | "Shift+Tab" = "Tab",
): Promise<void> {
  for (let steps = 0; steps < PLACES; steps += 1) {
    await page.keyboard.press(by);
    // At the end of the page nothing has the focus, before it begins again.
    const text = (await page.evaluate<string>(FOCUSED)).trim();
    if (typeof name === "string" ? text === name : name.test(text)) return;
  }
  throw new Error(`No Tab leads to ${String(name)}`);
}

/** Goes to a control with Tab and presses a key there. */
export async function pressOn(page: Page, name: string | RegExp, key = "Enter"): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

/** Fails where no element has the focus, so that a keyboard would begin at the top again. */
export async function expectFocus(page: Page): Promise<void> {
  await expectPage(page.locator(":focus")).toHaveCount(1);
}
