import type { Browser } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "#test/support/chromium.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

const service = sharedService();

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

describe.skipIf(CHROMIUM === undefined)("the palette of the console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("goes to pages, chats and messages by keyboard, and lists the shortcuts", async () => {
    const account = await service.signUp();
    const { token } = account;
    const { id: project } = await service.newProject(token);
    const json = { project_id: project, message: "Where do penguins live?" };
    await service.call("POST", "/api/chat/agent", { token, json });
    const { page, complaints } = await openConsole(browser, service, { account });
    await expectPage(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
    const goTo = async (text: string, option: RegExp) => {
      await page.keyboard.press("Control+k");
      await expectPage(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
      await page.evaluate(typedAtOnce(text));
      await expectPage(page.getByRole("dialog").getByRole("combobox")).toHaveValue(text);
      await expectPage(page.getByRole("option", { name: option }).first()).toHaveAttribute(
        "data-highlighted",
      );
      await page.keyboard.press("Enter");
      await expectPage(page.getByRole("dialog")).toHaveCount(0);
    };
    await goTo("api k", /^API keys/u);
    await expectPage(page.getByRole("heading", { name: "API keys" })).toBeVisible();
    // The focus is back in the page, where ? is no text.
    await page.keyboard.press("?");
    await expectPage(page.getByRole("dialog")).toContainText("Send the message to the agent");
    await page.keyboard.press("Escape");
    await expectPage(page.getByRole("dialog")).toHaveCount(0);
    await goTo("penguins", /penguins/u);
    await expectPage(page.getByRole("log")).toContainText("Where do penguins live?");
    expect(complaints).toEqual([]);
  });
});
