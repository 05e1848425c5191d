import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { projects } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";
import { expectAccessible } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("the settings of a project", () => {
  let team: TeamClient;
  beforeAll(async () => {
    team = await newTeamClient(service);
  });
  it("give a person a role, and a viewer sees nothing that would be refused", async () => {
    const { id, slug } = await service.newProject(team.owner.token, "shown");
    const member = await team.join("editor");
    const chat = await service.call<{ id: string }>("POST", "/api/chat", {
      token: member.token,
      json: { project_id: id, title: "Begun as an editor" },
    });
    expect(chat.status).toBeLessThan(300);
    const settings = `/projects/${slug}/settings`;
    const { page } = await openPage(service, {
      account: team.owner,
      path: settings,
    });
    await page.getByLabel("Email address").fill(member.email);
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Add member" }).click();
    await expectPage(page.getByLabel(`Role of ${member.username}`)).toHaveValue("viewer");
    await page.getByLabel("Name", { exact: true }).fill("<i>Renamed</i>");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByText("Saved")).toBeVisible();

    const seen = await openPage(service, {
      account: member,
      width: 390,
      scheme: "dark",
      path: settings,
    });
    await expectPage(seen.page.locator(".facts")).toContainText("<i>Renamed</i>");
    const refused: string[] = [];
    seen.page.on("response", (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    const buttons = async () => seen.page.locator("main button").allInnerTexts();
    expect(await buttons()).toEqual([]);
    const main = seen.page.getByRole("main");
    for (const [place, marker, allowed] of [
      ["/terminal", "Viewers of a project", []],
      ["/containers", "No container yet", []],
      ["/preview", "The project is not running", []],
      ["", "Begun as an editor", ["Export as zip"]],
      [`/chats/${chat.body.id}`, "Its editors write to agents.", []],
    ] as const) {
      await seen.page.goto(`/app/projects/${slug}${place}`);
      await expectPage(main.getByText(marker)).toBeVisible();
      await expectPage(seen.page.locator("main .shape")).toHaveCount(0);
      expect([place, await buttons()]).toEqual([place, allowed]);
    }
    expect(refused).toEqual([]);
  });

  it("stand beside a fork, an export and the end of the project", async () => {
    const { slug } = await service.newProject(team.owner.token, "source");
    const { page } = await openPage(service, {
      account: team.owner,
      path: `/projects/${slug}`,
    });
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as zip" }).click();
    expect((await download).suggestedFilename()).toBe(`${slug}.zip`);
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await expectPage(page.getByRole("heading", { level: 1, name: "source (Fork)" })).toBeVisible();
    await page.getByLabel("Project", { exact: true }).getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByLabel("Type the project's name").fill("source (Fork)");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL((url) => url.pathname === "/app" || url.pathname === "/app/");
  });

  it("are not needed to begin a project anew whose files are lost", async () => {
    const { id, slug } = await service.newProject(team.owner.token, "lost");
    const error =
      "The project's files are lost. Choose whether the project starts empty or from its repository";
    await databaseOf(service).update(projects).set({ lostAt: new Date(), error }).where(eq(projects.id, id));
    const { page } = await openPage(service, {
      account: team.owner,
      path: `/projects/${slug}/files`,
    });
    await expectPage(page.getByText(error)).toBeVisible();
    await expectPage(page.getByRole("button", { name: "Start", exact: true })).toHaveCount(0);
    await expectPage(page.getByRole("button", { name: "Start from the repository" })).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Start empty" }).click();
    await expectPage(page.getByText(error)).toHaveCount(0);
    const status = await service.call("GET", `/api/projects/${id}/status`, { token: team.owner.token });
    expect(status.body).toMatchObject({ state: "stopped", error: null, files_lost_at: null });
  });
});
