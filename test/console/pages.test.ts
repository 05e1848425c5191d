import type { Page, WebSocketRoute } from "@playwright/test";
import { beforeAll, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type Invoked, type TaskClient } from "#test/support/task-client.ts";
import { expectAccessible, expectAccessibleInViews, expectNoBarriers, goTo } from "./support/accessible.ts";
import { composer, newChat } from "./support/chat.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

/** Pages that belong to no project. */
const PATHS = [
  "/",
  "/projects/new",
  "/waiting",
  "/runs",
  "/keys",
  "/models",
  "/mcp-servers",
  "/mcp-servers/new",
  "/models/keys",
  "/models/custom",
  "/agents",
  "/agents/new",
  "/git-hosts",
  "/channels",
  "/channels/new",
  "/schedules",
  "/schedules/new",
  "/deployments",
  "/marketplace",
  "/usage",
  "/billing",
  "/team",
  "/team/audit",
  "/account",
  "/account/sessions",
  "/account/security",
  "/account/limits",
  "/nowhere",
  `/projects/${crypto.randomUUID()}`,
];

/** Pages of a project, below its address. */
const TABS = ["", "/files", "/changes", "/history", "/terminal", "/containers", "/preview", "/settings"];

/** What a load of the page of keys reads. */
const READS = ["/api/external-api-keys", "/api/projects", "/api/sidebar"];

/** The paths that a page asks for from its newest load on. */
function askedBy(page: Page): string[] {
  const asked: string[] = [];
  page.on("framenavigated", () => asked.splice(0));
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return asked;
}

/** Without approvals, which are asked for again after half a minute. */
const readsIn = (asked: readonly string[]) =>
  asked.filter((path) => path.startsWith("/api/") && !path.endsWith("/approvals")).toSorted();

