import { afterAll, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

const service = sharedService();
const browser = await launchBrowser();
afterAll(() => browser.close());

it("a person is asked during the first long task, and finds the answer in the account", async () => {
  const account = await service.signUp();
  const { slug, id } = await service.newProject(account.token);
  const json = { project_id: id };
  const { body } = await service.call<{ id: string }>("POST", "/api/chat", { token: account.token, json });
  const { page, complaints } = await openConsole(browser, service, { account, path: null });
  // A browser without a window denies notifications, whatever was granted.
  await page.addInitScript(() => {
    const permit = { permission: "default", requestPermission: async () => (permit.permission = "granted") };
    Object.defineProperty(globalThis, "Notification", { value: permit });
  });
  await page.clock.install();
  await page.goto(`/app/projects/${slug}/chats/${body.id}`);
  await page.locator("#message").fill(script({ tools: [call("bash_exec", { command: "true" })] }));
  await page.keyboard.press("Enter");
  await expectPage(page.getByText("The agent asks")).toBeVisible();
  await expectPage(page.getByText("This takes a while")).toHaveCount(0);
  await page.clock.fastForward(61_000);
  await page.getByRole("button", { name: "Notify me" }).click();
  await expectPage(page.getByText("This takes a while")).toHaveCount(0);
  await page.goto("/app/account");
  await expectPage(page.getByLabel("Show a notification of the browser")).toBeChecked();
  await page.getByLabel("Send a mail with its title").check();
  await page.getByRole("button", { name: "Save notifications" }).click();
  await expectPage(page.getByText("Saved", { exact: true })).toBeVisible();
  const stored = await service.call("GET", "/api/users/preferences", { token: account.token });
  expect(stored.body).toMatchObject({ task_notices: "on", task_mail: true });
  expect(complaints).toEqual([]);
});
