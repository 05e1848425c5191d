export {
  listLibrary,
  listLibraryBases,
  removeFromLibrary,
  switchOff,
  toggleAgent,
} from "./manage-library.ts";
export { purchase, type Costs, type PurchaseInput } from "./purchase.ts";
export { isEntitled, isEntitledToBase, isPromptSecret } from "./queries/entitlement.ts";
export { endGrant, grantAgent, grantBase } from "./queries/grants.ts";
export { maySeeSource, withoutSource, type Shown } from "./source.ts";
export type { ItemKind } from "./queries/items.ts";
