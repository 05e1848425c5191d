import { userOfSession, type Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { PreviewVisit } from "#src/platform/tokens/preview-tokens.ts";
import { previewOf, type Preview } from "./queries.ts";

/** The names in a preview's address. */
export interface PreviewAddress {
  /** The project's slug. */
  slug: string;
  /** The container's label. */
  label: string;
}

/** The requester: a person with a preview visit, an authenticated caller of the API, or unauthenticated. */
export type Visitor = { kind: "visit"; visit: PreviewVisit } | { kind: "caller"; caller: Caller } | undefined;

/**
 * Returns the preview if the visitor may see it. Public projects' previews are open to all visitors, others only to
 * people with a role in the project. Returns `undefined` otherwise, so that a refusal does not reveal whether the
 * preview exists. One query for a visit. Throws as `requireProject` does for a caller.
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
  // A visit is bound to one project and opens no other, even one that the person may see.
  if (!visit || visit.projectId !== preview.project.id || !person) return undefined;
  return role !== null || person.isSuperuser ? preview : undefined;
}

async function lookUp(db: Db, address: PreviewAddress, visit: PreviewVisit | undefined) {
  if (!visit) return [await previewOf(db, address, null), undefined] as const;
  const [found, [person]] = await db.batch([previewOf(db, address, visit.userId), userOfSession(db, visit)]);
  return [found, person] as const;
}
