import { z } from "zod";
import * as lifecycle from "#src/domain/workspaces/lifecycle/index.ts";
import { defineFunction } from "./serve.ts";

/** Bring a project to the state wanted of it. A delivery that comes while another executor is alive is to come later. */
export const settleProject = defineFunction({
  name: "settle-project",
  payload: z.object({ projectId: z.uuid() }),
  run: async (services, { projectId }) => {
    const busySeconds = await lifecycle.settleProject(services, projectId);
    return busySeconds === undefined ? undefined : { retryAfterSeconds: busySeconds };
  },
});
