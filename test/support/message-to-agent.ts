import type { StartTask } from "#src/domain/tasks/index.ts";

/** What a program's message asks for when it asks for nothing in particular. */
export function messageToAgent(
  wish: Pick<StartTask, "userId" | "projectId"> & Partial<StartTask>,
): StartTask {
  return {
    isSuperuser: false,
    teamId: null,
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
