import { z } from "zod";
import { followUpTask } from "#src/domain/agent-work/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** Follow-up work at the end of a task: its callback, and the next turn of its chat. */
export const taskFinished = defineFunction({
  name: "task-finished",
  payload: z.object({ taskId: z.uuid() }),
  run: (services, { taskId }) => followUpTask(services, taskId),
});
