import { beforeAll, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";
import { expectAccessible } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/** Has the first frame ask for an entrance as soon as it is there, as one that is faster than the page is shown. */
const ASKED_AT_ONCE = `new MutationObserver(() => {
  const frame = document.querySelector("iframe");
  if (!frame || window.entered !== undefined) return;
  const data = { type: "preview_entrance", address: location.origin + "/api/previews/enter?at-once" };
  const { contentWindow: source } = frame;
  dispatchEvent(new MessageEvent("message", { source, origin: location.origin, data }));
  window.entered = frame.src;
}).observe(document, { childList: true, subtree: true })`;

describeConsole("the preview and the containers of a project", () => {
  let account: Account;
  let site: Site;
  beforeAll(async () => {
    account = await service.signUp();
    site = await newRunningSite(service, account.token, {
      "index.html": "<h1>Welcome</h1><script>document.cookie = 'own=1'</script>",
      "other/index.html": "<h1>Another</h1>",
    });
  });
  it("shows a private preview in a frame, at a path and a width", async () => {
    const { page, complaints } = await openPage(service, {
      account,
      path: `/projects/${site.slug}/preview`,
      // Of the preview's own host.
      mayComplain: true,
    });
    const redirects: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 300 && response.status() < 400) redirects.push(response.url());
    });
    const frame = page.frameLocator("iframe");
    await expectPage(frame.getByRole("heading")).toHaveText("Welcome");
    const rights = (await page.locator("iframe").getAttribute("sandbox"))?.split(" ") ?? [];
    expect(rights.toSorted()).toEqual(["allow-forms", "allow-popups", "allow-same-origin", "allow-scripts"]);
    await page.getByLabel("Path").fill("/other/");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    await expectPage(frame.getByRole("heading")).toHaveText("Another");
    await page.getByLabel("Width").selectOption("phone");
    await page.setViewportSize({ width: 390, height: 844 });
    // Beside its choice, also where the row is broken.
    await expectPage(async () => {
      const label = await page.getByText("Width", { exact: true }).boundingBox();
      const choice = await page.getByLabel("Width").boundingBox();
      expect(label?.y).toBeGreaterThan(choice?.y ?? Infinity);
    }).toPass();
    await expectPage(page.locator("iframe")).toHaveCSS("width", "390px");
    // A path leads to no other host.
    await page.getByLabel("Path").fill("//elsewhere.example/x");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    const outside = page.getByRole("link", { name: "Open in new tab" });
    await expectPage(outside).toHaveAttribute("href", new RegExp(`^${site.url}/`, "u"));
    // Into the preview once, and never again.
    expect(redirects.length).toBeLessThanOrEqual(3);
    expect(complaints.filter((each) => !each.startsWith(`asked ${site.url}`))).toEqual([]);
  });

  it("shows the page that a first project begins with, with one press", async () => {
    const person = await service.signUp();
    const { page } = await openPage(service, {
      account: person,
      path: null,
      // Of the preview's own host.
      mayComplain: true,
    });
    await page.addInitScript(ASKED_AT_ONCE);
    await page.goto("/app/projects/new");
    const repository = page.getByLabel("Git repository (optional)");
    await page.getByRole("button", { name: "A repository to explain" }).click();
    await expectPage(repository).toHaveValue(/^https:/u);
    await page.getByRole("button", { name: "A web page" }).click();
    await expectPage(repository).toHaveValue("");
    await expectPage(page.getByLabel("What should the agent do?")).toHaveValue(/index\.html/u);
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByRole("button", { name: "Allow once" }).click();
    await expectPage(page.getByRole("log").getByText("I am the demo model and follow")).toBeVisible();
    await page.getByLabel("Message the agent").fill("Read the files of this project, and explain it.");
    await page.getByRole("button", { name: /^(?:Send|Queue)$/u }).click();
    await expectPage(page.getByRole("log").getByText("This project has 1 file: HTML (1).")).toBeVisible();
    await page.getByRole("link", { name: "Preview" }).first().click();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Show the project’s files" }).click();
    await expectPage(page.locator("iframe")).toHaveCount(1);
    expect(await page.evaluate("window.entered")).toBe(`${service.url}/api/previews/enter?at-once`);
    await page.getByRole("button", { name: "Reload" }).click();
    await expectPage(page.frameLocator("iframe").getByRole("heading")).toHaveText("To do");
  });

  it("adds, renames and deletes a container, and shows a variable only when asked", async () => {
    const { page } = await openPage(service, {
      account,
      width: 390,
      scheme: "dark",
      path: `/projects/${site.slug}/containers`,
    });
    await page.getByRole("button", { name: "Add container" }).click();
    await page.getByLabel("Name").last().fill("<b>api</b>");
    await page.getByLabel("Start command").last().fill("echo started; sleep 600");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const card = page.locator(".cards > li").filter({ hasText: "<b>api</b>" });
    await expectPage(card).toBeVisible();
    await card.getByText("Environment variables").click();
    await card.getByLabel("Variable").fill("TOKEN");
    await card.getByLabel("Value").fill("hidden-7");
    await card.getByRole("button", { name: "Set" }).click();
    await expectPage(card.getByText("hidden-7")).toHaveCount(0);
    await card.getByRole("button", { name: "Show TOKEN" }).click();
    await expectPage(card.getByText("hidden-7")).toBeVisible();
    await expectAccessible(page);
    await card.getByText("Delete", { exact: true }).click();
    await card.getByRole("button", { name: /^Delete/u }).click();
    await expectPage(page.locator(".cards > li")).toHaveCount(1);
    await page.getByRole("link", { name: "Logs" }).click();
    await expectPage(page.getByRole("heading", { name: "Logs", exact: true })).toBeVisible();
    await expectPage(page.locator("main .shape")).toHaveCount(0);
  });
});
