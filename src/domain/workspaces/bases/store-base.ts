import type { Caller } from "#src/domain/access/permissions/index.ts";
import { boundedEntries, packEntries } from "#src/domain/workspaces/archives/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { isReservedName } from "#src/lib/reserved-names.ts";
import { slugOf } from "#src/lib/slug.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { insertBase, requireRoom, type Base, type LimitedDb } from "./queries.ts";

/** Random slugs to try before a collision is a failure. */
export const MAX_DRAWS = 10;

export const baseKey = (id: string) => `bases/${id}.tar`;

export interface BaseInput {
  name: string;
  /** Derived from the name when absent. */
  slug: string | undefined;
  description: string;
  visibility: Base["visibility"];
}

/** Templates belong to a person, so a key that is bound to projects cannot change them. Throws `forbidden`. */
export function requireUnboundKey(caller: Caller): void {
  if (caller.kind === "key" && caller.projectIds) {
    throw new AppError("forbidden", "This API key is bound to projects and cannot change templates");
  }
}

/**
 * Creates a template from these entries. The archive is stored before the row; the nightly sweep deletes what a crash
 * leaves in between. Throws `conflict` for a taken slug and for a person with too many templates.
 */
export async function storeBase(
  deps: LimitedDb & { archives: Pick<ArchiveStore, "put" | "delete"> },
  caller: Caller,
  input: BaseInput,
  entries: AsyncIterable<EntryWithContent>,
): Promise<Base> {
  requireUnboundKey(caller);
  if (input.slug !== undefined && isReservedName(input.slug)) {
    throw new AppError("invalid_input", "This slug is reserved: choose another");
  }
  await requireRoom(deps, caller.userId);
  const id = newId();
  const counted = new Counted(boundedEntries(entries));
  await deps.archives.put(baseKey(id), packEntries(counted));
  const { name, description, visibility } = input;
  for (let draw = 1; draw <= (input.slug === undefined ? MAX_DRAWS : 1); draw += 1) {
    const base = await insertBase(deps, {
      id,
      slug: input.slug ?? slugOf(name, "base"),
      name,
      description,
      visibility,
      createdBy: caller.userId,
      fileCount: counted.files,
      totalBytes: counted.bytes,
    });
    if (base) return base;
  }
  await deps.archives.delete([baseKey(id)]);
  throw new AppError("conflict", "A template with this slug exists");
}

/** Passes entries through and counts their files and bytes. */
class Counted implements AsyncIterable<EntryWithContent> {
  files = 0;
  bytes = 0;
  readonly #entries: AsyncIterable<EntryWithContent>;

  constructor(entries: AsyncIterable<EntryWithContent>) {
    this.#entries = entries;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EntryWithContent> {
    for await (const each of this.#entries) {
      if (each.entry.kind === "file") this.files += 1;
      this.bytes += each.entry.size;
      yield each;
    }
  }
}
