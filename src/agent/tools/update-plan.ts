import { z } from "zod";
import { linkOnTheWay } from "./notes/links.ts";
import { formatPlan, parsePlan, PLANS_PATH, slugOf, type Plan } from "./notes/plan-file.ts";
import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { readTextFile } from "./text-file.ts";
import { defineTool, failure, type ToolFailure } from "./tool.ts";

const MAX_STEPS = 50;
/** Most plans that are searched for the active one, the latest change first. */
const MAX_LOOKED_AT = 20;

const oneLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\r\n]+$/, "must be one line");

const Step = z.strictObject({
  step: oneLine(500).describe("What is to be done, in one line"),
  status: z.enum(["pending", "in_progress", "completed"]).describe("At most one step is in_progress"),
  notes: z.string().trim().max(1_000).default("").describe("What came of it, or what to know"),
});

export const updatePlan = defineTool({
  name: "update_plan",
  description:
    "Keep a plan of larger work as a Markdown file under .workspace/plans/, where the user can read it: create it, update " +
    "it as steps are done (send all steps), complete it at the end. For a list of small tasks use todos.",
  parameters: z.object({
    action: z.enum(["create", "update", "complete"]).describe("What to do with the plan"),
    name: oneLine(80)
      .optional()
      .describe("Name of the plan; without one, of the task or the plan that is active"),
    task: z.string().trim().max(2_000).optional().describe("What the plan is for"),
    plan: z.array(Step).min(1).max(MAX_STEPS).optional().describe("All steps, in order"),
    reasoning: z.string().trim().max(4_000).optional().describe("Why this plan, or why it changed"),
  }),
  effect: "idempotent",
  scope: "file.write",
  dangerous: true,
  // Writing the plan is the purpose of the mode; this changes only the plan's own document.
  runsInPlan: true,
  async run(args, { runtime }) {
    const active = args.plan?.filter(({ status }) => status === "in_progress") ?? [];
    if (active.length > 1) {
      return failure(
        "More than one step is in_progress.",
        "Leave only the step that you work on in_progress.",
      );
    }
    const found = await findPlan(runtime, args);
    if (!found.ok) return found.failure;
    const { present, path } = found;
    if (args.action === "create" && !args.plan) {
      return failure("A new plan needs its steps.", "Call update_plan again with plan.");
    }
    const next: Plan = {
      name: present?.name ?? found.name,
      task: demoted(args.task) ?? present?.task ?? "",
      status: args.action === "complete" ? "completed" : "active",
      reasoning: demoted(args.reasoning) ?? present?.reasoning ?? "",
      plan: args.plan ?? present?.plan ?? [],
    };
    if (args.action === "complete") {
      next.plan = next.plan.map((step) =>
        step.status === "in_progress" ? { ...step, status: "completed" } : step,
      );
    }
    const text = formatPlan(next);
    const isSame = present !== undefined && formatPlan(present) === text;
    if (args.action === "create" && present?.status === "active" && !isSame) {
      return failure(
        `There is an active plan ${present.name} already.`,
        "Update it, complete it, or give the new one another name.",
        { ...present, file_path: path },
      );
    }
    if (!isSame) await runtime.writeFile(path, new TextEncoder().encode(text));
    return { success: true, message: describe(next), action: args.action, ...shown(next, path) };
  },
});

/** Demotes the model's headings below those of the file. */
function demoted(text: string | undefined): string | undefined {
  return text?.replaceAll(/^#{1,2}(?= )/gm, "###");
}

type Found =
  | { ok: true; name: string; path: string; present: Plan | undefined }
  | { ok: false; failure: ToolFailure };

/** Returns the requested plan: the one of that name, a new one, or the active one that changed last. */
async function findPlan(
  runtime: AgentRuntime,
  { action, name, task }: { action: string; name?: string | undefined; task?: string | undefined },
): Promise<Found> {
  const title = name ?? (action === "create" ? titleOf(task ?? "") : undefined);
  const path = title === undefined ? PLANS_PATH : `${PLANS_PATH}/${slugOf(title)}.md`;
  const link = await linkOnTheWay(runtime, path);
  if (link) return { ok: false, failure: link };
  if (title !== undefined) {
    const present = await readPlan(runtime, path);
    if (action === "create" || present) return { ok: true, name: title, path, present };
    return { ok: false, failure: failure(`There is no plan ${title}.`, await namesOf(runtime)) };
  }
  const files = (await plansOf(runtime)).toSorted((one, other) => other.modifiedAt - one.modifiedAt);
  for (const file of files.slice(0, MAX_LOOKED_AT)) {
    const present = await readPlan(runtime, file.path);
    if (present?.status === "active") return { ok: true, name: present.name, path: file.path, present };
  }
  return {
    ok: false,
    failure: failure("No plan is active.", "Create one with action create and its steps."),
  };
}

function titleOf(task: string): string {
  const [line = ""] = task.split("\n");
  return line.trim().slice(0, 80) || "plan";
}

async function readPlan(runtime: AgentRuntime, path: string): Promise<Plan | undefined> {
  const file = await readTextFile(runtime, path);
  return file.ok ? parsePlan(file.text) : undefined;
}

async function plansOf(runtime: AgentRuntime) {
  if ((await runtime.stat(PLANS_PATH))?.kind !== "directory") return [];
  const entries = await runtime.list(PLANS_PATH, { recursive: false });
  return entries.filter(({ kind, name }) => kind === "file" && name.endsWith(".md"));
}

async function namesOf(runtime: AgentRuntime): Promise<string> {
  const names = (await plansOf(runtime)).slice(0, MAX_LOOKED_AT).map(({ name }) => name.replace(/\.md$/, ""));
  return names.length === 0 ? "There are none yet: create one." : `The plans are: ${names.join(", ")}.`;
}

function describe({ name, status, plan }: Plan): string {
  const done = plan.filter((step) => step.status === "completed").length;
  return `The plan ${name} is ${status}: ${done} of ${plan.length} steps are done.`;
}

function shown({ name, task, status, reasoning, plan }: Plan, path: string) {
  const filename = path.slice(PLANS_PATH.length + 1);
  return { name, task, status, reasoning, plan, file_path: path, filename };
}
