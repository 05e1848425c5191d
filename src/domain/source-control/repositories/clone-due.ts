import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/** A repository is to be cloned into a project. Its key is the project's id. */
export const cloneDue = declareJob({
  name: "clone-repository",
  payload: z.object({ projectId: z.uuid() }),
});
