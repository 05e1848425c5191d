import type { SocketQuery } from "./connection.ts";

/** Most tasks that the service resumes by an address. */
const MAX_RESUMED = 20;
/** Ended tasks that are remembered, so that a repetition of them is recognised. */
const MAX_ENDED = 32;

/** Up to where a client has the events of each task. Its size is bounded by the tasks that run. */
export class Positions {
  /** Id of the last event of each running task; the one that was heard last stands last. */
  readonly #running: Map<string, number>;
  /** The same of the tasks that ended last. */
  readonly #ended = new Map<string, number>();

  constructor(resume: Readonly<Record<string, number>>) {
    this.#running = new Map(Object.entries(resume));
  }

  has(taskId: string): boolean {
    return this.#running.has(taskId) || this.#ended.has(taskId);
  }

  /** Id of the last event of a task; 0 if there was none. */
  of(taskId: string): number {
    return this.#running.get(taskId) ?? this.#ended.get(taskId) ?? 0;
  }

  advance(taskId: string, eventId: number, isEnd: boolean): void {
    if (this.#ended.has(taskId)) return;
    this.#running.delete(taskId);
    if (!isEnd) return void this.#running.set(taskId, eventId);
    this.#ended.set(taskId, eventId);
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= MAX_ENDED) break;
      this.#ended.delete(oldest);
    }
  }

  /** The service no longer shows this task. */
  forget(taskId: string): void {
    this.#running.delete(taskId);
  }

  /**
   * Query of an address that resumes here. Running tasks beyond the service's limit are shown from their beginning, and
   * what is known of them is recognised by its ids.
   */
  query(): SocketQuery {
    const running = [...this.#running].slice(-MAX_RESUMED);
    const ended = [...this.#ended.keys()].join(",");
    return {
      task_id: running.map(([taskId]) => taskId).join(",") || undefined,
      last_event_id: running.map(([, eventId]) => eventId).join(",") || undefined,
      // Without any known task the service would show the newest of all time.
      shown: running[0] ? ended : ended || undefined,
    };
  }
}
