import { NAMED, PERSON, SUPERUSER, anyone, changes, isPrivate, reads, type Rows } from "./row.ts";

/** The agent: its tasks, chats and channels. */
export const AGENTS: Rows = {
  // Tasks of the agent.
  "/api/external/agent/invoke": {
    POST: { admits: "key: chat.send", viewer: 403, stranger: 404, project: true },
  },
  "/api/external/agent/events/{task}": {
    GET: { admits: "key of the task: chat.view", stranger: 404, viewer: 404, project: true },
  },
  "/api/external/agent/status/{task}": {
    GET: { admits: "key of the task: chat.view", stranger: 404, viewer: 404, project: true },
  },
  "/api/chat/agent/tasks": { GET: anyone("chat.view") },
  "/api/chat/agent/status/{task}": { GET: isPrivate("chat.view") },
  "/api/chat/agent/steps/{task}": { GET: isPrivate("chat.view") },
  "/api/chat/agent/steps/{task}/{step}": { GET: isPrivate("chat.view") },
  "/api/v1/agents/tasks/{task}/cancel": {
    POST: { admits: "key of the task: chat.send", stranger: 404, viewer: 403, project: true },
  },
  "/api/v1/agents/tasks": { GET: { admits: "key: agents.read" } },
  // What a message may do is checked for each tool: test/attacks/mcp-server.test.ts.
  "/mcp": { POST: { admits: "key: any" } },
  // MCP servers that agents use: here one of the project. What is of people and teams: test/journeys/mcp-servers.test.ts.
  "/api/mcp/servers": {
    GET: { ...anyone("mcp.view"), project: true },
    POST: { ...anyone("mcp.manage"), project: true },
  },
  "/api/mcp/stdio-servers": {
    GET: changes("mcp.manage"),
    POST: changes("mcp.manage and terminal.access"),
  },
  "/api/mcp/servers/{mcp_server}": {
    GET: reads("mcp.view"),
    PATCH: changes("mcp.manage"),
    DELETE: changes("mcp.manage"),
  },
  "/api/mcp/servers/{mcp_server}/test": { POST: changes("mcp.manage") },
  "/api/mcp/servers/{mcp_server}/authorize": {
    POST: { admits: "person", stranger: 404, viewer: 403 },
  },
  "/api/mcp/servers/{mcp_server}/disconnect": { POST: changes("mcp.manage") },
  "/api/mcp/servers/{mcp_server}/tools": { GET: reads("mcp.view") },
  "/api/v1/agents/tasks/{task}/steps": {
    GET: { admits: "key of the task: agents.read", stranger: 404, viewer: 404, project: true },
  },
  // Chats, and the agent in them. A chat is its user's own: to others, members of the project included, it is not there.
  "/api/chat/stream": { POST: changes("chat.send") },
  "/api/chat/agent/stream": { POST: changes("chat.send") },
  "/api/chat/agent": { POST: changes("chat.send") },
  "/api/chat/agent/events/{task}": { GET: isPrivate("chat.view") },
  "/api/chat/agent/stream-project": { GET: reads("chat.view") },
  "/api/chat/agent/active": { GET: reads("chat.view") },
  "/api/chat/agent/active-in-project": { GET: reads("chat.view") },
  "/api/chat/agent/approval": { POST: { admits: "person", stranger: 404, viewer: 403, key: 403 } },
  // Without a project: what waits in all of the caller's. test/attacks/task-visibility.test.ts covers both.
  "/api/chat/agent/approvals": { GET: anyone("chat.send") },
  "/api/chat/agent/approvals/{approval}": { GET: changes("chat.send") },
  "/api/chat/agent/cancel/{task}": { POST: changes("chat.send") },
  "/api/chat/agent/force-cancel": { POST: changes("chat.send") },
  "/api/sidebar/tree": { GET: PERSON },
  "/api/sidebar": { GET: PERSON },
  "/api/chat": { GET: anyone("chat.view"), POST: changes("chat.send") },
  "/api/chat/search": { GET: anyone("chat.view") },
  "/api/chat/sessions": { GET: anyone("chat.view") },
  "/api/chat/session/{chat}/messages": { GET: isPrivate("chat.view") },
  "/api/chat/{project}/sessions": { GET: reads("chat.view") },
  "/api/chat/{project}/history": { GET: reads("chat.view") },
  "/api/chat/{project}/messages": { DELETE: changes("chat.delete") },
  "/api/chat/{chat}/update": { PATCH: changes("chat.send") },
  "/api/chat/{chat}/project": { PATCH: changes("chat.send") },
  "/api/chat/{chat}": { DELETE: changes("chat.delete") },
  "/api/chat/{chat}/undo": { POST: changes("chat.send") },
  "/api/chat/{chat}/compact": { POST: changes("chat.send") },
  "/api/chats/{chat}/attachments": { POST: changes("chat.send") },
  "/api/chats/{chat}/attachments/{attachment}": { DELETE: changes("chat.send") },
  // Messaging channels and the accounts that people link with them.
  "/api/gateway/status": { GET: PERSON },
  "/api/gateway/reload": { POST: SUPERUSER },
  "/api/gateway/platforms": { GET: PERSON },
  "/api/channels": { GET: PERSON, POST: PERSON },
  "/api/channels/{channel}": { GET: NAMED, PATCH: NAMED, DELETE: NAMED },
  "/api/channels/{channel}/rotate-secret": { POST: NAMED },
  "/api/channels/{channel}/test": { POST: NAMED },
  "/api/channels/{channel}/messages": { GET: NAMED },
  "/api/channels/{channel}/messages/{channel_message}/retry": { POST: NAMED },
  "/api/gateway/pair/preview": { POST: PERSON },
  "/api/gateway/pair/verify": { POST: PERSON },
  "/api/gateway/identities": { GET: PERSON },
  "/api/gateway/identities/{identity}": { DELETE: NAMED },
};
