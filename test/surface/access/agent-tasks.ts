import { anyone, isPrivate, type Rows } from "./row.ts";

/** Tasks of the agent. */
export const AGENT_TASKS: Rows = {
  "POST /api/external/agent/invoke": { admits: "key: chat.send", viewer: 403, stranger: 404, project: true },
  "GET /api/external/agent/events/{task}": {
    admits: "key of the task: chat.view",
    stranger: 404,
    viewer: 404,
    project: true,
  },
  "GET /api/external/agent/status/{task}": {
    admits: "key of the task: chat.view",
    stranger: 404,
    viewer: 404,
    project: true,
  },
  "GET /api/chat/agent/tasks": anyone("chat.view"),
  "GET /api/chat/agent/status/{task}": isPrivate("chat.view"),
  "GET /api/chat/agent/steps/{task}": isPrivate("chat.view"),
  "GET /api/chat/agent/steps/{task}/{step}": isPrivate("chat.view"),
  "POST /api/v1/agents/tasks/{task}/cancel": {
    admits: "key of the task: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/v1/agents/tasks": { admits: "key: agents.read" },
  "GET /api/v1/agents/tasks/{task}/steps": {
    admits: "key of the task: agents.read",
    stranger: 404,
    viewer: 404,
    project: true,
  },
};
