import { within } from "#src/lib/time-limit.ts";
import type { Db } from "#src/platform/db/client.ts";
import { selectOne } from "./queries.ts";

/** Longest wait for the database's response to a probe. */
const TIMEOUT_MS = 3_000;

/** Whether the database responds within a few seconds. */
export async function databaseAnswers(db: Db): Promise<boolean> {
  return (await within(TIMEOUT_MS, selectOne(db)).catch(() => undefined)) !== undefined;
}
