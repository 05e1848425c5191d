import { AsyncLocalStorage } from "node:async_hooks";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { channelMessages, chats, jobs, scheduleRuns, schedules, tasks } from "#src/db/schema/index.ts";
import { sweepTasks } from "#src/domain/agent-work/tasks/index.ts";
import { deliverMail } from "#src/domain/operations/mail/index.ts";
import { advanceRun, runDue, tellOwner, tick } from "#src/domain/schedules/runs/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Mail } from "#src/platform/mail/mailer.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { executeJob } from "#src/work/execute.ts";
import { messageOf } from "#src/work/job.ts";
import { storeJobs } from "#src/work/queries.ts";
import { sweepJobs } from "#src/work/sweep.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { ListeningPlatform, PlatformRows } from "#test/domain/messaging/support/people-of-platforms.ts";
import { NO_AGENT_LIMITS, NO_LAUNCHES } from "#test/support/message-to-agent.ts";
import { sessionDeps } from "#test/support/people.ts";
import { queueTo } from "#test/support/kept-queue.ts";
import { makeTripsMortal, outside } from "#test/support/mortal.ts";
import { partOf } from "#test/support/part-of.ts";
import { fieldsOf } from "#test/support/fields.ts";

type Deps = Parameters<typeof advanceRun.run>[0] & {
  config: typeof DEFAULT_CEILINGS;
};
type Values = Partial<typeof schedules.$inferInsert>;
export type Person = Awaited<ReturnType<PlatformRows["person"]>>;

export const MINUTE_MS = 60_000;
/** Of the schedules that are made here without another clock. */
const EVERY_MINUTES = 15;
/** What the agent answers, unless a test says otherwise. */
export const ANSWER = "Two issues are open.";

/** How a task ends. */
export type End =
  | { status: "completed"; response: string }
  | { status: "failed"; error: string }
  | { status: "cancelled" };

/** Messages of what this world has not: platforms, and tasks at work. */
const IGNORED = new Set(["deliver-outbox-message", "send-questions", "stop-tasks"]);

/** Schedules, a queue that does nothing by itself, a platform that takes everything, and a mail server. */
export class ScheduleWorld {
  readonly rows: PlatformRows;
  readonly platform = new ListeningPlatform();
  /** All that was published, in its order; and of it what was not delivered. */
  readonly published: QueueMessage[] = [];
  waiting: QueueMessage[] = [];
  readonly mails: Mail[] = [];
  /** How the tasks end that `deliver` runs. */
  end: End = { status: "completed", response: ANSWER };
  readonly #db: Db;
  readonly #ids = new Set<string>();
  readonly #interrupted = new AsyncLocalStorage<{ trips: number; happens: () => Promise<unknown> }>();

  /** Without the schedules of earlier tests. */
  static async open(db: Db): Promise<ScheduleWorld> {
    await db.batch([db.delete(schedules), db.delete(jobs)]);
    return new ScheduleWorld(db);
  }

  private constructor(db: Db) {
    this.#db = db;
    this.rows = new PlatformRows(db);
    makeTripsMortal(async () => {
      const interrupted = this.#interrupted.getStore();
      if (!interrupted) return;
      interrupted.trips += 1;
      if (interrupted.trips === 1) await this.#interrupted.exit(interrupted.happens);
    });
  }

