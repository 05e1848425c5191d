import { z } from "zod";
import * as runs from "#src/domain/schedules/runs/index.ts";
import { defineFunction } from "./serve.ts";

/** Starts the task of a schedule's run. */
export const startRun = defineFunction({
  name: "start-run",
  payload: z.object({ runId: z.uuid() }),
  run: (services, { runId }) => runs.startRun(services, runId),
});
