import { beforeAll, expect, it } from "vitest";
import { readAgainIn } from "../../console/src/pages/schedules/due.ts";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { expectAccessible } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();
const HOSTILE = "<img src=x onerror=alert(1)>";

it.each([
  [null, false],
  [undefined, false],
  // Soon, now, and late: not more often than the page may ask.
  ["2027-01-01T00:01:00Z", 62_000],
  ["2027-01-01T00:00:00Z", 5_000],
  ["2026-12-31T23:00:00Z", 5_000],
  // A timer of a month would end at once.
  ["2027-02-01T00:00:00Z", false],
])("a schedule whose next run is at %j is read again in %j ms", (nextRunAt, ms) => {
  expect(readAgainIn(nextRunAt, Date.parse("2027-01-01T00:00:00Z"))).toBe(ms);
});

describeConsole("a schedule", () => {
  let account: Account;
  let project: string;
  beforeAll(async () => {
    account = await service.signUp();
    project = (await service.newProject(account.token, HOSTILE)).id;
  });
  it("is made with its next five runs shown, run by hand, paused and deleted", async () => {
    const { page } = await openPage(service, { account, path: "/schedules" });
    await page.getByRole("link", { name: "New schedule" }).click();
    await page.getByLabel("Name").fill(HOSTILE);
    await page.getByLabel("Prompt").fill(script({ text: "The garden is dry." }));
    const next = page.getByRole("status", { name: "Next runs" });
    await page.getByLabel("When").fill("whenever it suits");
    await expectPage(next).not.toContainText("appear here");
    await expectPage(next.getByRole("listitem")).toHaveCount(0);
    await page.getByLabel("When").fill("0 9 * 1 *");
    await page.getByLabel("Time zone").fill("Asia/Tokyo");
    await expectPage(next.getByRole("listitem")).toHaveCount(5);
    await expectPage(next.getByRole("listitem").first()).toContainText(/0?9:00/u);
    await expectPage(next.getByRole("listitem").first()).toContainText("GMT+9");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create schedule" }).click();

    await expectPage(page.getByRole("heading", { name: HOSTILE })).toBeVisible();
    await page.getByRole("button", { name: "Run now" }).click();
    const runs = page.getByRole("region", { name: "Runs" });
    // Without a click.
    await expectPage(runs).toContainText("Done");
    await expectPage(page.locator("dt:text-is('Scheduled runs') + dd")).toHaveText("0");
    await runs.getByRole("link", { name: "Open task" }).click();
    await expectPage(page.getByText("The garden is dry.", { exact: true })).toBeVisible();
    await page.goBack();
    await page.getByRole("button", { name: "Pause" }).click();
    await expectPage(page.getByRole("button", { name: "Resume" })).toBeVisible();
    await page.getByRole("button", { name: "Delete schedule…" }).click();
    await page.getByRole("button", { name: "Delete schedule", exact: true }).click();
    await expectPage(page.getByText("No schedules yet")).toBeVisible();
  });

  it("says on a phone why its run failed, and is changed", async () => {
    const json = { project_id: project, name: "Report", schedule: "0 9 1 1 *", prompt: "x" };
    const made = await service.call<{ id: string }>("POST", "/api/schedules", { ...account, json });
    const path = `/schedules/${made.body.id}`;
    const { page } = await openPage(service, { account, width: 390, scheme: "dark", path });
    // They come late, above the settings: a click while the page moves would be none.
    await expectPage(page.getByRole("button", { name: "Run now" })).toBeVisible();
    await expectPage(page.getByRole("link", { name: HOSTILE })).toBeVisible();
    await page.getByText("Settings", { exact: true }).click();
    await page
      .getByRole("textbox", { name: "Prompt" })
      .fill(script({ error: { status: 400, message: "no" } }));
    await page.getByLabel("Agent", { exact: true }).selectOption({ index: 1 });
    await page.getByLabel("When").fill("weekdays at 9am");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByRole("definition").filter({ hasText: "9:00" }).first()).toBeVisible();
    // The settings are closed once they are stored.
    await expectPage(page.getByRole("button", { name: "Save" })).toBeHidden();
    const { body: changed } = await service.call<{ agent_id: string | null }>("GET", `/api${path}`, account);
    expect(changed.agent_id).not.toBeNull();
    await page.getByRole("button", { name: "Run now" }).click();
    // Of this run; at nine o'clock there is another one.
    await expectPage(page.getByText(/^Failed: ./u).first()).toBeVisible();
    await expectAccessible(page);
  });
});
