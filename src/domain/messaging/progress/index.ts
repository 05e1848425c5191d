export { beginProgress, lookDue, showProgress, type ProgressSoFar } from "./show-progress.ts";
