/** Directory of plans, one Markdown file each. */
export const PLANS_PATH = ".workspace/plans";

export type StepStatus = "pending" | "in_progress" | "completed";

export interface PlanStep {
  step: string;
  status: StepStatus;
  notes: string;
}

export interface Plan {
  name: string;
  task: string;
  status: "active" | "completed";
  reasoning: string;
  plan: PlanStep[];
}

const MARKS: Readonly<Record<StepStatus, string>> = { pending: " ", in_progress: "~", completed: "x" };

/** Formats a plan as people read it and as `parsePlan` parses it. */
export function formatPlan({ name, task, status, reasoning, plan }: Plan): string {
  const steps = plan.map(({ step, status: state, notes }) =>
    [`- [${MARKS[state]}] ${step}`, ...lines(notes).map((line) => `  > ${line}`)].join("\n"),
  );
  const parts = [
    `# Plan: ${name}`,
    `Status: ${status}`,
    ...(task === "" ? [] : [`## Task\n\n${task}`]),
    ...(reasoning === "" ? [] : [`## Reasoning\n\n${reasoning}`]),
    `## Steps\n\n${steps.join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Parses the plan in a file; undefined where a person has edited it into something else. */
export function parsePlan(text: string): Plan | undefined {
  const plain = text.replaceAll("\r\n", "\n");
  const name = /^# Plan: (?<name>.+)$/m.exec(plain)?.groups?.["name"];
  const status = /^Status: (?<status>active|completed)$/m.exec(plain)?.groups?.["status"];
  const at = plain.lastIndexOf("\n## Steps\n");
  if (name === undefined || status === undefined || at === -1) return undefined;
  return {
    name,
    status: status === "completed" ? "completed" : "active",
    task: sectionOf(plain.slice(0, at), "Task"),
    reasoning: sectionOf(plain.slice(0, at), "Reasoning"),
    plan: parseSteps(plain.slice(at)),
  };
}

function sectionOf(text: string, heading: string): string {
  const [, body = ""] = `${text}\n`.split(`\n## ${heading}\n`);
  return (body.split(/\n## (?:Task|Reasoning)\n/)[0] ?? "").trim();
}

function parseSteps(text: string): PlanStep[] {
  const steps: PlanStep[] = [];
  for (const line of text.split("\n")) {
    const { mark, step } = /^- \[(?<mark>[ ~xX])\] (?<step>.*)$/.exec(line)?.groups ?? {};
    const last = steps.at(-1);
    if (step !== undefined) steps.push({ step, status: statusOf(mark ?? " "), notes: "" });
    else if (last && line.startsWith("  > "))
      last.notes += `${last.notes === "" ? "" : "\n"}${line.slice(4)}`;
  }
  return steps;
}

function statusOf(mark: string): StepStatus {
  if (mark === "~") return "in_progress";
  return mark === " " ? "pending" : "completed";
}

function lines(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

/** Converts the name of a plan into a file name: letters and digits of any script, and hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-");
  // Cut by characters, so that none is cut in half; 60 characters of four bytes fit into a file name.
  return Array.from(slug).slice(0, 60).join("").replace(/^-|-$/g, "") || "plan";
}
