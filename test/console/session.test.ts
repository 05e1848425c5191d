import type { Browser } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "#test/support/chromium.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

const service = sharedService();

describe.skipIf(CHROMIUM === undefined)("a session of the console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("is renewed once for two tabs whose access token has expired", async () => {
    const account = await service.signUp();
    const { page } = await openConsole(browser, service, { account, path: "/keys" });
    const context = page.context();
    const other = await context.newPage();
    await other.goto("/app/runs");
    await expectPage(other.getByRole("heading", { name: "Runs" })).toBeVisible();

    const renewals: number[] = [];
    context.on("response", (response) => {
      if (response.url().endsWith("/api/auth/refresh")) renewals.push(response.status());
    });
    await context.clearCookies({ name: /session/u });
    await Promise.all([page.reload(), other.reload()]);
    await expectPage(page.getByRole("heading", { name: "API keys" })).toBeVisible();
    await expectPage(page.getByText(account.username)).toBeVisible();
    await expectPage(other.getByText(account.username)).toBeVisible();
    expect(renewals).toEqual([200]);
  });

  it("that has ended leads to the sign-in page", async () => {
    const account = await service.signUp();
    const { page } = await openConsole(browser, service, { account, path: "/keys" });
    await expectPage(page.getByRole("heading", { name: "API keys" })).toBeVisible();
    await page.context().clearCookies();
    await page.reload();
    await page.waitForURL((url) => url.pathname === "/login");
    expect(await page.getByRole("heading").innerText()).toBe("Sign in");
  });

  it("leaves no token in the page's storage", async () => {
    const account = await service.signUp();
    const { page } = await openConsole(browser, service, { account });
    await expectPage(page.getByText(account.username)).toBeVisible();
    const stored = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    expect(stored).not.toMatch(/eyJ|refresh/u);
  });
});
