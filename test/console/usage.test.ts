import { beforeAll, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";
import { expectAccessibleInViews, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("usage", () => {
  let client: TaskClient;
  beforeAll(async () => {
    client = await newTaskClient(service);
    const { task_id } = await client.start(script({ text: "Counted. ".repeat(200) }));
    await client.end(task_id);
  });
  it("is shown as a plot and as its numbers, beside what was earned", async () => {
    const { token } = client.account;
    const { body } = await service.call<{
      logs: { model: string; credits_deducted: number; created_at: string }[];
    }>("GET", "/api/billing/usage/logs", { token });
    const [{ model, created_at } = { model: "", created_at: "" }] = body.logs;
    expect(model).not.toBe("");

    const { account } = client;
    const { page, complaints } = await openPage(service, { account, path: "/usage", mayComplain: true });
    await expectPage(page.getByText("One credit is one US cent.")).toBeVisible();
    // Calls of the demo model are free: a plot of nothing would be an axis alone.
    await expectPage(page.getByText("used no credits")).toBeVisible();
    await expectPage(page.locator(".plot")).toHaveCount(0);
    await page.route("**/api/billing/usage/logs?*", async (route) => {
      const answer = await route.fetch();
      const listed: { logs: object[] } = JSON.parse(await answer.text());
      const logs = listed.logs.map((call) => ({ ...call, credits_deducted: 1_500 }));
      await route.fulfill({ response: answer, json: { ...listed, logs } });
    });
    await page.reload();
    await expectPage(page.getByRole("img", { name: "Credits for each day" })).toBeVisible();
    await expectPage(page.locator(".plot canvas")).toBeVisible();
    await page.getByText("Show as a table").click();
    const numbers = page.getByRole("table", { name: "Credits by day and model" });
    await expectPage(numbers.getByRole("columnheader", { name: model })).toBeVisible();
    const day = numbers.getByRole("row").filter({ hasText: created_at.slice(0, 10) });
    await expectPage(day.getByRole("cell").last()).toHaveText(
      (1_500 * body.logs.length).toLocaleString("en"),
    );
    await expectPage(page.getByRole("region", { name: "By model" })).toContainText(model);
    await expectPage(page.getByRole("region", { name: "Calls" })).toContainText("agent");
    await page.getByLabel("Period").selectOption("Last month");
    await expectPage(page.getByText("No model calls in this period")).toBeVisible();
    await page.getByLabel("Period").selectOption("Last 7 days");
    await expectPage(page.locator(".plot canvas")).toBeVisible();
    await expectAccessibleInViews(page);

    await goTo(page, "/billing");
    await expectPage(page.getByRole("region", { name: "Earnings" })).toContainText("$0.00 from 0 payments");
    expect(complaints).toEqual([]);
    // The provider's own page.
    await page.getByRole("button", { name: "Set up payouts" }).click();
    await page.waitForURL((url) => url.href.startsWith(String(service.stack.stripeUrl)));
  });
});
