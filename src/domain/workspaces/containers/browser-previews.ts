import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  containerOf,
  deletePreviewRow,
  insertPreview,
  previewsOf,
  updatePreviewRow,
  type BrowserPreview,
  type PreviewChange,
} from "./queries.ts";

/** The browser windows of a project, oldest first. Throws as `requireProject` does. */
export async function listPreviews(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
): Promise<BrowserPreview[]> {
  const { id } = await requireProject(deps, caller, idOrSlug, "container.view");
  return previewsOf(deps.db, id);
}

export interface PreviewDeps {
  db: Db;
  config: CeilingConfig<"browser_previews">;
}

/**
 * Throws as `requireProject` does, and `invalid_input` for a container of another project and for a project with the most
 * previews.
 */
export async function createPreview(
  deps: PreviewDeps,
  caller: Caller,
  idOrSlug: string,
  wish: PreviewChange,
): Promise<BrowserPreview> {
  const { id } = await requireProject(deps, caller, idOrSlug, "container.edit");
  return addPreview(deps, id, wish);
}

/** As `createPreview`, after the access check. */
export async function addPreview(
  deps: PreviewDeps,
  projectId: string,
  wish: PreviewChange,
): Promise<BrowserPreview> {
  await requireOwnContainer(deps.db, projectId, wish.connectedContainerId);
  const made = await withOwnContainer(insertPreview(deps, { id: newId(), projectId, ...wish }));
  if (!made) throw new AppError("internal", "The preview was not stored");
  return made;
}

/** Absent fields stay; a connected container of null disconnects. Throws as `createPreview` does, and `not_found`. */
export async function updatePreview(
  deps: { db: Db },
  caller: Caller,
  path: { project: string; preview: string },
  change: PreviewChange,
): Promise<BrowserPreview> {
  const { db } = deps;
  const { id } = await requireProject(deps, caller, path.project, "container.edit");
  await requireOwnContainer(db, id, change.connectedContainerId);
  const [updated] = isId(path.preview)
    ? await withOwnContainer(updatePreviewRow(db, id, path.preview, change))
    : [];
  if (!updated) throw noPreview();
  return updated;
}

/** Throws as `requireProject` does, and `not_found` for a preview of another project. */
export async function deletePreview(
  deps: { db: Db },
  caller: Caller,
  path: { project: string; preview: string },
): Promise<void> {
  const { id } = await requireProject(deps, caller, path.project, "container.edit");
  const [deleted] = isId(path.preview) ? await deletePreviewRow(deps.db, id, path.preview) : [];
  if (!deleted) throw noPreview();
}

async function requireOwnContainer(
  db: Db,
  projectId: string,
  containerId: string | null | undefined,
): Promise<void> {
  if (containerId === null || containerId === undefined) return;
  const [container] = isId(containerId) ? await containerOf(db, projectId, containerId) : [];
  if (!container) throw notOfProject();
}

/** Turns a foreign key violation into a refusal: the container may have been deleted after the lookup. */
async function withOwnContainer<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw notOfProject();
    throw error;
  }
}

function noPreview(): AppError {
  return new AppError("not_found", "Browser preview not found");
}

function notOfProject(): AppError {
  return new AppError("invalid_input", "The container must belong to the project");
}
