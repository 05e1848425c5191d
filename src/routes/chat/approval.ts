import { z } from "zod";
import {
  answerApproval,
  PEOPLE_ANSWER,
  readApproval,
  type Approval,
} from "#src/domain/agent-work/approvals/index.ts";
import { listApprovals } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const approval = endpoint({
  method: "post",
  path: "/api/chat/agent/approval",
  tag: "Chat",
  summary: "Answer an approval",
  description:
    "Allows the call once, allows its tool always in this chat, or denies it. Any person who may write in the project's chats can answer.",
  access: { user: "any", notKeys: PEOPLE_ANSWER },
  body: z
    .object({
      approval_id: z.uuid().describe("Id from the `approval_required` event"),
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
    .describe("The complete call. Only stored secrets are replaced, by `«secret:NAME»`"),
  created_at: Moment,
  expires_at: Moment,
});

/** An approval as every HTTP response shows it: complete. Events truncate a long one, and say so. */
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
  summary: "List pending approvals",
  description: "The complete calls in the project's chats that wait for an approval, oldest first.",
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
  summary: "Get an approval",
  description: "The complete call, and the answer that was given.",
  access: { userOrKey: "chat.send" },
  params: z.object({ approval: z.string().describe("Id of the `approval_required` event") }),
  response: {
    status: 200,
    schema: Question.extend({
      response: z.enum(["allow_once", "allow_all", "stop"]).nullable(),
      reason: z.string().nullable().describe("Beginning of the message that denied it"),
    }),
  },
  refusals: [404],
  async handler({ services, caller, params }) {
    const found = await readApproval(services, caller, params.approval);
    const { response, reason } = found.approval;
    return { ...describeQuestion(found), response, reason };
  },
});
