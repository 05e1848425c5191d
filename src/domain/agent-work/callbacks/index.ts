export { deliverCallback } from "./deliver-callback.ts";
export { sweepCallbacks } from "./sweep-callbacks.ts";
