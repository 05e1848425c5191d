import { z } from "zod";
import { IdempotencyKey } from "./idempotency-key.ts";
import { ChatCommandFrame } from "#src/wire/sockets.ts";
import { AgentId, text } from "./schemas.ts";

/** Longest message, in characters. */
const MAX_MESSAGE = 10_000;
const MAX_MENTIONS = 50;

/** Longest pasted text and longest picture, in characters. */
const MAX_PASTED = 500_000;
const MAX_IMAGE = 20_000_000;
const MAX_ATTACHMENTS = 10;

const Attachment = z
  .object({
    type: z.enum(["image", "pasted_text", "file_reference"]),
    content: text({ max: MAX_IMAGE }).nullish().describe("Base64 of a picture, or pasted text"),
    mime_type: text({ max: 200 }).nullish(),
    file_path: text({ max: 4096 }).nullish().describe("A file of the project"),
    label: text({ max: 255 }).nullish(),
    attachment_id: z.uuid().nullish().describe("An upload of the chat"),
  })
  .refine(({ type, content }) => type === "image" || (content ?? "").length <= MAX_PASTED, {
    message: `pasted text must have at most ${MAX_PASTED} characters`,
    path: ["content"],
  })
  .refine(
    ({ content, file_path, attachment_id }) => [content, file_path, attachment_id].some((each) => each),
    "must have a content, a file_path or an attachment_id",
  );

const Mention = z.object({
  kind: z.enum(["agent", "mcp", "app", "data", "project"]),
  ref_id: text({ min: 1, max: 200 }),
  display: text({ max: 200 }),
  offset: z.int().min(0).max(MAX_MESSAGE),
});

export const EditModeField = z.enum(["allow", "ask", "plan"]);

/** The fields of a message to the agent, over HTTP and over sockets alike. */
export const ChatMessageFields = z.object({
  message: text({ max: MAX_MESSAGE }).default("").describe("Required without attachments"),
  chat_id: z.uuid().nullish().describe("When absent, the chat last used in the project, or a new one"),
  agent_id: AgentId.nullish(),
  model: text({ min: 1, max: 200 }).nullish().describe("Model of this message; the chat's model when absent"),
  edit_mode: EditModeField.nullish().describe(
    "Mode for dangerous tools. When absent, the mode of the chat; without one, `ask` for people and `allow` for programs",
  ),
  max_iterations: z
    .int()
    .min(0)
    .max(100_000)
    .nullish()
    .describe("Most turns of the agent; 0 and null use the service's default"),
  view_context: z.enum(["graph", "builder", "terminal", "kanban"]).nullish(),
  attachments: z.array(Attachment).max(MAX_ATTACHMENTS).nullish(),
  mentions: z.array(Mention).max(MAX_MENTIONS).nullish(),
});
type ChatMessageFields = z.output<typeof ChatMessageFields>;

/** Whether a message has text or attachments. For `refine`, with `NEEDS_CONTENT`. */
export function hasContent({
  message,
  attachments,
}: Pick<ChatMessageFields, "message" | "attachments">): boolean {
  return message.trim() !== "" || (attachments ?? []).length > 0;
}
export const NEEDS_CONTENT = {
  message: "must not be empty unless there are attachments",
  path: ["message"],
};

/** A message to the agent on a socket: the only frame without a required `type`. */
export const ChatMessageFrame = ChatMessageFields.extend({
  type: z.enum(["message", "chat"]).nullish(),
  project_id: z
    .string()
    .max(200)
    .nullish()
    .describe("Existing clients name the project in each frame; see `project_id` of the socket's address"),
  idempotency_key: IdempotencyKey.nullish().describe(
    "As the header `Idempotency-Key`: the message may be sent again, also on another socket",
  ),
})
  .refine(hasContent, NEEDS_CONTENT)
  .meta({ id: "ChatMessageFrame" });

/** A frame that a client of chats sends. */
export const ChatClientFrame = z.union([ChatMessageFrame, ChatCommandFrame]).meta({ id: "ChatClientFrame" });

/** The fields as `sendWithAttachments` takes them, except the project. */
export function wishOf(fields: ChatMessageFields) {
  const metadata = {
    ...(fields.mentions?.length && { mentions: fields.mentions }),
    ...(fields.view_context && { view_context: fields.view_context }),
  };
  return {
    chatId: fields.chat_id ?? undefined,
    message: fields.message,
    agentId: fields.agent_id ?? undefined,
    model: fields.model ?? undefined,
    editMode: fields.edit_mode ?? undefined,
    maxIterations: fields.max_iterations || undefined,
    attachments: fields.attachments ?? [],
    messageMetadata: Object.keys(metadata).length > 0 ? metadata : null,
  };
}

/** Advice for content that is too large for a socket frame. */
export const UPLOAD_FIRST =
  "upload a larger file with POST /api/chats/{chat}/attachments, and send its attachment_id";
