import { z } from "zod";
import { runClone } from "#src/domain/source-control/git/index.ts";
import { defineFunction } from "./serve.ts";

/** Clones into a project, continuing where an earlier executor stopped. */
export const cloneRepository = defineFunction({
  name: "clone-repository",
  payload: z.object({ projectId: z.uuid() }),
  run: async (services, { projectId }) => runClone(services, projectId),
});
