import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/** The id of a new project of this name, whose agent asks whether it may write a file. */
async function askedIn(token: string, name: string): Promise<string> {
  const { id } = await service.newProject(token, name);
  const write = call("write_file", { file_path: `${name}.txt`, content: `From ${name}\u202E\u2028` });
  const message = script({ text: "I ask.", tools: [write] }, { text: "Done." });
  const body = { project_id: id, message, edit_mode: "ask" };
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const asked = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${service.url}/api/chat/agent/stream`, asked);
  await response.body?.cancel();
  return id;
}

describeConsole("what waits for a person", () => {
  it("is shown for all projects with the exact change, and answered on a phone", async () => {
    const account = await service.signUp();
    const { token } = account;
    const ask = (name: string) => askedIn(token, name);
    const projects = [await ask("one"), await ask("two")];
    const { page } = await openPage(service, {
      account,
      width: 390,
      path: "/waiting",
    });
    // The second question may come a moment later than the page.
    await expectPage(async () => {
      await page.reload();
      await expectPage(page.getByRole("button", { name: "Allow once" })).toHaveCount(2);
    }).toPass();
    const first = page.getByLabel("The agent asks").filter({ hasText: "one.txt" });
    await expectPage(first).toContainText("+ From one\\u{202E}\\u{2028}");
    await first.getByRole("button", { name: "Allow once" }).click();
    await expectPage(page.getByRole("button", { name: "Allow once" })).toHaveCount(1);
    await page.getByLabel("The agent asks").getByRole("button", { name: "Deny" }).click();
    await expectPage(page.getByText("Nothing needs your input")).toBeVisible();
    const status = async (project: string, file: string) =>
      (await service.call("GET", `/api/projects/${project}/files/raw?path=${file}`, { token })).status;
    await expectPage(async () => {
      expect(await status(projects[0] ?? "", "one.txt")).toBe(200);
    }).toPass();
    expect(await status(projects[1] ?? "", "two.txt")).toBe(404);
  });

  it("needs the person's input in the list of tasks, too, and on the task's own page", async () => {
    const account = await service.signUp();
    await askedIn(account.token, "listed");
    const { page } = await openPage(service, { account, path: "/runs" });
    const state = page.getByRole("main").locator(".badge");
    // The question may come a moment later than the page.
    await expectPage(async () => {
      await page.reload();
      await expectPage(state).toHaveText("Needs your input", { timeout: 1_000 });
    }).toPass();
    await page.getByRole("main").getByRole("row").getByRole("link").click();
    await expectPage(page.getByRole("heading", { name: "Task", exact: true })).toBeVisible();
    await expectPage(state).toHaveText("Needs your input");
  });
});