describeConsole("a page of the console", () => {
  let client: TaskClient;
  let account: Account;
  /** A task that is over. */
  let task: Invoked;
  beforeAll(async () => {
    client = await newTaskClient(service);
    ({ account } = client);
    const turns = [
      { text: "# Title\n\n- one\n- two\n\n`code`", tools: [call("bash_exec", { command: "exit 1" })] },
      { text: "| a | b |\n| - | - |\n| 1 | 2 |" },
    ];
    task = await client.start(script(...turns));
    await client.end(task.task_id);
  });

  it("has no serious barrier, on a desk or a phone, light or dark", async () => {
    const { page } = await openPage(service, { account });
    await expectNoBarriers(page, PATHS);
  });

  it("of a project or a task has none either", async () => {
    const project = `/projects/${client.projectId}`;
    const { page } = await openPage(service, { account });
    await expectNoBarriers(page, [
      `/runs/${task.task_id}`,
      `${project}/chats/${task.chat_id}`,
      ...TABS.map((tab) => project + tab),
    ]);
  });

  it("has none while it asks, refuses, is offline, or a dialog is open", async () => {
    const { projectId } = client;
    const chat = await newChat(service, account.token, { project_id: projectId });
    const path = `/projects/${projectId}/chats/${chat}`;
    const { page } = await openPage(service, { account, path: null });
    const sockets: WebSocketRoute[] = [];
    let isOffline = false;
    await page.routeWebSocket("**/ws/**", async (route) => {
      // The page may be gone by then.
      if (isOffline) await route.close({ code: 4000 }).catch(() => {});
      else {
        route.connectToServer();
        sockets.push(route);
      }
    });
    await page.goto(`/app${path}`);
    const dialog = page.getByRole("dialog");
    const write = call("write_file", { file_path: "a.txt", content: "a" });
    await composer(page).fill(script({ text: "I ask.", tools: [write] }, { text: "." }));
    await page.getByRole("button", { name: "Send" }).click();
    await expectPage(page.getByRole("button", { name: "Allow once" })).toBeVisible();
    await expectAccessibleInViews(page, "an approval waits");
    await goTo(page, "/waiting");
    await expectPage(page.getByRole("button", { name: "Allow once" })).toBeVisible();
    await expectAccessibleInViews(page, "an approval of any project waits");
    await expectPage(page).toHaveTitle("(1) Needs your input · Agent Workspace");
    await page.keyboard.press("Control+k");
    await expectPage(dialog.getByRole("option").first()).toBeVisible();
    await expectAccessibleInViews(page, "the palette is open");
    await page.keyboard.press("Escape");
    await expectPage(dialog).toHaveCount(0);
    await page.keyboard.press("?");
    await expectPage(dialog).toContainText("Keyboard shortcuts");
    await page.keyboard.press("Escape");
    await expectPage(dialog).toHaveCount(0);
    await goTo(page, "/keys");
    await page.getByRole("button", { name: "Revoke key" }).click();
    await expectPage(dialog).toBeVisible();
    await expectAccessibleInViews(page, "a dialog is open");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await goTo(page, "/channels");
    await page.getByLabel("Code").fill("WRONG234");
    await page.getByRole("button", { name: "Continue" }).click();
    await expectPage(page.getByRole("alert")).toBeVisible();
    await expectAccessibleInViews(page, "a form is refused");
    await goTo(page, path);
    await expectPage(page.getByRole("button", { name: "Allow once" })).toBeVisible();
    isOffline = true;
    await page.context().setOffline(true);
    await sockets.at(-1)?.close({ code: 4000 });
    await expectPage(page.getByText("Offline.")).toBeVisible();
    await expectAccessibleInViews(page, "offline");
  });

  it("asks three times for a chat, so that fifteen loads in a row are not refused", async () => {
    const { task_id, chat_id } = await client.start(script({ text: "Few requests." }));
    await client.end(task_id);
    const path = `/projects/${client.projectId}/chats/${chat_id}`;
    const { page } = await openPage(service, { account, path: null });
    const asked = askedBy(page);
    // The messages once more, since a task may have ended before the connection was there.
    const messages = `/api/chat/session/${chat_id}/messages`;
    // A load that takes ten seconds reads again what is that old by then: another one tells.
    await expectPage(async () => {
      await page.goto(`/app${path}`);
      await expectPage(page.getByRole("log").getByText("Few requests.", { exact: true })).toBeVisible();
      await expectPage
        .poll(() => readsIn(asked), { timeout: 5_000 })
        .toEqual([messages, messages, "/api/sidebar"]);
    }).toPass();
  });

  it("changes its lists by itself, and keeps their rows", async () => {
    const other = await newTaskClient(service);
    const { page } = await openPage(service, { account: other.account, path: null });
    await page.clock.install();
    const rows = page.getByRole("region", { name: "List of tasks" }).locator("tbody tr");
    const isThere = (what: () => Promise<void>) =>
      expectPage(async () => {
        await page.clock.fastForward(16_000);
        await what();
      }).toPass();
    const first = await other.start(script({ text: "First." }));
    await page.goto("/app/runs");
    await isThere(() => expectPage(rows).toContainText(["Done"], { timeout: 1_000 }));
    const row = await rows.elementHandle();
    const second = await other.start(script({ text: "Second." }));
    await isThere(() => expectPage(rows).toHaveCount(2, { timeout: 1_000 }));
    expect(await row?.evaluate(({ isConnected }) => isConnected)).toBe(true);

    await Promise.all([first, second].map(({ task_id }) => other.end(task_id)));
    await goTo(page, "/usage");
    const calls = page.getByRole("region", { name: "Calls" }).locator("tbody tr");
    await expectPage(calls.first()).toBeVisible();
    const before = await calls.count();
    await other.start(script({ text: "Third." }));
    await isThere(async () => {
      expect(await calls.count()).toBeGreaterThan(before);
    });

    await goTo(page, "/schedules");
    await expectPage(page.getByText("No schedules yet")).toBeVisible();
    const json = {
      name: "Nightly",
      project_id: other.projectId,
      prompt: "Go on.",
      schedule: "every day at 3am",
    };
    const { token } = other.account;
    expect((await service.call("POST", "/api/schedules", { token, json })).status).toBe(200);
    await isThere(() =>
      expectPage(page.getByRole("link", { name: "Nightly" })).toBeVisible({ timeout: 1_000 }),
    );
  });

  it("asks to sign in, comes back, asks little when it is idle, and asks again no sooner than the service says", async () => {
    const { page } = await openPage(service, { path: "/keys", mayComplain: true, waitsForReads: false });
    await page.getByLabel("Username or email address").fill(account.username);
    await page.getByLabel("Password", { exact: true }).fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expectPage(page.getByRole("heading", { name: "API keys", exact: true })).toBeVisible();
    expect(new URL(page.url()).pathname).toBe("/app/keys");

    // A load asks for what it shows, once: what is folded away is not read.
    await page.clock.install();
    const loaded = askedBy(page);
    // A load that takes ten seconds reads again what is that old by then: another one tells.
    await expectPage(async () => {
      await page.reload({ waitUntil: "networkidle" });
      await expectPage(page.getByRole("heading", { name: "API keys", exact: true })).toBeVisible();
      // The network is also idle where the page is slow to begin.
      await expectPage.poll(() => readsIn(loaded), { timeout: 5_000 }).toEqual(READS);
    }).toPass();
    // An idle page asks at most four times a minute whether anything waits for its person.
    loaded.splice(0);
    await page.clock.runFor(60_000);
    await expectPage.poll(() => loaded.length).toBeGreaterThan(0);
    expect(loaded.length).toBeLessThanOrEqual(4);

    /** Refuses a read so many times, each for so many seconds, then leaves it to the service. Returns how often it was asked for. */
    const refuse = async (path: string, times: number, seconds: number) => {
      let asked = 0;
      await page.route(path, (route) => {
        asked += 1;
        if (asked > times) return route.continue();
        const headers = { "retry-after": String(seconds) };
        return route.fulfill({ status: 429, headers, json: { detail: "Too many requests" } });
      });
      return () => asked;
    };
    // So long that what stands between two looks at the clock does not count.
    const askedForTasks = await refuse("**/api/chat/agent/tasks?*", 2, 900);
    await goTo(page, "/runs");
    const again = page.getByRole("button", { name: "Try again" });
    await expectPage(again).toBeDisabled();
    // What a screen reader is told does not count down.
    await expectPage(page.getByRole("alert")).toHaveText(
      /^Too many requests\s*Wait 900 seconds before you try again\.$/u,
    );
    const counted = page.getByText(/^again in \d+ s$/u);
    await expectPage(counted).toHaveAttribute("aria-hidden", "true");
    await expectAccessible(page);
    await page.clock.fastForward(60_000);
    await expectPage(counted).toHaveText(/again in [1-8]\d\d s/u);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await expectPage(again).toBeDisabled();
    expect(askedForTasks()).toBe(1);
    await page.clock.fastForward(841_000);
    await again.click();
    // The button is disabled at once; the new time begins with the answer.
    await expectPage(counted).toBeVisible();
    await expectPage(again).toBeDisabled();
    await page.clock.fastForward(901_000);
    await again.click();
    await expectPage(page.getByRole("region", { name: "List of tasks" })).toBeVisible();
    expect(askedForTasks()).toBe(3);
    await page.getByLabel("State").selectOption("failed");
    await expectPage(page.getByText("No matching tasks.")).toBeVisible();

    // A short wait is kept by the client itself.
    const askedForChannels = await refuse("**/api/channels", 1, 30);
    await page.evaluate('history.pushState(null, "", "/app/channels")');
    await expectPage(page.getByText("The page continues by itself.").first()).toBeVisible();
    await page.clock.fastForward(31_000);
    await expectPage(page.getByText("No channels yet")).toBeVisible();
    expect(askedForChannels()).toBe(2);
  });
});
