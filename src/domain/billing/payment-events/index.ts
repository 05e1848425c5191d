export { handleEvent } from "./handle-event.ts";
export { pageOfEvents } from "./queries.ts";
export { receiveEvent } from "./receive-event.ts";
export { retryEvent } from "./retry-event.ts";
