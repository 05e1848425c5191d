import type { Page, Route } from "@playwright/test";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { composer, log, newChat, openChat } from "./support/chat.ts";
import { describeConsole } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

async function send(page: Page, message: string): Promise<void> {
  await composer(page).fill(message);
  // While the agent works, a message is put behind the one before.
  await page.getByRole("button", { name: /^(?:Send|Queue)$/u }).click();
  await expectPage(composer(page)).toHaveValue("");
}

describeConsole("a chat in the console", () => {
  it("takes files, queues messages, and takes them back with what they changed", async () => {
    const { page, read } = await openChat(service);
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

    expect(await read("made.txt")).toBe("made");
    // Back to before the first message: the file is gone, and the message is there to be changed.
    await expectPage(async () => {
      const undo = page.getByRole("button", { name: "Undo" });
      // It is gone with the last message.
      if ((await page.locator(".task").count()) > 0) await undo.click({ timeout: 2_000 });
      await expectPage(page.locator(".task")).toHaveCount(0, { timeout: 2_000 });
    }).toPass();
    expect(await read("made.txt")).toBe(404);
    await expectPage(composer(page)).not.toHaveValue("");
  });

  it("is renamed, archived, moved and deleted", async () => {
    const { page, token } = await openChat(service);
    const { id: target } = await service.newProject(token, "Elsewhere");
    // The last chat of a project cannot be deleted.
    await newChat(service, token, { project_id: target, title: "Another" });
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
    const { page, token, project, chat } = await openChat(service);
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
});
