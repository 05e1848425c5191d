import { afterAll, beforeAll, expect, it } from "vitest";
import { jobs } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { expectNoBarriers, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

/** Callbacks that were given up, of tasks that are gone. */
const givenUp = [1, 2, 3].map((number) => ({
  kind: "deliver-callback",
  key: `left-${number}`,
  payload: { taskId: crypto.randomUUID() },
  attempts: 9,
  lastError: "The receiver returned 500",
  failedAt: new Date(),
}));

describeConsole("the administration in the console", () => {
  let service: TestService;
  /** The first account of an installation is its administrator. */
  let admin: Account;
  beforeAll(async () => {
    service = await startService();
    admin = await service.signUp("first");
  });
  afterAll(() => service.close());

  it("disables and enables an account, adjusts its credits, and says so in the trail", async () => {
    const other = await service.signUp("other");
    const statusOf = async () =>
      (
        await service.call("POST", "/api/auth/login", {
          json: { username: other.username, password: other.password },
        })
      ).status;
    const { page } = await openPage(service, { account: admin });
    await page.getByRole("link", { name: "Administration" }).click();
    await page.getByLabel("Address, handle or name").fill(other.username);
    await page.getByRole("button", { name: "Search" }).click();
    const line = page.locator("tbody tr");
    await expectPage(line).toHaveCount(1);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: `Disable ${other.username}` }).click();
    await dialog.getByLabel(/^Reason/u).fill("<b>asked</b> for it");
    await dialog.getByRole("button", { name: "Disable" }).click();
    await expectPage(line).toContainText("disabled");
    expect(await statusOf()).not.toBe(200);
    await page.getByRole("button", { name: `Enable ${other.username}` }).click();
    await dialog.getByRole("button", { name: "Enable" }).click();
    await expectPage(line).toContainText("active");
    expect(await statusOf()).toBe(200);
    await page.getByRole("button", { name: `Credits of ${other.username}` }).click();
    await dialog.getByLabel("Add").fill("250");
    await dialog.getByLabel(/^Reason/u).fill("an outage");
    await dialog.getByRole("button", { name: "Adjust" }).click();
    await expectPage(line).toContainText("250 bought");

    await goTo(page, "/admin/trail");
    await expectPage(page.locator("tbody tr")).toHaveCount(3);
    await expectPage(page.locator("tbody")).toContainText("<b>asked</b> for it");
    await databaseOf(service).insert(jobs).values(givenUp);
    await goTo(page, "/admin/jobs");
    await expectPage(page.locator("tbody tr")).toHaveCount(3);
    await page.getByRole("button", { name: "Drop left-1" }).click();
    await dialog.getByRole("button", { name: "Drop" }).click();
    await expectPage(page.locator("tbody tr")).toHaveCount(2);
    await page.getByRole("button", { name: "Retry left-2" }).click();
    await expectPage(page.locator("tbody tr")).toHaveCount(1);
    await page.getByRole("button", { name: "Retry all deliver-callback" }).click();
    await expectPage(page.getByText("No failed jobs")).toBeVisible();
    await goTo(page, "/admin/trail");
    await expectPage(page.locator("tbody tr")).toHaveCount(6);
    await expectPage(page.locator("tbody")).toContainText("job.dropped");
    await goTo(page, "/admin/payments");
    await expectPage(page.getByText("told nothing of this kind")).toBeVisible();
    const narrowed = page.waitForResponse((answer) => answer.url().includes("status=failed"));
    await page.getByLabel("State").selectOption("failed");
    expect((await narrowed).status()).toBe(200);
    await page.route("**/api/gateway/status", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        json: { ...(await answer.json()), notice: "Replies are not sent to platforms." },
      });
    });
    await goTo(page, "/admin/installation");
    await expectPage(page.getByRole("region", { name: "Gateway" })).toContainText("Replies are not sent");
    await expectPage(page.getByRole("region", { name: "Readiness" })).toContainText("Databaseok");
    const connected = page.waitForResponse("**/api/gateway/reload");
    await page.getByRole("button", { name: "Connect all again" }).click();
    expect((await connected).ok()).toBe(true);
    await expectPage(page.getByRole("alert")).toHaveCount(0);
    await expectNoBarriers(page, [
      "/admin",
      "/admin/trail",
      "/admin/payments",
      "/admin/jobs",
      "/admin/installation",
    ]);
  });

  it("shows nothing to others, and asks nothing for them", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await expectPage(page.getByRole("link", { name: "API keys" })).toBeVisible();
    expect(await page.getByRole("link", { name: "Administration" }).count()).toBe(0);
    for (const path of ["/admin", "/admin/trail", "/admin/installation"]) {
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      await goTo(page, path);
      await expectPage(page.getByText("This is not yours to see.")).toBeVisible();
    }
    expect(asked.filter((path) => path.startsWith("/api/admin"))).toEqual([]);
  });
});
