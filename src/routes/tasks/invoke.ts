import { requireKeyProject } from "#src/domain/access/permissions/index.ts";
import { describeWaiting, findWaiting, startTask } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { IdempotencyHeaders } from "#src/http/idempotency-key.ts";
import { AppError } from "#src/lib/errors.ts";
import { InvokeBody, Invoked } from "./schemas.ts";

export const invoke = endpoint({
  operationId: "invokeAgent",
  method: "post",
  path: "/api/external/agent/invoke",
  tag: "Agent tasks",
  summary: "Start a task",
  description:
    "Asks an agent to work on a project. Returns as soon as the task is durable. A repetition with the same `Idempotency-Key` within 24 hours returns the same response.",
  access: { keyInStatement: "chat.send" },
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10", message: "Fix the failing test." },
  body: InvokeBody,
  headers: IdempotencyHeaders,
  refusals: [402],
  response: { status: 200, schema: Invoked },
  handler: async ({ services, caller, body, headers }) => {
    requireKeyProject(caller, body.project_id);
    const webhookUrl = body.webhook_url ?? body.webhook_callback_url ?? undefined;
    const refusal = webhookUrl && services.refusalOfUrl(webhookUrl);
    if (refusal) throw new AppError("invalid_input", `webhook_url: ${refusal}`);
    const key = headers["Idempotency-Key"];
    const started = await startTask(services, {
      userId: caller.userId,
      apiKeyId: caller.keyId,
      scopes: caller.scopes,
      projectId: body.project_id,
      message: body.message,
      agentId: body.agent_id ?? undefined,
      chat: body.chat_id ? { kind: "named", id: body.chat_id } : { kind: "new" },
      source: { kind: "api", webhookUrl, idempotency: key === undefined ? undefined : { key } },
    });
    const waiting = started.isBehind ? await findWaiting(services.db, started.taskId) : null;
    return {
      task_id: started.taskId,
      chat_id: started.chatId,
      events_url: started.eventsUrl,
      status: "queued" as const,
      ...(waiting && { waiting_for: describeWaiting(waiting) }),
    };
  },
});
