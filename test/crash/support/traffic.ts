import { setTimeout as pause } from "node:timers/promises";
import { EventsRefused, followEvents, type TaskEvent } from "#test/support/event-stream.ts";
import type { Random } from "#test/support/random.ts";
import { PATIENCE } from "./patience.ts";
import { newScript, type Script } from "./script.ts";

/** A running service, as the traffic sees it. */
export interface Life {
  url: string;
  /** When its ready line came, in milliseconds since the epoch. */
  readyAt: number;
  /** Aborted when it is killed. */
  over: AbortSignal;
}

/** A task as its client knows it. */
export interface WitnessedTask {
  id: string;
  chatId: string;
  projectId: string;
  script: Script;
  idempotencyKey: string;
  /** How often the request was sent before an answer came. */
  requests: number;
  /** Every event the client has got, whatever connection it came through. */
  events: TaskEvent[];
  /** The task that was asked for before it in the same chat. */
  after: WitnessedTask | undefined;
}

/** How a task went on after a restart. */
export interface Recovery {
  taskId: string;
  /** From the ready line to the first event that did not exist before it. */
  ms: number;
}

/** An unfinished task goes on within this time of the ready line, on a machine that does nothing else. */
export const QUIET_RECOVERY_LIMIT_MS = 10_000;
/** The same on any machine: none waits for the sweep, which comes each minute. */
export const RECOVERY_LIMIT_MS = 50_000;

export interface TrafficOptions {
  key: string;
  projectIds: readonly string[];
  webhookUrl: string;
  random: Random;
  /** See `newScript`. */
  pace?: number;
}

const RETRY_MS = 50;

/**
 * Clients that invoke tasks one after another and follow each to its end, however often the service dies meanwhile. Like a
 * careful client they repeat a request that got no answer, under the same Idempotency-Key, and reconnect with the last id.
 */
