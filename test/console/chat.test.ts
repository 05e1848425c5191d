import type { Page, Route } from "@playwright/test";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const log = (page: Page) => page.getByRole("log");

async function send(page: Page, message: string): Promise<void> {
  await page.getByLabel("Message the agent").fill(message);
  // While the agent works, a message is put behind the one before.
  await page.getByRole("button", { name: /^(?:Send|Queue)$/u }).click();
  await expectPage(page.getByLabel("Message the agent")).toHaveValue("");
}

async function openChat(options: { mayComplain?: boolean } = {}) {
  const account = await service.signUp();
  const { token } = account;
  const { id: project } = await service.newProject(token);
  const json = { project_id: project };
  const { body } = await service.call<{ id: string }>("POST", "/api/chat", { token, json });
  const path = `/projects/${project}/chats/${body.id}`;
  const opened = await openPage(service, { ...options, account, path });
  return { ...opened, account, token, project, chat: body.id };
}

describeConsole("a chat in the console", () => {
  it("takes files, queues messages, and takes them back with what they changed", async () => {
    const { page, project, token } = await openChat();
    await page.getByRole("button", { name: "Mode: Ask first" }).click();
    await page.getByRole("menuitemradio", { name: "Allow all" }).click();
    await page
      .getByLabel("Attach files")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("for the agent") });
    await expectPage(page.getByRole("list", { name: "Attachments" })).toContainText("notes.txt");
    const write = call("write_file", { file_path: "made.txt", content: "made" });
    const todos = call("todos", { todos: [{ content: "Write it", status: "in_progress" }] });
    await send(page, script({ text: "I write.", tools: [write, todos] }, { text: "Written." }));
    await expectPage(page.getByRole("list", { name: "Attachments" })).toHaveCount(0);
    await expectPage(log(page)).toContainText("Written.");
    await expectPage(log(page)).toContainText("Write it in progress");

    // A message while the agent is at work waits for its turn, and can be taken back.
    await send(page, script({ text: Array(50).fill("slow").join(" "), chunks: 50, delay_ms: 5_000 }));
    // The agent says it: the message, which has the words too, may still be queued itself.
    await expectPage(page.locator(".markdown", { hasText: "slow" })).toHaveCount(1);
    await send(page, "And this?");
    await page.getByRole("button", { name: "Cancel message" }).click();
    await expectPage(page.getByRole("button", { name: "Cancel message" })).toHaveCount(0);
    await page.getByRole("button", { name: "Stop" }).click();
    await expectPage(page.getByRole("button", { name: "Stop" })).toHaveCount(0);

    const file = async () =>
      (await service.call("GET", `/api/projects/${project}/files/raw?path=made.txt`, { token })).status;
    expect(await file()).toBe(200);
    // Back to before the first message: the file is gone, and the message is there to be changed.
    await expectPage(async () => {
      const undo = page.getByRole("button", { name: "Undo" });
      // It is gone with the last message.
      if ((await page.locator(".task").count()) > 0) await undo.click({ timeout: 2_000 });
      await expectPage(page.locator(".task")).toHaveCount(0, { timeout: 2_000 });
    }).toPass();
    expect(await file()).toBe(404);
    await expectPage(page.getByLabel("Message the agent")).not.toHaveValue("");
  });

  it("is renamed, archived, moved and deleted", async () => {
    const { page, token } = await openChat();
    const { id: target } = await service.newProject(token, "Elsewhere");
    // The last chat of a project cannot be deleted.
    await service.call("POST", "/api/chat", { token, json: { project_id: target, title: "Another" } });
    await page.reload();
    const settings = page.getByRole("dialog");
    const open = () => page.getByRole("button", { name: "Settings…" }).click();
    await open();
    await settings.getByLabel("Name").fill("<b>My chat</b>");
    await settings.getByLabel("Project").selectOption("Elsewhere");
    await settings.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByRole("heading", { level: 1 })).toHaveText("<b>My chat</b>");
    await expectPage(page).toHaveURL(/projects\/elsewhere/u);
    await open();
    await settings.getByRole("button", { name: "Archive" }).click();
    await open();
    await settings.getByRole("button", { name: "Unarchive" }).click();
    await open();
    // Until the chat is read again the button beside has the longer name, and the next one moves when that changes.
    await expectPage(settings.getByRole("button", { name: "Archive", exact: true })).toBeVisible();
    await settings.getByRole("button", { name: "Delete…" }).click();
    await settings.getByRole("button", { name: "Delete chat" }).click();
    await expectPage(page).toHaveURL(/projects\/elsewhere-\w+$/u);
    await expectPage(page.getByRole("main").getByRole("link", { name: "Another" })).toBeVisible();
    await expectPage(page.getByText("My chat")).toHaveCount(0);
  });

  it("reads earlier messages and whole results when they are asked for", async () => {
    const { page, token, project, chat } = await openChat();
    const long = `${"x".repeat(5_000)}END`;
    const print = call("bash_exec", { command: `printf '%s' '${long}'` });
    const run = async (message: string) => {
      const json = { project_id: project, chat_id: chat, message, edit_mode: "allow" };
      const { status, text } = await service.call("POST", "/api/chat/agent", { token, json });
      expect([status, text]).toEqual([200, expect.anything()]);
    };
    await run(script({ text: "The first.", tools: [print] }, { text: "Printed." }));
    for (const which of ["second", "third", "fourth"]) await run(script({ text: `The ${which}.` }));
    // Pages of two messages and their answers.
    await page.route("**/messages?*", (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/u, "limit=4"),
      }),
    );
    await page.reload();
    await expectPage(log(page)).toContainText("The fourth.");
    await expectPage(log(page)).not.toContainText("The first.");
    // Meanwhile a message comes, and the newest ones are read again.
    const earlier = Promise.withResolvers<Route>();
    await page.route("**/messages?*cursor=*", (route) => earlier.resolve(route), { times: 1 });
    await page.getByRole("button", { name: "Earlier messages" }).click();
    const asked = await earlier.promise;
    const newest = page.waitForResponse((answer) => /\/messages\?(?!.*cursor=)/u.test(answer.url()));
    await send(page, script({ text: "Meanwhile." }));
    await newest;
    await asked.continue();
    await expectPage(log(page)).toContainText("The first.");
    await expectPage(page.locator(".task")).toHaveCount(5);
    await expectPage(page.getByRole("button", { name: "Earlier messages" })).toHaveCount(0);
    const line = page.locator(".tool").first();
    await line.locator("summary").click();
    await expectPage(line.locator(".fields").first()).toContainText("END");
  });

  it("says that the connection is lost, and shows all once it is back", async () => {
    const { page, token, project, chat } = await openChat({ mayComplain: true });
    await send(page, script({ text: "Before." }));
    await expectPage(page.locator(".markdown")).toHaveText("Before.");
    // Until the page knows that the task is over, the button says "Queue"; offline it would not learn it.
    await expectPage(page.getByRole("button", { name: "Send" })).toBeVisible();
    await page.context().setOffline(true);
    await page.getByLabel("Message the agent").fill(script({ text: "From offline." }));
    await page.getByRole("button", { name: "Send" }).click();
    const json = { project_id: project, chat_id: chat, message: script({ text: "From elsewhere." }) };
    await service.call("POST", "/api/chat/agent", { token, json });
    await page.context().setOffline(false);
    await expectPage(log(page)).toContainText("From elsewhere.");
    await expectPage(log(page)).toContainText("From offline.");
    await expectPage(page.locator(".task")).toHaveCount(3);
    const { body } = await service.call<{ total: number }>("GET", "/api/chat/agent/tasks", { token });
    expect(body.total).toBe(3);
  });
});
