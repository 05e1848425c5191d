import { afterAll, beforeAll, expect, it } from "vitest";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { expectAccessible, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { openProject } from "./support/project.ts";
import { expectPage } from "./support/open-console.ts";

describeConsole("changes and history of a project", () => {
  let git: GitServer;
  let service: SharedService;
  beforeAll(async () => {
    // The git server is on this machine.
    [git, service] = await Promise.all([startGitServer(), otherSharedService("eager")]);
  });
  afterAll(() => git.close());

  const stateOf = async (token: string, project: string) => {
    const { body } = await service.call<{ state: string }>("GET", `/api/projects/${project}/status`, {
      token,
    });
    return body.state;
  };

  /** Stops a project, and waits until its files are in their snapshot. */
  async function putAway(token: string, project: string): Promise<void> {
    expect((await service.call("POST", `/api/projects/${project}/stop`, { token })).status).toBeLessThan(300);
    await expectPage(async () => expect(await stateOf(token, project)).toBe("hibernated")).toPass();
  }

  it("are committed and pushed", async () => {
    const { account, write, home } = await openProject(service);
    const hostile = "<img src=x onerror=window.hacked=1>.txt";
    await write("a.txt", "one\n");
    await write(hostile, "two\n");
    const address = git.create("pushed");
    const { page } = await openPage(service, { account, path: `${home}/history` });
    await expectPage(page.getByRole("heading", { name: "No snapshots yet" })).toBeVisible();
    await goTo(page, `${home}/changes`);
    await expectPage(page.getByRole("heading", { name: "No commits yet" })).toBeVisible();
    await page.getByText("No remote repository is connected").click();
    await page.getByLabel("Remote repository URL").fill(address);
    await page.getByRole("button", { name: "Connect" }).click();
    await expectPage(page.getByRole("button", { name: "Push" })).toBeVisible();
    await page.getByText(hostile, { exact: true }).click();
    await expectPage(page.getByText("+two")).toBeVisible();
    await page.getByLabel("Choose a.txt").check();
    await page.getByRole("button", { name: "Stage 1 selected" }).click();
    await expectPage(page.getByRole("option", { name: "Staged files (1)" })).toBeEnabled();
    await page.getByLabel("Commit message").fill("Add a");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Commit", exact: true }).click();
    await expectPage(page.getByLabel("Commits")).toContainText("Add a");
    await expectPage(page.getByLabel("Choose a.txt")).toHaveCount(0);
    await expectPage(page.getByLabel(`Choose ${hostile}`)).toBeVisible();
    await page.getByRole("button", { name: "Push" }).click();
    await expectPage(page.getByText("Pushed main to origin")).toBeVisible();
    expect(git.log("pushed", "main")).toContain("Add a");
    expect(git.read("pushed", "main", "a.txt")).toBe("one");
    // What others pushed comes with a pull.
    git.commit("pushed", "main", { "b.txt": "theirs\n" }, "Theirs");
    await page.getByRole("button", { name: "Pull" }).click();
    await expectPage(page.getByLabel("Commits")).toContainText("Theirs");
    await page.getByRole("button", { name: "New branch" }).click();
    await page.getByLabel("Name").fill("idea");
    await page.getByRole("button", { name: "Create and switch" }).click();
    await expectPage(page.getByRole("combobox", { name: "Branch" })).toHaveValue("idea");
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });

  it("since a run began are shown, and a snapshot is compared and restored, on a phone", async () => {
    const { client, account, write, read, home } = await openProject(service);
    const { projectId } = client;
    await write("a.txt", "one\n");
    const { task_id } = await client.start(
      script({ tools: [call("write_file", { file_path: "a.txt", content: "two\n" })] }, { text: "Done." }),
    );
    await client.end(task_id);
    const path = `${home}/changes/run`;
    const view = { account, width: 390, scheme: "dark" } as const;
    const { page } = await openPage(service, { ...view, path });
    await page.getByText("a.txt", { exact: true }).click();
    await expectPage(page.getByText("-one")).toBeVisible();
    await expectPage(page.getByText("+two")).toBeVisible();
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByLabel("Note").fill("before three");
    await page.getByRole("button", { name: "Take snapshot" }).click();
    await expectPage(page.getByRole("link", { name: "before three" })).toBeVisible();
    await write("a.txt", "three\n");
    await page.getByRole("link", { name: "before three" }).click();
    await page.getByText("a.txt", { exact: true }).click();
    await expectPage(page.getByText("+three")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Show this version" }).click();
    await expectPage(page.locator("pre")).toHaveText("two\n");
    await page.goBack();
    await page.getByRole("button", { name: "Restore…" }).click();
    await expectPage(page.getByRole("dialog")).toContainText("kept as a");
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await expectPage(page.getByText("are now those of this snapshot")).toBeVisible();
    await expectPage(page.getByText("No changes since this snapshot.")).toBeVisible();
    expect(await read("a.txt")).toBe("two\n");

    // Once the project is put away, its pages say so and do not wake it by themselves.
    await putAway(account.token, projectId);
    await expectPage(page.getByText("The project is asleep.")).toBeVisible();
    for (const place of ["changes", "files", "terminal"]) {
      await goTo(page, `${home}/${place}`);
      const state = page.getByRole("region", { name: "The project is not running" });
      await expectPage(state).toContainText("The project is asleep.");
    }
    await expectAccessible(page);
    expect(await stateOf(account.token, projectId)).toBe("hibernated");
    await goTo(page, `${home}/files`);
    await page.getByRole("button", { name: "Wake" }).click();
    await expectPage(page.getByRole("treeitem", { name: "a.txt" })).toBeVisible();
  });
});
