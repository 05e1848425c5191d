import { afterAll, beforeAll, expect, it } from "vitest";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { expectAccessible, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

describeConsole("changes and history of a project", () => {
  let git: GitServer;
  let service: SharedService;
  beforeAll(async () => {
    // The git server is on this machine.
    [git, service] = await Promise.all([startGitServer(), otherSharedService("eager")]);
  });
  afterAll(() => git.close());

  /** What a page is shown with: the service's own calls, as a person. */
  const filesOf = (token: string, project: string) => {
    const raw = (path: string) =>
      `/api/projects/${project}/files/raw?${new URLSearchParams({ path }).toString()}`;
    return {
      write: async (path: string, body: string) => {
        expect((await service.call("PUT", raw(path), { token, body })).status).toBe(200);
      },
      read: async (path: string) => (await service.call("GET", raw(path), { token })).text,
    };
  };

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
    const account = await service.signUp();
    const { id } = await service.newProject(account.token);
    const { write } = filesOf(account.token, id);
    const hostile = "<img src=x onerror=window.hacked=1>.txt";
    await write("a.txt", "one\n");
    await write(hostile, "two\n");
    const address = git.create("pushed");
    const path = `/projects/${id}/changes`;
    const { page } = await openPage(service, { account, path });
    await page.getByText("No remote repository is connected").click();
    await page.getByLabel("Address of a remote repository").fill(address);
    await page.getByRole("button", { name: "Connect" }).click();
    await expectPage(page.getByRole("button", { name: "Push" })).toBeVisible();
    await page.getByText(hostile, { exact: true }).click();
    await expectPage(page.getByText("+two")).toBeVisible();
    await page.getByLabel("Choose a.txt").check();
    await page.getByRole("button", { name: "Stage 1 chosen" }).click();
    await expectPage(page.getByRole("option", { name: "what is staged (1)" })).toBeEnabled();
    await page.getByLabel("Message of the commit").fill("Add a");
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
    // A push that the remote refuses is said.
    git.setFault({ kind: "status", status: 503 });
    await page.getByRole("button", { name: "Push" }).click();
    await expectPage(page.getByRole("alert")).toBeVisible();
    git.setFault(undefined);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });

  it("since a run began are shown, and a snapshot is compared and restored, on a phone", async () => {
    const client = await newTaskClient(service);
    const { account, projectId } = client;
    const { write, read } = filesOf(account.token, projectId);
    await write("a.txt", "one\n");
    const { task_id } = await client.start(
      script({ tools: [call("write_file", { file_path: "a.txt", content: "two\n" })] }, { text: "Done." }),
    );
    await client.end(task_id);
    const path = `/projects/${projectId}/changes/run`;
    const view = { account, width: 390, scheme: "dark" } as const;
    const { page } = await openPage(service, { ...view, path });
    await page.getByText("a.txt", { exact: true }).click();
    await expectPage(page.getByText("-one")).toBeVisible();
    await expectPage(page.getByText("+two")).toBeVisible();
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByLabel("Note").fill("before three");
    await page.getByRole("button", { name: "Make a snapshot" }).click();
    await expectPage(page.getByRole("link", { name: "before three" })).toBeVisible();
    await write("a.txt", "three\n");
    await page.getByRole("link", { name: "before three" }).click();
    await page.getByText("a.txt", { exact: true }).click();
    await expectPage(page.getByText("+three")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "See it as it was" }).click();
    await expectPage(page.locator("pre")).toHaveText("two\n");
    await page.goBack();
    await page.getByRole("button", { name: "Restore …" }).click();
    await expectPage(page.getByRole("dialog")).toContainText("kept as a new snapshot first");
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await expectPage(page.getByText("are those of this snapshot now")).toBeVisible();
    await expectPage(page.getByText("Nothing has changed since this snapshot.")).toBeVisible();
    expect(await read("a.txt")).toBe("two\n");

    // Once the project is put away, its pages say so and do not wake it by themselves.
    await putAway(account.token, projectId);
    await expectPage(page.getByText("The project is put away.")).toBeVisible();
    for (const place of ["changes", "files", "history", "terminal", "preview"]) {
      await goTo(page, `/projects/${projectId}/${place}`);
      const state = page.getByRole("region", { name: "The project is not running" });
      await expectPage(state).toContainText("The project is put away.");
      await expectPage(state.getByRole("button", { name: "Wake" })).toBeVisible();
    }
    await expectAccessible(page);
    expect(await stateOf(account.token, projectId)).toBe("hibernated");
    await goTo(page, `/projects/${projectId}/files`);
    await page.getByRole("button", { name: "Wake" }).click();
    await expectPage(page.getByRole("treeitem", { name: "a.txt" })).toBeVisible();
  });

  it("are only looked at by a viewer: no button would be refused", async () => {
    const team = await newTeamClient(service);
    const viewer = await team.join("viewer");
    const { id } = await service.newProject(team.owner.token);
    const { write } = filesOf(team.owner.token, id);
    await write("a.txt", "one\n");
    const snapshot = { token: team.owner.token, json: { label: "kept" } };
    expect((await service.call("POST", `/api/projects/${id}/snapshots`, snapshot)).status).toBe(201);
    await write("a.txt", "two\n");
    const refused: string[] = [];
    const { page } = await openPage(service, {
      account: viewer,
      path: `/projects/${id}/changes`,
    });
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    const main = page.getByRole("main");
    await expectPage(page.getByText("a.txt", { exact: true })).toBeVisible();
    await expectPage(main.getByText("Branches:")).toBeVisible();
    await expectPage(main.getByRole("button")).toHaveCount(0);
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByRole("link", { name: "kept" }).click();
    await page.getByText("a.txt", { exact: true }).click();
    await expectPage(page.getByText("+two")).toBeVisible();
    await expectPage(main.getByRole("button")).toHaveCount(0);
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await page.getByRole("treeitem", { name: "a.txt" }).click();
    await expectPage(page.locator(".cm-content")).toHaveText("two");
    for (const name of ["New file", "Upload", "Rename", "Delete", "Save"]) {
      await expectPage(main.getByRole("button", { name, exact: true })).toHaveCount(0);
    }
    await page.locator(".cm-content").press("x");
    await expectPage(page.locator(".cm-content")).toHaveText("two");
    await putAway(team.owner.token, id);
    await main.getByRole("button", { name: "Wake" }).click();
    await expectPage(page.locator(".cm-content")).toHaveText("two");
    expect(refused).toEqual([]);
  });
});
