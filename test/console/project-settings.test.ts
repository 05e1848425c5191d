import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { projects } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { expectAccessible, goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("the settings of a project", () => {
  let owner: Account;
  let member: Account;
  beforeAll(async () => {
    const team = await newTeamClient(service);
    ({ owner } = team);
    member = await team.join("editor");
  });
  it("give a person a role and keep the project on, and stand beside a fork, an export and its end", async () => {
    const { slug } = await service.newProject(owner.token, "source");
    const { page } = await openPage(service, { account: owner, path: `/projects/${slug}` });
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Project actions" }).click();
    await page.getByRole("menuitem", { name: "Export as zip" }).click();
    expect((await download).suggestedFilename()).toBe(`${slug}.zip`);
    await page.getByRole("button", { name: "Project actions" }).click();
    await page.getByRole("menuitem", { name: "Fork" }).click();
    await expectPage(page.getByRole("heading", { level: 1, name: "source (Fork)" })).toBeVisible();
    await page.getByLabel("Project", { exact: true }).getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Email address").fill(member.email);
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Add member" }).click();
    await expectPage(page.getByLabel(`Role of ${member.username}`)).toHaveValue("viewer");
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByLabel("Type the project's name").fill("source (Fork)");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL((url) => url.pathname === "/app" || url.pathname === "/app/");

    await goTo(page, `/projects/${slug}/settings`);
    await page.getByLabel("Name", { exact: true }).fill("<i>Renamed</i>");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByText("Saved")).toBeVisible();

    // They offer to turn always on what is off, and off what is on.
    const on = page.getByRole("button", { name: "Turn on" });
    const off = page.getByRole("button", { name: "Turn off" });
    await expectPage(off).toHaveCount(0);
    await on.click();
    await expectPage(page.getByText(/^On\. It was turned on /u)).toBeVisible();
    await expectPage(on).toHaveCount(0);
    await off.click();
    await expectPage(on).toBeVisible();
    await expectPage(off).toHaveCount(0);
    const { body } = await service.call("GET", `/api/projects/${slug}`, owner);
    expect(body).toMatchObject({ name: "<i>Renamed</i>", deployed_at: null });
  });

  it("are not needed to begin a project anew whose files are lost", async () => {
    const { id, slug } = await service.newProject(owner.token, "lost");
    const error =
      "The project's files are lost. Choose whether the project starts empty or from its repository";
    await databaseOf(service).update(projects).set({ lostAt: new Date(), error }).where(eq(projects.id, id));
    const { page } = await openPage(service, {
      account: owner,
      path: `/projects/${slug}/files`,
    });
    await expectPage(page.getByText(error)).toBeVisible();
    await expectPage(page.getByRole("button", { name: "Start", exact: true })).toHaveCount(0);
    await expectPage(page.getByRole("button", { name: "Start from the repository" })).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Start empty" }).click();
    await expectPage(page.getByText(error)).toHaveCount(0);
    const status = await service.call("GET", `/api/projects/${id}/status`, { token: owner.token });
    expect(status.body).toMatchObject({ state: "stopped", error: null, files_lost_at: null });
  });
});
