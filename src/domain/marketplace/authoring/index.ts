export { changeBase, listCreatedBases, removeBase, submitBase } from "./bases.ts";
export { centsOf } from "./price.ts";
export { changeOrFork, forkAgent } from "./fork-agent.ts";
export { addProjectAgent, listProjectAgents, removeProjectAgent } from "./project-agents.ts";
export { publishAgent, unpublishAgent } from "./publish-agent.ts";
