import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessibleInViews } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/** Pages that a visitor reads, and the first thing that each asks of one. */
const OF_VISITORS = [
  ["/login", "Sign in"],
  ["/register", "Create account"],
  ["/forgot-password", "Send the link"],
  ["/reset-password?token=of-the-mail", "Set password"],
  ["/verify-email?token=of-the-mail", "Confirm address"],
] as const;

/** Pages for whoever is signed in, the same of each, and the link that leads on into the console. */
const OF_PEOPLE = [
  ["/account/sessions", "Sign out everywhere", "Open the console"],
  ["/desktop/pair", "Pair this computer", "Open paired apps and sessions in the console"],
  ["/device", "Continue"],
  ["/pair", "Continue", "Open channels in the console"],
] as const;

describeConsole("the pages of an account", () => {
  it("can be used by everyone, on a phone too, in the light and in the dark, and lead on into the console", async () => {
    const { page } = await openPage(service, { account: await service.signUp(), path: null });
    for (const [address, action, link] of [...OF_VISITORS, ...OF_PEOPLE]) {
      // The sign-in page leads whoever is signed in on.
      await page.goto(address === "/login" ? "/login?switch" : address);
      await expectPage(page.getByRole("button", { name: action, exact: true })).toBeEnabled();
      await expectAccessibleInViews(page, address);
      if (link === undefined) continue;
      await page.getByRole("link", { name: link }).click();
      await expectPage(page).toHaveURL(/\/app(?:\/|$)/u);
    }
  });

  it("ask for the code of a sign-in also where its mail is late", async () => {
    const { page } = await openPage(service, { path: null });
    const detail = "The code could not be emailed yet and is being retried.";
    const late = { requires_2fa: true, temp_token: "of-this-sign-in", method: "email", detail };
    await page.route("**/api/auth/login", (route) => route.fulfill({ status: 503, json: late }));
    await page.goto("/login?switch");
    await page.getByLabel("Username or email address").fill("ada");
    await page.getByLabel("Password").fill("correct horse");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expectPage(page.getByRole("alert")).toHaveText(detail);
    await page.getByLabel("Code", { exact: true }).fill("123 456");
    const sent = page.waitForRequest("**/api/auth/2fa/verify");
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({ temp_token: "of-this-sign-in", code: "123456" });
  });

  it("say that the service does not respond, and keep what was filled in for another try", async () => {
    const { page } = await openPage(service, { path: null });
    await page.goto("/forgot-password");
    await page.getByLabel("Email address").fill("ada@example.com");
    await page.route("**/api/**", (route) => route.abort());
    const button = page.getByRole("button", { name: "Send the link" });
    await button.click();
    await expectPage(page.getByRole("alert")).toHaveText(
      "The service does not respond. Check your connection and try again.",
    );
    await page.unroute("**/api/**");
    await button.click();
    await expectPage(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
  });
});
