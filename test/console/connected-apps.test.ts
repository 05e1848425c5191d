import { expect, it } from "vitest";
import { signedIn } from "#test/support/browser.ts";
import { allow, newRawClient } from "#test/support/oauth-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessibleInViews, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("connected apps in the console", () => {
  it("are listed with what they may do, and disconnected after a question", async () => {
    const { who, token } = await signedIn(service);
    const { page } = await openPage(service, { account: { token }, path: "/account/sessions" });
    const apps = page.getByRole("region", { name: "Connected apps" });
    await expectPage(apps.getByText("No app is connected yet.")).toBeVisible();
    await expectPage(apps.getByText(`${service.url}/mcp`)).toBeVisible();

    const client = await newRawClient(service);
    const connect = async (scope: string) => {
      const back = await allow(who, client.asking({ scope }));
      const { body } = await client.exchange(back.searchParams.get("code") ?? "");
      return body.access_token;
    };
    const access = await connect("project.list file.read");
    await page.reload();
    const line = apps.getByRole("listitem");
    await expectPage(line).toContainText("Raw client");
    await expectPage(line).toContainText("Only in the team");
    await expectPage(line).toContainText("never used");
    await expectPage(line).toContainText("It may: see your projects; read files of your projects");
    await expectAccessibleInViews(page, "an app is connected");

    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const use = async () => (await service.call("POST", "/mcp", { token: access, json })).status;
    expect(await use()).not.toBe(401);
    await page.getByRole("button", { name: "Disconnect Raw client" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await expectPage(line).toHaveCount(0);
    expect(await use()).toBe(401);

    // They end with a sign-out everywhere, too.
    const other = await connect("file.read");
    await goTo(page, "/account/sessions");
    await page.getByRole("button", { name: "Sign out everywhere", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/login*");
    expect((await service.call("POST", "/mcp", { token: other, json })).status).toBe(401);
  });
});
