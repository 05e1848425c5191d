import { z } from "zod";
import { answerApproval, PEOPLE_ANSWER, readApproval, type Approval } from "#src/domain/approvals/index.ts";
import { listApprovals } from "#src/domain/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const approval = endpoint({
  method: "post",
  path: "/api/chat/agent/approval",
  tag: "Chat",
  summary:
    "Say whether a call that the agent asked about may run: once, always in this chat, or not. Anybody who may write in the project's chats can",
  access: { user: "any", notKeys: PEOPLE_ANSWER },
  body: z
    .object({
      approval_id: z.uuid().describe("Of the `approval_required` event"),
      response: z.enum(["allow_once", "allow_all", "stop"]),
    })
    .meta({ id: "ApprovalAnswer" }),
  refusals: [409],
  response: { status: 200, schema: z.object({ success: z.literal(true), message: z.string() }) },
  async handler({ services, caller, body: { approval_id: approvalId, response } }) {
    await answerApproval(services, caller, { approvalId, response });
    const message = response === "stop" ? "The call is not run" : "The call may run";
    return { success: true as const, message };
  },
});

const Question = z.object({
  approval_id: z.string(),
  task_id: z.string(),
  chat_id: z.string(),
  tool: z.string(),
  parameters: z
    .record(z.string(), z.unknown())
    .describe("The whole call; a stored secret is replaced by `«secret:NAME»`, and nothing else"),
  created_at: Moment,
  expires_at: Moment,
});

/** The one way a question is shown over HTTP: whole. Events show a part of a long one, and say so. */
const describeQuestion = ({ approval: asked, chatId }: { approval: Approval; chatId: string }) => ({
  approval_id: asked.id,
  task_id: asked.taskId,
  chat_id: chatId,
  tool: asked.tool,
  parameters: asked.parameters,
  created_at: asked.createdAt.toISOString(),
  expires_at: asked.expiresAt.toISOString(),
});

export const approvals = endpoint({
  method: "get",
  path: "/api/chat/agent/approvals",
  tag: "Chat",
  summary:
    "Calls in a project's chats that wait for somebody to allow them, oldest first, each of them whole",
  access: { userOrKey: "chat.send" },
  query: z.object({ project_id: text({ min: 1, max: 100 }).describe("Id or slug of the project") }),
  response: { status: 200, schema: z.array(Question) },
  handler: async ({ services, caller, query }) =>
    (await listApprovals(services, caller, query.project_id)).map(describeQuestion),
});

export const getApproval = endpoint({
  method: "get",
  path: "/api/chat/agent/approvals/:approval",
  tag: "Chat",
  summary: "A call that the agent asked about, whole, and what was answered",
  access: { userOrKey: "chat.send" },
  params: z.object({ approval: z.string().describe("Id of the `approval_required` event") }),
  response: {
    status: 200,
    schema: Question.extend({ response: z.enum(["allow_once", "allow_all", "stop"]).nullable() }),
  },
  refusals: [404],
  async handler({ services, caller, params }) {
    const found = await readApproval(services, caller, params.approval);
    return { ...describeQuestion(found), response: found.approval.response };
  },
});
