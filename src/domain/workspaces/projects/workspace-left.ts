import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/** The files of a deleted project are to be removed. Its key is the project's id. */
export const workspaceLeft = declareJob({
  name: "destroy-workspace",
  payload: z.object({ projectId: z.uuid(), slug: z.string().nullable() }),
});
