export { beginProgress, showProgress } from "./show-progress.ts";
