import { z } from "zod";
import { httpUrl, integer, optional, text, withDefault } from "../fields.ts";

/** How tasks are run: web search, steps, approvals, and how long their records are kept. */
export const agentVariables = {
  /** Provider of the agent's web search; without its key, web search is disabled. */
  WEB_SEARCH_PROVIDER: withDefault(z.enum(["tavily", "brave"]), "tavily"),
  WEB_SEARCH_MAX_RESULTS: integer(5, 1, 10),
  /** Timeout of one search in seconds. */
  WEB_SEARCH_TIMEOUT: integer(15, 1, 60),
  TAVILY_API_KEY: text(),
  TAVILY_API_BASE: withDefault(httpUrl, "https://api.tavily.com"),
  BRAVE_API_KEY: text(),
  BRAVE_API_BASE: withDefault(httpUrl, "https://api.search.brave.com/res/v1"),
  /**
   * A secret, because its knowledge suffices to post there. Receives the agent's messages to `discord` if no channel is
   * connected.
   */
  AGENT_DISCORD_WEBHOOK_URL: optional(httpUrl),

  /** Hours that a task waits for the approval of a dangerous call; then the call counts as denied. */
  APPROVAL_EXPIRE_HOURS: integer(72, 1, 720),
  STEP_MAX_SECONDS: integer(240, 5, 840),
  STEP_MAX_APPENDS: integer(500, 10),
  TASK_STALL_SECONDS: integer(8, 1),
  TASK_MAX_ATTEMPTS: integer(5, 1),
  TASK_LOG_RETENTION_DAYS: integer(30, 1),
  /** How long the audit log and the trail of administrators are kept. */
  AUDIT_LOG_RETENTION_DAYS: integer(90, 1, 36_500),
  TASK_MAX_ITERATIONS: integer(200, 1),
};
