import { beforeAll, expect, it } from "vitest";
import { MCP_TOOLS, tools } from "#src/agent/tools/index.ts";
import { SEARCHED as SERVICE_SEARCHES } from "#src/domain/agent-work/chats/index.ts";
import { TOOL_GROUPS } from "../../console/src/pages/agents/tool-names.ts";
import { SEARCHED, SEARCHED_IN_WORDS } from "../../console/src/shell/searched.ts";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { expectAccessible, expectAccessibleInViews, goTo } from "./support/accessible.ts";
import { newChat } from "./support/chat.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

it("the tools that an agent can be given are those of the service", () => {
  const named = TOOL_GROUPS.flatMap((group) => Object.keys(group.tools));
  expect(named.toSorted()).toEqual([...tools.map(({ name }) => name), MCP_TOOLS].toSorted());
});

it("the search says of the messages what the service searches", () => {
  expect(SEARCHED).toEqual(SERVICE_SEARCHES);
  expect(SEARCHED_IN_WORDS).toContain("1,000 chats");
});

/** Opens the drawer, and presses Escape as one who is faster than the page is shown. Returns whether it is open then. */
const OPENED_AND_LEFT = `(async () => {
  const more = document.querySelector("nav[aria-label='Project pages'] button");
  more.click();
  await Promise.resolve();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  await Promise.resolve();
  return more.ariaExpanded;
})()`;

describeConsole("what stands around the pages of the console", () => {
  let account: Account;
  let project: { id: string; slug: string };
  let chat: string;
  beforeAll(async () => {
    account = await service.signUp("ada");
    project = await service.newProject(account.token, "Compiler");
    chat = await newChat(service, account.token, { project_id: project.id, title: "Fix the parser" });
  });

  it("names each page in the title of its tab, and what was searched where nothing is found, and offers each provider of models once", async () => {
    const { page } = await openPage(service, { account, path: "/usage" });
    await expectPage(page).toHaveTitle("Usage · Agent Workspace");
    await goTo(page, "/models/keys");
    await expectPage(page).toHaveTitle("Provider keys · Models · Agent Workspace");
    await expectPage(page.getByRole("heading", { name: "No keys yet" })).toBeVisible();
    const provider = page.getByLabel("Provider", { exact: true });
    await expectPage(provider.getByRole("option", { name: /Google/u })).toHaveText(["Google Gemini"]);
    await goTo(page, "/models");
    await expectPage(page).toHaveTitle("Models · Agent Workspace");
    await goTo(page, "/team/audit");
    await expectPage(page).toHaveTitle(/^Audit log · .+ · Agent Workspace$/u);
    await goTo(page, `/projects/${project.slug}/chats/${chat}`);
    await expectPage(page).toHaveTitle("Fix the parser · Compiler · Agent Workspace");
    await goTo(page, `/projects/${project.slug}/files`);
    await expectPage(page).toHaveTitle("Files · Compiler · Agent Workspace");
    await goTo(page, `/projects/${project.slug}`);
    await expectPage(page).toHaveTitle("Compiler · Agent Workspace");
    await expectPage(page.locator("h1")).toHaveCount(1);

    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox").fill("nobody ever wrote this");
    await expectPage(dialog.getByText("Nothing found.")).toBeVisible();
    await expectPage(dialog).toContainText(SEARCHED_IN_WORDS);
    await page.route("**/api/chat/search?*", (route) =>
      route.fulfill({ status: 400, json: { detail: "no" } }),
    );
    await dialog.getByRole("combobox").fill("nobody ever wrote that");
    await expectPage(dialog.getByText("Messages could not be searched")).toBeVisible();
  });

  it("remembers the theme and what is folded, and begins, pins, renames and archives chats", async () => {
    const { page } = await openPage(service, { account, path: "/usage" });
    const places = page.getByRole("navigation", { name: "Console" });
    const menu = page.getByRole("button", { name: /account menu$/u });
    await menu.click();
    await page.getByRole("menuitemradio", { name: "Dark theme" }).click();
    await expectPage(menu).toBeFocused();
    const isDark = () => page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme");
    await expectPage.poll(isDark).toBe("dark");
    await places.getByRole("button", { name: "Build" }).click();
    await expectPage(places.getByRole("link", { name: "Marketplace" })).toHaveCount(0);
    await page.reload();
    await expectPage(places.getByRole("link", { name: "Usage" })).toHaveAttribute("aria-current", "page");
    await expectPage(places.getByRole("link", { name: "Marketplace" })).toHaveCount(0);
    await expectPage.poll(isDark).toBe("dark");

    await places.getByRole("button", { name: "New chat" }).click();
    await page.waitForURL(`**/projects/${project.slug}/chats/*`);
    await expectPage(places.getByRole("link", { name: "New chat" })).toHaveCount(1);
    const chats = places.locator("a.of-chat");
    await expectPage(chats).toHaveText(["New chat", "Fix the parser"]);
    const actions = places.getByRole("button", { name: "Actions for Fix the parser" });
    await actions.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expectPage(chats).toHaveText(["Fix the parser", "New chat"]);
    await actions.focus();
    await page.keyboard.press("Enter");
    await expectAccessible(page, "a menu is open");
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await page.getByLabel("Name", { exact: true }).fill("<b>Parser</b>");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await expectPage(chats).toHaveText(["<b>Parser</b>", "New chat"]);
    await places.getByRole("button", { name: "Actions for <b>Parser</b>" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Archive" }).click();
    // It is shown for seconds, the list for good.
    await expectPage(page.getByText("“<b>Parser</b>” is archived.")).toBeVisible();
    await expectPage(chats).toHaveText(["New chat"]);
  });

  it("is a drawer and a bar on a phone", async () => {
    const { page } = await openPage(service, { account, path: "/usage", width: 390 });
    const bar = page.getByRole("navigation", { name: "Project pages" });
    const places = page.getByRole("navigation", { name: "Console" });
    await expectPage(places).toBeHidden();
    await bar.getByRole("button", { name: "More" }).click();
    await expectPage(places).toBeVisible();
    await page.keyboard.press("Escape");
    await expectPage(places).toBeHidden();
    expect(await page.evaluate(OPENED_AND_LEFT)).toBe("false");
    await bar.getByRole("button", { name: "More" }).click();
    await places.getByRole("link", { name: "Billing" }).click();
    await expectPage(page.getByRole("heading", { name: "Billing", exact: true })).toBeVisible();
    await expectPage(places).toBeHidden();
    const chats = bar.getByRole("link", { name: "Chats" });
    // Of the newest project, as soon as the projects are read.
    await expectPage(chats).toHaveAttribute("href", /projects/u);
    await chats.click();
    await expectPage(page.getByRole("heading", { name: "Compiler", exact: true })).toBeVisible();
    await expectPage(chats).toHaveAttribute("aria-current", "page");
  });

  it("has no barrier in any part", async () => {
    const { page } = await openPage(service, { account, path: "/_parts", waitsForReads: false });
    await expectPage(page.getByRole("heading", { name: "Parts", exact: true })).toBeVisible();
    await expectAccessibleInViews(page);
  });
});
