export { costOf, type Cost, type Price } from "./cost.ts";
export { knownModels, knownPriceOf, priceOf } from "./prices.ts";
export type { Charged, ModelCall } from "./model-call.ts";
export {
  callParts,
  insertCallOfTask,
  insertCallOfTeam,
  noCallParts,
  pageOfCalls,
  valuesOfCall,
  type CallSlots,
} from "./queries.ts";
export { readUsage, type Sums, type Usage } from "./read-usage.ts";
