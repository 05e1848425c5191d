import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import { BUNDLES } from "./manifest.ts";

/** Younger objects may belong to a bundle that is being stored. */
const ORPHAN_AGE_MS = 24 * 3600 * 1000;
/** Objects whose bundles are looked up together. */
const PAGE = 1000;

type Archives = Pick<ArchiveStore, "delete" | "list">;

/** Deletes everything below a prefix: that of one bundle, or `bundlesOf` a deployment. Idempotent. */
export async function deleteBundle(archives: Archives, prefix: string): Promise<void> {
  // Any other prefix would reach what belongs to others.
  if (!/^deployments\/[^/]+\/(?:[^/]+\/)?$/u.test(prefix)) throw new Error("Not the prefix of a bundle");
  const keys: string[] = [];
  for await (const { key } of archives.list(prefix)) keys.push(key);
  await archives.delete(keys);
}

/**
 * Deletes the objects of bundles that no deployment names: their deployment is gone or keeps its files no longer, or
 * the executor was interrupted. `named` returns which of these prefixes a deployment names. Idempotent.
 */
export async function sweepBundles(
  archives: Archives,
  named: (prefixes: string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  let page: { key: string; prefix: string }[] = [];
  for await (const { key, storedAt } of archives.list(BUNDLES)) {
    const prefix = /^deployments\/[^/]+\/[^/]+\//u.exec(key)?.[0];
    if (prefix === undefined || storedAt.getTime() > Date.now() - ORPHAN_AGE_MS) continue;
    page.push({ key, prefix });
    if (page.length < PAGE) continue;
    await deleteUnnamed(archives, page, named);
    page = [];
  }
  await deleteUnnamed(archives, page, named);
}

async function deleteUnnamed(
  archives: Archives,
  objects: readonly { key: string; prefix: string }[],
  named: Parameters<typeof sweepBundles>[1],
): Promise<void> {
  if (objects.length === 0) return;
  const kept = await named([...new Set(objects.map(({ prefix }) => prefix))]);
  await archives.delete(objects.filter(({ prefix }) => !kept.has(prefix)).map(({ key }) => key));
}
