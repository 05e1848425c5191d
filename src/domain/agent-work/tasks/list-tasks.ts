import type { Db } from "#src/platform/db/client.ts";
import { pageOfTurns, pageOfTasks, type TaskFilter } from "./queries/find.ts";

export interface Page {
  /** From 1. */
  page: number;
  limit: number;
}

/** A page of the tasks a caller may see, newest first. */
export async function listTasks(deps: { db: Db }, filter: TaskFilter, page: Page) {
  return withPages(await pageOfTasks(deps.db, filter, range(page)), page);
}

/** A page of a task's turns, oldest first. They outlast the event log. */
export async function listTurns(deps: { db: Db }, taskId: string, page: Page) {
  return withPages(await pageOfTurns(deps.db, taskId, range(page)), page);
}

function range({ page, limit }: Page) {
  return { limit, offset: (page - 1) * limit };
}

function withPages<T>(found: { items: T[]; total: number }, { page, limit }: Page) {
  return { ...found, page, limit, totalPages: Math.ceil(found.total / limit) };
}
