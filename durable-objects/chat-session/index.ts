import { DurableObject } from "cloudflare:workers";
import { objectSettings, type ObjectSettings } from "../lib/settings.ts";
import { migrate } from "../lib/sql-migrations.ts";
import { TURN_SCHEMA, TurnQueue } from "./turn-queue.ts";

/** How long a task may hold the turn before somebody checks that it still lives, in milliseconds. */
const LEASE_MS = 60_000;

/** One per chat: which task has the turn and which wait for it, first come, first served. */
export class ChatSession extends DurableObject<object> {
  readonly #settings: ObjectSettings;
  readonly #turns: TurnQueue;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    this.#settings = objectSettings(env);
    migrate(ctx.storage, TURN_SCHEMA);
    this.#turns = new TurnQueue(ctx.storage.sql);
  }

  /** Ask for the turn: `running` has it now, `queued` is launched when its turn comes. Safe to repeat. */
  async enqueue(taskId: string): Promise<"running" | "queued"> {
    const place = this.#turns.enqueue(taskId);
    // Whoever has the turn is watched over by its own log; the lease is for those who wait behind it.
    if (place === "queued" && (await this.ctx.storage.getAlarm()) === null) await this.#renewLease();
    return place;
  }

  /** A task is over. Answers the task that has the turn now, if any. Safe to repeat. */
  async finish(taskId: string): Promise<string | undefined> {
    this.#turns.remove(taskId);
    return this.#turns.holder;
  }

  /** The lease: launching a holder that lives does nothing, one that is over or never began is moved on. */
  override async alarm(): Promise<void> {
    const taskId = this.#turns.holder;
    if (!taskId) return;
    await this.#renewLease();
    try {
      await this.#settings.queue().publish({
        function: "start-task",
        payload: { taskId, chatId: this.ctx.id.name },
        deduplicationId: `start-${taskId}-lease-${Math.floor(Date.now() / LEASE_MS)}`,
      });
    } catch (error) {
      this.#settings.log.error("lease could not be checked", { task_id: taskId, cause: error });
    }
  }

  async #renewLease(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + LEASE_MS);
  }
}
