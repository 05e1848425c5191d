import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { some } from "#test/support/draw.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("a person who has read nothing", () => {
  // With a mouse, or on a phone.
  it.each(some([1440, 390], 1))("reads a first answer within four screens, %i wide", async (width) => {
    const { page } = await openPage(service, { width, address: "/" });
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
  });
});
