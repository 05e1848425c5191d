import { z } from "zod";
import { resumeTask } from "#src/domain/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** Launch a task whose launch was lost. */
export const startTask = defineFunction({
  name: "start-task",
  payload: z.object({ taskId: z.uuid() }),
  run: (services, { taskId }) => resumeTask(services, taskId),
});
