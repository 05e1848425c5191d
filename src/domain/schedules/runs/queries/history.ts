import { desc, eq, inArray, sql } from "drizzle-orm";
import { channelMessages, chats, scheduleRuns, tasks } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Run } from "./open-run.ts";

/** A target of a run, and the state of the message to it. */
export interface ShownDelivery {
  target: string;
  status: "delivered" | "pending" | "failed" | "in_app";
  error: string | null;
  channelId: string | null;
  /** `<platform>:<chat id>`. */
  jid: string | null;
}

export interface ShownRun {
  run: Run;
  /** Null without a task, or once its chat was deleted. */
  chatId: string | null;
  deliveries: ShownDelivery[];
}

/** Returns the occasion of the outbox message that brings a run's result to a target. */
export const occasionOf = (runId: string, target: string) => `run:${runId}:${target}`;

/** Returns a page of a schedule's runs, newest first. */
export async function runsOf(
  db: Db,
  scheduleId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ShownRun[]> {
  const rows = await db
    .select({ run: scheduleRuns, chatId: chats.id })
    .from(scheduleRuns)
    .leftJoin(tasks, eq(tasks.id, scheduleRuns.taskId))
    .leftJoin(chats, eq(chats.id, tasks.chatId))
    .where(eq(scheduleRuns.scheduleId, scheduleId))
    .orderBy(desc(scheduleRuns.id))
    .limit(limit)
    .offset(offset);
  const occasions = rows.flatMap(({ run }) =>
    (run.deliveries ?? []).map(({ target }) => occasionOf(run.id, target)),
  );
  const sent =
    occasions.length === 0
      ? []
      : await db.select().from(channelMessages).where(inArray(channelMessages.occasion, occasions));
  const messages = new Map(sent.map((message) => [message.occasion, message]));
  return rows.map(({ run, chatId }) => ({
    run,
    chatId,
    deliveries: (run.deliveries ?? []).map(({ target, status, error }) => {
      const message = messages.get(occasionOf(run.id, target));
      return {
        target,
        status: status === "stored" ? (message?.status ?? "failed") : status,
        error: error ?? message?.error ?? null,
        channelId: message?.channelConfigId ?? null,
        jid: message?.jid ?? null,
      };
    }),
  }));
}

/** Deletes the history of runs that ended more than so many days ago. */
export async function deleteOldRuns(db: Db, days: number): Promise<void> {
  await db
    .delete(scheduleRuns)
    .where(sql`${scheduleRuns.finishedAt} < now() - make_interval(days => ${days})`);
}
