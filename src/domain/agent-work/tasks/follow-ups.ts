import type { SQL } from "drizzle-orm";
import type { JobName } from "#src/work/job.ts";
import type { QueueFunction } from "#src/work/message.ts";
import type { SourceKind } from "./source.ts";

interface OfTask extends Record<string, unknown> {
  taskId: string;
}

/** What follows once a task from one kind of source works for long, waits, or has ended. Other areas register it, see `src/follow-ups.ts`. */
interface FollowUp {
  /**
   * Is called once, when the task has been at work for a few seconds. It is a courtesy: not repeated when the call is lost.
   */
  working?: QueueFunction<OfTask>;
  /** Asks the person for the approvals that the task waits for. */
  asking?: QueueFunction<OfTask>;
  /** Is called when the task has ended. */
  ended?: QueueFunction<OfTask>;
  /** Is stored with the task's end. Its key is the task's id. */
  job?: JobName<OfTask>;
  /** As `job`, where a condition on the ended task, `fenced`, holds. The sweep publishes it, as it is not urgent. */
  unpublished?: { job: JobName<OfTask>; where: SQL };
}

export type FollowUps = Readonly<Partial<Record<SourceKind, FollowUp>>>;

export interface FollowUpDeps {
  followUps: FollowUps;
}
