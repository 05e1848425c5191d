import { z } from "zod";
import * as tasks from "#src/domain/agent-work/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** Launches a task whose launch message was lost. */
export const resumeTask = defineFunction({
  name: "resume-task",
  payload: z.object({ taskId: z.uuid() }),
  run: (services, { taskId }) => tasks.resumeTask(services, taskId),
});
