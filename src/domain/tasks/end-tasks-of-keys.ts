import type { Queue } from "#src/platform/queue/queue.ts";

/**
 * Have everything end soon that keys have running which were revoked just now, or whose owner is shut out. Fine to repeat;
 * where a request dies before it, the sweep does the same. Throws `unavailable`.
 */
export async function endTasksOfKeys(
  queue: Pick<Queue, "publishBatch">,
  keyIds: readonly string[],
): Promise<void> {
  if (keyIds.length === 0) return;
  await queue.publishBatch(keyIds.map((keyId) => ({ function: "revoke-key-tasks", payload: { keyId } })));
}
