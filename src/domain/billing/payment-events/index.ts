export { handleEvent } from "./handle-event.ts";
export { pageOfEvents } from "./queries.ts";
export { receiveEvent } from "./receive-event.ts";
export { retryEvent, sweepEvents } from "./retry-event.ts";
