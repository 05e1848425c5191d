import { z } from "zod";
import * as runs from "#src/domain/schedules/runs/index.ts";
import { defineFunction } from "./serve.ts";

/** Delivers the result of a schedule's run whose task has ended. */
export const finishRun = defineFunction({
  name: "finish-run",
  payload: z.object({ taskId: z.uuid() }),
  run: (services, { taskId }) => runs.finishRun(services, taskId),
});
