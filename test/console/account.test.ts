import { afterAll, beforeAll, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { startGitHost } from "#test/support/git-host-server.ts";
import { REGISTERED } from "#test/support/oauth-provider.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

let host: Awaited<ReturnType<typeof startGitHost>>;
let service: TestService;

const signIn = async ({ username, password }: Account) => {
  const json = { username, password };
  const { body } = await service.call<{ access_token: string }>("POST", "/api/auth/login", { json });
  return body.access_token;
};
const statusOf = async (token: string) => (await service.call("GET", "/api/users/me", { token })).status;

describeConsole("an account in the console", () => {
  beforeAll(async () => {
    host = await startGitHost("gitlab");
    service = await startService({
      GITLAB_API_BASE_URL: `${host.url}/`,
      GITLAB_CLIENT_ID: REGISTERED.clientId,
      GITLAB_CLIENT_SECRET: REGISTERED.clientSecret,
      DEPLOYMENT_ENCRYPTION_KEY: "a key of this test, and long enough",
    });
  });
  afterAll(() => Promise.all([service.close(), host.close()]));

  it("is changed, its other sessions are ended, and so is what a desktop app may do for it", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: "/account" });
    const name = "<script>alert(1)</script>";
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Website").fill("https://example.com");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await expectPage(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.getByLabel("Handle").fill("no handle!");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await expectPage(page.getByRole("alert")).toBeVisible();
    await goTo(page, "/team");
    await expectPage(page.getByText(`${name} (you)`)).toBeVisible();

    const [first, second] = [await signIn(account), await signIn(account)];
    await goTo(page, "/account/sessions");
    // Of signing up, of this browser, and the two.
    await expectPage(page.getByRole("button", { name: /^End it/u })).toHaveCount(3);
    await expectPage(page.getByText("This one")).toHaveCount(1);
    await page
      .getByRole("button", { name: /^End it/u })
      .first()
      .click();
    await expectPage(page.getByRole("button", { name: /^End it/u })).toHaveCount(2);
    await page.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End them" }).click();
    await expectPage(page.getByRole("button", { name: /^End it/u })).toHaveCount(0);
    expect(await Promise.all([first, second].map(statusOf))).toEqual([401, 401]);

    // A desktop app works for the account until it is unpaired.
    await page.getByRole("button", { name: "Create a pairing link" }).click();
    const link = new URL(await page.locator("code.wrapping").innerText());
    const json = {
      token: link.searchParams.get("token"),
      device_name: "<b>Laptop</b>",
      device_platform: "linux",
      device_fingerprint: "f1",
      app_version: "1.2.3",
    };
    const exchange = "/api/desktop/pair/exchange";
    const { body: app } = await service.call<{ token: string }>("POST", exchange, { json });
    const ping = async () => (await service.call("GET", "/api/desktop/session/ping", app)).status;
    expect(await ping()).toBe(200);
    await page.reload();
    await page.getByRole("button", { name: "Unpair <b>Laptop</b>" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unpair" }).click();
    await expectPage(page.getByText("unpaired", { exact: true })).toBeVisible();
    expect(await ping()).toBe(401);

    await goTo(page, "/account/security");
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.waitForURL("**/login*");
    expect(await signIn({ ...account, password: "another long password" })).toMatch(/^eyJ/u);
  });

  it("signs out of this browser alone", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: "/account" });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/login*");
    expect(await statusOf(account.token)).toBe(200);
    await page.goto("/app/account");
    await page.waitForURL("**/login*");
  });

  it("is connected to a git host by a token, which is not shown again", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: "/git-hosts" });
    const connect = async (token: string) => {
      await page.getByLabel("Token of GitLab").fill(token);
      await page.getByRole("button", { name: "Connect GitLab", exact: true }).click();
    };
    await page.getByText("Connect GitLab by a token").click();
    await connect("glpat-never-issued");
    await expectPage(page.getByRole("alert")).toBeVisible();
    const token = host.newToken();
    await connect(token);
    await expectPage(page.getByText("by a token")).toHaveCount(3);
    await page.getByRole("button", { name: "Show the repositories of GitLab" }).click();
    await expectPage(
      page.getByRole("region", { name: "GitLab" }).getByRole("listitem").first(),
    ).toBeVisible();
    expect(await page.content()).not.toContain(token);
    await page.getByRole("button", { name: "Disconnect GitLab" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await expectPage(page.getByText("Not connected.")).toHaveCount(3);

    // Or in the host's own page, which leads back to one that can be closed.
    const [other] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Connect GitLab in its own page" }).click(),
    ]);
    await other.waitForURL((url) => url.origin === service.url);
    await expectPage(other.getByText(/connected/iu).first()).toBeVisible();
    await other.close();
    await page.reload();
    await expectPage(page.getByRole("button", { name: "Disconnect GitLab" })).toBeVisible();
  });
});
