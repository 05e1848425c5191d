import { z } from "zod";
import * as projects from "#src/domain/workspaces/projects/index.ts";
import { defineFunction } from "./serve.ts";

/** The files of a project whose deletion was cut off half-way. */
export const destroyWorkspace = defineFunction({
  name: "destroy-workspace",
  payload: z.object({ projectId: z.uuid() }),
  run: (services, { projectId }) => projects.destroyWorkspace(services, projectId),
});
