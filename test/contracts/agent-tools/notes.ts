import { describe, expect, it } from "vitest";
import { openTools, type OpenProject } from "./under-test.ts";

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

    it("writes through no link that leads out of the project", async () => {
      const { call, shell } = await openTools(open);
      await shell("ln -s /tmp .workspace");
      expect(await call("memory_write", { section: "a", body: "b" })).toMatchObject({ success: false });
      expect(
        await call("update_plan", { action: "create", plan: [{ step: "a", status: "pending" }] }),
      ).toMatchObject({ success: false });
    });
  });
}
