export type { AgentRules } from "./check-agent.ts";
export {
  changeAgent,
  createAgent,
  deleteAgent,
  findAgent,
  listAgents,
  requireAgent,
} from "./manage-agents.ts";
export type { Agent } from "./queries.ts";
