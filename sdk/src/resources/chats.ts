import type { Chat } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { byOffset } from "./pages.ts";

/** Chats and their messages. `Workspace.chat` talks in one. */
export function chats(request: Request, transport: Transport) {
  return {
    create: (body: Body<"POST /api/chat">, options?: CallOptions) =>
      request("POST", "/api/chat", { ...options, body }),
    /** The caller's chats, last used first, a page at a time. */
    list: (query?: Query<"GET /api/chat">, options?: CallOptions) =>
      request("GET", "/api/chat", { ...options, query }),
    /** Searches the titles and messages of the caller's chats, newest first. */
    search: (query: Query<"GET /api/chat/search">, options?: CallOptions) =>
      request("GET", "/api/chat/search", { ...options, query }),
    /** Iterates over all chats. */
    all: (options?: CallOptions) => byOffset<Chat>(transport, { ...options, template: "/api/chat" }),
    /** The chats of a project. */
    ofProject: (project: string, query?: Query<"GET /api/chat/{project}/sessions">, options?: CallOptions) =>
      request("GET", "/api/chat/{project}/sessions", {
        ...options,
        path: { project },
        query,
      }),
    /** The messages of a chat, oldest first. */
    messages: (chat: string, query?: Query<"GET /api/chat/session/{chat}/messages">, options?: CallOptions) =>
      request("GET", "/api/chat/session/{chat}/messages", {
        ...options,
        path: { chat },
        query,
      }),
    update: (chat: string, body: Body<"PATCH /api/chat/{chat}/update">, options?: CallOptions) =>
      request("PATCH", "/api/chat/{chat}/update", { ...options, path: { chat }, body }),
    delete: (chat: string, options?: CallOptions) =>
      request("DELETE", "/api/chat/{chat}", { ...options, path: { chat } }),
    /** Takes back what the last message changed in the files. */
    undo: (chat: string, query?: Query<"POST /api/chat/{chat}/undo">, options?: CallOptions) =>
      request("POST", "/api/chat/{chat}/undo", { ...options, path: { chat }, query }),
    /** Shortens the conversation for the model. */
    compact: (chat: string, options?: CallOptions) =>
      request("POST", "/api/chat/{chat}/compact", { ...options, path: { chat } }),
    /** Uploads a file for a message of the chat. */
    attach: (chat: string, file: Blob, name: string, options?: CallOptions) => {
      const body = new FormData();
      body.append("file", file, name);
      return request("POST", "/api/chats/{chat}/attachments", { ...options, path: { chat }, body });
    },
  };
}
