import { sweepBundles } from "#src/domain/hosting/bundles/index.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import { keptPrefixes } from "./queries/bundles.ts";

/** Deletes stored files that no deployment keeps any more. Idempotent. */
export async function sweepKeptFiles({ db, archives }: { db: Db; archives: ArchiveStore }): Promise<void> {
  await sweepBundles(archives, (prefixes) => keptPrefixes(db, prefixes));
}
