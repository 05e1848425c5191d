import { requireContainer, watchLogs } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Connection } from "./connection.ts";
import type { Services } from "#src/services.ts";

/**
 * Longest last line that is stored with a socket, which has little room. Without the line, a resumed log starts with
 * past lines again.
 */
const MAX_KEPT = 1024;

/** The log of one container that a socket shows. */
export class ContainerLog {
  readonly #connection: Connection;
  readonly #projectId: string;
  readonly #services: Services;
  #watch: AbortController | undefined;

  constructor(connection: Connection, projectId: string, services: Services) {
    this.#connection = connection;
    this.#projectId = projectId;
    this.#services = services;
  }

  /** Shows the log of this container from now on. Throws `not_found` for a container of another project. */
  async switchTo(containerId: string): Promise<void> {
    await requireContainer(this.#services, this.#projectId, containerId);
    this.stop();
    this.#connection.keep({ log: { containerId, last: null } });
    await this.goOn();
  }

  /** Continues the log, unless that is under way. Resolves when no more lines follow. */
  async goOn(): Promise<void> {
    const { log } = this.#connection.state;
    if (!log || this.#watch) return;
    const watch = new AbortController();
    this.#watch = watch;
    try {
      await this.#show(log.containerId, log.last ?? undefined, watch.signal);
    } catch (error) {
      if (!watch.signal.aborted) this.#fail(error, log.last === null);
    } finally {
      if (this.#watch === watch) this.#watch = undefined;
    }
  }

  stop(): void {
    this.#watch?.abort();
    this.#watch = undefined;
  }

  async #show(containerId: string, after: string | undefined, signal: AbortSignal): Promise<void> {
    const container = await requireContainer(this.#services, this.#projectId, containerId);
    const runtime = this.#services.workspaces.runtime(this.#projectId);
    for await (const lines of watchLogs(this.#services, container, runtime, { after, signal })) {
      for (const line of lines) {
        await this.#connection.pace.take(line.length);
        if (signal.aborted) return;
        this.#connection.send({ type: "log", data: line, container_id: containerId });
      }
      const last = lines.at(-1);
      if (last === undefined) continue;
      this.#connection.keep({ log: { containerId, last: last.length <= MAX_KEPT ? last : null } });
    }
  }

  /** Handles a broken log, which is then resumed; only the first failure is reported to the client. */
  #fail(error: unknown, isFirst: boolean): void {
    if (!(error instanceof AppError)) {
      this.#services.log.error("log failed", { project_id: this.#projectId, cause: error });
    } else if (error.code === "not_found") this.#connection.keep({ log: null });
    if (!isFirst) return;
    const message =
      error instanceof AppError && error.code !== "asleep" ? error.message : "Nothing runs in this container";
    this.#connection.send({ type: "error", message });
  }
}
