import type { Page } from "@playwright/test";
import { it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/**
 * Presses a button of the open dialog and does what opens one, as one who is faster than the page is shown; then waits until
 * what was late has come.
 */
const closedAndOpened = (button: string, opens: string) => `(async () => {
  [...document.querySelectorAll("dialog[open] button")].find((one) => one.innerText === ${JSON.stringify(button)}).click();
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage("");
  });
  ${opens};
  for (let frames = 0; frames < 5; frames += 1) await new Promise(requestAnimationFrame);
})()`;

/** Types a text as one who is faster than the page is shown: each letter is an event of its own, without a frame between. */
const typedAtOnce = (text: string) => `(async () => {
  const field = document.activeElement;
  for (const letter of ${JSON.stringify(text)}) {
    field.setRangeText(letter, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true, data: letter, inputType: "insertText" }));
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage("");
    });
  }
})()`;

const pressed = (name: string) => {
  const text = JSON.stringify(name);
  return `[...document.querySelectorAll("button")].find((one) => (one.ariaLabel ?? one.innerText).trim() === ${text}).click()`;
};

const dialog = (page: Page) => page.getByRole("dialog");

/** Opens a dialog, closes it and opens it at once again, and closes it by Escape. */
async function openAgain(
  page: Page,
  { close, opens, title }: { close: string; opens: string; title: RegExp },
) {
  await page.evaluate(opens);
  await expectPage(dialog(page)).toContainText(title);
  await page.evaluate(closedAndOpened(close, opens));
  await expectPage(dialog(page)).toHaveCount(1);
  await expectPage(dialog(page)).toContainText(title);
  await page.keyboard.press("Escape");
  await expectPage(dialog(page)).toHaveCount(0);
}

describeConsole("a dialog of the console", () => {
  it("is open when it is opened as soon as it was closed, takes letters as fast as they come, and gives the focus back", async () => {
    const account = await service.signUp();
    const { token } = account;
    const { id: project } = await service.newProject(token);
    await service.call("PUT", `/api/projects/${project}/files/raw?path=a.ts`, { token, body: "1" });
    await service.newKey(token, project);
    const json = { project_id: project, message: "Where do penguins live?" };
    await service.call("POST", "/api/chat/agent", { token, json });
    const home = `/projects/${project}`;
    const { page } = await openPage(service, { account, path: "/keys" });

    await expectPage(page.getByRole("button", { name: "Revoke key" })).toBeVisible();
    await openAgain(page, { close: "Cancel", opens: pressed("Revoke key"), title: /Revoke/u });
    await goTo(page, `${home}/files/a.ts`);
    await expectPage(page.getByRole("button", { name: "Rename" })).toBeVisible();
    await openAgain(page, { close: "Cancel", opens: pressed("Rename"), title: /New path/u });

    // By the palette to a message, as fast as one types.
    await page.keyboard.press("Control+k");
    await expectPage(dialog(page).getByRole("combobox")).toBeFocused();
    await page.evaluate(typedAtOnce("penguins"));
    await expectPage(dialog(page).getByRole("combobox")).toHaveValue("penguins");
    const found = page.getByRole("option", { name: /penguins/u }).first();
    await expectPage(found).toHaveAttribute("data-highlighted");
    await page.keyboard.press("Enter");
    await expectPage(dialog(page)).toHaveCount(0);
    await expectPage(page.getByRole("log")).toContainText("Where do penguins live?");
    const settings = page.getByRole("button", { name: "Settings…" });
    await expectPage(settings).toBeVisible();
    await openAgain(page, { close: "Close", opens: pressed("Settings…"), title: /Archive or delete/u });

    // By keyboard, one dialog over another.
    await settings.focus();
    await page.keyboard.press("Enter");
    const deletion = dialog(page).getByRole("button", { name: /^Delete/u });
    await deletion.focus();
    await page.keyboard.press("Enter");
    await expectPage(dialog(page)).toHaveCount(2);
    await page.keyboard.press("Escape");
    await expectPage(dialog(page)).toHaveCount(1);
    await expectPage(deletion).toBeFocused();
    await page.keyboard.press("Escape");
    await expectPage(dialog(page)).toHaveCount(0);
    await expectPage(settings).toBeFocused();
    await page.keyboard.press("Control+k");
    await expectPage(dialog(page).getByRole("combobox")).toBeFocused();
    await page.keyboard.press("Escape");
    await expectPage(settings).toBeFocused();
  });
});
