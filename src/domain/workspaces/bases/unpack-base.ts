import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { EntryWithContent, ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { checkedEntries } from "./check-entries.ts";
import { entriesOf, SERVICE_TEMPLATES } from "./service-templates/index.ts";
import { baseKey } from "./store-base.ts";

/** Replaces a project's files by those of a template. Throws `not_found` for a deleted template. */
export async function unpackBase(
  deps: { archives: Pick<ArchiveStore, "get"> },
  runtime: Pick<ProjectStorage, "replaceEntries">,
  { baseId, generation }: { baseId: string; generation?: number },
): Promise<void> {
  await runtime.replaceEntries(await entriesOfBase(deps, baseId), generation);
}

async function entriesOfBase(
  deps: { archives: Pick<ArchiveStore, "get"> },
  baseId: string,
): Promise<AsyncIterable<EntryWithContent>> {
  const own = SERVICE_TEMPLATES.find(({ id }) => id === baseId);
  if (own) return entriesOf(own);
  const archive = await deps.archives.get(baseKey(baseId));
  if (!archive) throw new AppError("not_found", "The template no longer exists");
  return checkedEntries(archive);
}
