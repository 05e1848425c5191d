import { z } from "zod";
import { createChat } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { Chat, describeChat } from "./chat.ts";

export const create = endpoint({
  operationId: "createChat",
  method: "post",
  path: "/api/chat",
  tag: "Chat",
  summary: "Create a chat",
  description: "In a project, or in the caller's default workspace.",
  access: { userOrKey: "chat.send" },
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10" },
  body: z
    .object({
      project_id: text({ min: 1, max: 100 }).nullish().describe("Id or slug of the project"),
      title: text({ min: 1, max: 200, trim: true }).nullish(),
    })
    .meta({ id: "NewChat" }),
  response: { status: 200, schema: Chat },
  async handler({ services, caller, body }) {
    const wish = { project: body.project_id ?? undefined, title: body.title ?? undefined };
    return describeChat(await createChat(services, caller, wish));
  },
});
