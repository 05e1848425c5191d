import { z } from "zod";
import { EditModeField } from "#src/http/chat-message.ts";
import type { ChatView } from "#src/domain/agent-work/chats/index.ts";
import { Moment } from "#src/http/schemas.ts";

export const ChatParams = z.object({ chat: z.string().describe("The chat's id") });

/** A project by id or slug, and one chat of it. */
export const ProjectChats = z.object({ project: z.string().describe("Id or slug of the project") });
export const ChatQuery = z.object({
  chat_id: z
    .uuid()
    .optional()
    .describe(
      "When absent, the chat that a message without a `chat_id` goes to: for a person, the last used of the project's chats that people began; for an API key, of those that programs began",
    ),
});

/** Lists and streams have the caller's own chats, and on request those of others. */
export const SharedQuery = z.object({
  shared: z
    .enum(["true", "false"])
    .transform((value) => value === "true")
    .optional()
    .describe("`true`: also what others share in projects of which the caller is a member"),
});

export const ChatStatus = z.enum(["active", "running", "waiting_approval", "completed", "archived"]);

export const Chat = z
  .object({
    id: z.string(),
    user_id: z.string(),
    project_id: z.string(),
    title: z.string().nullable(),
    origin: z
      .string()
      .describe("Where the chat began: `browser`, `standalone`, `api`, `schedule` or a platform's name"),
    status: ChatStatus,
    agent_id: z.string().nullable().describe("Agent for messages that do not name one"),
    model: z.string().nullable().describe("Model for messages that do not name one"),
    edit_mode: EditModeField.nullable().describe("Mode for dangerous tools when a message does not set one"),
    is_shared: z
      .boolean()
      .describe("Whether the people of the project read it, and its editors write in it; `user_id` began it"),
    created_at: Moment,
    updated_at: Moment.nullable(),
  })
  .meta({ id: "Chat" });

export function describeChat(chat: ChatView): z.input<typeof Chat> {
  return {
    id: chat.id,
    user_id: chat.userId,
    project_id: chat.projectId,
    title: chat.title,
    origin: chat.origin,
    status: chat.state,
    agent_id: chat.agentId,
    model: chat.model,
    edit_mode: chat.editMode,
    is_shared: chat.isShared,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt?.toISOString() ?? null,
  };
}
