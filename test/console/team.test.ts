import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { goTo } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const NAME = "<img src=x onerror=alert(1)> & Co";

/** The buttons and links that look like buttons of the page, as a person sees them. */
const controls = (page: Page) => page.locator("main").locator("button:visible, a.button:visible");

describeConsole("a team in the console", () => {
  it("takes in a person by a link, whose role decides what is offered", async () => {
    const [ada, grace] = await Promise.all([service.signUp("ada"), service.signUp("grace")]);
    const own = await service.newProject(grace.token, "own");
    const { page: owner } = await openPage(service, { account: ada, path: "/team" });
    await owner.getByLabel("New team name").fill(NAME);
    await owner.getByRole("button", { name: "Create team" }).click();
    await expectPage(owner.getByRole("heading", { level: 1, name: NAME })).toBeVisible();
    const byLink = owner.locator("form").filter({ hasText: "Create link" });
    await byLink.getByLabel("Role").selectOption("editor");
    await byLink.getByRole("button", { name: "Create link" }).click();
    const url = await owner.locator("main code", { hasText: "/invite/" }).innerText();
    await expectPage(owner.getByRole("list", { name: "Open invitations" })).toContainText("as editor");
    await expectPage(byLink.getByLabel("Expires")).toHaveValue("30");

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
    await guest.getByRole("button", { name: `Switch to ${NAME}` }).click();
    await expectPage(guest.getByText("You are an editor")).toBeVisible();
    await owner.reload();
    await owner.getByLabel(/^Role of grace/u).selectOption("viewer");
    await expectPage(async () => {
      const { body } = await service.call<{ role: string }[]>("GET", "/api/teams", { token: grace.token });
      expect(body.map(({ role }) => role)).toEqual(["admin", "viewer"]);
    }).toPass();

    await guest.reload();
    await expectPage(guest.getByText("You are a viewer")).toBeVisible();
    await expectPage(controls(guest)).toHaveText(["Leave team…", /^Switch to grace/u, "Create team"]);
    await goTo(guest, "/");
    await expectPage(controls(guest)).toHaveText([]);
    // In a team of the person's own a project is theirs; a fork of it would be made in the active team.
    await goTo(guest, `/projects/${own.slug}`);
    await guest.getByRole("button", { name: "Project actions" }).click();
    await expectPage(guest.getByRole("menuitem")).toHaveText(["Settings", "Export as zip", "Delete…"]);
    await guest.keyboard.press("Escape");
    await expectPage(controls(guest)).toHaveText(["New chat", "", "Start"]);
    // What stays is the person's own, so it works: a key may do what its person may.
    await goTo(guest, "/keys");
    await guest.getByLabel("Name", { exact: true }).fill("mine");
    await guest.getByRole("button", { name: "Create key" }).click();
    await expectPage(guest.getByLabel("The new key")).toContainText("tsk_");
    expect(refused).toEqual([]);

    await goTo(owner, "/team/audit");
    await owner.getByLabel("Action").fill("member.role_changed");
    await owner.getByRole("button", { name: "Filter" }).click();
    await expectPage(owner.locator("tbody tr")).toHaveCount(1);
    await expectPage(owner.locator("tbody")).toContainText("viewer");
    // Names and values, no JSON.
    await expectPage(owner.locator("tbody dl dt").first()).toBeVisible();
    await expectPage(owner.locator("tbody")).not.toContainText('{"');
    const [file] = await Promise.all([
      owner.waitForEvent("download"),
      owner.getByRole("button", { name: "Export as CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^audit-log-.*\.csv$/u);

    await goTo(owner, "/team");
    await owner.getByRole("button", { name: "Delete team…" }).click();
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
    await page.getByLabel("All tools").uncheck();
    await page.getByLabel("Read a file").check();
    await page.getByRole("button", { name: "Create agent" }).click();
    await expectPage(page.getByRole("heading", { name: "<b>Reviewer</b>", exact: true })).toBeVisible();
    await page.getByLabel("Prompt").fill("You review prose.");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByText("Saved.")).toBeVisible();
    await page.getByRole("button", { name: "Delete agent…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expectPage(page.getByText("None yet.")).toBeVisible();
  });
});
