import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { expectAccessibleInViews } from "./support/accessible.ts";
import { answer, composer, log, openChat } from "./support/chat.ts";
import { describeConsole } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

async function send(page: Page, message: string): Promise<void> {
  await composer(page).fill(message);
  await composer(page).press("Enter");
  await expectPage(composer(page)).toHaveValue("");
}

/** Lets the agent work without asking, in this project and browser. */
async function allowEdits(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Mode: Ask first" }).click();
  await page.getByRole("menuitemradio", { name: "Allow all" }).click();
}

const make = (content: string) => call("write_file", { file_path: "made.txt", content });

const ANSWER = [
  "- [x] done",
  "- [ ] open",
  "",
  "> said",
  "",
  "```ts",
  "const depth: number = 1;",
  "```",
  "",
  "| A | unbreakable |",
  "| - | - |",
  "| 1 | 2 |",
  "",
  "![Away](https://elsewhere.example/x.png)",
  "",
  "It costs $5 or $10, and $e^{i\\pi}$ is known.",
  "",
  "$$\\frac{1}{2}$$",
  "",
  "שלום עולם",
].join("\n");

describeConsole("messages of a chat", () => {
  it("are shown as they are meant, and copied", async () => {
    const { page } = await openChat(service);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.url });
    await send(page, script({ text: ANSWER }));
    const shown = page.locator(".markdown");
    await expectPage(shown.getByRole("checkbox", { checked: true })).toHaveCount(1);
    await expectPage(shown.locator("li").first()).toHaveText("done");
    await expectPage(shown.getByRole("checkbox", { checked: false })).toHaveCount(1);
    await expectPage(shown.locator("blockquote")).toHaveText("said");
    await expectPage(shown.locator("pre .code-keyword")).toHaveText("const");
    await expectPage(shown.locator("pre")).toHaveText("const depth: number = 1;");
    await expectPage(shown.locator("math")).toHaveCount(2);
    await expectPage(shown.locator("mfrac")).toHaveCount(1);
    await expectPage(shown).toContainText("It costs $5 or $10, and");
    // A word of a heading is not broken, and a picture from elsewhere is a link.
    await expectPage(shown.getByRole("columnheader").last()).toHaveCSS("overflow-wrap", "normal");
    await expectPage(shown.getByRole("link", { name: "Away" })).toHaveAttribute("href", /^https/u);
    await expectPage(shown.getByText("שלום עולם")).toHaveCSS("direction", "rtl");
    const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "Copy code" }).click();
    await expectPage.poll(clipboard).toBe("const depth: number = 1;");
    await page.getByRole("button", { name: "Copy answer" }).click();
    await expectPage.poll(clipboard).toBe(ANSWER);
    await page.getByRole("button", { name: "Copy message" }).click();
    await expectPage.poll(clipboard).toBe(script({ text: ANSWER }));
    // When it was answered, and by which model, is there for those who look.
    await expectPage(page.locator(".facts-of-answer")).toContainText("demo");
    await expectPage(page.locator(".facts-of-answer time")).toHaveCount(1);
  });

  it("are edited and retried in place of what was answered, with its files", async () => {
    const { page, read, token } = await openChat(service);
    await allowEdits(page);
    await send(page, script({ text: "I write.", tools: [make("first\n")] }, { text: "First." }));
    await expectPage(answer(page, "First.")).toHaveCount(1);
    await expectPage(page.getByRole("button", { name: /1 file changed/u })).toContainText("+1");

    await page.getByRole("button", { name: "Edit message" }).click();
    const edited = script({ text: "I write.", tools: [make("second\n")] }, { text: "Second." });
    await page.getByLabel("Edited message").fill(edited);
    await page.getByRole("button", { name: "Undo and send" }).click();
    await expectPage(answer(page, "Second.")).toHaveCount(1);
    await expectPage(log(page)).not.toContainText("First.");
    await expectPage(page.locator(".task")).toHaveCount(1);
    await expectPage.poll(() => read("made.txt")).toBe("second\n");

    // What changed files is retried only after a question.
    await page.getByRole("button", { name: "Retry" }).click();
    const undone = page.waitForResponse("**/undo*");
    await page.getByRole("dialog").getByRole("button", { name: "Undo and retry" }).click();
    expect((await undone).status()).toBe(200);
    await expectPage(page.getByRole("dialog")).toHaveCount(0);
    const tasks = async () =>
      (await service.call<{ total: number }>("GET", "/api/chat/agent/tasks", { token })).body.total;
    await expectPage.poll(tasks).toBe(3);
    await expectPage(answer(page, "Second.")).toHaveCount(1);
    await expectPage(page.locator(".task")).toHaveCount(1);

    // An older message is the draft of a new one.
    await expectPage(page.getByRole("button", { name: "Retry" })).toBeVisible();
    await send(page, script({ text: "The last." }));
    await expectPage(answer(page, "The last.")).toHaveCount(1);
    await page.getByRole("button", { name: "Edit as a new message" }).first().click();
    await expectPage(composer(page)).toHaveValue(edited);
    await expectPage(composer(page)).toBeFocused();
  });

  it("say why a task failed, and are sent again", async () => {
    const { page } = await openChat(service);
    await send(page, script({ text: "", error: { status: 400 } }));
    await expectPage(log(page).getByRole("alert")).toBeVisible();
    await page.getByRole("button", { name: "Retry" }).click();
    await expectPage(page.locator(".task")).toHaveCount(1);
    await expectPage(log(page).getByRole("alert")).toBeVisible();
  });

  it("open beside the chat what they name and change, and go on where there is no room", async () => {
    const { page, write, read, home } = await openChat(service);
    await write("src/kept.ts", "const kept = 1;\n");
    await allowEdits(page);
    const edit = call("patch_file", { file_path: "src/kept.ts", old_str: "1", new_str: "2\n\nconst b = 3" });
    await send(
      page,
      script({ text: "", tools: [edit] }, { text: "See `kept.ts` and [it](src/kept.ts#L1)." }),
    );
    const line = page.locator(".tool");
    await expectPage(line).toContainText("Editedsrc/kept.ts+3−1");
    await line
      .locator("summary")
      .first()
      .click({ position: { x: 5, y: 5 } });
    await expectPage(line.locator(".diff")).toBeVisible();
    await line.getByText("Whole result").click();
    await expectPage(line.locator(".fields")).toContainText("lines_added");
    await expectAccessibleInViews(page, "a chat with an opened call");
    await page.setViewportSize({ width: 1300, height: 800 });
    await page.getByRole("link", { name: "kept.ts", exact: true }).click();
    const pane = page.getByRole("complementary", { name: "Workbench" });
    await expectPage(pane.locator(".cm-content")).toContainText("const b = 3");
    await expectPage(page).toHaveTitle(/^(?!Files)/u);
    await page.getByRole("button", { name: "1 file changed" }).click();
    await expectPage(pane.getByText("1 file has changed since this task began.")).toBeVisible();
    await expectAccessibleInViews(page, "a chat with a pane");
    await page.setViewportSize({ width: 1300, height: 800 });
    await pane.locator(".tool > summary").click();
    await expectPage(pane.locator(".diff .added").first()).toContainText("const kept = 2");

    // One file is brought back from there, and what was until then is kept.
    await pane.getByRole("button", { name: "Undo this file…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
    await expectPage(pane.getByText("No changes since this task began.")).toBeVisible();
    expect(await read("src/kept.ts")).toBe("const kept = 1;\n");

    // A line that is named is where the editor is.
    await page.getByRole("link", { name: "it", exact: true }).click();
    await expectPage(pane.locator(".cm-content")).toContainText("const kept = 1;");

    // The width is kept, and the pane is where it was.
    const width = async () => (await pane.boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole("separator", { name: "Width of the pane" }).press("ArrowRight");
    await expectPage.poll(width).toBeLessThan(before);
    const after = await width();
    await page.reload();
    await expectPage(pane.getByRole("link", { name: "Files" })).toBeVisible();
    await expectPage.poll(width).toBe(after);
    await page.getByRole("button", { name: "Close the pane" }).click();
    await expectPage(pane).toHaveCount(0);

    await page.setViewportSize({ width: 900, height: 800 });
    await page.getByRole("link", { name: "kept.ts", exact: true }).click();
    await expectPage(page).toHaveURL(new RegExp(`${home}/files/src/kept\\.ts`, "u"));
  });
});