export class Traffic {
  readonly acknowledged: WitnessedTask[] = [];
  readonly recoveries: Recovery[] = [];
  readonly #options: TrafficOptions;
  readonly #work: Promise<void>[] = [];
  readonly #failed = Promise.withResolvers<never>();
  #life = Promise.withResolvers<Life>();
  #current: Life | undefined;
  #stopping = false;
  #named = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#failed.promise.catch(() => {}); // also thrown by `finish`
  }

  /** Rejects as soon as a client saw a violation. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** The service is there. */
  up(life: Life): void {
    this.#current = life;
    this.#life.resolve(life);
    life.over.addEventListener("abort", () => {
      if (this.#current === life) this.#current = undefined;
      this.#life = Promise.withResolvers();
    });
  }

  /** Tasks that have begun and are not over. */
  get underWay(): number {
    return this.acknowledged.filter((task) => task.events.length > 0 && !isDone(task)).length;
  }

  /** Whether a task has a call that has begun and not ended. */
  get isCalling(): boolean {
    return this.acknowledged.some(({ events }) => events.at(-1)?.type === "tool_start");
  }

  /** Whether all that was asked for has ended. */
  get isOver(): boolean {
    return this.acknowledged.filter(isDone).length === this.#named;
  }

  /** Keep so many tasks in flight until `finish`; one more lane asks for several at once in one chat. */
  run(lanes: number): void {
    for (let lane = 0; lane < lanes; lane += 1) this.#spawn(this.#lane(1));
    this.#spawn(this.#lane(3));
  }

  /** Ask for so many more tasks at this moment. */
  burst(count: number): void {
    for (let index = 0; index < count; index += 1) this.#spawn(this.#ask(1));
  }

  /** Ask for three tasks at once in one chat. */
  chat(): void {
    this.#spawn(this.#ask(3));
  }

  /** Ask for nothing new, and follow what is under way to its end. Throws with what has none. */
  async finish(): Promise<void> {
    this.#stopping = true;
    const hanging = pause(PATIENCE.timeout, undefined, { ref: false }).then(() => {
      const open = this.acknowledged.filter((task) => !isDone(task));
      const lines = open.map(({ id, events }) => `${id} after ${events.at(-1)?.type ?? "no event"}`);
      throw new Error(`These tasks do not end: ${lines.join(", ") || "one that is not acknowledged"}`);
    });
    await Promise.race([Promise.all(this.#work), hanging]);
  }

  #spawn(work: Promise<void>): void {
    this.#work.push(work);
    work.catch((error: unknown) => this.#failed.reject(error));
  }

  async #lane(perChat: number): Promise<void> {
    while (!this.#stopping) await this.#ask(perChat);
  }

  async #ask(perChat: number): Promise<void> {
    const tasks: WitnessedTask[] = [];
    for (let index = 0; index < perChat; index += 1) tasks.push(await this.#invoke(tasks.at(-1)));
    await Promise.all(tasks.map((task) => this.#follow(task)));
  }

  async #invoke(after: WitnessedTask | undefined): Promise<WitnessedTask> {
    const { key, projectIds, webhookUrl, random, pace } = this.#options;
    this.#named += 1;
    const name = `task-${this.#named}`;
    const script = newScript(name, random, pace);
    const idempotencyKey = crypto.randomUUID();
    const projectId = after?.projectId ?? projectIds[random.whole(0, projectIds.length - 1)] ?? "";
    const body = JSON.stringify({
      project_id: projectId,
      message: script.message,
      webhook_url: `${webhookUrl}/${name}`,
      ...(after && { chat_id: after.chatId }),
    });
    for (let requests = 1; ; requests += 1) {
      const life = await this.#life.promise;
      const answer = await post(`${life.url}/api/external/agent/invoke`, body, {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      });
      if (answer) {
        const { task_id: id, chat_id: chatId } = answer;
        const task = { id, chatId, projectId, script, idempotencyKey, requests, events: [], after };
        this.acknowledged.push(task);
        return task;
      }
      await pause(RETRY_MS);
    }
  }

  async #follow(task: WitnessedTask): Promise<void> {
    const waitingSince = new Set<Life>();
    while (!isDone(task)) {
      const life = await this.#life.promise;
      const returning =
        !waitingSince.has(life) && waitingSince.size > 0 && (!task.after || isDone(task.after));
      waitingSince.add(life);
      let expected = returning;
      let live = false;
      const onEvent = (event: TaskEvent) => {
        task.events.push(event);
        if (!expected || !(live || event.type === "turn_restarted")) return;
        expected = false;
        this.recoveries.push({ taskId: task.id, ms: Date.now() - life.readyAt });
      };
      try {
        const after = task.events.at(-1)?.id ?? 0;
        const { key } = this.#options;
        await followEvents({ url: life.url, key, signal: life.over }, task.id, after, {
          onEvent,
          onLive: () => (live = true),
        });
      } catch (error) {
        // A database that is too busy to respond in time is told as what passes.
        if (error instanceof EventsRefused && error.status === 503) await pause(RETRY_MS);
        else if (!life.over.aborted) await this.#outlive(life, error);
      }
      // The life ended before a new event came: too slow a recovery if the life was long, no measurement if it was short.
      const ms = Date.now() - life.readyAt;
      if (expected && (isDone(task) || ms > RECOVERY_LIMIT_MS)) this.recoveries.push({ taskId: task.id, ms });
    }
  }

  /**
   * A connection may break before the kill of the service is noted here; one that breaks while the service lives is a
   * defect.
   */
  async #outlive(life: Life, error: unknown): Promise<void> {
    const gone = new Promise<void>((resolve) =>
      life.over.addEventListener("abort", () => resolve(), { once: true }),
    );
    const first = await Promise.race([gone, pause(2_000, "lives" as const)]);
    if (first === "lives" && !life.over.aborted) throw error;
  }
}

function isDone(task: WitnessedTask): boolean {
  return task.events.at(-1)?.type === "done";
}

/** The response to an acknowledged request; `undefined` where the service was down, or died before it responded. */
async function post(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ task_id: string; chat_id: string } | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method: "POST", headers, body });
    text = await response.text();
  } catch {
    return undefined;
  }
  if (response.ok) return JSON.parse(text);
  if (response.status < 500) throw new Error(`invoke answered ${response.status}: ${text}`);
  return undefined;
}
