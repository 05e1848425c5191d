export { deliverCallback } from "./deliver-callback.ts";
export { sendNotice } from "./send-notice.ts";
export { sweepCallbacks } from "./sweep-callbacks.ts";
