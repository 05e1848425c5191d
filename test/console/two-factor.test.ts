import type { Browser } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "#test/support/chromium.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

describe.skipIf(CHROMIUM === undefined)("a sign-in with a code by mail", () => {
  let browser: Browser;
  let smtp: TestSmtpServer;
  let service: TestService;
  beforeAll(async () => {
    [browser, smtp] = await Promise.all([launchBrowser(), startSmtpServer()]);
    service = await startService({ TWO_FA_ENABLED: "true", ...smtp.variables });
  });
  afterAll(() => Promise.all([browser.close(), service.close(), smtp.close()]));

  it("leads to the page of the console that was asked for", async () => {
    const account = await service.signUp();
    const codes = inbox(smtp, account.email, /login code/u);
    const { page, complaints } = await openConsole(browser, service, { path: "/team" });
    await page.getByLabel("Username or email address").fill(account.username);
    await page.getByLabel("Password", { exact: true }).fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Code").fill(await codes.code());
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await expectPage(page.getByText("Your personal team")).toBeVisible();
    expect(new URL(page.url()).pathname).toBe("/app/team");
    expect(complaints).toEqual([]);
  });
});
