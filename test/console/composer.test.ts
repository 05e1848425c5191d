import { expect, it } from "vitest";
import { png } from "#test/support/pictures.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { expectAccessibleInViews } from "./support/accessible.ts";
import { answer, composer, log, newChat, openChat } from "./support/chat.ts";
import { describeConsole } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

const make = (name: string) => call("write_file", { file_path: name, content: name });

describeConsole("where a person writes to the agent", () => {
  it("keeps what was chosen for the project, what Enter does, and a draft for each chat", async () => {
    const { page, token, project, home } = await openChat(service);
    await page.getByRole("button", { name: "Mode: Ask first" }).click();
    await page.getByRole("menuitemradio", { name: "Plan only" }).click();
    await page.getByRole("button", { name: "Model: Default" }).click();
    const model = page.getByRole("menuitemradio").nth(1);
    const name = (await model.innerText()).trim();
    await model.click();
    await page.getByRole("button", { name: "Agent: Default" }).click();
    await expectPage(page.getByRole("menuitemradio", { name: "Default agent" })).toBeFocused();
    await expectPage(page.getByRole("menu")).not.toContainText("Loading…");
    await expectPage(page.getByRole("menuitemradio", { name: "Default agent" })).toHaveCount(1);
    // With more agents than fit.
    await page.getByRole("menu").evaluate((menu) => (menu.style.maxHeight = "60px"));
    await expectAccessibleInViews(page, "the choices of the composer");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Enter key" }).click();
    await page.getByRole("menuitemradio", { name: /^Enter breaks/u }).click();
    await composer(page).fill("Of the first chat");
    await page.goto(`/app${home}/chats/${await newChat(service, token, { project_id: project })}`);
    await expectPage(composer(page)).toHaveValue("");
    await expectPage(page.getByRole("button", { name: "Mode: Plan only" })).toBeVisible();
    await expectPage(page.getByRole("button", { name: `Model: ${name}` })).toBeVisible();
    await page.goBack();
    await expectPage(composer(page)).toHaveValue("Of the first chat");
    // The page puts the caret to the end of the draft when it takes the focus, and not before.
    await expectPage(composer(page)).toBeFocused();
    await composer(page).press("Enter");
    await expectPage(composer(page)).toHaveValue("Of the first chat\n");
    // The message is sent as it was chosen.
    const write = call("write_file", { file_path: "no.txt", content: "no" });
    await composer(page).fill(script({ text: "", tools: [write] }, { text: "Planned." }));
    await composer(page).press("Shift+Enter");
    await expectPage(answer(page, "Planned.")).toHaveCount(1);
    await expectPage(page.locator(".tool .outcome.failed")).toHaveCount(1);
  });

  it("completes files and commands", async () => {
    const { page, write } = await openChat(service);
    await write("src/parser.ts", "x");
    await write("src/printer.ts", "x");
    await composer(page).pressSequentially("See @par");
    const offered = page.getByRole("listbox", { name: "Suggestions" });
    await expectPage(offered.getByRole("option")).toHaveText(["src/parser.ts"]);
    await expectAccessibleInViews(page, "a file that is offered");
    await page.keyboard.press("Enter");
    await expectPage(composer(page)).toHaveValue("See src/parser.ts ");
    await page.keyboard.type("and @");
    await expectPage(offered.getByRole("option").first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expectPage(offered).toHaveCount(0);
    await composer(page).fill("");
    await page.keyboard.type("/pl");
    await expectPage(offered.getByRole("option")).toHaveCount(1);
    await page.keyboard.press("Enter");
    await expectPage(page.getByRole("button", { name: "Mode: Plan only" })).toBeVisible();
    await expectPage(composer(page)).toHaveValue("");
    await page.setViewportSize({ width: 1300, height: 800 });
    await page.keyboard.type("/files");
    await expectPage(offered.getByRole("option")).toHaveCount(1);
    await page.keyboard.press("Tab");
    await expectPage(page.getByRole("complementary", { name: "Workbench" })).toBeVisible();
  });

  it("shows attached files before and after they are sent, also after a reload", async () => {
    const { page } = await openChat(service);
    await page.getByLabel("Attach files").setInputFiles([
      { name: "pixel.png", mimeType: "image/png", buffer: png(1, 1) },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("for the agent") },
    ]);
    const attached = page.getByRole("list", { name: "Attachments" });
    await expectPage(attached.locator("img")).toHaveCount(1);
    await expectPage(attached.getByRole("progressbar")).toHaveCount(0);
    await composer(page).fill(script({ text: "Seen." }));
    await composer(page).press("Enter");
    await expectPage(answer(page, "Seen.")).toHaveCount(1);
    const sent = log(page).getByRole("list", { name: "Attached files" });
    for (const isAgain of [false, true]) {
      if (isAgain) await page.reload();
      await expectPage(sent.getByRole("img", { name: "pixel.png" })).toBeVisible();
      await expectPage(sent.getByRole("link", { name: "notes.txt" })).toBeVisible();
    }
    await page.setViewportSize({ width: 1300, height: 800 });
    await sent.getByRole("link", { name: "notes.txt" }).click();
    const pane = page.getByRole("complementary", { name: "Workbench" });
    await expectPage(pane.locator(".cm-content")).toContainText("for the agent");
  });

  it("says how far an upload is, in percent", async () => {
    const { page } = await openChat(service);
    const network = await page.context().newCDPSession(page);
    const conditions = { offline: false, latency: 0, downloadThroughput: -1 };
    // So slow that it would take minutes.
    await network.send("Network.emulateNetworkConditions", { ...conditions, uploadThroughput: 20_000 });
    const file = { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(4_000_000) };
    await page.getByLabel("Attach files").setInputFiles(file);
    const bar = page.getByRole("progressbar", { name: "Uploading large.bin" });
    await expectPage(bar).toHaveAttribute("value", /^[1-9]/u);
    await expectPage(bar.locator("xpath=following-sibling::*[1]")).toHaveText(/^[1-9]\d? %$/u);
    await network.send("Network.emulateNetworkConditions", { ...conditions, uploadThroughput: -1 });
    await expectPage(bar).toHaveCount(0);
    await expectPage(page.getByRole("list", { name: "Attachments" })).toContainText("3.8 MiB");
  });

  it("says at once that it is offline, and sends what waits once, also over a reload", async () => {
    const { page, token } = await openChat(service, { mayComplain: true });
    const shut = Promise.withResolvers<void>();
    let gate: Promise<void> | undefined;
    await page.routeWebSocket("**/ws/chat/**", async (route) => {
      await gate;
      route.connectToServer();
    });
    gate = shut.promise;
    await page.reload();
    await expectPage(composer(page)).toBeFocused();
    await composer(page).fill(script({ text: "It came." }));
    await composer(page).press("Enter");
    await expectPage(page.locator(".outgoing")).toContainText("Sending…");
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await expectPage(page.locator(".outgoing")).toContainText("Waits for the connection");
    await expectPage(page.getByText("Offline. Reconnecting…")).toBeVisible();
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expectPage(page.locator(".outgoing")).toContainText("Sending…");
    await page.reload();
    await expectPage(page.locator(".outgoing")).toContainText("Sending…");
    shut.resolve();
    await expectPage(page.locator(".markdown")).toHaveText("It came.");
    await expectPage(page.locator(".outgoing")).toHaveCount(0);
    await page.reload();
    await expectPage(page.locator(".task")).toHaveCount(1);
    const { body } = await service.call<{ total: number }>("GET", "/api/chat/agent/tasks", { token });
    expect(body.total).toBe(1);
  });

  it("keeps a message that was refused, with the reason", async () => {
    const { page, token, project, chat } = await openChat(service);
    await composer(page).fill("To nowhere");
    // The last chat of a project cannot be deleted.
    await newChat(service, token, { project_id: project });
    expect((await service.call("DELETE", `/api/chat/${chat}`, { token })).status).toBe(200);
    await composer(page).press("Enter");
    const unsent = page.locator(".outgoing");
    await expectPage(unsent.getByRole("alert")).toBeVisible();
    await unsent.getByRole("button", { name: "Edit" }).click();
    await expectPage(composer(page)).toHaveValue("To nowhere");
    await expectPage(unsent).toHaveCount(0);
  });
});

