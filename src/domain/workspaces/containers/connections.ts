import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  connectionsOf,
  containersOf,
  deleteConnectionRow,
  insertConnection,
  type Connection,
} from "./queries.ts";

export interface ConnectionInput {
  sourceId: string;
  targetId: string;
  label: string | null;
  config: Record<string, unknown>;
}

/** Which containers use which, oldest first. Throws as `requireProject` does. */
export async function listConnections(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
): Promise<Connection[]> {
  const { id } = await requireProject(deps, caller, idOrSlug, "container.view");
  return connectionsOf(deps.db, id);
}

/**
 * Connects a container to another of the same project that it uses. Throws as `requireProject` does, `invalid_input`
 * for a container of another project or for the container itself, `conflict` if the two are already connected.
 */
export async function createConnection(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  input: ConnectionInput,
): Promise<Connection> {
  const { id } = await requireProject(deps, caller, idOrSlug, "container.edit");
  const connection = await addConnection(deps, id, input);
  if (!connection) throw new AppError("conflict", "The containers are already connected");
  return connection;
}

/** As `createConnection`, after the access check; returns nothing if the two are already connected. */
export async function addConnection(
  { db }: { db: Db },
  projectId: string,
  { sourceId, targetId, label, config }: ConnectionInput,
): Promise<Connection | undefined> {
  if (sourceId === targetId) throw new AppError("invalid_input", "A container cannot be connected to itself");
  const known = new Set((await containersOf(db, projectId)).map((container) => container.id));
  if (!known.has(sourceId) || !known.has(targetId)) throw notOfProject();
  try {
    const [made] = await insertConnection(db, {
      id: newId(),
      projectId,
      sourceContainerId: sourceId,
      targetContainerId: targetId,
      label,
      config,
    });
    return made;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw notOfProject();
    throw error;
  }
}

/** Throws as `requireProject` does, and `not_found` for a connection of another project. */
export async function deleteConnection(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  connectionId: string,
): Promise<void> {
  const { id } = await requireProject(deps, caller, idOrSlug, "container.edit");
  const [deleted] = isId(connectionId) ? await deleteConnectionRow(deps.db, id, connectionId) : [];
  if (!deleted) throw new AppError("not_found", "Connection not found");
}

function notOfProject(): AppError {
  return new AppError("invalid_input", "Both containers must belong to the project");
}
