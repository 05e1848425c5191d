import type { Browser } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "#test/support/chromium.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

const service = sharedService();

describe.skipIf(CHROMIUM === undefined)("a person who has read nothing", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ["with a mouse", 1440],
    ["on a phone", 390],
  ])("reads a first answer within four screens, %s", async (_, width) => {
    const { page, complaints } = await openConsole(browser, service, { width, address: "/" });
    await page.getByRole("link", { name: "Create one" }).click();
    const name = `ada${crypto.randomUUID().slice(0, 8)}`;
    await page.getByLabel("Email address").fill(`${name}@example.com`);
    await page.getByLabel("Name", { exact: true }).fill("Ada");
    await page.getByLabel("Password", { exact: true }).fill(`${crypto.randomUUID()} words`);
    await page.getByRole("button", { name: /create/iu }).click();
    await page.waitForURL("**/app");
    await page.getByRole("button", { name: "Create it and begin" }).click();
    await page.getByRole("button", { name: "Allow once" }).click();
    await expectPage(page.locator(".outcome.done").first()).toBeVisible();
    await expectPage(page.getByRole("log")).toContainText("hello.txt");
    // A reload shows the same, once.
    await expectPage(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
    const shown = async () => [await page.locator(".task").count(), await page.locator(".tool").count()];
    const before = await shown();
    expect(before[0]).toBe(1);
    await page.reload();
    await expectPage(page.getByRole("log")).toContainText("hello.txt");
    expect(await shown()).toEqual(before);
    expect(complaints).toEqual([]);
  });
});
