import { z } from "zod";
import type { ChatMessage, Run } from "#src/domain/agent-work/chats/index.ts";
import type { ShortTurn } from "#src/domain/agent-work/tasks/index.ts";
import { Moment } from "#src/http/schemas.ts";
import type { ShownTurn } from "#src/http/turn.ts";

export const Message = z
  .object({
    id: z.string(),
    chat_id: z.string(),
    role: z.enum(["user", "assistant"]),
    content: z.string(),
    message_metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "For a user's message, its `attachments`. For an answer, what the agent did, `steps` included, its `model` and `credits_used`; `completion_reason` is `in_progress` while the agent works",
      ),
    created_at: Moment,
    author: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .describe("Who wrote a user's message, which in a shared chat may be anyone who may write in it"),
  })
  .meta({ id: "ChatMessage" });

export function describeTurn(turn: ShortTurn): z.input<typeof ShownTurn> {
  return {
    iteration: turn.iteration,
    thought: turn.thought,
    tool_calls: turn.tool_calls.map(describeCall),
    response_text: turn.response_text,
    is_complete: turn.is_complete,
    timestamp: turn.timestamp,
  };
}

function describeCall({ name, parameters, result, cut = {} }: ShortTurn["tool_calls"][number]) {
  const { parameters: ofParameters, result: ofResult } = cut;
  const isCut = ofParameters !== undefined || ofResult !== undefined;
  return {
    name,
    parameters,
    result,
    ...(isCut && { truncated: true as const }),
    ...(ofParameters !== undefined && { parameters_characters: ofParameters }),
    ...(ofResult !== undefined && { result_characters: ofResult }),
  };
}

export function describeMessage(message: ChatMessage): z.input<typeof Message> {
  const { id, chatId, role, content, metadata, createdAt, run } = message;
  return {
    id,
    chat_id: chatId,
    role,
    content,
    message_metadata: run ? metadataOf(run, chatId) : metadata,
    created_at: createdAt.toISOString(),
    author: message.author,
  };
}

function metadataOf({ task, agent, checkpoint, spent, inProgress, turns }: Run, chatId: string) {
  return {
    agent_mode: true,
    agent_type: agent,
    iterations: task.iterations,
    tool_calls_made: task.toolCalls,
    completion_reason: inProgress ? "in_progress" : task.completionReason,
    session_id: chatId,
    executed_by: "worker",
    task_id: task.id,
    checkpoint_hash: checkpoint,
    model: spent?.model ?? task.model,
    credits_used: spent?.credits ?? 0,
    trajectory_path: null,
    steps_table: true,
    steps: turns.map(describeTurn),
    ...(task.error !== null && { error: task.error }),
  };
}
