import { z } from "zod";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { defineFunction } from "./serve.ts";

/** Brings a project to its wanted state. */
export const settleProject = defineFunction({
  name: "settle-project",
  payload: z.object({ projectId: z.uuid() }),
  run: (services, { projectId }) => lifecycle.settleProject(services, projectId),
});
