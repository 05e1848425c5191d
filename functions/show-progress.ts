import { z } from "zod";
import * as progress from "#src/domain/messaging/progress/index.ts";
import { defineFunction } from "./serve.ts";

/** One look at a platform's task, to show its person what the agent does. */
export const showProgress = defineFunction({
  name: "show-progress",
  payload: z.object({
    taskId: z.uuid(),
    after: z.int(),
    messageId: z.string().nullable(),
    lines: z.array(z.string()),
    looks: z.int(),
  }),
  run: (services, soFar) => progress.showProgress(services, soFar),
});
