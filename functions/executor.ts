import { WorkerEntrypoint } from "cloudflare:workers";
import type { BegunStep } from "#durable-objects/task-log/protocol.ts";
import { runBegunStep } from "#src/agent/steps/run-step.ts";
import { checkEnv } from "#src/env.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createServices, type Services } from "#src/services.ts";
import { doneHere, isDoneHere, whereThereIsRoom } from "./at-once.ts";

/**
 * Executes for objects what needs more than their one thread: steps of tasks, and what is urgent of messages to the queue. Only
 * objects of this Worker reach it. See `durable-objects/lib/executor.ts`.
 */
export class Executor extends WorkerEntrypoint<object> {
  async executeStep({ taskId, begun }: BegunStep): Promise<"done" | "full"> {
    // One write of the log lets this call and the answer to who stored the task go out. Where both share a thread, the answer is first.
    await scheduler.wait(0);
    return whereThereIsRoom(() =>
      this.#logged({ message: "step", task_id: taskId }, async (services) => {
        await runBegunStep(services, { taskId, begun });
        return "done" as const;
      }),
    );
  }

  async perform(message: { function: string; payload: unknown }): Promise<boolean> {
    return this.#logged({ message: "performed", function: message.function }, (services) =>
      isDoneHere(services, message),
    );
  }

  async #logged<T>(
    { message, ...what }: { message: string; task_id?: string; function?: string },
    act: (services: Services) => Promise<T>,
  ): Promise<T> {
    const checked = checkEnv(this.env);
    if (!checked.ok) throw new Error("The configuration is not valid");
    const started = Date.now();
    const services = createServices(checked.env, createLog({ request_id: crypto.randomUUID() }), doneHere);
    try {
      return await act(services);
    } finally {
      await services.fileChanges.sent();
      services.log.info(message, { ...what, ms: Date.now() - started, ...services.trips });
    }
  }
}
