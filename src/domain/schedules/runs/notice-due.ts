import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/**
 * Why the owner of a schedule is told of a run: the schedule was paused with it, ended with it, or has failed several times in
 * a row.
 */
const About = z.enum(["paused", "over", "failing"]);
export type About = z.infer<typeof About>;

/** The owner of a schedule is to be told how a run of it ended. Its key is the id of the run's task. */
export const noticeDue = declareJob({
  name: "tell-owner",
  payload: z.object({ taskId: z.uuid(), about: About }),
});
