import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { checkedEntries } from "./check-entries.ts";
import { baseKey } from "./store-base.ts";

/** Replaces a project's files by those of a template. Throws `not_found` for a deleted template. */
export async function unpackBase(
  deps: { archives: Pick<ArchiveStore, "get"> },
  runtime: Pick<ProjectStorage, "replaceEntries">,
  { baseId, generation }: { baseId: string; generation?: number },
): Promise<void> {
  const archive = await deps.archives.get(baseKey(baseId));
  if (!archive) throw new AppError("not_found", "The template no longer exists");
  await runtime.replaceEntries(checkedEntries(archive), generation);
}
