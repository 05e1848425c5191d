import type { Browser, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "#test/support/chromium.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

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

const pressed = (name: string) => {
  const text = JSON.stringify(name);
  return `[...document.querySelectorAll("button")].find((one) => (one.ariaLabel ?? one.innerText).trim() === ${text}).click()`;
};
const typed = (key: string) =>
  `document.dispatchEvent(new KeyboardEvent("keydown", { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true }))`;

describe.skipIf(CHROMIUM === undefined)("a dialog of the console", () => {
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let home: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    const account = await service.signUp();
    const { token } = account;
    const { id: project } = await service.newProject(token);
    await service.call("PUT", `/api/projects/${project}/files/raw?path=a.ts`, { token, body: "1" });
    await service.newKey(token, project);
    const json = { project_id: project, message: "Where do penguins live?" };
    await service.call("POST", "/api/chat/agent", { token, json });
    home = `/app/projects/${project}`;
    ({ page, complaints } = await openConsole(browser, service, { account, path: "/keys" }));
  });
  afterAll(() => browser.close());

  const dialog = () => page.getByRole("dialog");

  /** Opens a dialog, closes it and opens it at once again, and closes it by Escape. */
  async function openAgain(close: string, opens: string, title: RegExp) {
    await page.evaluate(opens);
    await expectPage(dialog()).toContainText(title);
    await page.evaluate(closedAndOpened(close, opens));
    await expectPage(dialog()).toHaveCount(1);
    await expectPage(dialog()).toContainText(title);
    await page.keyboard.press("Escape");
    await expectPage(dialog()).toHaveCount(0);
  }

  it("is open when it is opened as soon as it was closed: a question", async () => {
    await expectPage(page.getByRole("button", { name: "Revoke key" })).toBeVisible();
    await openAgain("Cancel", pressed("Revoke key"), /Revoke/u);
    expect(complaints).toEqual([]);
  });

  it("is open when it is opened as soon as it was closed: the list of shortcuts", async () => {
    await openAgain("Close", typed("?"), /Send the message to the agent/u);
    expect(complaints).toEqual([]);
  });

  it("is open when it is opened as soon as it was closed: a question about a file", async () => {
    await page.goto(`${home}/files/a.ts`);
    await expectPage(page.getByRole("button", { name: "Rename" })).toBeVisible();
    await openAgain("Cancel", pressed("Rename"), /New path/u);
    expect(complaints).toEqual([]);
  });

  it("is open when it is opened as soon as it was closed: files by their names", async () => {
    await openAgain("Close", pressed("Open … Ctrl P"), /Open a file by its name/u);
    expect(complaints).toEqual([]);
  });

  it("is open when it is opened as soon as it was closed: the settings of a chat", async () => {
    await page.goto(home);
    await page
      .getByRole("link", { name: /penguins/u })
      .first()
      .click();
    await expectPage(page.getByRole("button", { name: "Settings …" })).toBeVisible();
    await openAgain("Close", pressed("Settings …"), /End of the chat/u);
    expect(complaints).toEqual([]);
  });

  it("gives the focus back when Escape closes it, also the one over another", async () => {
    const settings = page.getByRole("button", { name: "Settings …" });
    await settings.focus();
    await page.keyboard.press("Enter");
    const deletion = dialog().getByRole("button", { name: /^Delete/u });
    await deletion.focus();
    await page.keyboard.press("Enter");
    await expectPage(dialog()).toHaveCount(2);
    await page.keyboard.press("Escape");
    await expectPage(dialog()).toHaveCount(1);
    await expectPage(deletion).toBeFocused();
    await page.keyboard.press("Escape");
    await expectPage(dialog()).toHaveCount(0);
    await expectPage(settings).toBeFocused();
    await page.keyboard.press("Control+k");
    await expectPage(dialog().getByRole("combobox")).toBeFocused();
    await page.keyboard.press("Escape");
    await expectPage(settings).toBeFocused();
    expect(complaints).toEqual([]);
  });
});
