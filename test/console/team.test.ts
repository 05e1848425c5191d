import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const NAME = "<img src=x onerror=alert(1)> & Co";

/** The buttons and links that look like buttons of the page, as a person sees them. */
async function controls(page: Page): Promise<string[]> {
  const names = await page.locator("main").locator("button:visible, a.button:visible").allInnerTexts();
  return names.map((name) => name.trim());
}

describeConsole("a team in the console", () => {
  it("takes in a person by a link, whose role decides what is offered", async () => {
    const [ada, grace] = await Promise.all([service.signUp("ada"), service.signUp("grace")]);
    const own = await service.newProject(grace.token, "own");
    const { page: owner } = await openPage(service, { account: ada, path: "/team" });
    await owner.getByLabel("Name of a new team").fill(NAME);
    await owner.getByRole("button", { name: "Create a team" }).click();
    await expectPage(owner.getByRole("heading", { level: 1, name: NAME })).toBeVisible();
    const byLink = owner.locator("form").filter({ hasText: "Create a link" });
    await byLink.getByLabel("Role").selectOption("editor");
    await byLink.getByRole("button", { name: "Create a link" }).click();
    const url = await owner.locator("main code", { hasText: "/invite/" }).innerText();
    await expectPage(owner.getByRole("list", { name: "Open invitations" })).toContainText("as editor");

    // The other person, in a browser of their own.
    const { page: guest } = await openPage(service, {
      account: grace,
      address: new URL(url).pathname,
    });
    await guest.getByRole("button", { name: /accept|join/iu }).click();
    await expectPage(guest.getByText(NAME).last()).toBeVisible();
    const refused: string[] = [];
    guest.on("response", (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    await guest.goto("/app/team");
    await guest.getByRole("button", { name: `Work in ${NAME}` }).click();
    await expectPage(guest.getByText("You are its editor")).toBeVisible();
    await owner.reload();
    await owner.getByLabel(/^Role of grace/u).selectOption("viewer");
    await expectPage(async () => {
      const { body } = await service.call<{ role: string }[]>("GET", "/api/teams", { token: grace.token });
      expect(body.map(({ role }) => role)).toEqual(["admin", "viewer"]);
    }).toPass();

    await guest.reload();
    await expectPage(guest.getByText("You are its viewer")).toBeVisible();
    expect(await controls(guest)).toEqual([
      "Leave the team",
      expect.stringMatching(/^Work in grace/u),
      "Create a team",
    ]);
    await goTo(guest, "/");
    expect(await controls(guest)).toEqual([]);
    // In a team of the person's own a project is theirs; a fork of it would be made in the active team.
    await goTo(guest, `/projects/${own.slug}`);
    await expectPage(guest.getByRole("button", { name: "Delete …" })).toBeVisible();
    expect(await controls(guest)).toEqual(["Start", "New chat", "Export as zip", "Delete …"]);
    // What stays is the person's own, so it works: a key may do what its person may.
    await goTo(guest, "/keys");
    await guest.getByLabel("Name", { exact: true }).fill("mine");
    await guest.getByRole("button", { name: "Create a key" }).click();
    await expectPage(guest.getByLabel("The new key")).toContainText("tsk_");
    expect(refused).toEqual([]);

    await goTo(owner, "/team/audit");
    await owner.getByLabel("Action").fill("member.role_changed");
    await owner.getByRole("button", { name: "Filter" }).click();
    await expectPage(owner.locator("tbody tr")).toHaveCount(1);
    await expectPage(owner.locator("tbody")).toContainText("viewer");
    const [file] = await Promise.all([
      owner.waitForEvent("download"),
      owner.getByRole("button", { name: "Export as CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^audit-log-.*\.csv$/u);

    await goTo(owner, "/team");
    await owner.getByRole("button", { name: "Delete the team" }).click();
    const question = owner.getByRole("dialog");
    await expectPage(question.getByRole("button", { name: "Delete" })).toBeDisabled();
    await question.getByLabel(/Type the name/u).fill(NAME);
    await question.getByRole("button", { name: "Delete" }).click();
    await expectPage(owner.getByText("Your personal team")).toBeVisible();
  });

  it("makes an agent, changes it and deletes it", async () => {
    const account = await service.signUp();
    const { page } = await openPage(service, { account, path: "/agents/new" });
    await page.getByLabel("Name", { exact: true }).fill("<b>Reviewer</b>");
    await page.getByLabel("Prompt").fill("You review code.");
    await page.getByLabel("Tools").fill("read_file, no_such_tool");
    await page.getByRole("button", { name: "Create the agent" }).click();
    await expectPage(page.getByRole("alert")).toContainText("no_such_tool");
    await page.getByLabel("Tools").fill("read_file");
    await page.getByRole("button", { name: "Create the agent" }).click();
    await expectPage(page.getByRole("heading", { name: "<b>Reviewer</b>" })).toBeVisible();
    await page.getByLabel("Prompt").fill("You review prose.");
    await page.getByRole("button", { name: "Save the agent" }).click();
    await expectPage(page.getByText("Saved.")).toBeVisible();
    await page.getByRole("button", { name: "Delete the agent" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expectPage(page.getByText("None yet.")).toBeVisible();
  });
});
