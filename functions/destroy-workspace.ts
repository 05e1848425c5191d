import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { defineFunction } from "./serve.ts";

/** Removes the files of a project whose deletion was interrupted. */
export const destroyWorkspace = defineFunction({
  name: "destroy-workspace",
  payload: z.object({ projectId: z.uuid() }),
  run: (services, { projectId }) => projects.destroyWorkspace(services, projectId),
});
