import { z } from "zod";
import { Attachments } from "#src/http/attachments.ts";
import { AgentId, text } from "#src/http/schemas.ts";
import { EditModeField } from "./chat.ts";

/** Longest message, in characters. */
const MAX_MESSAGE = 10_000;
const MAX_MENTIONS = 50;

/** A request with its pictures, in bytes: an isolate holds it several times over, and has 128 MB. */
export const AGENT_BODY_BYTES = 24 * 1024 * 1024;

const Mention = z.object({
  kind: z.enum(["agent", "mcp", "app", "data", "project"]),
  ref_id: text({ min: 1, max: 200 }),
  display: text({ max: 200 }),
  offset: z.int().min(0).max(MAX_MESSAGE),
});

export const AgentChatRequest = z
  .object({
    project_id: text({ min: 1, max: 100 })
      .nullish()
      .describe(
        "Id or slug of the project. When absent, the project of the chat, or the caller's default workspace",
      ),
    message: text({ max: MAX_MESSAGE }).default("").describe("Required without attachments"),
    agent_id: AgentId.nullish(),
    model: text({ min: 1, max: 200 })
      .nullish()
      .describe("Model of this message; the chat's model when absent"),
    container_id: text({ max: 100 }).nullish().describe("Accepted for existing clients; not used"),
    chat_id: z.uuid().nullish().describe("When absent, the chat last used in the project, or a new one"),
    max_iterations: z
      .int()
      .min(0)
      .max(100_000)
      .nullish()
      .describe("Most turns of the agent; 0 and null use the service's default"),
    minimal_prompts: z.boolean().nullish().describe("Accepted for existing clients; not used"),
    edit_mode: EditModeField.nullish().describe(
      "Mode for dangerous tools. When absent, the mode of the chat; without one, `ask` for people and `allow` for programs",
    ),
    view_context: z.enum(["graph", "builder", "terminal", "kanban"]).nullish(),
    attachments: Attachments.nullish(),
    mentions: z.array(Mention).max(MAX_MENTIONS).nullish(),
  })
  .refine(({ message, attachments }) => message.trim() !== "" || (attachments ?? []).length > 0, {
    message: "must not be empty unless there are attachments",
    path: ["message"],
  })
  .meta({ id: "AgentChatRequest" });
export type AgentChatRequest = z.output<typeof AgentChatRequest>;
