export { deliverCallback } from "./deliver-callback.ts";
export { sendNotice } from "./send-notice.ts";
