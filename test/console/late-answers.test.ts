import type { Browser, Page, WebSocketRoute } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "#test/support/chromium.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";
import { expectPage, launchBrowser, openConsole } from "./support/open-console.ts";

const service = sharedService();

const editor = (page: Page) => page.locator(".file > .editor .cm-content");
const composer = (page: Page) => page.getByLabel("Message to the agent");
const log = (page: Page) => page.getByRole("log");

/** Holds what matches back until `letGo` is called, as a network or a machine that is slow would. */
async function held(
  page: Page,
  pattern: string | RegExp,
  isHeld: (headers: Record<string, string>) => boolean,
) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  let count = 0;
  await page.route(pattern, async (route) => {
    if (isHeld(route.request().headers())) {
      count += 1;
      await promise;
    }
    // The page may have been left by then.
    await route.continue().catch(() => {});
  });
  return { letGo, count: () => count };
}

/** Holds the connections of chats back until `letGo` is called. */
async function heldSockets(page: Page) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  await page.routeWebSocket("**/ws/chat/**", async (route: WebSocketRoute) => {
    await promise;
    route.connectToServer();
  });
  return letGo;
}

describe.skipIf(CHROMIUM === undefined)("what comes late in the console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function openProject() {
    const client = await newTaskClient(service);
    const { account, projectId } = client;
    const { token } = account;
    const raw = (path: string) =>
      `/api/projects/${projectId}/files/raw?${new URLSearchParams({ path }).toString()}`;
    const write = (path: string, body: string) => service.call("PUT", raw(path), { token, body });
    const read = async (path: string) => (await service.call("GET", raw(path), { token })).text;
    await write("a.ts", "const a = 1;\n");
    const { page, complaints } = await openConsole(browser, service, { account, path: "/keys" });
    const files = `/app/projects/${projectId}/files`;
    return { client, account, write, read, page, complaints, files };
  }

  async function openChat() {
    const opened = await openProject();
    const { account, client } = opened;
    const json = { project_id: client.projectId };
    const { body } = await service.call<{ id: string }>("POST", "/api/chat", { token: account.token, json });
    return { ...opened, chatId: body.id, chat: `/app/projects/${client.projectId}/chats/${body.id}` };
  }

  it("leaves a file writable: the person's role comes after the text", async () => {
    const { page, files, complaints } = await openProject();
    const role = await held(page, "**/my-role", () => true);
    await page.goto(`${files}/a.ts`);
    await expectPage(editor(page)).toContainText("const a = 1;");
    role.letGo();
    await expectPage(page.getByRole("button", { name: "New file" })).toBeVisible();
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("// mine");
    await expectPage(page.getByLabel("Open files")).toContainText("not saved");
    expect(complaints).toEqual([]);
  });

  it("saves a text that was to be saved while the page looked for changes", async () => {
    const { page, files, read, complaints } = await openProject();
    await page.goto(`${files}/a.ts`);
    const looks = await held(page, "**/files/raw?*", (headers) => "if-none-match" in headers);
    await editor(page).press("Control+End");
    await page.keyboard.type("// one");
    await page.keyboard.press("Control+s");
    // The notice of the page's own change has it look.
    await expectPage.poll(looks.count).toBeGreaterThan(0);
    await page.keyboard.type(", two");
    await page.keyboard.press("Control+s");
    looks.letGo();
    await expectPage.poll(() => read("a.ts")).toBe("const a = 1;\n// one, two");
    await expectPage(page.getByLabel("Open files")).not.toContainText("not saved");
    expect(complaints).toEqual([]);
  });

  it("keeps an unsaved text over a reload before the file was there", async () => {
    const { page, files, complaints } = await openProject();
    await page.goto(`${files}/a.ts`);
    await editor(page).press("Control+End");
    await page.keyboard.type("// mine");
    await expectPage(page.getByLabel("Open files")).toContainText("not saved");
    let isHeld = true;
    const reading = await held(page, "**/files/raw?*", () => isHeld);
    await page.reload();
    await expectPage.poll(reading.count).toBeGreaterThan(0);
    isHeld = false;
    await page.reload();
    await expectPage(editor(page)).toContainText("// mine");
    await expectPage(page.getByLabel("Open files")).toContainText("not saved");
    expect(complaints).toEqual([]);
  });

  it("is not taken for the text of the keyboard: an editor does not take the focus of who writes elsewhere", async () => {
    const { page, files, complaints } = await openProject();
    const reading = await held(page, "**/files/raw?*", () => true);
    await page.goto(`${files}/a.ts`);
    await page.getByText("Search text in files").click();
    await page.getByLabel("Text", { exact: true }).fill("needle");
    reading.letGo();
    await expectPage(editor(page)).toContainText("const a = 1;");
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    await expectPage(page.getByLabel("Text", { exact: true })).toBeFocused();
    expect(complaints).toEqual([]);
  });

  it("shows a file that was made while the connection was made", async () => {
    const { page, files, write, complaints } = await openProject();
    const letGo = await heldSockets(page);
    await page.goto(files);
    await expectPage(page.getByRole("treeitem", { name: "a.ts" })).toBeVisible();
    await write("b.ts", "made");
    letGo();
    await expectPage(page.getByRole("treeitem", { name: "b.ts" })).toBeVisible();
    expect(complaints).toEqual([]);
  });

  it("shows a file that was made while another page of the project was shown", async () => {
    const { page, files, write, complaints } = await openProject();
    await page.goto(files);
    await expectPage(page.getByRole("treeitem", { name: "a.ts" })).toBeVisible();
    await page.getByLabel("Project", { exact: true }).getByRole("link", { name: "Settings" }).click();
    await expectPage(page.getByRole("heading", { name: "Settings" })).toBeVisible();
    await write("b.ts", "made");
    await page.getByLabel("Project", { exact: true }).getByRole("link", { name: "Files" }).click();
    await expectPage(page.getByRole("treeitem", { name: "b.ts" })).toBeVisible();
    expect(complaints).toEqual([]);
  });

  it("shows the answer of a task that ended while the connection was made", async () => {
    const { page, client, chat, chatId, complaints } = await openChat();
    const letGo = await heldSockets(page);
    const slow = script(
      { text: Array(40).fill("slow").join(" "), chunks: 40, delay_ms: 100 },
      { text: "Over." },
    );
    const { task_id } = await client.start(slow, { chat_id: chatId });
    await client.event(task_id, "text_delta");
    const history = page.waitForResponse((response) => response.url().includes("results=short"));
    await page.goto(chat);
    await (await history).finished();
    await expectPage(log(page)).toBeVisible();
    expect((await client.status(task_id)).status).toBe("running");
    await client.end(task_id);
    letGo();
    await expectPage(log(page)).toContainText("slow slow");
    expect(complaints).toEqual([]);
  });

  it("keeps what a person writes while a message is sent", async () => {
    const { page, chat, complaints } = await openChat();
    const letGo = await heldSockets(page);
    await page.goto(chat);
    await composer(page).fill(script({ text: "The first." }));
    await page.getByRole("button", { name: "Send" }).click();
    await expectPage(page.getByRole("button", { name: "Sending …" })).toBeDisabled();
    await composer(page).fill("The second");
    letGo();
    await expectPage(log(page)).toContainText("The first.");
    await expectPage(page.getByRole("button", { name: "Send" })).toBeEnabled();
    await page.reload();
    await expectPage(composer(page)).toHaveValue("The second");
    expect(complaints).toEqual([]);
  });

  it("sends a message although the person leaves the chat, and leaves no draft of it", async () => {
    const { page, chat, complaints } = await openChat();
    const letGo = await heldSockets(page);
    await page.goto(chat);
    await composer(page).fill(script({ text: "From afar." }));
    await page.getByRole("button", { name: "Send" }).click();
    await expectPage(page.getByRole("button", { name: "Sending …" })).toBeDisabled();
    await page.getByLabel("Project", { exact: true }).getByRole("link", { name: "Chats" }).click();
    await expectPage(page.getByRole("button", { name: "New chat" })).toBeVisible();
    await page.goBack();
    // It is not sent a second time.
    await expectPage(page.getByRole("button", { name: "Sending …" })).toBeDisabled();
    letGo();
    await expectPage(log(page)).toContainText("From afar.");
    await expectPage(composer(page)).toHaveValue("");
    await expectPage(page.locator(".task")).toHaveCount(1);
    expect(complaints).toEqual([]);
  });

  it("takes what is typed before the palette is there", async () => {
    const { page, complaints } = await openProject();
    const code = await held(page, /\/go-to[^/]*\.js$/u, () => true);
    await expectPage(page.getByRole("heading", { name: "API keys" })).toBeVisible();
    await page.keyboard.press("Control+k");
    await expectPage(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.type("usag");
    expect(code.count()).toBe(1);
    code.letGo();
    await expectPage(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
    await page.keyboard.type("e");
    await expectPage(page.getByRole("dialog").getByRole("combobox")).toHaveValue("usage");
    await expectPage(page.getByRole("option", { name: /^Usage/u })).toHaveAttribute("data-highlighted", "");
    await page.keyboard.press("Enter");
    await expectPage(page.getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();
    expect(complaints).toEqual([]);
  });

  it("does not say that a key was copied that was not", async () => {
    const { page, complaints } = await openProject();
    const made = page.getByLabel("The new key");
    const make = async (name: string) => {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create a key" }).click();
      await expectPage(page.getByRole("list", { name: "Your keys" })).toContainText(name);
    };
    await make("first");
    await made.getByRole("button", { name: "Copy the key" }).click();
    const said = made.getByRole("status").first();
    await expectPage(said).toHaveText(/copied/iu);
    const key = await made.locator("code").first().innerText();
    await make("second");
    await expectPage(made.locator("code").first()).not.toHaveText(key);
    await expectPage(said).toHaveText("");
    expect(complaints).toEqual([]);
  });

  it("leaves a person where they went while a project was forked", async () => {
    const { page, client, complaints } = await openProject();
    const forking = await held(page, "**/fork", () => true);
    await page.goto(`/app/projects/${client.projectId}`);
    await page.getByRole("button", { name: "Fork" }).click();
    await expectPage(page.getByRole("button", { name: "Forking …" })).toBeVisible();
    await page.locator("aside").getByRole("link", { name: "Usage" }).click();
    const answer = page.waitForResponse("**/fork");
    forking.letGo();
    await (await answer).finished();
    await expectPage(page.getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    expect(new URL(page.url()).pathname).toBe("/app/usage");
    expect(complaints).toEqual([]);
  });
});
