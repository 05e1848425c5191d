import { z } from "zod";
import { declareFunction } from "#src/work/message.ts";

/* What the queue is told about tasks. */

const ofTask = z.object({ taskId: z.uuid() });

/** A step of a task is to be run, from 1. */
export const stepDue = declareFunction({
  name: "agent-step",
  message: z.object({ taskId: z.uuid(), step: z.int().min(1) }),
});

/** A task never began: its launch message was lost. */
export const launchLost = declareFunction({ name: "resume-task", message: ofTask });

/** A task has ended, and what follows from it may not have been published. */
export const taskEnded = declareFunction({ name: "task-finished", message: ofTask });
