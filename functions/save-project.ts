import { z } from "zod";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { defineFunction } from "./serve.ts";

/** Takes a snapshot of a project that is in use, against the loss of its container. */
export const saveProject = defineFunction({
  name: "save-project",
  payload: z.object({ projectId: z.uuid() }),
  run: (services, { projectId }) => lifecycle.saveProject(services, projectId),
});
