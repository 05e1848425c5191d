import { z } from "zod";
import { cancelTasksOfKey } from "#src/domain/tasks/index.ts";
import { defineFunction } from "./serve.ts";

/** What a revoked key started ends. */
export const revokeKeyTasks = defineFunction({
  name: "revoke-key-tasks",
  payload: z.object({ keyId: z.uuid() }),
  run: (services, { keyId }) => cancelTasksOfKey(services, keyId),
});
