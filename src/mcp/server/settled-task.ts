import { z } from "zod";
import type { Scope } from "#src/domain/access/permissions/index.ts";
import { followTask } from "#src/domain/agent-work/chats/index.ts";
import { isTerminal, requireOpenTask, streamTask, type Task } from "#src/domain/agent-work/tasks/index.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Heard } from "#src/lib/server-sent-events.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { ToolCall } from "./call.ts";
import { viewOfTask } from "./task-view.ts";

const NamedTool = z.object({ tool: z.string() });

/**
 * A task as tools return it, after a wait for its end. The wait is over early where the end is not foreseeable, because a
 * person has to answer an approval.
 */
export async function settledTask(
  call: ToolCall,
  taskId: string,
  { scope, waitSeconds }: { scope: Scope; waitSeconds: number },
): Promise<Record<string, unknown>> {
  const find = () => requireOpenTask(call.services, call.caller, taskId, scope);
  const task = await find();
  if (waitSeconds === 0 || isTerminal(task.status)) return viewOfTask(task, call.services.config);
  await watch(call, task, {
    waitMs: waitSeconds * 1000,
    isWaiting: async () => (await find()).waiting !== null,
  });
  return viewOfTask(await find(), call.services.config);
}

/** Follows a task's log from its beginning, where approvals may be asked for that were answered long ago. */
async function watch(
  call: ToolCall,
  task: Task,
  { waitMs, isWaiting }: { waitMs: number; isWaiting: () => Promise<boolean> },
): Promise<void> {
  const { services, caller, signal } = call;
  const log = await streamTask(services, task, 0, caller.userId);
  using limit = timeLimit(waitMs, signal);
  const over = limit.signal;
  const body = log.body?.pipeThrough(new TransformStream(), { signal: over }) ?? null;
  try {
    for await (const heard of followTask(services, task, 0, new Response(body), caller.userId)) {
      if (over.aborted || (asksAPerson(heard) && (await isWaiting()))) return;
      const sentence = sentenceOf(heard);
      if (sentence !== undefined) await call.progress(sentence);
    }
  } catch (error) {
    if (!over.aborted) throw error;
  }
}

function asksAPerson(heard: Heard): boolean {
  return heard.kind === "events" && heard.events.some(({ type }) => type === "approval_required");
}

/** What is worth telling: a tool call, and at each heartbeat that the work goes on. */
function sentenceOf(heard: Heard): string | undefined {
  if (heard.kind === "heartbeat") return "The agent is at work";
  const last = heard.events.findLast(({ type }) => type === "tool_start");
  const named = last && safeParseJson(last.data, NamedTool);
  return named && `The agent uses ${named.value.tool}`;
}
