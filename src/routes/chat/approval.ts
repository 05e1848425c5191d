import { z } from "zod";
import {
  answerApproval,
  MOST_APPROVALS,
  PEOPLE_ANSWER,
  REASON_CHARS,
  responseOf,
  readApproval,
  type OpenedApproval,
} from "#src/domain/agent-work/approvals/index.ts";
import { listApprovals } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { pageQuery, replyWithPage } from "#src/http/list-page.ts";
import { AnswerContent, ApprovalResponse } from "#src/wire/approval-response.ts";
import { AskedInput } from "#src/wire/asked-input.ts";
import { Moment, Succeeded, text } from "#src/http/schemas.ts";

export const approval = endpoint({
  operationId: "answerApproval",
  method: "post",
  path: "/api/chat/agent/approval",
  tag: "Chat",
  summary: "Answer an approval",
  description:
    "Allows the call once, allows its tool always in this chat, or denies it; the model reads the `reason` of a denial. Any person who may write in the project's chats can answer. What an MCP server asks (`input`) is answered by the task's person alone: `accept` with `content`, `decline` or `cancel`; the model does not read the answers.",
  access: { user: "any", notKeys: PEOPLE_ANSWER },
  example: { approval_id: "5d1f9a3c-7b60-4a0e-b1a4-2c9d8e6f0a44", response: "allow_once" },
  body: z
    .object({
      approval_id: z.uuid().describe("Id from the `approval_required` event"),
      response: ApprovalResponse,
      content: AnswerContent,
      reason: text({ max: REASON_CHARS })
        .nullish()
        .describe("With `stop`: why, or what to do instead. The agent reads it and goes on"),
    })
    .meta({ id: "ApprovalAnswer" }),
  refusals: [409],
  response: { status: 200, schema: Succeeded },
  async handler({ services, caller, body: { approval_id: approvalId, response, reason, content } }) {
    const answer = { approvalId, response, reason: reason ?? undefined, content: content ?? undefined };
    await answerApproval(services, caller, answer);
    return { success: true as const, message: MESSAGES[response] };
  },
});

const MESSAGES: Readonly<Record<z.output<typeof ApprovalResponse>, string>> = {
  allow_once: "The call may run",
  allow_all: "The call may run",
  stop: "The call is not run",
  accept: "The server is given the answer",
  decline: "The server is told that it was declined",
  cancel: "The server is told that it was not answered",
};

export const Question = z.object({
  approval_id: z.string(),
  task_id: z.string(),
  chat_id: z.string(),
  project_id: z.string(),
  tool: z.string(),
  parameters: z
    .record(z.string(), z.unknown())
    .describe("The complete call. Only stored secrets are replaced, by `«secret:NAME»`"),
  created_at: Moment,
  expires_at: Moment,
  input: AskedInput.nullable().describe("What an MCP server asks; null where the call itself is asked about"),
});

/** An approval as every HTTP response shows it: complete. Events truncate a long one, and say so. */
export const describeQuestion = ({ approval: asked, chatId, projectId }: OpenedApproval) => ({
  approval_id: asked.id,
  task_id: asked.taskId,
  chat_id: chatId,
  project_id: projectId,
  tool: asked.tool,
  parameters: asked.parameters,
  created_at: asked.createdAt.toISOString(),
  expires_at: asked.expiresAt.toISOString(),
  input: asked.asked,
});

const Pages = pageQuery(z.uuid());

export const approvals = endpoint({
  operationId: "listApprovals",
  method: "get",
  path: "/api/chat/agent/approvals",
  tag: "Chat",
  summary: "List pending approvals",
  description: `The complete calls that wait for an approval, oldest first: of one project, or of all projects in which the caller may write in chats (an API key: of its projects). Of one project all are returned without \`limit\`, of all projects ${MOST_APPROVALS}. \`X-Next-Cursor\` is the \`cursor\` of the next page.`,
  access: { userOrKey: "chat.send" },
  query: Pages.extend({
    limit: Pages.shape.limit.describe("Most entries to return"),
    project_id: text({ min: 1, max: 100 }).optional().describe("Id or slug of the project; all when absent"),
  }),
  response: { status: 200, schema: z.array(Question) },
  async handler({ services, caller, query }) {
    const { project_id: project, cursor: after } = query;
    const limit = query.limit ?? (project === undefined ? MOST_APPROVALS : undefined);
    const found = await listApprovals(services, caller, project, { limit, after });
    return replyWithPage(
      found,
      { limit },
      { describe: describeQuestion, cursorOf: (each) => each.approval.id },
    );
  },
});

export const getApproval = endpoint({
  operationId: "getApproval",
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
      response: ApprovalResponse.nullable(),
      reason: z
        .string()
        .nullable()
        .describe(
          "Why it was denied: the reason that was given, or the beginning of the message that denied it",
        ),
    }),
  },
  refusals: [404],
  async handler({ services, caller, params }) {
    const found = await readApproval(services, caller, params.approval);
    return {
      ...describeQuestion(found),
      response: responseOf(found.approval),
      reason: found.approval.reason,
    };
  },
});
