import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { png } from "#test/support/pictures.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { expectAccessible } from "./support/accessible.ts";
import { describeConsole, openPage } from "./support/console.ts";
import { openProject } from "./support/project.ts";
import { expectPage } from "./support/open-console.ts";

const service = sharedService();

async function openFiles() {
  const { home, ...project } = await openProject(service);
  await project.write("src/a.ts", "const a = 1;\n");
  await project.write("README.md", "# Title\n");
  return { ...project, path: `${home}/files` };
}

const editor = (page: Page) => page.locator(".file > .editor .cm-content");

describeConsole("the files of a project", () => {
  it("are opened, edited and saved by keyboard alone, and unsaved text survives a reload", async () => {
    const { account, read, path } = await openFiles();
    const { page } = await openPage(service, { account, path });
    await expectPage(page.getByRole("treeitem", { name: "README.md" })).toBeVisible();
    await page.keyboard.press("Control+p");
    await expectPage(page.getByRole("combobox", { name: "Open a file by its name" })).toBeFocused();
    await page.keyboard.type("a.ts");
    await expectPage(page.getByRole("option", { name: "src/a.ts" })).toHaveAttribute("data-highlighted", "");
    await page.keyboard.press("Enter");
    await expectPage(editor(page)).toBeFocused();
    await expectPage(page).toHaveURL(/\/files\/src\/a\.ts$/u);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("const b = 2;");
    await expectPage(page.getByLabel("Open files")).toContainText("unsaved");
    await page.reload();
    await expectPage(editor(page)).toContainText("const b = 2;");
    expect(await read("src/a.ts")).toBe("const a = 1;\n");
    await editor(page).press("Control+s");
    await expectPage(page.getByLabel("Open files")).not.toContainText("unsaved");
    expect(await read("src/a.ts")).toBe("const a = 1;\nconst b = 2;");
    await expectAccessible(page);
    // Escape, then Tab leaves the editor, however slow the person is.
    await page.clock.install();
    await page.keyboard.press("Escape");
    await page.clock.fastForward(10_000);
    await page.keyboard.press("Tab");
    await expectPage(page.getByRole("button", { name: "Find" })).toBeFocused();
  });

  it("are never overwritten unasked when an agent changes what a person edits", async () => {
    const { client, account, write, read, path } = await openFiles();
    const { page } = await openPage(service, { account, path: `${path}/src/a.ts` });
    await expectPage(editor(page)).toContainText("const a = 1;");
    const edit = async (content: string) => {
      const { task_id } = await client.start(
        script({ tools: [call("write_file", { file_path: "src/a.ts", content })] }, { text: "Done." }),
      );
      await client.end(task_id);
    };
    // Without edits, the page follows.
    await edit("const a = 10;\n");
    await expectPage(editor(page)).toContainText("const a = 10;");
    await editor(page).press("Control+End");
    await page.keyboard.type("// mine");
    await edit("const a = 11;\n");
    const asked = page.getByRole("alert").filter({ hasText: "changed while you edited" });
    await expectPage(asked).toBeVisible();
    expect(await read("src/a.ts")).toBe("const a = 11;\n");
    await asked.getByRole("button", { name: "Compare" }).click();
    await expectPage(page.getByLabel("Comparison of src/a.ts")).toContainText("// mine");
    await expectPage(page.locator(".conflict .cm-deletedChunk")).toContainText("const a = 11;");
    await expectAccessible(page);
    await asked.getByRole("button", { name: "Take theirs" }).click();
    await expectPage(asked).toHaveCount(0);
    await expectPage(editor(page)).toHaveText("const a = 11;");
    await editor(page).press("Control+End");
    await page.keyboard.type("// mine again");
    await write("src/a.ts", "const a = 12;\n");
    await asked.getByRole("button", { name: "Keep mine" }).click();
    expect(await read("src/a.ts")).toBe("const a = 12;\n");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByLabel("Open files")).not.toContainText("unsaved");
    expect(await read("src/a.ts")).toBe("const a = 11;\n// mine again");
  });

  it("are refused where no notice came: the save finds out", async () => {
    const { account, write, read, path } = await openFiles();
    const { page } = await openPage(service, { account, path: null });
    await page.routeWebSocket("**/ws/**", () => {});
    await page.goto(`/app${path}/README.md`);
    // The tree would tell of the change, too.
    await expectPage(page.getByRole("treeitem", { name: "README.md" })).toBeVisible();
    await editor(page).press("Control+End");
    await page.keyboard.type("mine");
    await write("README.md", "# Theirs\n");
    await page.getByRole("button", { name: "Save" }).click();
    await expectPage(page.getByText("changed while you edited")).toBeVisible();
    expect(await read("README.md")).toBe("# Theirs\n");
  });

  it("are uploaded, renamed, found and deleted, and their names are text", async () => {
    const { account, write, read, path } = await openFiles();
    const hostile = "<img src=x onerror=window.hacked=1> %2e#?.md";
    await write(hostile, "needle in it\n");
    const { page } = await openPage(service, { account, path });
    await page.getByLabel("Files to upload").setInputFiles([
      { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("uploaded") },
      { name: "dot.png", mimeType: "image/png", buffer: png(1, 1) },
    ]);
    await page.getByRole("button", { name: "New file" }).click();
    await page.getByLabel("Path", { exact: true }).fill("docs/new.md");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await expectPage(page).toHaveURL(/\/files\/docs\/new\.md$/u);
    await expectPage(editor(page)).toHaveText("");
    // What is dropped goes to where the open file is.
    const dataTransfer = await page.evaluateHandle(DROPPED);
    await page.dispatchEvent(".files", "drop", { dataTransfer });
    await expectPage(page.getByRole("treeitem", { name: "dropped.txt" })).toBeVisible();
    expect([await read("docs/new.md"), await read("docs/dropped.txt")]).toEqual(["", "from a folder"]);
    await page.getByRole("treeitem", { name: "dot.png" }).click();
    await expectPage(page.getByRole("img", { name: "dot.png" })).toHaveJSProperty("naturalWidth", 1);
    await page.getByRole("treeitem", { name: "b.txt" }).click();
    await expectPage(editor(page)).toHaveText("uploaded");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("New path").fill("docs/c.txt");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await expectPage(page).toHaveURL(/\/files\/docs\/c\.txt$/u);
    await expectPage(editor(page)).toHaveText("uploaded");
    await expectPage(page.getByRole("treeitem", { name: "c.txt" })).toBeVisible();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expectPage(page.getByRole("treeitem", { name: "c.txt" })).toHaveCount(0);
    expect([await read("b.txt"), await read("docs/c.txt")]).toEqual([404, 404]);
    await page.getByText("Search text in files").click();
    await page.getByLabel("Text", { exact: true }).fill("NEEDLE");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByRole("button", { name: "needle in it" }).click();
    await expectPage(editor(page)).toContainText("needle in it");
    await expectPage(page.getByLabel("Open files")).toContainText(hostile);
    expect(await page.evaluate("window.hacked")).toBeUndefined();

    // What is not seen in a name is shown escaped.
    await write("odd\n\u202Ename.txt", "inside");
    const odd = "odd\\n\\u{202e}name.txt";
    await page.getByRole("treeitem", { name: odd, exact: true }).click();
    await expectPage(editor(page)).toHaveText("inside");
    await page.reload();
    await expectPage(editor(page)).toHaveText("inside");
    await page.getByRole("button", { name: "Rename" }).click();
    await expectPage(page.getByLabel("New path")).toHaveValue(odd);
    await page.getByLabel("New path").fill("odd\\nnewer.txt");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await expectPage(page.getByRole("treeitem", { name: "odd\\nnewer.txt" })).toBeVisible();
    expect(await read("odd\nnewer.txt")).toBe("inside");
  });
});

/** What a person drags from a folder. */
const DROPPED = `(() => {
  const dragged = new DataTransfer();
  dragged.items.add(new File(["from a folder"], "dropped.txt"));
  return dragged;
})()`;
