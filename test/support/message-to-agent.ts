import type { StartTask } from "#src/domain/agent-work/tasks/index.ts";

/** For tests that are about something else. */
export const NO_AGENT_LIMITS = {
  USER_RATE_PER_MINUTE: 0,
  CHAT_RATE_PER_MINUTE: 0,
  USER_MAX_CONCURRENT_AGENTS: 0,
  PROJECT_MAX_CONCURRENT_AGENTS: 0,
  USER_ENQUEUE_RATE_PER_10S: 0,
};

/** What a program's message asks for when it asks for nothing in particular. */
export function messageToAgent(
  wish: Pick<StartTask, "userId" | "projectId"> & Partial<StartTask>,
): StartTask {
  return {
    isSuperuser: false,
    apiKeyId: null,
    scopes: null,
    message: "Hello",
    agentId: undefined,
    model: undefined,
    editMode: undefined,
    maxIterations: undefined,
    chat: { kind: "new" },
    attachmentIds: [],
    messageMetadata: null,
    webhookUrl: undefined,
    origin: "api",
    idempotencyKey: undefined,
    ...wish,
  };
}
