import type { Caller } from "#src/domain/access/permissions/index.ts";
import { viewerOf } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { pageOfTurns, pageOfTasks, turnOf, type TaskFilter } from "./queries/find.ts";
import type { Results } from "./queries/shown-turn.ts";

export interface Page {
  /** From 1. */
  page: number;
  limit: number;
}

/** A page of the tasks a caller may see, newest first, with what each waits for. */
export async function listTasks(
  deps: { db: Db },
  caller: Caller,
  filter: Omit<TaskFilter, "viewer" | "projectIds">,
  page: Page,
) {
  const projectIds = caller.kind === "key" ? caller.projectIds : null;
  const ofCaller = { ...filter, viewer: viewerOf(caller), projectIds };
  return withPages(await pageOfTasks(deps.db, ofCaller, range(page)), page);
}

/** A page of a task's turns, oldest first; on request with long results cut. They outlast the event log. */
export async function listTurns(
  deps: { db: Db },
  taskId: string,
  page: Page & { results?: Results | undefined },
) {
  return withPages(await pageOfTurns(deps.db, taskId, { ...range(page), results: page.results }), page);
}

/** One turn of a task, whole, by its number from 1. Throws `not_found`. */
export async function readTurn(deps: { db: Db }, taskId: string, turnIndex: number) {
  const turn = await turnOf(deps.db, taskId, turnIndex);
  if (!turn) throw new AppError("not_found", "Step not found");
  return turn;
}

function range({ page, limit }: Page) {
  return { limit, offset: (page - 1) * limit };
}

function withPages<T>(found: { items: T[]; total: number }, { page, limit }: Page) {
  return { ...found, page, limit, totalPages: Math.ceil(found.total / limit) };
}
