import { and, eq, sql } from "drizzle-orm";
import { channelMessages, jobs } from "#src/db/schema/index.ts";
import { deliverMessage, type OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import { storeMessageJobs } from "#src/domain/messaging/deliveries/queries/outbox.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { executeJob, type Later } from "#src/work/execute.ts";

const { name: kind } = deliverMessage;

/** The outbox of a test, which puts messages into it, sends them, and lets time pass for them. */
export class Outbox {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Stores a message, at a place of its own, with its job. Returns its id. */
  async newMessage(
    channelConfigId: string,
    values: Partial<typeof channelMessages.$inferInsert> = {},
  ): Promise<string> {
    const id = newId();
    const row = { jid: `telegram:${id}`, content: "Done", direction: "outbound", status: "pending" } as const;
    await this.#db.insert(channelMessages).values({ id, channelConfigId, ...row, ...values });
    await this.#db.execute(
      storeMessageJobs(sql`FROM channel_messages m JOIN channel_configs c ON c.id = m.channel_config_id
        WHERE m.id = ${values.id ?? id}::uuid AND m.status = 'pending'`),
    );
    return values.id ?? id;
  }

  /** Has an executor do what the message's job is about, if it is due. */
  deliver(deps: OutboxDeps, id: string): Promise<Later | undefined> {
    return executeJob(deps, deliverMessage, id);
  }

  async message(id: string) {
    const [row] = await this.#db.select().from(channelMessages).where(eq(channelMessages.id, id));
    if (!row) throw new Error("The message is gone");
    return row;
  }

  async job(id: string) {
    const [job] = await this.#db
      .select()
      .from(jobs)
      .where(and(eq(jobs.kind, kind), eq(jobs.key, id)));
    return job;
  }

  /** As if so many seconds had passed for a message that waits, or whose executor has died. */
  async pass(id: string, seconds: number): Promise<void> {
    await this.#db.execute(sql`UPDATE jobs SET due_at = due_at - make_interval(secs => ${seconds}::int),
      lease_until = lease_until - make_interval(secs => ${seconds}::int),
      created_at = created_at - make_interval(secs => ${seconds}::int) WHERE kind = ${kind} AND key = ${id}`);
  }

  /** Another executor takes the message over. */
  async takeOver(id: string): Promise<void> {
    await this.#db.execute(sql`UPDATE jobs SET generation = nextval('job_generations'),
      lease_until = now() + interval '10 seconds' WHERE kind = ${kind} AND key = ${id}`);
  }
}
