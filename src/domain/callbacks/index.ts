export { deliverCallback } from "./deliver-callback.ts";
