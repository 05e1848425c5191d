import { z } from "zod";
import { resumeTask } from "#src/domain/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** Launch a task whose turn has come, or whose launch was lost. */
export const startTask = defineFunction({
  name: "start-task",
  payload: z.object({ taskId: z.uuid(), chatId: z.uuid().optional() }),
  run: (services, { taskId, chatId }) => resumeTask(services, { taskId, chatId }),
});
