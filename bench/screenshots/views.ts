import type { Page } from "@playwright/test";
import { serveLongHistory } from "#test/console/support/long-history.ts";
import { expectPage } from "#test/console/support/open-console.ts";
import type { Content } from "./content/index.ts";

/** Who looks at a page. */
type Viewer = "owner" | "viewer" | "newcomer";

/** A page of the console in one of its states. */
export interface View {
  readonly name: string;
  /** Below `/app`. */
  readonly path: string;
  readonly as?: Viewer;
  /** Before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Once the page is there. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** A page that waits for ever shows no heading. */
  readonly isLoading?: boolean;
}

const chatAt = ({ project, id }: { project: string; id: string }) => `/projects/${project}/chats/${id}`;

const press = (name: string) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name, exact: true }).click();

/** Every page of the console with content. */
function pagesOf(content: Content): View[] {
  const { shop, chats, runs, snapshot, agent, channel, schedule, deployment } = content;
  const at = `/projects/${shop}`;
  const paths: Readonly<Record<string, string>> = {
    projects: "/",
    "new-project": "/projects/new",
    project: at,
    chat: chatAt(chats.cart),
    "chat-plan": chatAt(chats.seasons),
    "chat-failed": chatAt(chats.refused),
    "chat-asks": chatAt(chats.waits),
    "chat-at-work": chatAt(chats.atWork),
    files: `${at}/files`,
    "files-open": `${at}/files/src/cart.ts`,
    changes: `${at}/changes`,
    "changes-of-run": `${at}/changes/run`,
    history: `${at}/history`,
    snapshot: `${at}/history/${snapshot}`,
    containers: `${at}/containers`,
    preview: `${at}/preview`,
    "project-settings": `${at}/settings`,
    waiting: "/waiting",
    runs: "/runs",
    run: `/runs/${runs.done}`,
    "run-failed": `/runs/${runs.failed}`,
    keys: "/keys",
    models: "/models",
    "models-keys": "/models/keys",
    "models-custom": "/models/custom",
    agents: "/agents",
    "agents-of-project": "/agents/projects",
    "new-agent": "/agents/new",
    agent: `/agents/${agent}`,
    "mcp-servers": "/mcp-servers",
    "new-mcp-server": "/mcp-servers/new",
    "git-hosts": "/git-hosts",
    channels: "/channels",
    "new-channel": "/channels/new",
    "new-channel-telegram": "/channels/new/telegram",
    channel: `/channels/${channel}`,
    schedules: "/schedules",
    "new-schedule": "/schedules/new",
    schedule: `/schedules/${schedule}`,
    deployments: "/deployments",
    "new-deployment": "/deployments/new",
    deployment: `/deployments/${deployment}`,
    marketplace: "/marketplace",
    "marketplace-templates": "/marketplace/templates",
    "marketplace-library": "/marketplace/library",
    "marketplace-item": "/marketplace/agents/librarian",
    usage: "/usage",
    billing: "/billing",
    team: "/team",
    "team-audit": "/team/audit",
    account: "/account",
    "account-security": "/account/security",
    "account-sessions": "/account/sessions",
    "account-limits": "/account/limits",
    admin: "/admin",
    "admin-payments": "/admin/payments",
    "admin-jobs": "/admin/jobs",
    "admin-trail": "/admin/trail",
    "admin-installation": "/admin/installation",
  };
  return Object.entries(paths).map(([name, path]) => ({ name, path }));
}

/** What a person sees who has nothing yet. */
const EMPTY: readonly View[] = [
  "/",
  "/waiting",
  "/runs",
  "/keys",
  "/agents",
  "/channels",
  "/schedules",
  "/deployments",
  "/marketplace/library",
  "/usage",
  "/team",
].map((path) => ({
  name: path === "/" ? "first-run" : `empty${path.replaceAll("/", "-")}`,
  path,
  as: "newcomer",
}));