describeConsole("a question of the agent", () => {
  it("is denied with a reason that the model reads, and allowed, by keyboard", async () => {
    const { page, read } = await openChat(service);
    const turns = [
      { text: "I ask.", tools: [make("one.txt")] },
      { text: "I ask again.", tools: [make("two.txt")] },
      { text: "Over." },
    ];
    await composer(page).fill(script(...turns));
    await composer(page).press("Enter");
    await expectPage(page.getByRole("button", { name: "Allow once" })).toBeVisible();
    await expectAccessibleInViews(page, "a question of the agent");
    // A letter alone, as of a person who believes to be writing, allows nothing.
    await page.getByRole("button", { name: "Allow this tool in this chat" }).focus();
    await page.keyboard.press("y");
    await composer(page).focus();
    await page.keyboard.press("Alt+n");
    await expectPage(page.getByLabel("Reason for denying")).toBeFocused();
    await page.keyboard.type("Not this file");
    await page.keyboard.press("Enter");
    const denied = page.locator(".tool", { hasText: "one.txt" });
    await expectPage(denied).toContainText(/Denied by .+: Not this file/u);
    // Unlike a message, a reason lets the work go on.
    await expectPage(page.getByLabel("The agent asks")).toContainText("two.txt");
    await page.keyboard.press("Alt+y");
    await expectPage(answer(page, "Over.")).toHaveCount(1);
    await expectPage.poll(() => read("two.txt")).toBe("two.txt");
    expect(await read("one.txt")).toBe(404);
    await denied.locator("summary").click();
    await expectPage(denied).toContainText("Their reason: Not this file");
    await page.reload();
    await expectPage(denied).toContainText(/Denied by .+: Not this file/u);
  });
});
