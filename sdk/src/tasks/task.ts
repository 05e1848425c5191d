import { onAbort } from "../clock.ts";
import { ConnectionError, NotFoundError, TimeoutError } from "../errors.ts";
import type { CancelledTask, Task as TaskStatus, TaskSteps } from "../generated/types.gen.ts";
import { trusted } from "../json.ts";
import { answerTo } from "../http/request.ts";
import type { Answer, CallOptions, Query } from "../http/route.ts";
import { waitAfter, type Transport } from "../http/transport.ts";
import { eventStream, type StreamOptions } from "../streams/event-stream.ts";
import type { TaskEvent } from "./event.ts";

const UNFINISHED: ReadonlySet<string> = new Set(["queued", "running"]);

/** One task: a message to the agent and the work that follows from it. */
export class Task {
  /** The task's id. */
  readonly id: string;
  /** Its chat, where that is known. */
  readonly chatId: string | undefined;
  readonly #transport: Transport;
  /** The last event that `events` gave. */
  #last = 0;

  /** @internal */
  constructor(transport: Transport, id: string, chatId?: string) {
    this.#transport = transport;
    this.id = id;
    this.chatId = chatId;
  }

  /**
   * Its events, each once and in order, from the first, or from `after`, to `done`. A lost connection is resumed.
   *
   * @example
   * for await (const event of task.events()) {
   *   if (event.type === "text_delta") process.stdout.write(event.content);
   * }
   */
  async *events(options: StreamOptions = {}): AsyncGenerator<TaskEvent, void, undefined> {
    const source = {
      template: this.#path("events"),
      path: { task: this.id },
      isByHeader: true,
      isEmpty: isHeartbeat,
      isUnnumbered: isNotice,
    };
    for await (const { id, data } of eventStream(this.#transport, source, options)) {
      this.#last = Math.max(this.#last, id);
      // The stream for people has another word for the same event.
      const type = data["type"] === "tool_call" ? "tool_result" : data["type"];
      yield trusted<TaskEvent>({ ...data, type, id });
    }
  }

  /**
   * Waits for the end and resolves to the final status: `failed` and `cancelled` are values of its `status`. Rejects only
   * when the outcome cannot be known: with `TimeoutError` after `timeoutMs`, which has no limit when absent.
   */
  async result({ signal, timeoutMs }: CallOptions = {}): Promise<TaskStatus> {
    const { clock } = this.#transport;
    const control = new AbortController();
    const unfollow = onAbort(signal, () => control.abort(signal?.reason));
    if (timeoutMs !== undefined) {
      clock.sleep(timeoutMs, control.signal).then(
        () => control.abort(new TimeoutError(`The task did not end within ${timeoutMs} ms`)),
        () => {},
      );
    }
    try {
      for (let rounds = 1; ; rounds += 1) {
        const status = await this.status({ signal: control.signal });
        if (!UNFINISHED.has(status.status)) return status;
        if (rounds > 1) await clock.sleep(waitAfter(undefined, rounds, clock), control.signal);
        await this.#end(control.signal);
      }
    } finally {
      unfollow();
      control.abort();
    }
  }

  /** Reads what is left of the events. Without them the status tells the end. */
  async #end(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.events({ after: this.#last, signal }));
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof ConnectionError)) throw error;
    }
  }

  /** State and result of the task, and the delivery of its callback. */
  status(options?: CallOptions): Promise<TaskStatus> {
    return this.#ask("GET", this.#path("status"), options);
  }

  /** The turns of the task, a page at a time, oldest first. They outlast the events. */
  steps(query?: Query<"GET /api/v1/agents/tasks/{task}/steps">, options?: CallOptions): Promise<TaskSteps> {
    const { isKey } = this.#transport.credentials;
    const template = isKey ? "/api/v1/agents/tasks/{task}/steps" : this.#path("steps");
    return this.#ask("GET", template, { ...options, query });
  }

  /** Stops the task. A finished one stays as it is: `cancel_requested` then is `false`. */
  async cancel(options?: CallOptions): Promise<CancelledTask> {
    const answer = await this.#ask<CancelledTask | Answer<"POST /api/chat/agent/cancel/{task}">>(
      "POST",
      this.#path("cancel"),
      options,
    );
    if ("cancel_requested" in answer) return answer;
    const { status, task_id } = answer;
    const isAsked = status === "cancellation_requested";
    return { task_id, status: isAsked ? "cancelled" : status, cancel_requested: isAsked };
  }

  /** Programs with a key have paths of their own. */
  #path(about: "events" | "status" | "steps" | "cancel"): string {
    return `/api/${this.#transport.credentials.isKey ? "external" : "chat"}/agent/${about}/{task}`;
  }

  #ask<T>(
    method: string,
    template: string,
    options?: CallOptions & { query?: object | undefined },
  ): Promise<T> {
    const call = { ...options, method, template, path: { task: this.id }, isRepeatable: true };
    return answerTo(this.#transport, call);
  }
}

function isHeartbeat(type: unknown): boolean {
  return type === "agent_heartbeat";
}

/** What a message waits for is told to those who wait, and is not among the stored events. */
function isNotice(type: unknown): boolean {
  return type === "waiting";
}
