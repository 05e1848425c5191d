export { isFull, type AllCeilings, type CeilingConfig, type CeilingName } from "./ceiling.ts";
export { roomFor } from "./queries.ts";
export { readCeilings, type Limit } from "./read-ceilings.ts";
export { whileThereIsRoom } from "./while-there-is-room.ts";