/** States that a page is seldom in. */
function statesOf(content: Content): View[] {
  const { shop, asleep, chats } = content;
  const at = `/projects/${shop}`;
  const chat = chatAt(chats.cart);
  const quiet = `/projects/${chats.quiet.project}`;
  return [
    { name: "not-found", path: "/nowhere" },
    { name: "not-found-project", path: `/projects/${crypto.randomUUID()}` },
    { name: "not-found-chat", path: `${at}/chats/${crypto.randomUUID()}` },
    { name: "refused-admin", path: "/admin", as: "viewer" },
    { name: "refused-usage", path: "/usage", as: "viewer" },
    { name: "viewer-of-project", path: `${at}/settings`, as: "viewer" },
    { name: "viewer-terminal", path: `${at}/terminal`, as: "viewer" },
    { name: "empty-chat", path: chatAt(chats.quiet) },
    { name: "empty-files", path: `${quiet}/files` },
    { name: "empty-changes", path: `${quiet}/changes` },
    { name: "empty-history", path: `${quiet}/history` },
    { name: "empty-containers", path: `${quiet}/containers` },
    { name: "hibernated-terminal", path: `/projects/${asleep}/terminal` },
    { name: "hibernated-preview", path: `/projects/${asleep}/preview` },
    { name: "hibernated-project", path: `/projects/${asleep}` },
    // Last: looking at the files wakes their storage.
    { name: "hibernated-files", path: `/projects/${asleep}/files` },
    {
      name: "loading",
      path: "/runs",
      isLoading: true,
      before: (page) => page.route("**/api/chat/agent/tasks*", () => {}),
    },
    {
      name: "failing",
      path: "/runs",
      before: (page) =>
        page.route("**/api/chat/agent/tasks*", (route) =>
          route.fulfill({ status: 403, json: { detail: "The team has no right to see this." } }),
        ),
    },
    {
      name: "offline",
      path: chat,
      act: async (page) => {
        await page.context().setOffline(true);
        await expectPage(page.getByText("Offline.")).toBeVisible();
      },
    },
    {
      name: "long-chat",
      path: chatAt(chats.long),
      before: (page) => serveLongHistory(page, chats.long.id, 10_000),
      act: (page) => expectPage(page.getByText("echo 9999", { exact: true })).toBeVisible(),
    },
    {
      name: "tool-line-open",
      path: chat,
      act: (page) => page.locator(".tool > summary").nth(2).click(),
    },
    { name: "chat-settings", path: chat, act: press("Settings…") },
    {
      name: "chat-top",
      path: chat,
      act: async (page) => {
        await page.evaluate("document.querySelector('.scroll').scrollTop = 0");
        await page.getByRole("button", { name: "Copy message" }).first().focus();
      },
    },
    {
      name: "chat-edit",
      path: chat,
      act: (page) => page.getByRole("button", { name: "Edit message" }).click(),
    },
    {
      name: "chat-mode",
      path: chatAt(chats.quiet),
      act: (page) => page.getByRole("button", { name: /^Mode:/u }).click(),
    },
    {
      name: "chat-files",
      path: chat,
      act: async (page) => {
        await page.getByLabel("Message the agent").pressSequentially("Look at @ca");
        await expectPage(page.locator(".suggestions > li").first()).toBeVisible();
      },
    },
    {
      name: "chat-attached",
      path: chatAt(chats.quiet),
      act: async (page) => {
        const picture = await page.screenshot();
        await page.getByLabel("Attach files").setInputFiles([
          { name: "what-i-see.png", mimeType: "image/png", buffer: picture },
          { name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from("plant,count\nbasil,3\n") },
        ]);
        await expectPage(page.getByRole("list", { name: "Attachments" }).locator("img")).toHaveCount(1);
      },
    },
    { name: "delete-project", path: `${at}/settings`, act: press("Delete…") },
    { name: "add-container", path: `${at}/containers`, act: press("Add container") },
    {
      name: "palette",
      path: "/",
      act: async (page) => {
        await page.keyboard.press("Control+k");
        await expectPage(page.locator("dialog").getByRole("option").first()).toBeVisible();
      },
    },
    { name: "shortcuts", path: "/", act: (page) => page.keyboard.press("?") },
    {
      name: "menu",
      path: at,
      act: (page) => page.evaluate("document.querySelector('.topbar button').click()"),
    },
    {
      name: "quick-open",
      path: `${at}/files`,
      act: async (page) => {
        await page.keyboard.press("Control+p");
        await page.keyboard.type("cart");
        await expectPage(page.locator("dialog").getByRole("option").first()).toBeVisible();
      },
    },
    {
      name: "files-conflict",
      path: `${at}/files/src/orders/pack.ts`,
      act: async (page) => {
        await page.locator(".cm-content").press("Control+End");
        await page.keyboard.type("// Boxes of 2027");
        const changed = "export const BOXES = { small: 6, large: 12 };\n";
        await content.owner.write(shop, { "src/orders/pack.ts": changed });
        await page.getByRole("button", { name: "Compare" }).click();
      },
    },
    {
      name: "change-open",
      path: `${at}/changes`,
      act: (page) => page.locator(".changed summary").first().click(),
    },
    {
      name: "terminal",
      path: `${at}/terminal`,
      act: async (page) => {
        await expectPage(page.getByText("Connected.")).toBeVisible();
        await page.keyboard.type("ls; grep -n voucher src/cart.ts\n");
        await expectPage(page.locator(".xterm-rows > div", { hasText: "README.md" }).first()).toBeVisible();
      },
    },
    {
      // The pane stays open for what comes after.
      name: "chat-beside",
      path: chat,
      act: async (page) => {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.getByRole("link", { name: "test/cart.test.ts", exact: true }).first().click();
        await expectPage(page.locator(".cm-content")).toBeVisible();
      },
    },
    {
      name: "chat-changes",
      path: chat,
      act: async (page) => {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.getByRole("button", { name: /files changed/u }).click();
        await page.locator(".pane .tool > summary").first().click();
        await expectPage(page.locator(".pane .diff")).toBeVisible();
      },
    },
    {
      name: "container-logs",
      path: `${at}/containers`,
      act: (page) => page.getByRole("link", { name: "Logs" }).last().click(),
    },
  ];
}

export function viewsOf(content: Content): View[] {
  return [...pagesOf(content), ...EMPTY, ...statesOf(content)];
}
