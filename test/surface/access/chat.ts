import type { Rows } from "./row.ts";

/** Chats, and the agent in them. A chat is its user's own: to others, members of the project included, it is not there. */
export const CHAT: Rows = {
  "POST /api/chat/stream": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chat/agent/stream": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chat/agent": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/chat/agent/events/{task}": {
    admits: "person or key: chat.view",
    stranger: 404,
    viewer: 404,
    project: true,
  },
  "GET /api/chat/agent/stream-project": { admits: "person or key: chat.view", stranger: 404, project: true },
  "GET /api/chat/agent/active": { admits: "person or key: chat.view", stranger: 404, project: true },
  "GET /api/chat/agent/active-in-project": {
    admits: "person or key: chat.view",
    stranger: 404,
    project: true,
  },
  "POST /api/chat/agent/approval": { admits: "person", stranger: 404, viewer: 403, key: 403 },
  // Without a project: what waits in all of the caller's. test/attacks/task-visibility.test.ts covers both.
  "GET /api/chat/agent/approvals": { admits: "person or key: chat.send" },
  "GET /api/chat/agent/approvals/{approval}": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chat/agent/cancel/{task}": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chat/agent/force-cancel": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/sidebar/tree": { admits: "person" },
  "GET /api/chat": { admits: "person or key: chat.view" },
  "POST /api/chat": { admits: "person or key: chat.send", stranger: 404, viewer: 403, project: true },
  "GET /api/chat/search": { admits: "person or key: chat.view" },
  "GET /api/chat/sessions": { admits: "person or key: chat.view" },
  "GET /api/chat/session/{chat}/messages": {
    admits: "person or key: chat.view",
    stranger: 404,
    viewer: 404,
    project: true,
  },
  "GET /api/chat/{project}/sessions": { admits: "person or key: chat.view", stranger: 404, project: true },
  "GET /api/chat/{project}/history": { admits: "person or key: chat.view", stranger: 404, project: true },
  "DELETE /api/chat/{project}/messages": {
    admits: "person or key: chat.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "PATCH /api/chat/{chat}/update": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "PATCH /api/chat/{chat}/project": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/chat/{chat}": {
    admits: "person or key: chat.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chat/{chat}/undo": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chat/{chat}/compact": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/chats/{chat}/attachments": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/chats/{chat}/attachments/{attachment}": {
    admits: "person or key: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
};
