import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import type { Service } from "../service.ts";

export const MODES = ["plan", "ask", "allow"] as const;
export type Mode = (typeof MODES)[number];

export interface TaskInput {
  readonly projectId: string;
  readonly message: string;
  readonly mode?: Mode | undefined;
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  /** A chat to continue; a new one when absent. */
  readonly chatId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StartedTask {
  readonly task_id: string;
  readonly chat_id: string;
  readonly project_id: string;
}

/**
 * Starts a task. A key's task is started in the way of programs, which survives a repeated request; a person's is a message in
 * a chat, as is that of a key with a mode.
 */
export async function startTask({ workspace, caller }: Service, input: TaskInput): Promise<StartedTask> {
  const { projectId, message, mode, agentId, model, chatId, signal } = input;
  const fields = {
    project_id: projectId,
    message,
    ...(agentId !== undefined && { agent_id: agentId }),
  };
  if (caller === "key" && mode === undefined && model === undefined) {
    const task = await workspace.tasks.invoke(
      { ...fields, ...(chatId !== undefined && { chat_id: chatId }) },
      { signal },
    );
    return { task_id: task.id, chat_id: task.chatId ?? "", project_id: projectId };
  }
  const chat =
    chatId ?? (await workspace.request("POST", "/api/chat", { body: { project_id: projectId }, signal })).id;
  const response = await workspace.response("POST", "/api/chat/agent/stream", {
    body: {
      ...fields,
      chat_id: chat,
      ...(mode !== undefined && { edit_mode: mode }),
      ...(model !== undefined && { model }),
    },
    idempotencyKey: crypto.randomUUID(),
    signal,
  });
  // The events are read by the task's own stream, which resumes.
  const taskId = response.headers.get("x-task-id");
  if (taskId === null) {
    const text = await response.text();
    throw new CommandError(EXIT.limited, "insufficient_credits", messageIn(text));
  }
  await response.body?.cancel();
  return { task_id: taskId, chat_id: response.headers.get("x-chat-id") ?? chat, project_id: projectId };
}

/** A stream without a task has one event, which says that there are no credits. */
function messageIn(text: string): string {
  return /"message":"((?:[^"\\]|\\.)*)"/u.exec(text)?.[1] ?? "The team has no credits left";
}
