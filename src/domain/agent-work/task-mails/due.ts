import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

const payload = z.object({ taskId: z.uuid() });

/** What came of a task may be mailed to its person. Its key is the task's id. */
export const endDue = declareJob({ name: "mail-task-end", payload });

/** A task asks its person, which may be mailed. Its key is the approval's id. */
export const questionDue = declareJob({ name: "mail-task-question", payload });

/** Origins of tasks that a person began. A program's callback tells of its tasks, and a platform's chat has the reply. */
export const MAILED_ORIGINS = ["browser", "standalone", "schedule"] as const;
