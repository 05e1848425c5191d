import { sweepBundles } from "#src/domain/hosting/bundles/index.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { runMessage } from "./messages.ts";
import { keptPrefixes } from "./queries/bundles.ts";
import { waitingDeployments } from "./queries/executors.ts";

/** Most deployments in one sweep; the next sweep takes the rest. */
const BATCH = 100;
const MINUTE_MS = 60_000;

/**
 * Republishes deployments that wait for an executor: their message was lost, or their executor died. Each minute's message
 * is another one for the queue, since an earlier one may have found the deployment's turn not yet come.
 */
export async function sweepDeployments({ db, queue }: { db: Db; queue: Queue }): Promise<void> {
  const waiting = await waitingDeployments(db, BATCH);
  if (waiting.length === 0) return;
  const minute = Math.floor(Date.now() / MINUTE_MS);
  await queue.publishBatch(waiting.map((deployment) => runMessage(deployment, `swept-${minute}`)));
}

/** Deletes stored files that no deployment keeps any more. Idempotent. */
export async function sweepKeptFiles({ db, archives }: { db: Db; archives: ArchiveStore }): Promise<void> {
  await sweepBundles(archives, (prefixes) => keptPrefixes(db, prefixes));
}
