export { readLimits } from "./read-limits.ts";
