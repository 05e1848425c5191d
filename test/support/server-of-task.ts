import type { ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";

/** An MCP server as a step of a task has it: named `s`, connected, without tools, rules or credentials. */
export const SERVER_OF_TASK: ServerOfTask = {
  id: "0199c0de-0000-7000-8000-000000000001",
  name: "s",
  url: "https://s.test/mcp",
  projectId: null,
  auth: "none",
  encryptedHeaders: null,
  rules: NO_RULES,
  tools: [],
  state: "connected",
};
