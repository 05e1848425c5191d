import * as progress from "#src/domain/messaging/progress/index.ts";
import { defineFunction } from "./serve.ts";

/** One look at a platform's task, to show its person what the agent does. */
export const showProgress = defineFunction({
  name: "show-progress",
  payload: progress.ProgressSoFar,
  run: (services, soFar) => progress.showProgress(services, soFar),
});
