import { PERSON, anyone, changes, isPrivate, reads, type Rows } from "./row.ts";

/** Chats, and the agent in them. A chat is its user's own: to others, members of the project included, it is not there. */
export const CHAT: Rows = {
  "POST /api/chat/stream": changes("chat.send"),
  "POST /api/chat/agent/stream": changes("chat.send"),
  "POST /api/chat/agent": changes("chat.send"),
  "GET /api/chat/agent/events/{task}": isPrivate("chat.view"),
  "GET /api/chat/agent/stream-project": reads("chat.view"),
  "GET /api/chat/agent/active": reads("chat.view"),
  "GET /api/chat/agent/active-in-project": reads("chat.view"),
  "POST /api/chat/agent/approval": { admits: "person", stranger: 404, viewer: 403, key: 403 },
  // Without a project: what waits in all of the caller's. test/attacks/task-visibility.test.ts covers both.
  "GET /api/chat/agent/approvals": anyone("chat.send"),
  "GET /api/chat/agent/approvals/{approval}": changes("chat.send"),
  "POST /api/chat/agent/cancel/{task}": changes("chat.send"),
  "POST /api/chat/agent/force-cancel": changes("chat.send"),
  "GET /api/sidebar/tree": PERSON,
  "GET /api/chat": anyone("chat.view"),
  "POST /api/chat": changes("chat.send"),
  "GET /api/chat/search": anyone("chat.view"),
  "GET /api/chat/sessions": anyone("chat.view"),
  "GET /api/chat/session/{chat}/messages": isPrivate("chat.view"),
  "GET /api/chat/{project}/sessions": reads("chat.view"),
  "GET /api/chat/{project}/history": reads("chat.view"),
  "DELETE /api/chat/{project}/messages": changes("chat.delete"),
  "PATCH /api/chat/{chat}/update": changes("chat.send"),
  "PATCH /api/chat/{chat}/project": changes("chat.send"),
  "DELETE /api/chat/{chat}": changes("chat.delete"),
  "POST /api/chat/{chat}/undo": changes("chat.send"),
  "POST /api/chat/{chat}/compact": changes("chat.send"),
  "POST /api/chats/{chat}/attachments": changes("chat.send"),
  "DELETE /api/chats/{chat}/attachments/{attachment}": changes("chat.send"),
};
