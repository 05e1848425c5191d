import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { newChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { goTo } from "./support/accessible.ts";
import { composer, log, newChat } from "./support/chat.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { openProject } from "./support/project.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const editor = (page: Page) => page.locator(".file > .editor .cm-content");
const inProject = (page: Page, name: string) =>
  page.getByLabel("Project", { exact: true }).getByRole("link", { name });
const unsaved = (page: Page) => page.getByLabel("Open files").getByText("unsaved");
const FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/**
 * Holds what matches back until `letGo` is called, as a network or a machine that is slow would. The route stays:
 * Playwright tells nothing more of a request that begins at the moment in which a page's last route is taken away.
 */
async function held(page: Page, pattern: string | RegExp, header?: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  await page.route(pattern, async (route) => {
    if (header === undefined || header in route.request().headers()) {
      count += 1;
      await promise;
    }
    // The page may have been left by then.
    await route.continue().catch(() => {});
  });
  return { letGo: resolve, count: () => count };
}

/** Gives the connections of chats a gate that can be shut and opened. */
async function gateOfSockets(page: Page) {
  let gate = Promise.resolve();
  await page.routeWebSocket("**/ws/chat/**", async (route) => {
    await gate;
    route.connectToServer();
  });
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
}

async function openPageOfProject() {
  const project = await openProject(service);
  const { account } = project;
  const { page } = await openPage(service, { account, path: null, waitsForReads: false });
  return { ...project, page, home: `/app${project.home}` };
}

describeConsole("what comes late in the console", () => {
  it("leaves files writable, saved, unsaved and listed as the person sees them", async () => {
    const { page, write, read, home } = await openPageOfProject();
    for (const name of ["a", "b", "c", "d"]) await write(`${name}.ts`, `const ${name} = 1;\n`);
    const shut = await gateOfSockets(page);

    // The person's role comes after the text.
    const role = await held(page, /\/api\/sidebar\?/u);
    await page.goto(`${home}/files/a.ts`);
    await expectPage(editor(page)).toContainText("const a = 1;");
    role.letGo();
    await expectPage(page.getByRole("button", { name: "New file" })).toBeVisible();
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("// mine");
    await expectPage(unsaved(page)).toHaveCount(1);
    await page.keyboard.press("Control+s");
    await expectPage(unsaved(page)).toHaveCount(0);

    // A text is to be saved while the page looks for changes: the notice of its own change has it look.
    await page.getByRole("treeitem", { name: "b.ts" }).click();
    await expectPage(editor(page)).toContainText("const b = 1;");
    const looks = await held(page, "**/files/raw?*", "if-none-match");
    await editor(page).press("Control+End");
    await page.keyboard.type("// one");
    await page.keyboard.press("Control+s");
    await expectPage.poll(looks.count).toBeGreaterThan(0);
    await page.keyboard.type(", two");
    await page.keyboard.press("Control+s");
    looks.letGo();
    await expectPage.poll(() => read("b.ts")).toBe("const b = 1;\n// one, two");
    await expectPage(unsaved(page)).toHaveCount(0);

    // An unsaved text is kept over a reload before the file was there.
    await page.getByRole("treeitem", { name: "c.ts" }).click();
    await expectPage(editor(page)).toContainText("const c = 1;");
    await editor(page).press("Control+End");
    await page.keyboard.type("// mine");
    await expectPage(unsaved(page)).toHaveCount(1);
    const reading = await held(page, "**/files/raw?*");
    await page.reload();
    await expectPage.poll(reading.count).toBeGreaterThan(0);
    reading.letGo();
    await page.reload();
    await expectPage(editor(page)).toContainText("// mine");
    await expectPage(unsaved(page)).toHaveCount(1);

    // An editor does not take the focus of who writes elsewhere.
    const opening = await held(page, "**/files/raw?*");
    await page.goto(`${home}/files/d.ts`);
    await page.getByText("Search text in files").click();
    await page.getByLabel("Text", { exact: true }).fill("needle");
    opening.letGo();
    await expectPage(editor(page)).toContainText("const d = 1;");
    await page.evaluate(FRAMES);
    await expectPage(page.getByLabel("Text", { exact: true })).toBeFocused();

    // A file is made while another page of the project is shown, and another while the connection is made.
    await inProject(page, "Settings").click();
    await expectPage(page.getByRole("heading", { name: "Settings", exact: true })).toBeVisible();
    await write("e.ts", "made");
    await inProject(page, "Files").click();
    await expectPage(page.getByRole("treeitem", { name: "e.ts" })).toBeVisible();
    const letGo = shut();
    await page.goto(`${home}/files`);
    await expectPage(page.getByRole("treeitem", { name: "a.ts" })).toBeVisible();
    await write("f.ts", "made");
    letGo();
    await expectPage(page.getByRole("treeitem", { name: "f.ts" })).toBeVisible();
  });

  it("shows each answer and sends each message of a chat once, however late the connection is", async () => {
    const { page, client, account, home } = await openPageOfProject();
    const { projectId } = client;
    const chatting = await newChatClient(service, { account, projectId });
    const begin = async () => {
      const chat_id = await newChat(service, account.token, { project_id: projectId });
      return { chat_id, address: `${home}/chats/${chat_id}` };
    };
    const shut = await gateOfSockets(page);
    /** Sends a message in a new chat whose connection is not made yet. */
    const sendIn = async (text: string) => {
      await page.goto((await begin()).address);
      await composer(page).fill(script({ text }));
      await page.getByRole("button", { name: "Send" }).click();
      await expectPage(page.locator(".outgoing")).toContainText("Sending…");
    };

    // A task ends while the connection is made: after the page has read what was there.
    let letGo = shut();
    const { chat_id, address } = await begin();
    const write = call("write_file", { file_path: "a.txt", content: "a" });
    const message = script({ text: "I ask.", tools: [write] }, { text: "It is over." });
    const stream = await chatting.send(message, { chat_id, edit_mode: "ask" });
    for await (const { type, data } of stream.frames()) {
      if (type !== "approval_required") continue;
      const history = page.waitForResponse((response) => response.url().includes("results=short"));
      await page.goto(address);
      await (await history).finished();
      await expectPage(log(page)).toBeVisible();
      const answer = { approval_id: data?.["approval_id"], response: "allow_once" };
      expect((await chatting.call("POST", "/api/chat/agent/approval", answer)).status).toBe(200);
    }
    letGo();
    await expectPage(page.locator(".markdown").last()).toHaveText("It is over.");

    // A task begins and ends between what the page has read and its connection.
    letGo = shut();
    const elsewhere = await begin();
    await page.goto(elsewhere.address);
    await expectPage(log(page)).toContainText("No messages yet");
    const said = { project_id: projectId, message: script({ text: "From elsewhere." }) };
    const answered = await chatting.call("POST", "/api/chat/agent", { ...said, chat_id: elsewhere.chat_id });
    expect(answered.status).toBe(200);
    letGo();
    await expectPage(page.locator(".markdown")).toHaveText("From elsewhere.");

    // What a person writes while a message is sent is kept.
    letGo = shut();
    await sendIn("The first.");
    await composer(page).fill("The second");
    letGo();
    await expectPage(page.locator(".markdown")).toContainText("The first.");
    await expectPage(page.locator(".outgoing")).toHaveCount(0);
    await page.reload();
    await expectPage(composer(page)).toHaveValue("The second");

    // A person who leaves the chat has sent the message, once, and leaves no draft of it.
    letGo = shut();
    await sendIn("From afar.");
    await inProject(page, "Chats").click();
    await expectPage(page.getByRole("main").getByRole("button", { name: "New chat" })).toBeVisible();
    await page.goBack();
    await expectPage(page.locator(".outgoing")).toContainText("Sending…");
    letGo();
    await expectPage(page.locator(".markdown")).toHaveText("From afar.");
    await expectPage(composer(page)).toHaveValue("");
    await expectPage(page.locator(".task")).toHaveCount(1);
  });

  it("loses no letter before the palette is there, calls no key copied, and leads nobody away", async () => {
    const { page, home } = await openPageOfProject();
    const code = await held(page, /\/go-to[^/]*\.js$/u);
    await page.goto("/app/keys");
    await expectPage(page.getByRole("heading", { name: "API keys", exact: true })).toBeVisible();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await expectPage(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.type("usag");
    await expect.poll(code.count).toBe(1);
    code.letGo();
    await expectPage(field).toBeFocused();
    await page.keyboard.type("e");
    await expectPage(field).toHaveValue("usage");
    await expectPage(page.getByRole("option", { name: /^Usage/u })).toHaveAttribute("data-highlighted", "");
    await page.keyboard.press("Enter");
    await expectPage(page.getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();

    // A key that was made after another one was copied.
    await goTo(page, "/keys");
    const made = page.getByLabel("The new key");
    const make = async (name: string) => {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create key" }).click();
      await expectPage(page.getByRole("list", { name: "Your API keys" })).toContainText(name);
    };
    await make("first");
    await made.getByRole("button", { name: "Copy key" }).click();
    const said = made.getByRole("status").first();
    await expectPage(said).toHaveText(/copied/iu);
    const key = await made.locator("code").first().innerText();
    await make("second");
    await expectPage(made.locator("code").first()).not.toHaveText(key);
    await expectPage(said).toHaveText("");

    // A code of a person on a platform is taken once it is known which platforms there are.
    const platforms = await held(page, "**/api/gateway/platforms");
    await page.goto("/app/channels");
    await page.getByLabel("Code").fill("WRONG234");
    const link = page.getByRole("button", { name: "Continue" });
    await expectPage(link).toBeDisabled();
    platforms.letGo();
    await expectPage(page.getByLabel("Loading", { exact: true })).toHaveCount(0);
    await link.click();
    await expectPage(page.getByRole("alert")).toBeVisible();

    // A fork that ends after its person went elsewhere.
    const forking = await held(page, "**/fork");
    await goTo(page, home.replace("/app", ""));
    await page.getByRole("button", { name: "Project actions" }).click();
    await page.getByRole("menuitem", { name: "Fork" }).click();
    await expectPage(page.getByText("Forking…")).toBeVisible();
    await page.locator("aside").getByRole("link", { name: "Usage" }).click();
    const answer = page.waitForResponse("**/fork");
    forking.letGo();
    await (await answer).finished();
    await expectPage(page.getByRole("heading", { name: "Usage", level: 1 })).toBeVisible();
    await page.evaluate(FRAMES);
    expect(new URL(page.url()).pathname).toBe("/app/usage");
  });
});
