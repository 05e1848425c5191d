import type { TaskStatus } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Followed } from "../protocol.ts";
import type { Services } from "#src/services.ts";
import type { Follower } from "./follower.ts";
import { TaskFeed } from "./task-feed.ts";

/** The tasks shown on any socket of a project. Kept in memory only: each socket stores what it shows. */
export class TaskFeeds {
  readonly #services: Services;
  readonly #onFailure: (taskId: string, error: unknown, isFinal: boolean) => void;
  readonly #feeds = new Map<string, TaskFeed>();

  /** `onFailure` is called for a log that cannot be read, temporarily or for good. */
  constructor(services: Services, onFailure: (taskId: string, error: unknown, isFinal: boolean) => void) {
    this.#services = services;
    this.#onFailure = onFailure;
  }

  join({ taskId, chatId, asking }: Followed, follower: Follower, status: TaskStatus = "running"): void {
    this.#forgetTheOver();
    let feed = this.#feeds.get(taskId);
    if (!feed) {
      const task = { id: taskId, chatId, status };
      feed = new TaskFeed(task, asking, this.#services, (error) => this.#failed(taskId, error));
      this.#feeds.set(taskId, feed);
    }
    feed.join(follower);
  }

  /** Events of this task will follow. */
  wake(taskId: string): void {
    this.#feeds.get(taskId)?.wake();
  }

  /** Checks the waiting tasks for new events. */
  goOn(): void {
    this.#forgetTheOver();
    for (const feed of this.#feeds.values()) feed.goOn();
  }

  #forgetTheOver(): void {
    for (const [id, feed] of this.#feeds) if (feed.isOver) this.#feeds.delete(id);
  }

  #failed(taskId: string, error: unknown): void {
    const isFinal = error instanceof AppError && !error.retryable;
    if (isFinal) this.#feeds.delete(taskId);
    this.#onFailure(taskId, error, isFinal);
  }
}
