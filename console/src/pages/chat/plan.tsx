import type { ConversationTurn } from "@agent-workspace/client";

type Fields = Readonly<Record<string, unknown>>;

const STATES: Readonly<Record<string, string>> = {
  pending: "to do",
  in_progress: "in progress",
  completed: "done",
  cancelled: "skipped",
};

/** One line of a plan or of a list of to-dos. */
export interface PlanStep {
  readonly text: string;
  readonly state: string;
}

/** The steps of a plan as `plan_update` has it. */
export function stepsOfPlan(plan: Fields): readonly PlanStep[] {
  return stepsOf(plan["plan"], "step");
}

/** The newest list of to-dos that the agent wrote in these turns; undefined without one. */
export function todosOf(turns: readonly ConversationTurn[]): readonly PlanStep[] | undefined {
  const turn = turns.findLast(({ calls }) => calls.some(isTodoList));
  const call = turn?.calls.findLast(isTodoList);
  return call && stepsOf(call.args["todos"], "content");
}

function isTodoList({ tool, args }: { tool: string; args: Fields }): boolean {
  return tool === "todos" && Array.isArray(args["todos"]);
}

function stepsOf(list: unknown, name: string): readonly PlanStep[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) => {
    if (typeof each !== "object" || each === null) return [];
    const fields: Fields = { ...each };
    const [text, status] = [fields[name], fields["status"]];
    if (typeof text !== "string") return [];
    return [{ text, state: typeof status === "string" ? (STATES[status] ?? status) : "open" }];
  });
}

/** What the agent means to do, and how far it is. */
export function Plan({ title, steps }: { title: string; steps: readonly PlanStep[] }) {
  if (steps.length === 0) return null;
  const done = steps.filter(({ state }) => state === "done").length;
  return (
    <details class="plan" open={done < steps.length}>
      <summary>
        {title} ({done} of {steps.length} done)
      </summary>
      <ol>
        {steps.map(({ text, state }, index) => (
          <li key={index} dir="auto">
            {text} <span class="muted small">{state}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
