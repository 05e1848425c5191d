import { z } from "zod";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { defineFunction } from "./serve.ts";

/** Brings a project to its wanted state. A delivery during another executor's lease is asked to come later. */
export const settleProject = defineFunction({
  name: "settle-project",
  payload: z.object({ projectId: z.uuid() }),
  run: async (services, { projectId }) => {
    const busySeconds = await lifecycle.settleProject(services, projectId);
    return busySeconds === undefined ? undefined : { retryAfterSeconds: busySeconds };
  },
});
