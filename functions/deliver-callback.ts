import { z } from "zod";
import * as callbacks from "#src/domain/agent-work/callbacks/index.ts";
import { defineFunction } from "./serve.ts";

/** One attempt to deliver a finished task's callback to its `webhook_url`. */
export const deliverCallback = defineFunction({
  name: "deliver-callback",
  payload: z.object({ taskId: z.uuid(), attempt: z.int().min(1) }),
  run: (services, payload) => callbacks.deliverCallback(services, payload),
});
