import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { authenticators, jobs, users } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { signUpAdministrator } from "#test/support/administrators.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectNoBarriers, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/** By how much the page's table is wider than its place, in pixels. */
const OVERFLOW =
  "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scrolled'))";

describeConsole("the administration in the console", () => {
  let admin: Account;
  let other: Account;
  beforeAll(async () => {
    [admin, other] = await Promise.all([signUpAdministrator(service), service.signUp("other")]);
  });

  it("disables and enables an account, adjusts its credits, and says so in the trail", async () => {
    const { username, password } = other;
    const signIn = async () =>
      (await service.call("POST", "/api/auth/login", { json: { username, password } })).status;
    const { page } = await openPage(service, { account: admin });
    await page.getByRole("button", { name: /account menu$/u }).click();
    await page.getByRole("menuitem", { name: "Administration" }).click();
    await page.getByLabel("Email, username or name").fill(username);
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    const line = page.locator("tbody tr");
    await expectPage(line).toHaveCount(1);
    const dialog = page.getByRole("dialog");
    const pick = async (action: string) => {
      await page.getByRole("button", { name: `Actions for ${username}` }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    const reason = `<b>asked</b> by ${username}`;
    await pick("Disable…");
    await dialog.getByLabel(/^Reason/u).fill(reason);
    await dialog.getByRole("button", { name: "Disable" }).click();
    await expectPage(line).toContainText("Disabled");
    expect(await signIn()).not.toBe(200);
    await pick("Enable…");
    await dialog.getByRole("button", { name: "Enable" }).click();
    await expectPage(line).toContainText("Active");
    expect(await signIn()).toBe(200);
    await pick("Credits…");
    await dialog.getByLabel("Credits to add").fill("250");
    await dialog.getByLabel(/^Reason/u).fill("an outage");
    await dialog.getByRole("button", { name: "Adjust" }).click();
    await expectPage(line).toContainText("250 bought");
    await goTo(page, "/admin/trail");
    await expectPage(page.locator("tbody")).toContainText(reason);
  });

  it("has all of an account's line in a tablet's window", async () => {
    const { id, username } = await service.signUp();
    const app = { id: newId(), userId: id, encryptedSecret: "sealed", confirmedAt: new Date() };
    await databaseOf(service).insert(authenticators).values(app);
    const then = new Date("2025-11-22T12:00:00Z");
    const email = `${"a".repeat(40)}${username}@example.com`;
    const long = { email, isActive: false, createdAt: then, lastActiveAt: then };
    await databaseOf(service).update(users).set(long).where(eq(users.id, id));
    const { page } = await openPage(service, { account: admin, path: "/admin", width: 820 });
    const table = page.getByRole("region", { name: "List of accounts" });
    await expectPage(table.getByRole("row", { name: username })).toBeVisible();
    expect(await page.evaluate<number>(OVERFLOW)).toBe(0);
  });

  it("drops and retries jobs, and shows payments and the installation", async () => {
    // Callbacks that were given up, of tasks that are gone.
    const [dropped, retried] = [crypto.randomUUID(), crypto.randomUUID()];
    await databaseOf(service)
      .insert(jobs)
      .values(
        [dropped, retried].map((taskId) => ({
          kind: "deliver-callback",
          key: taskId,
          payload: { taskId },
          attempts: 9,
          lastError: "The receiver returned 500",
          failedAt: new Date(),
        })),
      );
    const { page } = await openPage(service, { account: admin, path: "/admin/jobs" });
    const line = (key: string) => page.locator("tbody tr", { hasText: key });
    await page.getByRole("button", { name: `Delete ${dropped}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expectPage(line(dropped)).toHaveCount(0);
    await page.getByRole("button", { name: `Retry ${retried}` }).click();
    await expectPage(line(retried)).toHaveCount(0);
    await goTo(page, "/admin/payments");
    const narrowed = page.waitForResponse((answer) => answer.url().includes("status=failed"));
    await page.getByLabel("State").selectOption("failed");
    expect((await narrowed).status()).toBe(200);
    const { body: status } = await service.call<object>("GET", "/api/gateway/status", admin);
    const notice = "Replies are not sent to platforms.";
    await page.route("**/api/gateway/status", (route) => route.fulfill({ json: { ...status, notice } }));
    await page.route("**/api/gateway/reload", (route) => route.fulfill({ json: {} }));
    await goTo(page, "/admin/installation");
    await expectPage(page.getByRole("region", { name: "Gateway" })).toContainText("Replies are not sent");
    await expectPage(page.getByRole("region", { name: "Readiness" })).toContainText("DatabaseOK");
    const connected = page.waitForRequest("**/api/gateway/reload");
    await page.getByRole("button", { name: "Reconnect all" }).click();
    expect((await connected).method()).toBe("POST");
    const places = ["", "/trail", "/payments", "/jobs", "/installation"];
    await expectNoBarriers(
      page,
      places.map((place) => `/admin${place}`),
    );
  });

  it("shows nothing to others, and asks nothing for them", async () => {
    const { page } = await openPage(service, { account: await service.signUp() });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await expectPage(page.getByRole("link", { name: "API keys" })).toBeVisible();
    await page.getByRole("button", { name: /account menu$/u }).click();
    await expectPage(page.getByRole("menuitem", { name: "Account" })).toBeFocused();
    expect(await page.getByRole("menuitem", { name: "Administration" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    for (const path of ["/admin", "/admin/installation"]) {
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      await goTo(page, path);
      await expectPage(page.getByText("Only administrators of this installation")).toBeVisible();
    }
    expect(asked.filter((path) => path.startsWith("/api/admin"))).toEqual([]);
  });
});
