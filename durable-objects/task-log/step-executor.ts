import { WorkerEntrypoint } from "cloudflare:workers";
import { runBegunStep } from "#src/agent/steps/run-step.ts";
import { checkEnv } from "#src/env.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createServices } from "#src/services.ts";
import type { BegunStep, StepExecutorEntry } from "./protocol.ts";

/**
 * Most steps that one isolate executes beside what the queue delivers to it. Requests share its thread and its 128 MiB; a
 * step more goes through the queue, which has a place for it elsewhere or later.
 */
const MOST_STEPS = 32;

/** Of this isolate. */
let running = 0;

/** Executes the steps that the logs of tasks begin by themselves. Only objects of this Worker reach it. */
export class StepExecutor extends WorkerEntrypoint<object> implements StepExecutorEntry {
  async execute(step: BegunStep): Promise<"done" | "full"> {
    const checked = checkEnv(this.env);
    if (!checked.ok || running >= MOST_STEPS) return "full";
    running += 1;
    const started = Date.now();
    const services = createServices(checked.env, createLog({ request_id: crypto.randomUUID() }));
    try {
      await runBegunStep(services, step);
      return "done";
    } finally {
      running -= 1;
      await services.fileChanges.sent();
      services.log.info("step", { task_id: step.taskId, ms: Date.now() - started, ...services.trips });
    }
  }
}
