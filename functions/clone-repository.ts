import { z } from "zod";
import { runClone } from "#src/domain/source-control/git/index.ts";
import { defineFunction } from "./serve.ts";

/** A clone into a project, from wherever an executor before left it. */
export const cloneRepository = defineFunction({
  name: "clone-repository",
  payload: z.object({ projectId: z.uuid() }),
  run: async (services, { projectId }) => runClone(services, projectId),
});
