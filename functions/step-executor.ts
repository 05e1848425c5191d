import { WorkerEntrypoint } from "cloudflare:workers";
import type { BegunStep, StepExecutorEntry } from "#durable-objects/task-log/protocol.ts";
import { runBegunStep } from "#src/agent/steps/run-step.ts";
import { checkEnv } from "#src/env.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createServices } from "#src/services.ts";
import { doneHere, whereThereIsRoom } from "./at-once.ts";

/** Executes the steps that the logs of tasks begin by themselves. Only objects of this Worker reach it. */
export class StepExecutor extends WorkerEntrypoint<object> implements StepExecutorEntry {
  async execute(step: BegunStep): Promise<"done" | "full"> {
    const checked = checkEnv(this.env);
    if (!checked.ok) return "full";
    const started = Date.now();
    const services = createServices(checked.env, createLog({ request_id: crypto.randomUUID() }), doneHere);
    return whereThereIsRoom(async () => {
      try {
        await runBegunStep(services, step);
        return "done" as const;
      } finally {
        await services.fileChanges.sent();
        services.log.info("step", { task_id: step.taskId, ms: Date.now() - started, ...services.trips });
      }
    });
  }
}
