export { forgetOldRows } from "./forget-old-rows.ts";
