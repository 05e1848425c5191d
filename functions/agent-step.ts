import { z } from "zod";
import { runStep } from "#src/agent/run-step.ts";
import { defineFunction } from "./serve.ts";

/** Runs one step of a task. A delivery during another executor's lease is asked to come later. */
export const agentStep = defineFunction({
  name: "agent-step",
  payload: z.object({ taskId: z.uuid(), step: z.int().min(1) }),
  run: async (services, payload) => {
    const outcome = await runStep(services, payload);
    return outcome.kind === "busy" ? { retryAfterSeconds: outcome.retryAfterSeconds } : undefined;
  },
});
