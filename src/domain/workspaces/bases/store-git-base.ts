import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { slugOf } from "#src/lib/slug.ts";
import { insertBase, type Base, type LimitedDb, type NewBase } from "./queries.ts";
import { MAX_DRAWS, requireUnboundKey } from "./store-base.ts";

type Described = Omit<NewBase, "id" | "slug" | "createdBy" | "source" | "fileCount" | "totalBytes">;

/** Creates a template whose files are in a repository. Throws `conflict` for a person with too many templates. */
export async function storeGitBase(
  deps: LimitedDb,
  caller: Caller,
  described: Described & { gitRepoUrl: string },
): Promise<Base> {
  requireUnboundKey(caller);
  const fields = {
    ...described,
    source: "git",
    createdBy: caller.userId,
    fileCount: 0,
    totalBytes: 0,
  } as const;
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const base = await insertBase(deps, { ...fields, id: newId(), slug: slugOf(fields.name, "base") });
    if (base) return base;
  }
  throw new AppError("internal", "No free slug was found for the template");
}
