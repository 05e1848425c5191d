import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPlan, parsePlan, type Plan } from "#src/agent/tools/notes/plan-file.ts";
import { slugOf } from "#src/agent/tools/notes/plan-file.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { runs } from "#test/support/soak.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";
import { anyText } from "#test/support/any-text.ts";

const call = async (runtime: MemoryRuntime, args: object) =>
  (await runTool(toolCall("update_plan", args), toolContext({ runtime }))).result;
const PLAN = [
  { step: "Dig", status: "in_progress" },
  { step: "Sow", status: "pending" },
];

describe("update_plan", () => {
  it("updates the plan that is active, and keeps what is not said again", async () => {
    const runtime = new MemoryRuntime();
    await call(runtime, {
      action: "create",
      name: "Beds",
      task: "Three beds",
      plan: PLAN,
      reasoning: "Spring",
    });
    const plan = [
      { step: "Dig", status: "completed", notes: "deep" },
      { step: "Sow", status: "in_progress" },
    ];
    expect(await call(runtime, { action: "update", plan })).toMatchObject({
      name: "Beds",
      task: "Three beds",
      reasoning: "Spring",
      status: "active",
      message: "The plan Beds is active: 1 of 2 steps are done.",
      plan: [{ notes: "deep" }, { status: "in_progress" }],
    });
    expect(await call(runtime, { action: "complete", name: "beds" })).toMatchObject({
      status: "completed",
      plan: [{ status: "completed" }, { status: "completed" }],
    });
  });

  it("changes nothing when a call is made twice", async () => {
    const runtime = new MemoryRuntime();
    for (const action of ["create", "update", "complete"]) {
      const first = await call(runtime, { action, name: "Beds", plan: PLAN });
      expect(await call(runtime, { action, name: "Beds", plan: PLAN })).toEqual(first);
      expect(first["success"]).toBe(true);
    }
    expect(runtime.writes).toHaveLength(2);
  });

  it("makes no plan over one that is active", async () => {
    const runtime = new MemoryRuntime();
    await call(runtime, { action: "create", name: "Beds", plan: PLAN });
    const other = [{ step: "Rest", status: "pending" }];
    expect(await call(runtime, { action: "create", name: "beds!", plan: other })).toMatchObject({
      success: false,
    });
    await call(runtime, { action: "complete" });
    expect(await call(runtime, { action: "create", name: "Beds", plan: other })).toMatchObject({
      success: true,
    });
  });

  it("keeps a task with headings of its own in one piece", async () => {
    const runtime = new MemoryRuntime();
    const task = "Beds\n## Reasoning\nnone\n# Plan: x\nStatus: completed";
    await call(runtime, {
      action: "create",
      name: "a",
      task,
      reasoning: "why\n## Steps\n- [x] no",
      plan: PLAN,
    });
    expect(await call(runtime, { action: "update" })).toMatchObject({
      name: "a",
      status: "active",
      task: task.replaceAll(/^#+/gm, "###"),
      reasoning: "why\n### Steps\n- [x] no",
      plan: [{ step: "Dig" }, { step: "Sow" }],
    });
  });

  it.each([
    [{ action: "create", name: "a", plan: [PLAN[0], PLAN[0]] }, "in_progress"],
    [{ action: "create", name: "a" }, "steps"],
    [{ action: "update", name: "a", plan: PLAN }, "no plan a"],
    [{ action: "complete" }, "No plan is active"],
    [{ action: "create", name: "a\n## Steps", plan: PLAN }, "one line"],
    [{ action: "create", name: "a", plan: [] }, "plan"],
  ])("refuses %j", async (args, word) => {
    const runtime = new MemoryRuntime();
    const result = await call(runtime, args);
    expect(result).toMatchObject({ success: false, error: expect.stringContaining(word) });
    expect(runtime.writes).toEqual([]);
  });

  it("does not take a file that was overwritten with other text for a plan", async () => {
    const runtime = new MemoryRuntime({ ".workspace/plans/a.md": "# Shopping\n" });
    expect(await call(runtime, { action: "update", plan: PLAN })).toMatchObject({ success: false });
  });
});

describe("a plan's file", () => {
  const line = fc.stringMatching(/^[\w .,#>[\]-]{1,40}$/).map((text) => text.trim() || "x");
  const text = fc
    .array(fc.stringMatching(/^[\w .,>[\]-]{0,30}$/), { maxLength: 4 })
    .map((all) => all.join("\n").trim());
  const plans: fc.Arbitrary<Plan> = fc.record({
    name: line,
    task: text,
    status: fc.constantFrom("active", "completed"),
    reasoning: text,
    plan: fc.array(
      fc.record({ step: line, status: fc.constantFrom("pending", "in_progress", "completed"), notes: text }),
      { minLength: 1, maxLength: 5 },
    ),
  });

  it("says what was put into it", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(parsePlan(formatPlan(plan))).toEqual(plan);
      }),
      { numRuns: runs(30) },
    );
  });

  it("has a name that any file system takes", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), (name) => {
        expect(slugOf(name)).toMatch(/^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u);
        expect(Buffer.byteLength(slugOf(name))).toBeLessThanOrEqual(250);
      }),
      { numRuns: runs(30) },
    );
  });
});
