export { beginProgress, ProgressSoFar, showProgress } from "./show-progress.ts";
