import { z } from "zod";
import { declareFunction } from "#src/work/message.ts";

/* What the queue is told about tasks whose people are on platforms. */

const ofTask = z.object({ taskId: z.uuid() });

/** A platform's task has ended: its reply is to be sent. */
export const replyDue = declareFunction({ name: "send-reply", message: ofTask });

/** A task of a platform or of a schedule waits for approvals: its questions are to be sent. */
export const questionsDue = declareFunction({ name: "send-questions", message: ofTask });
