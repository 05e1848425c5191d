import { it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { expectFocus, pressOn, tabTo } from "./support/keyboard.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

describeConsole("a person with a keyboard alone", () => {
  it("registers, reads a first answer within four screens, approves, saves a file, commits it and makes a key", async () => {
    const { page } = await openPage(service, { address: "/" });
    const dialog = page.getByRole("dialog");
    await expectPage(page.getByRole("link", { name: "Create one" })).toBeVisible();
    await pressOn(page, "Create one");
    // The page before has a field of the same name.
    await page.waitForURL("**/register");
    const name = `ada${crypto.randomUUID().slice(0, 8)}`;
    await tabTo(page, "Email address");
    await page.keyboard.type(`${name}@example.com`);
    await tabTo(page, "Name");
    await page.keyboard.type("Ada");
    await tabTo(page, "Password");
    await page.keyboard.type(`${crypto.randomUUID()} words`);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/app");
    await expectPage(page.getByRole("button", { name: "Create project" })).toBeVisible();

    await pressOn(page, "Create project");
    await expectPage(page.getByRole("button", { name: "Allow this tool in this chat" })).toBeVisible();
    await expectFocus(page);
    await pressOn(page, "Allow this tool in this chat");
    await expectPage(page.locator(".outcome.done").first()).toBeVisible();
    // The question is gone, the focus is not.
    await expectPage(page.getByRole("button", { name: "Allow this tool in this chat" })).toHaveCount(0);
    await expectFocus(page);
    // A reload shows the same, once.
    await expectPage(page.getByRole("log")).toContainText("hello.txt");
    // Between two turns nothing can be stopped either: this comes with the end.
    await expectPage(page.locator(".facts-of-answer")).toHaveCount(1);
    const calls = await page.locator(".tool").count();
    await page.reload();
    await expectPage(page.locator(".tool")).toHaveCount(calls);
    await expectPage(page.locator(".task")).toHaveCount(1);
    await tabTo(page, "Message the agent");
    await page.keyboard.type("And now?");
    await page.keyboard.press("Control+Enter");
    await expectPage(page.getByRole("log")).toContainText("And now?");
    await expectFocus(page);

    await pressOn(page, "Files");
    await expectPage(page.getByRole("treeitem", { name: "hello.txt" })).toBeVisible();
    await expectFocus(page);
    await tabTo(page, "hello.txt");
    await page.keyboard.press("Enter");
    await expectPage(page.locator(".cm-content")).toBeFocused();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("typed");
    await expectPage(page.getByLabel("Open files")).toContainText("unsaved");
    // Escape, then Tab leaves the editor, which takes Tab for itself.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await pressOn(page, "Save");
    await expectPage(page.getByLabel("Open files")).not.toContainText("unsaved");
    await expectFocus(page);

    await tabTo(page, "Changes", "Shift+Tab");
    await page.keyboard.press("Enter");
    await expectPage(page.getByRole("heading", { name: "Changes", exact: true })).toBeVisible();
    const begin = page.getByRole("button", { name: "Initialise git repository" });
    await expectPage(begin.or(page.getByLabel("Commit message"))).toBeVisible();
    if (await begin.isVisible()) await pressOn(page, "Initialise git repository");
    await expectPage(page.getByLabel("Commit message")).toBeVisible();
    await expectFocus(page);
    await tabTo(page, "Commit message");
    await page.keyboard.type("Say hello");
    await pressOn(page, "Commit");
    await expectPage(page.getByLabel("Commits")).toContainText("Say hello");
    await expectFocus(page);

    await page.keyboard.press("Control+k");
    await expectPage(dialog.getByRole("combobox")).toBeFocused();
    await page.keyboard.type("api k");
    await expectPage(page.getByRole("option", { name: /^API keys/u })).toHaveAttribute("data-highlighted");
    await page.keyboard.press("Enter");
    await expectPage(page.getByRole("heading", { name: "API keys", exact: true })).toBeVisible();
    await expectFocus(page);
    await tabTo(page, "Name");
    await page.keyboard.type("mine");
    await pressOn(page, "Create key");
    await expectPage(page.getByLabel("The new key")).toContainText("tsk_");
    await expectFocus(page);
    await expectPage(page.getByRole("button", { name: "Revoke mine" })).toBeVisible();
    await pressOn(page, "Revoke mine");
    await expectPage(dialog).toBeVisible();
    await pressOn(page, "Cancel");
    await expectPage(page.getByRole("button", { name: "Revoke mine" })).toBeFocused();
    await page.keyboard.press("Enter");
    await pressOn(page, "Revoke");
    await expectPage(page.getByText("Revoked", { exact: true })).toBeVisible();
    await expectFocus(page);
  });
});
