import { Secret, TOTP } from "otpauth";
import { expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessibleInViews, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const signIn = async ({ username, password }: Account) => {
  const json = { username, password };
  const { body } = await service.call<{ access_token: string }>("POST", "/api/auth/login", { json });
  return body.access_token;
};
const statusOf = async (token: string) => (await service.call("GET", "/api/users/me", { token })).status;

describeConsole("an account in the console", () => {
  it("is changed, its other sessions are ended, and so is what a desktop app may do for it", async () => {
    const account = await service.signUp();
    const [first, second] = [await signIn(account), await signIn(account)];
    const { page } = await openPage(service, { account, path: "/account" });
    const name = "<script>alert(1)</script>";
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Save profile" }).click();
    await expectPage(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.getByLabel("Username").fill("no handle!");
    await page.getByRole("button", { name: "Save profile" }).click();
    await expectPage(page.getByRole("alert")).toBeVisible();
    await goTo(page, "/team");
    await expectPage(page.getByText(`${name} (you)`)).toBeVisible();

    await goTo(page, "/account/sessions");
    const endOne = page.getByRole("listitem").getByRole("button", { name: /^Sign out/u });
    await expectPage(endOne).toHaveCount(2);
    await expectPage(page.getByText("This browser")).toHaveCount(1);
    await endOne.first().click();
    await expectPage(endOne).toHaveCount(1);
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await expectPage(endOne).toHaveCount(0);
    expect(await Promise.all([first, second].map(statusOf))).toEqual([401, 401]);

    // A desktop app works for the account until it is unpaired.
    await page.getByRole("button", { name: "Create pairing link" }).click();
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
    await page.reload();
    await page.getByRole("button", { name: "Unpair <b>Laptop</b>" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unpair" }).click();
    await expectPage(page.getByText("unpaired", { exact: true })).toBeVisible();
    expect((await service.call("GET", "/api/desktop/session/ping", app)).status).toBe(401);

    await goTo(page, "/account/security");
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.waitForURL("**/login*");
    const changed = await signIn({ ...account, password: "another long password" });

    // It is signed out of this browser alone.
    const other = await openPage(service, { account: { token: changed }, path: "/account" });
    const elsewhere = await signIn({ ...account, password: "another long password" });
    await other.page.getByRole("button", { name: "Sign out" }).click();
    await other.page.waitForURL("**/login*");
    expect(await Promise.all([changed, elsewhere].map(statusOf))).toEqual([401, 200]);
    await other.page.goto("/app/account");
    await other.page.waitForURL("**/login*");
  });

  it("is signed in to with a code of an authenticator app, or a recovery code, once the app is on", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: "/account/security" });
    const app = page.getByRole("region", { name: "Authenticator app" });
    await app.getByRole("button", { name: "Set up" }).click();
    await expectPage(app.getByRole("img", { name: "QR code for an authenticator app" })).toBeVisible();
    const secret = await app.locator("code").innerText();
    const shown = new TOTP({ secret: Secret.fromBase32(secret) });
    await app.getByRole("textbox", { name: "Code" }).fill(shown.generate());
    await app.getByRole("button", { name: "Turn on" }).click();
    const codes = await app.getByRole("region", { name: "Your recovery codes" }).locator("code").innerText();
    await expectPage(app.getByText("10 recovery codes left")).toBeVisible();
    await expectAccessibleInViews(page, "recovery codes are shown");

    const other = await openPage(service, { path: null });
    await other.page.goto("/login");
    await other.page.getByLabel("Username or email address").fill(account.username);
    await other.page.getByLabel("Password").fill(account.password);
    await other.page.getByRole("button", { name: "Sign in" }).click();
    const code = other.page.getByLabel("Code", { exact: true });
    await code.fill("000000");
    await other.page.getByRole("button", { name: "Continue", exact: true }).click();
    await expectPage(other.page.getByText("Invalid or expired code")).toBeVisible();
    // The code that turned the app on is used up, and the next one is half a minute away.
    await code.fill(codes.split("\n")[0]?.toLowerCase() ?? "");
    await other.page.getByRole("button", { name: "Continue", exact: true }).click();
    await other.page.waitForURL("**/app**");

    await app.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Code").fill(codes.split("\n")[1] ?? "");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await expectPage(app.getByRole("button", { name: "Set up" })).toBeVisible();
    expect(await statusOf(await signIn(account))).toBe(200);
  });

  it("is connected to a git host by a token, which is not shown again, or in the host's own page", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: null });
    // As the service answers where the host takes the token: test/journeys/git-providers.test.ts has it do so.
    const { body } = await service.call<{ providers: object[] }>("GET", "/api/git-providers", account);
    let connected: object = { oauth_configured: true };
    await page.route("**/api/git-providers", (route) =>
      route.fulfill({
        json: {
          ...body,
          providers: body.providers.map((each) =>
            "provider" in each && each.provider === "gitlab" ? { ...each, ...connected } : each,
          ),
        },
      }),
    );
    const asked: unknown[] = [];
    await page.route("**/api/git-providers/gitlab/{token,disconnect}", (route) => {
      asked.push([route.request().method(), route.request().postDataJSON()]);
      const isFirst = asked.length === 1;
      connected = route.request().method() === "DELETE" || isFirst ? {} : CONNECTED;
      return route.fulfill(
        isFirst
          ? { status: 422, json: { error: "invalid_input", detail: "GitLab refuses it" } }
          : { json: {} },
      );
    });
    await page.route("**/api/git-providers/gitlab/oauth/authorize*", (route) =>
      route.fulfill({ json: { authorization_url: `${service.url}/docs`, state: "s" } }),
    );
    await page.goto("/app/git-hosts");
    const [host] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Connect with GitLab" }).click(),
    ]);
    await host.waitForURL("**/docs");
    await host.close();

    const connect = async (token: string) => {
      await page.getByLabel("GitLab token").fill(token);
      await page.getByRole("button", { name: "Connect GitLab", exact: true }).click();
    };
    await page.getByText("Connect GitLab with a token").click();
    await connect("glpat-never-issued");
    await expectPage(page.getByRole("alert")).toContainText("GitLab refuses it");
    await connect("glpat-good");
    await expectPage(page.getByText("Connected as ada")).toBeVisible();
    expect(await page.content()).not.toContain("glpat-good");
    await page.getByRole("button", { name: "Disconnect GitLab" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await expectPage(page.getByText("Not connected.")).toHaveCount(3);
    expect(asked).toEqual([
      ["PUT", { token: "glpat-never-issued" }],
      ["PUT", { token: "glpat-good" }],
      ["DELETE", null],
    ]);
  });
});

const CONNECTED = {
  connected: true,
  provider_username: "ada",
  provider_email: null,
  auth_type: "token",
  scope: null,
};