  /** What the service has. The platform pays for `vendor/model` alone. */
  deps({ model = "demo", limit = 50 }: { model?: string; limit?: number } = {}): Deps {
    const accept = (messages: readonly QueueMessage[]) =>
      outside(async () => {
        this.published.push(...messages);
        this.waiting.push(...messages.filter((message) => this.#isNew(message)));
      });
    const own = {
      ...sessionDeps(this.#db),
      queue: queueTo(accept),
      taskLogs: NO_LAUNCHES,
      mailer: {
        configured: true,
        send: (mail: Mail) => outside(async () => void this.mails.push(mail)),
        probe: async () => {},
      },
      config: {
        DEFAULT_MODEL: model,
        ...NO_AGENT_LIMITS,
        GATEWAY_NUM_SHARDS: 1,
        ...DEFAULT_CEILINGS,
        GATEWAY_MAX_SCHEDULES_PER_USER: limit,
      },
      modelSettings: { platformModels: ["vendor/model"] },
    };
    return partOf({ ...this.platform.deps(this.#db), ...own, log: this.platform.deps(this.#db).log });
  }

  /** The queue takes messages of the same id for one. */
  #isNew({ deduplicationId: id }: QueueMessage): boolean {
    if (id === undefined) return true;
    const isNew = !this.#ids.has(id);
    this.#ids.add(id);
    return isNew;
  }

  /** Values of a row: due since a second, every fifteen minutes, for a person who is told in the project alone. */
  valuesOf({ id: userId, projectId }: Pick<Person, "id" | "projectId">, values: Values = {}) {
    const slot = values.nextRunAt ?? ago(1_000);
    return {
      id: newId(),
      userId,
      projectId,
      name: "Issues",
      schedule: `every ${EVERY_MINUTES}m`,
      normalizedCron: `*/${EVERY_MINUTES} * * * *`,
      timing: { kind: "interval", minutes: EVERY_MINUTES },
      timezone: "UTC",
      anchorAt: new Date(slot.getTime() - EVERY_MINUTES * MINUTE_MS),
      nextRunAt: slot,
      promptTemplate: "Summarise the open issues",
      deliver: "none",
      editMode: "allow",
      ...values,
    } satisfies typeof schedules.$inferInsert;
  }

  /** Stores a schedule and returns its id. */
  async schedule(person: Pick<Person, "id" | "projectId">, values: Values = {}): Promise<string> {
    const row = this.valuesOf(person, values);
    await this.#db.insert(schedules).values(row);
    return row.id;
  }

  tick(): Promise<void> {
    return tick(this.deps(), { overdueSeconds: 0 });
  }

  /** A tick in which something happens after its first trip to the database: it has read its rows. */
  async tickWith(happens: () => Promise<unknown>): Promise<void> {
    await this.#interrupted.run({ trips: 0, happens }, () => this.tick());
  }

  /** Starts the runs of all that is due now; their tasks stay at work. */
  async startDue(): Promise<void> {
    await this.tick();
    for (const message of this.waiting.splice(0)) await this.handle(message);
    this.waiting = [];
  }

  /** Delivers what was published, and what follows from it, to the end. Tasks end at once. */
  async deliver(deps = this.deps()): Promise<void> {
    for (let message = this.waiting.shift(); message; message = this.waiting.shift()) {
      await this.handle(message, deps);
    }
  }

  /** As `deliver`, but tasks that begin stay at work. */
  async follow(): Promise<void> {
    for (let message = this.waiting.shift(); message; message = this.waiting.shift()) {
      if (message.function !== "agent-step") await this.handle(message);
    }
  }

  async handle({ function: name, payload }: QueueMessage, deps = this.deps()): Promise<void> {
    const { key, taskId, sealed, attempt } = fieldsOf(payload);
    if (name === advanceRun.name) await this.advance(String(key), deps);
    else if (name === tellOwner.name) await executeJob(deps, tellOwner, String(key));
    else if (name === "agent-step") await this.finish(String(taskId));
    else if (name === "send-mail")
      await deliverMail(deps, { sealed: String(sealed), attempt: Number(attempt) });
    else if (!IGNORED.has(name)) throw new Error(`Nothing handles ${name}`);
  }

  /** A message of the run of this task is delivered. */
  async advance(taskId: string, deps = this.deps()): Promise<void> {
    await executeJob(deps, advanceRun, taskId);
  }

  /** Ends a task that is at work, and publishes what follows. */
  async finish(taskId: string, end = this.end): Promise<void> {
    const ended = await this.#db
      .update(tasks)
      .set({ ...end, completedAt: new Date() })
      .where(and(eq(tasks.id, taskId), inArray(tasks.status, ["queued", "running"])))
      .returning({ id: tasks.id });
    if (ended.length === 0) return;
    await this.#db
      .update(chats)
      .set({ unfinishedTasks: sql`array_remove(${chats.unfinishedTasks}, ${taskId}::uuid)` })
      .where(sql`${taskId}::uuid = ANY (${chats.unfinishedTasks})`);
    const task = { key: sql`id`, payload: { taskId: sql`id` } };
    await this.#db.execute(storeJobs(runDue, sql`FROM tasks WHERE id = ${taskId}::uuid`, task));
    const message = messageOf({ name: runDue.name, key: taskId }, { occasion: "ended" });
    this.published.push(message);
    this.waiting.push(message);
  }

  /** The next moment of a schedule has come. */
  async makeDue(scheduleId: string, nextRunAt = ago(500)): Promise<void> {
    await this.#db.update(schedules).set({ nextRunAt }).where(eq(schedules.id, scheduleId));
  }

  /** A moment comes, and all that follows from it happens. */
  async runOnce(scheduleId: string, end: End = this.end, deps = this.deps()): Promise<void> {
    await this.makeDue(scheduleId);
    await this.tick();
    const usual = this.end;
    this.end = end;
    await this.deliver(deps);
    this.end = usual;
  }

  /** So much time passes that no claim and no lease holds, and the sweeps look at everything. */
  async passTime(): Promise<void> {
    const earlier = new Date(Date.now() - 10 * MINUTE_MS);
    await this.#db
      .update(schedules)
      .set({ claimedUntil: earlier })
      .where(sql`claimed_until IS NOT NULL`);
    await this.#db
      .update(jobs)
      .set({ dueAt: earlier, leaseUntil: sql`least(${jobs.leaseUntil}, ${earlier})` });
    await this.#db.update(tasks).set({ createdAt: earlier }).where(eq(tasks.status, "queued"));
  }

  /** What the service does by itself after a crash. The queue has lost nothing that it took. */
  async recover(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      const before = this.published.length;
      await this.passTime();
      await this.tick();
      await this.sweep();
      await sweepTasks(this.deps());
      await this.deliver();
      if (this.published.length === before) return;
    }
  }

  sweep(): Promise<void> {
    return sweepJobs(this.deps(), [advanceRun.name, tellOwner.name]);
  }

  async found(scheduleId: string): Promise<typeof schedules.$inferSelect> {
    const [row] = await this.#db.select().from(schedules).where(eq(schedules.id, scheduleId));
    if (!row) throw new Error("The schedule is gone");
    return row;
  }

  /** The runs of a schedule, oldest first. */
  runs(...scheduleIds: string[]) {
    return this.#db
      .select()
      .from(scheduleRuns)
      .where(inArray(scheduleRuns.scheduleId, scheduleIds))
      .orderBy(asc(scheduleRuns.id));
  }

  async statuses(scheduleId: string): Promise<string[]> {
    return (await this.runs(scheduleId)).map(({ status }) => status);
  }

  tasksOf({ id }: { id: string }) {
    return this.#db.select().from(tasks).where(eq(tasks.userId, id)).orderBy(asc(tasks.id));
  }

  /** Messages of channels, oldest first. */
  async outbox(...channels: { id: string }[]) {
    const ids = channels.map(({ id }) => id);
    return this.#db
      .select()
      .from(channelMessages)
      .where(inArray(channelMessages.channelConfigId, ids))
      .orderBy(asc(channelMessages.id));
  }
}

export const ago = (ms: number) => new Date(Date.now() - ms);

/** The ids of the tasks whose runs messages name. */
export function advancedRuns(messages: readonly QueueMessage[]): string[] {
  return messages.flatMap(({ function: name, payload }) =>
    name === advanceRun.name ? [String(fieldsOf(payload)["key"])] : [],
  );
}
