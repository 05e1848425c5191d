import type { ApiRequest } from "#test/support/api-client.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import type { Estate } from "./estate.ts";
import { formWithFile } from "./form-with-file.ts";

interface Scene {
  service: SharedService;
  estate: Estate;
}

/** Preparations for the operations on chats that need more than a valid request to succeed. */
export const CHAT_OCCASIONS: Record<string, (scene: Scene) => Promise<ApiRequest> | ApiRequest> = {
  "POST /api/chats/{chat}/attachments": () => formWithFile(),
  "POST /api/chat/{chat}/undo": async ({ service, estate }) => {
    const { project: project_id, chat: chat_id } = estate.samples;
    await service.call("POST", "/api/chat/agent", {
      token: estate.owner.token,
      json: { project_id, chat_id, message: "Hello" },
    });
    return {};
  },
};
