export { checkClosed, type AgentRules } from "./check-agent.ts";
export {
  changeAgent,
  createAgent,
  deleteAgent,
  findAgent,
  listAgents,
  requireAgent,
  selectModel,
  type AgentChange,
  type AgentDeps,
  type AgentOfPerson,
} from "./manage-agents.ts";
export type { Agent } from "./queries.ts";
