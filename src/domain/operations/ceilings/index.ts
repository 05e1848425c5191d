export { roomFor } from "./queries.ts";
export { readCeilings, type Limit } from "./read-ceilings.ts";
export {
  CEILINGS,
  isFull,
  OPEN_CEILINGS,
  type AllCeilings,
  type CeilingConfig,
  type CeilingName,
} from "./table.ts";
export { whileThereIsRoom } from "./while-there-is-room.ts";
