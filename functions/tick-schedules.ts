import { z } from "zod";
import { extraTicks, tick } from "#src/domain/schedules/runs/index.ts";
import { defineFunction } from "./serve.ts";

/** Starts the runs of schedules that are due. Of an interval below a minute, the clock's tick publishes the extra ones. */
export const tickSchedules = defineFunction({
  name: "tick-schedules",
  payload: z.object({ extra: z.boolean().default(false) }),
  async run(services, { extra }) {
    if (!extra) {
      const payload = { extra: true };
      await services.queue.publishBatch(
        extraTicks(services.config.GATEWAY_TICK_INTERVAL).map((delaySeconds) => ({
          function: "tick-schedules",
          payload,
          delaySeconds,
        })),
      );
    }
    await tick(services, { overdueSeconds: 0 });
  },
});
