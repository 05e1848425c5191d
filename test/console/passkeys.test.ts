import type { Page } from "@playwright/test";
import { it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessibleInViews } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();
const { port } = new URL(service.url);
/** Browsers have no passkeys for an IP address. */
const origin = `http://localhost:${port}`;

/** Chromium's own authenticator, which verifies its person at once, for what this page asks. */
async function virtualAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: (isUserVerified: boolean) =>
      devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
  };
}

const passkeyButton = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" });

describeConsole("a passkey in the console", () => {
  it("is added on the account's page, signs in from the sign-in page, and is removed", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: null, origin });
    const authenticator = await virtualAuthenticator(page);
    await page.goto("/app/account/security");
    const region = page.getByRole("region", { name: "Passkeys" });
    const add = region.getByRole("button", { name: "Add a passkey" });
    const name = "<b>Laptop</b>";
    await region.getByRole("textbox", { name: "Name" }).fill(name);
    await authenticator.setVerified(false);
    await add.click();
    await expectPage(region.getByRole("alert")).toHaveText("No passkey was made.");
    await authenticator.setVerified(true);
    await add.click();
    const line = region.getByRole("listitem");
    await expectPage(line).toContainText(`${name} never used`);
    await expectPage(region.getByRole("textbox", { name: "Name" })).toHaveValue("");
    await expectPage(region.getByRole("alert")).toHaveCount(0);

    // The authenticator has one for this account.
    await region.getByRole("textbox", { name: "Name" }).fill("Again");
    await add.click();
    await expectPage(region.getByRole("alert")).toHaveText(
      "This device has a passkey for your account already.",
    );
    await expectAccessibleInViews(page, "a passkey is listed");

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL("**/login*");
    await authenticator.setVerified(false);
    await passkeyButton(page).click();
    await expectPage(page.getByText("No passkey was used.")).toBeVisible();
    await authenticator.setVerified(true);
    await passkeyButton(page).click();
    await page.waitForURL("**/app**");

    await page.goto("/app/account/security");
    await expectPage(line).toContainText(/last used/u);
    await region.getByRole("button", { name: `Rename ${name}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Old laptop");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await expectPage(line).toContainText("Old laptop");
    await region.getByRole("button", { name: "Remove Old laptop" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expectPage(line).toHaveCount(0);

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL("**/login*");
    await passkeyButton(page).click();
    await expectPage(page.getByText("This passkey was not accepted")).toBeVisible();
  });

  it("is offered only where the browser has passkeys", async () => {
    const account = await service.signUp();
    const elsewhere = await openPage(service, { account, path: "/account/security" });
    const region = elsewhere.page.getByRole("region", { name: "Passkeys" });
    await expectPage(region.getByRole("link", { name: origin })).toBeVisible();
    await expectPage(region.getByRole("button", { name: "Add a passkey" })).toHaveCount(0);

    const flags = "**/api/feature-flags";
    const without = await openPage(service, { path: null, origin });
    await without.page.addInitScript("delete PublicKeyCredential.parseRequestOptionsFromJSON");
    for (const { page } of [elsewhere, without]) {
      await page.context().clearCookies();
      await Promise.all([page.waitForResponse(flags), page.goto("/login")]);
      await expectPage(page.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
      await expectPage(passkeyButton(page)).toBeHidden();
    }
  });
});
