import { listTurns, ShortTurn, type Task } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Most turns of a transcript; a longer task's last ones are left out. */
const MAX_TURNS = 100;

/** A task as Markdown: the message, and of each turn what the agent wrote and called. Long results are cut. */
export async function transcriptOf(deps: { db: Db }, task: Task): Promise<string> {
  const { items, total } = await listTurns(deps, task.id, { page: 1, limit: MAX_TURNS, results: "short" });
  const turns = items.map(({ turnData }) => describe(ShortTurn.parse(turnData)));
  const left = total - items.length;
  const ending = task.error ?? "";
  return [
    `# Task ${task.id}: ${task.status}`,
    "## Message",
    task.message,
    ...turns,
    ...(left > 0 ? [`[… ${left} turns left out …]`] : []),
    ...(ending === "" ? [] : ["## Error", ending]),
  ].join("\n\n");
}

function describe({ iteration, response_text, tool_calls }: ShortTurn): string {
  const calls = tool_calls.map(
    ({ name, parameters, result }) =>
      `- \`${name}\` ${JSON.stringify(parameters)}\n  → ${JSON.stringify(result)}`,
  );
  return [`## Turn ${iteration}`, response_text, calls.join("\n")].filter(Boolean).join("\n\n");
}
