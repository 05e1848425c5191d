import { afterAll, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { newChat } from "./support/chat.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

const service = sharedService();
const browser = await launchBrowser();
afterAll(() => browser.close());

it("a person is asked during the first long task, is told of what follows, and finds the answer in the account", async () => {
  const account = await service.signUp();
  const { slug, id } = await service.newProject(account.token);
  const chat = await newChat(service, account.token, { project_id: id });
  const { page, complaints } = await openConsole(browser, service, { account, path: null });
  // A browser without a window denies notifications, whatever was granted.
  await page.addInitScript(() => {
    const told: string[][] = [];
    class Notice extends EventTarget {
      static permission = "default";
      static async requestPermission() {
        Notice.permission = "granted";
        return Notice.permission;
      }
      constructor(title: string, { tag }: { tag: string }) {
        super();
        told.push([title, tag]);
      }
    }
    Object.assign(globalThis, { Notification: Notice, told });
    Object.assign(Reflect.get(globalThis, "document"), { hasFocus: () => false });
  });
  const told = () => page.evaluate<string[][]>("told");
  const asking = { tools: [call("bash_exec", { command: "true" })] };
  const work = script(asking, asking, asking, { text: "Done." });
  await page.clock.install();
  await page.goto(`/app/projects/${slug}/chats/${chat}`);
  await page.locator("#message").fill(work);
  await page.keyboard.press("Enter");
  await expectPage(page.getByText("The agent asks")).toBeVisible();
  await expectPage(page.getByText("This takes a while")).toHaveCount(0);
  await page.clock.fastForward(61_000);
  await page.getByRole("button", { name: "Notify me" }).click();
  await expectPage(page.getByText("This takes a while")).toHaveCount(0);
  for (const questions of [1, 2]) {
    await page.getByRole("button", { name: "Allow once" }).click();
    await expect.poll(told).toHaveLength(questions);
  }
  await page.getByRole("button", { name: "Allow once" }).click();
  await expect.poll(told).toHaveLength(3);
  const [asks, again, done] = await told();
  expect([asks?.[0], again?.[0]]).toEqual(Array(2).fill("The agent needs your input"));
  expect(done?.[0]).toBe("The agent has finished");
  // The browser would show one notice of two that are called the same.
  expect(new Set([asks?.[1], again?.[1], done?.[1]]).size).toBe(3);
  await page.goto("/app/account");
  await expectPage(page.getByLabel("Show a browser notification")).toBeChecked();
  await page.getByLabel("Send an email with the chat’s title").check();
  await expectPage(page.getByText("No email is sent until you confirm your email address")).toBeVisible();
  await page.getByRole("button", { name: "Save notifications" }).click();
  await expectPage(page.getByText("Saved", { exact: true })).toBeVisible();
  const stored = await service.call("GET", "/api/users/preferences", { token: account.token });
  expect(stored.body).toMatchObject({ task_notices: "on", task_mail: true });
  expect(complaints).toEqual([]);
});
