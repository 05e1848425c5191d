import { z } from "zod";
import { deleteChat, moveChat, undoTurn, updateChat } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentId, text } from "#src/http/schemas.ts";
import { EditModeField } from "#src/http/chat-message.ts";
import { Chat, ChatParams, describeChat } from "./chat.ts";

export const update = endpoint({
  operationId: "updateChat",
  method: "patch",
  path: "/api/chat/:chat/update",
  tag: "Chat",
  summary: "Update a chat",
  description:
    "Renames or archives the chat, shares it, or chooses its agent, model and mode. Of a chat that another person shares, administrators of the project may change the title, `status` and `is_shared`.",
  access: { userOrKey: "chat.send" },
  params: ChatParams,
  example: { title: "The failing test" },
  body: z
    .object({
      title: text({ min: 1, max: 200, trim: true })
        .nullish()
        .describe("null removes the title; the agent sets a new one with its next answer"),
      status: z.enum(["active", "archived"]).nullish(),
      agent_id: AgentId.nullish().describe("null for the default agent"),
      model: text({ min: 1, max: 200 }).nullish().describe("null for the agent's own model"),
      edit_mode: EditModeField.nullish().describe("null for the default of the chat's origin"),
      is_shared: z
        .boolean()
        .optional()
        .describe(
          "Whether the people of the project read the chat, and its editors write in it. `false` stops the work of others in it",
        ),
    })
    .meta({ id: "ChatChange" }),
  refusals: [400],
  response: { status: 200, schema: Chat },
  async handler({ services, caller, params, body }) {
    const change = {
      title: body.title,
      status: body.status ?? undefined,
      agentId: body.agent_id,
      model: body.model,
      editMode: body.edit_mode,
      isShared: body.is_shared,
    };
    return describeChat(await updateChat(services, caller, params.chat, change));
  },
});

export const move = endpoint({
  operationId: "moveChat",
  method: "patch",
  path: "/api/chat/:chat/project",
  tag: "Chat",
  summary: "Move a chat",
  description:
    "To another project, or with null to the caller's default workspace. At most 30 times a minute.",
  access: { userOrKey: "chat.send", rate: "move" },
  params: ChatParams,
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10" },
  body: z.object({ project_id: text({ min: 1, max: 100 }).nullable() }).meta({ id: "ChatMove" }),
  refusals: [409],
  response: { status: 200, schema: z.object({ ok: z.literal(true), project_id: z.string() }) },
  async handler({ services, caller, params, body }) {
    const { projectId } = await moveChat(services, caller, params.chat, body.project_id);
    return { ok: true as const, project_id: projectId };
  },
});

export const remove = endpoint({
  operationId: "deleteChat",
  method: "delete",
  path: "/api/chat/:chat",
  tag: "Chat",
  summary: "Delete a chat",
  description: "Stops the work in it. The last chat of a project cannot be deleted.",
  access: { userOrKey: "chat.delete" },
  params: ChatParams,
  refusals: [400],
  response: { status: 200, schema: z.object({ success: z.literal(true) }) },
  async handler({ services, caller, params }) {
    await deleteChat(services, caller, params.chat);
    return { success: true as const };
  },
});

export const undo = endpoint({
  operationId: "undoChatMessage",
  method: "post",
  path: "/api/chat/:chat/undo",
  tag: "Chat",
  summary: "Undo the last message",
  description:
    "Deletes the last message and its answer, and restores the project's files to their state before it, chat uploads excepted. The files until then, with the changes that people made, are saved as the snapshot `snapshot_hash`: restore it to revert the undo.",
  access: { userOrKey: "chat.send" },
  params: ChatParams,
  query: z.object({
    force: z
      .enum(["true", "false"])
      .transform((value) => value === "true")
      .optional()
      .describe(
        "Also restore files when agents have changed files of the project in other chats since, which is refused otherwise",
      ),
  }),
  refusals: [400, 409, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      removed_count: z.int(),
      removed_ids: z.array(z.string()),
      last_user_message: z.string(),
      files_reverted: z.boolean(),
      snapshot_hash: z
        .string()
        .nullable()
        .describe("Snapshot of the files before the undo; null when no files were restored"),
    }),
  },
  async handler({ services, caller, params, query }) {
    const wish = { isForced: query.force ?? false };
    const { removedIds, lastUserMessage, snapshotHash } = await undoTurn(services, caller, params.chat, wish);
    return {
      success: true as const,
      removed_count: removedIds.length,
      removed_ids: removedIds,
      last_user_message: lastUserMessage,
      files_reverted: snapshotHash !== null,
      snapshot_hash: snapshotHash,
    };
  },
});
