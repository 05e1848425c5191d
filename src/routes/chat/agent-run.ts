import { z } from "zod";
import { followTask, requireTask } from "#src/domain/chats/index.ts";
import { listSteps, StepData, streamTask, type StartedTask } from "#src/domain/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import type { Services } from "#src/services.ts";
import { AGENT_BODY_BYTES, AgentChatRequest } from "./agent-request.ts";
import { describeStep, Step } from "./message.ts";
import { freshTask } from "./sse.ts";
import { startFromRequest } from "./start-from-request.ts";

/** Turns an answer holds at most; all of them are in the chat's messages. */
const SHOWN_STEPS = 500;

export const agentRun = endpoint({
  method: "post",
  path: "/api/chat/agent",
  tag: "Chat",
  summary:
    "Send a message and wait for the end of the agent's work, or until it needs an approval: then `completion_reason` is `in_progress`",
  access: { userOrKey: "chat.send", rate: "chat" },
  body: AgentChatRequest,
  bodyLimit: AGENT_BODY_BYTES,
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.boolean(),
      task_id: z.string(),
      chat_id: z.string(),
      iterations: z.int(),
      final_response: z.string(),
      tool_calls_made: z.int(),
      completion_reason: z.string().nullable(),
      steps: z.array(Step),
      error: z.string().nullable(),
    }),
  },
  async handler({ services, caller, body }) {
    const started = await startFromRequest(services, caller, body);
    await untilOverOrAsking(services, started);
    const task = await requireTask(services, caller, started.taskId, "chat.send");
    const { items } = await listSteps(services, task.id, { page: 1, limit: SHOWN_STEPS });
    return {
      success: task.status === "completed",
      task_id: task.id,
      chat_id: task.chatId,
      iterations: task.iterations,
      final_response: task.response ?? "",
      tool_calls_made: task.toolCalls,
      completion_reason: task.completedAt ? task.completionReason : "in_progress",
      steps: items.map(({ stepData }) => describeStep(StepData.parse(stepData))),
      error: task.error,
    };
  },
});

async function untilOverOrAsking(services: Services, started: StartedTask): Promise<void> {
  const task = freshTask(started);
  for await (const heard of followTask(services, task, 0, await streamTask(services, task, 0))) {
    if (heard.kind === "events" && heard.events.some(({ type }) => type === "approval_required")) return;
  }
}
