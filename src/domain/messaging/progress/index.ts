export { lookDue, resumeProgress, showProgress, type ProgressSoFar } from "./show-progress.ts";
