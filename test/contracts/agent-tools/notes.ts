import { describe, expect, it } from "vitest";
import { openTools, type OpenProject } from "./under-test.ts";

/** Files that links lead to. */
const LINKED = { "deploy.sh": "echo deploy\n", "src/memory.md": "# Memory\n\n## deploy\n\nno\n" };

export function notesContract(open: OpenProject): void {
  describe("notes", () => {
    it("keeps what is to be remembered in a file that people can read", async () => {
      const { call, text } = await openTools(open);
      expect(await call("memory_read", {})).toMatchObject({ success: true, sections: [] });
      await call("memory_write", { section: "Style", body: "Tabs." });
      await call("memory_write", { section: "Traps", body: "- The clock is in UTC." });
      await call("memory_write", { section: "style", body: "Not spaces.", mode: "append" });
      expect(await text(".workspace/memory.md")).toBe(
        "# Memory\n\n## Style\n\nTabs.\nNot spaces.\n\n## Traps\n\n- The clock is in UTC.\n",
      );
      expect(await call("memory_read", { section: "STYLE" })).toMatchObject({
        content: "Tabs.\nNot spaces.",
      });
      expect(await call("memory_read", {})).toMatchObject({ sections: ["Style", "Traps"] });
    });

    it("keeps a plan, and says where it stands", async () => {
      const { call, text } = await openTools(open);
      const plan = [
        { step: "Look", status: "in_progress" },
        { step: "Build", status: "pending", notes: "in small steps" },
      ];
      expect(await call("update_plan", { action: "create", task: "Water the beds", plan })).toMatchObject({
        success: true,
        name: "Water the beds",
        filename: "water-the-beds.md",
        status: "active",
        plan: [{ step: "Look", status: "in_progress", notes: "" }, plan[1]],
      });
      expect(await text(".workspace/plans/water-the-beds.md")).toContain(
        "- [~] Look\n- [ ] Build\n  > in small steps\n",
      );
      expect(await call("update_plan", { action: "complete" })).toMatchObject({ status: "completed" });
      expect(await call("update_plan", { action: "update" })).toMatchObject({ success: false });
    });

    it.each([
      ["/tmp .workspace", ".workspace"],
      ["../deploy.sh .workspace/memory.md", ".workspace/memory.md"],
      ["../missing .workspace/memory.md", ".workspace/memory.md"],
    ])("neither reads nor writes the memory through a link: ln -s %s", async (link, named) => {
      const { call, shell, text } = await openTools(open, LINKED);
      await shell(`${named.includes("/") ? "mkdir .workspace; " : ""}ln -s ${link}`);
      const refused = { success: false, error: expect.stringContaining(`${named} is a symbolic link`) };
      expect(await call("memory_write", { section: "a", body: "b" })).toMatchObject(refused);
      expect(await call("memory_read", {})).toMatchObject(refused);
      expect(await call("write_file", { file_path: ".workspace/memory.md", content: "x" })).toMatchObject(
        refused,
      );
      const edit = { file_path: ".workspace/memory.md", old_str: "deploy", new_str: "x" };
      expect(await call("patch_file", edit)).toMatchObject(refused);
      expect(await text("deploy.sh")).toBe(LINKED["deploy.sh"]);
      expect(await text("src/memory.md")).toBe(LINKED["src/memory.md"]);
      expect((await shell("ls missing ../missing")).exitCode).not.toBe(0);
    });

    it.each([
      ["src .workspace", ".workspace"],
      ["../missing .workspace/plans", ".workspace/plans"],
      ["../../deploy.sh .workspace/plans/a.md", ".workspace/plans/a.md"],
    ])("keeps no plan behind a link: ln -s %s", async (link, named) => {
      const { call, shell, text } = await openTools(open, LINKED);
      const parent = named.split("/").slice(0, -1).join("/");
      await shell(`${parent === "" ? "" : `mkdir -p ${parent}; `}ln -s ${link}`);
      const plan = [{ step: "a", status: "pending" }];
      const refused = { success: false, error: expect.stringContaining(`${named} is a symbolic link`) };
      expect(await call("update_plan", { action: "create", name: "a", plan })).toMatchObject(refused);
      expect(await call("update_plan", { action: "update", name: "a", plan })).toMatchObject(refused);
      expect(await call("update_plan", { action: "complete" })).toMatchObject({ success: false });
      expect(await text("deploy.sh")).toBe(LINKED["deploy.sh"]);
      expect((await shell("ls src")).stdout.trim()).toBe("memory.md");
      expect((await shell("ls missing")).exitCode).not.toBe(0);
    });
  });
}
