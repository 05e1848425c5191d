import { z } from "zod";
import { runDeployment as run } from "#src/domain/hosting/deployments/index.ts";
import { defineFunction } from "./serve.ts";

/** Publishes a project at a hosting provider, or takes it down, going on where an earlier executor stopped. */
export const runDeployment = defineFunction({
  name: "run-deployment",
  payload: z.object({ deploymentId: z.uuid() }),
  run: (services, { deploymentId }) => run(services, deploymentId),
});
