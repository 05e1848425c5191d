import type { Caller } from "#src/domain/access/permissions/index.ts";
import { projectContents } from "#src/domain/workspaces/archives/index.ts";
import type { EntryWithContent, ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { staysInside } from "./check-entries.ts";
import type { Base } from "./queries.ts";
import { storeBase, type BaseInput } from "./store-base.ts";

/**
 * Left out of templates: the git history, which may reveal more than the author intends, and packages that are
 * installed again.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Creates a template from a project's files. Links that lead out of the project are left out, too. */
export async function makeBase(
  deps: Parameters<typeof storeBase>[0],
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  caller: Caller,
  input: BaseInput,
): Promise<Base> {
  const { entries } = await projectContents(runtime);
  const paths = entries
    .filter(({ path }) => !path.split("/").some((name) => LEFT_OUT.has(name)))
    .map(({ path }) => path);
  return storeBase(deps, caller, input, withoutWildLinks(await runtime.readEntries(paths)));
}

async function* withoutWildLinks(entries: AsyncIterable<EntryWithContent>): AsyncGenerator<EntryWithContent> {
  for await (const each of entries) {
    const { kind, path, target } = each.entry;
    if (kind !== "symlink" || staysInside(path, target)) yield each;
  }
}
