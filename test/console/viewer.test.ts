import { beforeAll, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { goTo } from "./support/accessible.ts";
import { newChat } from "./support/chat.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { filesOf } from "./support/project.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("a viewer of a team in the console", () => {
  let owner: Account;
  let viewer: Account;
  let project: { id: string; slug: string };
  let chat: string;
  beforeAll(async () => {
    const team = await newTeamClient(service);
    ({ owner } = team);
    viewer = await team.join("editor");
    project = await service.newProject(owner.token, "shown");
    // As an editor this person began a chat.
    chat = await newChat(service, viewer.token, { project_id: project.id, title: "Begun as an editor" });
    await team.asOwner("PATCH", `/members/${viewer.id}`, { role: "viewer" });
    const { write } = filesOf(service, owner.token, project.id);
    await write("a.txt", "one\n");
    const snapshot = { token: owner.token, json: { label: "kept" } };
    await service.call("POST", `/api/projects/${project.id}/snapshots`, snapshot);
    await write("a.txt", "two\n");
  });

  it("sees no button that would be refused, reads files and changes, and wakes a project", async () => {
    const { page } = await openPage(service, { account: viewer, path: "/account" });
    const refused: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    const main = page.getByRole("main");
    const home = `/projects/${project.slug}`;
    const places: [path: string, shown: string, buttons: string[]][] = [
      ["/projects/new", "", []],
      ["/models", "", []],
      ["/agents", "", []],
      ["/agents/new", "", []],
      ["/marketplace/agents/service-integrator", "Editors of the team can add it.", []],
      ["/usage", "can see what credits were spent on", []],
      ["/billing", "Payments", []],
      ["/team/audit", "Only administrators of the team", []],
      [`${home}/settings`, "shown", []],
      [`${home}/terminal`, "Viewers cannot open a terminal", []],
      [`${home}/containers`, "No containers yet", []],
      [`${home}/changes`, "Branches:", ["Since the last commit", "Since a task began"]],
      [home, "Begun as an editor", [""]],
      [`${home}/chats/${chat}`, "Editors can message the agent.", [""]],
    ];
    for (const [path, shown, buttons] of places) {
      await goTo(page, path);
      await expectPage(main).toContainText(shown);
      await expectPage(main.locator("button:visible, a.button:visible")).toHaveText(buttons);
    }

    await goTo(page, home);
    await page.getByRole("button", { name: "Project actions" }).click();
    await expectPage(page.getByRole("menuitem")).toHaveText(["Settings", "Export as zip"]);

    await goTo(page, `${home}/changes`);
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
    const stop = `/api/projects/${project.id}/stop`;
    expect((await service.call("POST", stop, owner)).status).toBeLessThan(300);
    await main.getByRole("button", { name: "Wake" }).click();
    await expectPage(page.locator(".cm-content")).toHaveText("two");
    expect(refused).toEqual([]);
  });
});
