export {
  browseAgents,
  browseBases,
  findListedAgent,
  findListedBase,
  findRelatedAgents,
  type Viewer,
} from "./browse.ts";
export { listVersions } from "./list-versions.ts";
export type { ListedAgent } from "./queries/agents.ts";
export type { ListedBase } from "./queries/bases.ts";
export { SORTS, type CatalogueFilter } from "./queries/shared.ts";
