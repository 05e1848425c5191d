import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import { requireBase } from "./find-base.ts";
import { deleteBaseRow, existingBases } from "./queries.ts";
import { baseKey, requireUnboundKey } from "./store-base.ts";

/** Younger archives may belong to a template that is being created. */
const ORPHAN_AGE_MS = 24 * 3600 * 1000;

const PAGE = 1000;

interface Deps {
  db: Db;
  archives: Pick<ArchiveStore, "delete" | "list">;
}

/**
 * Deletes a template and returns its id. Projects created from it keep their files. Throws `not_found`, `forbidden` for another person's
 * template, and `invalid_input` while teams that paid for it may use it.
 */
export async function deleteBase(deps: Deps, caller: Caller, idOrSlug: string): Promise<string> {
  requireUnboundKey(caller);
  const { id, createdBy } = await requireBase(deps, caller, idOrSlug);
  if (createdBy !== caller.userId) throw new AppError("forbidden", "Only its author can delete a template");
  const [deleted] = await deleteBaseRow(deps.db, id, caller.userId);
  if (!deleted) {
    throw new AppError(
      "invalid_input",
      "Teams paid for this template and may still use it, or are about to pay for it",
    );
  }
  await deps.archives.delete([baseKey(id)]);
  return id;
}

/** Runs every night: deletes the archives that no row names. Idempotent. */
export async function sweepBases(deps: Deps): Promise<void> {
  let page: string[] = [];
  for await (const { key, storedAt } of deps.archives.list("bases/")) {
    const id = /^bases\/([0-9a-f-]{36})\.tar$/u.exec(key)?.[1];
    if (id !== undefined && storedAt.getTime() < Date.now() - ORPHAN_AGE_MS) page.push(id);
    if (page.length < PAGE) continue;
    await deleteOrphans(deps, page);
    page = [];
  }
  await deleteOrphans(deps, page);
}

async function deleteOrphans(deps: Deps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const there = new Set((await existingBases(deps.db, ids)).map(({ id }) => id));
  await deps.archives.delete(ids.filter((id) => !there.has(id)).map(baseKey));
}
