import { userOfSession, type Caller } from "#src/domain/organisations/access/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { PreviewVisit } from "#src/platform/tokens/preview-tokens.ts";
import { previewOf, type Preview } from "./queries.ts";

/** The names in a preview's address. */
export interface PreviewAddress {
  /** Of the project. */
  slug: string;
  /** Of the container. */
  label: string;
}

/** Who asks: a person with a visit, a person who calls as one calls the API, or nobody. */
export type Visitor = { kind: "visit"; visit: PreviewVisit } | { kind: "caller"; caller: Caller } | undefined;

/**
 * A preview, for a person who may see it: anyone sees those of a public project, everybody else's are for who has a part in
 * the project. `undefined` for all others, who are not to know whether there is one. One query for a visit. Throws as
 * `requireProject` does for a caller.
 */
export async function openPreview(
  deps: { db: Db },
  address: PreviewAddress,
  visitor: Visitor,
): Promise<Preview | undefined> {
  if (visitor?.kind === "caller") {
    await requireProject(deps, visitor.caller, address.slug, "container.view");
    const [found] = await previewOf(deps.db, address, null);
    if (!found) throw new AppError("not_found", "Container not found");
    return found;
  }
  const visit = visitor?.visit;
  const [[found], person] = await lookUp(deps.db, address, visit);
  if (!found) return undefined;
  const { role, ...preview } = found;
  if (preview.project.visibility === "public") return preview;
  // A visit is to one project: it opens no other, whatever its person may see.
  if (!visit || visit.projectId !== preview.project.id || !person) return undefined;
  return role !== null || person.isSuperuser ? preview : undefined;
}

async function lookUp(db: Db, address: PreviewAddress, visit: PreviewVisit | undefined) {
  if (!visit) return [await previewOf(db, address, null), undefined] as const;
  const [found, [person]] = await db.batch([previewOf(db, address, visit.userId), userOfSession(db, visit)]);
  return [found, person] as const;
}
