/// <reference lib="esnext.disposable" preserve="true" />
import { systemClock, type Clock } from "../clock.ts";
import { WorkspaceError } from "../errors.ts";
import { fieldsOf, textOf, wholeOf } from "../json.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import type { Frame, SocketSource } from "./connection.ts";
import { Positions } from "./positions.ts";
import { refusal, refusalOf } from "./refusal.ts";
import { ReopeningSocket } from "./socket.ts";

/** Characters of events that wait for their reader. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** Most characters of a frame that the service accepts. */
const MAX_FRAME = 64 * 1024;
/** Calls that are on their way at once; the service refuses more than 20. The others wait for their turn. */
const MAX_SENT = 10;
const MAX_CALLS = 1_000;
/** Attempts of a message that the service could not store at once. */
const MAX_ATTEMPTS = 5;
const RETRY_MS = 1_000;

/** An event of a task, with the task it belongs to. */
export interface ChatEvent {
  readonly taskId: string;
  readonly chatId: string;
  /** 1, 2, 3 and so on within a task; 0 for what is not in the task's log, such as `user_message` and `waiting`. */
  readonly eventId: number;
  /** `{type, data, …}` as the task's streams have it. Unknown types are passed on. */
  readonly event: Frame;
}

/** A message to the agent, in the API's own names; further fields of the API are passed on. */
export interface ChatMessage {
  message?: string;
  /** When absent, the chat of `openChat`, then the one last used in the project, or a new one. */
  chat_id?: string;
  agent_id?: string;
  model?: string;
  edit_mode?: "allow" | "ask" | "plan";
  max_iterations?: number;
  /** As over HTTP, within a frame of 65,536 characters; what is larger is uploaded first. */
  attachments?: readonly object[];
  [field: string]: unknown;
}

export interface AcceptedMessage {
  task_id: string;
  chat_id: string;
}

/** `accept`, `decline` and `cancel` answer what an MCP server asks; the others whether a call may run. */
export type ApprovalResponse = "allow_once" | "allow_all" | "stop" | "accept" | "decline" | "cancel";

export interface ChatOptions {
  /** Chat and agent of messages that name none. */
  chatId?: string;
  agentId?: string;
  /** Whether the events of others' tasks are wanted, too, in chats that they share. */
  shared?: boolean;
  /** Tasks of which the caller has the events up to these ids. */
  resume?: Readonly<Record<string, number>>;
  /** Called with frames that belong to no task and no call: `status_update`, and errors of the connection. */
  onNotice?: (notice: Frame) => void;
  /** Called when the connection is made, and when it is lost. It is made again by itself. */
  onConnection?: (isConnected: boolean) => void;
  /** For tests. */
  clock?: Clock;
}

interface Call {
  frame: Record<string, unknown>;
  isSent: boolean;
  /** Whether an earlier connection has carried it: then the service may have done it already. */
  isRepeated: boolean;
  attempts: number;
  settle: (answer: Frame | WorkspaceError) => void;
}

/**
 * A person's or program's chats in a project, live. The connection reopens by itself; each event of each task comes
 * once and in the task's order, and each message becomes one task.
 *
 * Events that are not read wait, up to 4 MiB. Then the connection is left, and resumed when they have been read.
 */
export class Chat implements AsyncDisposable {
  readonly #options: ChatOptions;
  readonly #clock: Clock;
  readonly #positions: Positions;
  readonly #events: BoundedQueue<ChatEvent>;
  readonly #socket: ReopeningSocket;
  /** By idempotency key or request id, in the order of the calls. */
  readonly #calls = new Map<string, Call>();
  readonly #closing = new AbortController();
  #end: WorkspaceError | undefined;

  constructor(source: SocketSource, project: string, options: ChatOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#positions = new Positions(options.resume ?? {});
    this.#events = new BoundedQueue(MAX_UNREAD, () => this.#goOn());
    this.#socket = new ReopeningSocket(source, this.#clock, {
      address: () => ({
        path: `/ws/chat/${encodeURIComponent(project)}`,
        query: { ...this.#positions.query(), shared: options.shared },
      }),
      opened: () => {
        options.onConnection?.(true);
        this.#pump();
      },
      received: (frame, size) => this.#receive(frame, size),
      lost: () => this.#unsend(),
      ended: (error) => this.#over(error ?? refusal("closed", "The service ended the connection")),
    });
  }

  /**
   * Sends a message. Resolves when the service has stored it; from then on it is worked on, even if this program ends. A
   * message whose acceptance was lost is sent again under its key, and is still one task. Rejects with a `WorkspaceError`
   * when the service refuses the message or the chat has ended. After an abort the message may or may not be worked on.
   *
   * @example
   *   const { task_id } = await chat.send({ message: "Fix the failing test" });
   */
  async send(
    { idempotencyKey = crypto.randomUUID(), ...message }: ChatMessage & { idempotencyKey?: string },
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<AcceptedMessage> {
    const frame = {
      chat_id: this.#options.chatId,
      agent_id: this.#options.agentId,
      ...message,
      type: "message",
      idempotency_key: idempotencyKey,
    };
    const accepted = await this.#call(idempotencyKey, frame, signal);
    return { task_id: textOf(accepted["task_id"]) ?? "", chat_id: textOf(accepted["chat_id"]) ?? "" };
  }

  /** Answers an approval; the agent reads the reason of a `stop`, and a server the content of an `accept`. Rejects with a `WorkspaceError`, of code `forbidden` for API keys: only people may answer. */
  async approve(
    approvalId: string,
    response: ApprovalResponse,
    reason?: string,
    content?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    // What is undefined is left out.
    await this.#request({ type: "approval_response", approval_id: approvalId, response, reason, content });
  }

  /** Stops a task. Rejects with a `WorkspaceError`, of code `conflict` for a task that is over. */
  async cancel(taskId: string): Promise<void> {
    await this.#request({ type: "cancel", task_id: taskId });
  }

  /**
   * The events of all tasks of the caller in the project, from the opening of the chat on, and those of tasks that ran
   * then from their beginning. Leaving the loop does not close the chat: a later loop continues. Ends when the chat is
   * closed, throws a `WorkspaceError` when the service has ended it, and the signal's reason after an abort.
   */
  events({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<ChatEvent, void, void> {
    return this.#events.read(signal);
  }

  /** Closes the chat. Tasks go on. Calls under way are rejected. Idempotent. */
  close(): void {
    this.#finish(refusal("closed", "The chat is closed"));
    this.#events.drop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #over(error: WorkspaceError): void {
    this.#finish(error);
    this.#events.end(error);
  }

  #finish(error: WorkspaceError): void {
    this.#end ??= error;
    this.#closing.abort();
    this.#socket.close();
    for (const call of this.#calls.values()) call.settle(error);
    this.#calls.clear();
  }

  // ── Calls

  async #request(frame: Record<string, unknown>): Promise<void> {
    const id = crypto.randomUUID();
    await this.#call(id, { ...frame, request_id: id });
  }

  async #call(id: string, frame: Record<string, unknown>, signal?: AbortSignal): Promise<Frame> {
    signal?.throwIfAborted();
    if (this.#end) throw this.#end;
    if (this.#calls.has(id)) throw refusal("conflict", "A message with this key is on its way");
    if (this.#calls.size >= MAX_CALLS) throw refusal("conflict", "Too many calls wait");
    if (JSON.stringify(frame).length > MAX_FRAME) {
      const message = `A message has at most ${MAX_FRAME} characters, attachments included`;
      throw refusal("invalid_input", message);
    }
    const answer = new Promise<Frame | WorkspaceError>((settle) => {
      this.#calls.set(id, { frame, isSent: false, isRepeated: false, attempts: 0, settle });
    });
    this.#pump();
    const aborted = () => {
      this.#take(id)?.settle(refusal("aborted", "Aborted"));
      this.#pump();
    };
    signal?.addEventListener("abort", aborted, { once: true });
    const settled = await answer;
    signal?.removeEventListener("abort", aborted);
    signal?.throwIfAborted();
    if (settled instanceof WorkspaceError) throw settled;
    return settled;
  }

  /** Sends the calls whose turn it is, in their order. A chat whose events are not read connects only for calls. */
  #pump(): void {
    this.#socket.want(!this.#events.isFull || this.#calls.size > 0);
    let sent = 0;
    for (const call of this.#calls.values()) {
      if (sent >= MAX_SENT || !this.#socket.isOpen) return;
      sent += 1;
      if (call.isSent) continue;
      call.isSent = this.#socket.send(call.frame);
      call.attempts += 1;
    }
  }

  #unsend(): void {
    this.#options.onConnection?.(false);
    for (const call of this.#calls.values()) {
      if (call.isSent) [call.isSent, call.isRepeated] = [false, true];
    }
  }

  #take(id: string): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #answered(id: string, answer: Frame | WorkspaceError): void {
    const call = this.#calls.get(id);
    if (!call) return;
    const isRefused = answer instanceof WorkspaceError;
    // The first request under this key is not stored yet.
    if (isRefused && answer.code === "unavailable" && call.attempts < MAX_ATTEMPTS)
      return void this.#retry(call);
    this.#calls.delete(id);
    // An answer or a stop that is repeated finds its own first attempt.
    const isDone =
      isRefused && answer.code === "conflict" && call.isRepeated && call.frame["type"] !== "message";
    call.settle(isDone ? { type: "request_done" } : answer);
    this.#pump();
  }

  async #retry(call: Call): Promise<void> {
    try {
      await this.#clock.sleep(RETRY_MS * 2 ** (call.attempts - 1), this.#closing.signal);
    } catch {
      // The chat is closed, and with it the call.
      return;
    }
    call.isSent = false;
    this.#pump();
  }

  // ── Frames

  #receive(frame: Frame, size: number): void {
    const [taskId, chatId] = [textOf(frame["task_id"]), textOf(frame["chat_id"]) ?? ""];
    switch (frame.type) {
      case "message_accepted":
        return this.#accepted(frame, { taskId: taskId ?? "", chatId });
      case "request_done":
        return this.#answered(textOf(frame["request_id"]) ?? "", frame);
      case "error": {
        const call = textOf(frame["idempotency_key"]) ?? textOf(frame["request_id"]);
        if (call !== undefined && this.#calls.has(call)) return this.#answered(call, refusalOf(frame));
        break;
      }
      default:
    }
    if (taskId === undefined) return this.#options.onNotice?.(frame);
    const payload = frame.type === "agent_event" ? frame["payload"] : frame;
    const event = { ...fieldsOf(payload), type: textOf(fieldsOf(payload)["type"]) ?? "unknown" };
    this.#show({ taskId, chatId, eventId: wholeOf(frame["event_id"]), event }, size);
  }

  #accepted(frame: Frame, { taskId, chatId }: { taskId: string; chatId: string }): void {
    const key = textOf(frame["idempotency_key"]) ?? "";
    const sent = this.#calls.get(key)?.frame;
    // Other clients get the message as an event; its sender gets it here, before all events of the task.
    if (sent) {
      const content = textOf(sent["message"]) ?? "";
      const attachments = Array.isArray(sent["attachments"]) ? { attachments: sent["attachments"] } : {};
      const event = { type: "user_message", content, data: { content, ...attachments } };
      this.#show({ taskId, chatId, eventId: 0, event }, content.length);
    }
    this.#answered(key, frame);
  }

  #show(shown: ChatEvent, size: number): void {
    const { taskId, eventId, event } = shown;
    // What is not added now comes again after the next connection.
    if (this.#events.isFull) return;
    if (eventId > 0 && eventId <= this.#positions.of(taskId)) return;
    if (event.type === "user_message" && this.#positions.has(taskId)) return;
    if (event.type === "error" && eventId === 0) {
      if (fieldsOf(fieldsOf(event)["data"])["code"] === "not_found") this.#positions.forget(taskId);
    } else {
      const isEnd = event.type === "done" && eventId > 0;
      this.#positions.advance(taskId, Math.max(eventId, this.#positions.of(taskId)), isEnd);
    }
    this.#events.push(shown, size);
    this.#pump();
  }

  /** The reader has caught up: what was dropped, or not sent, comes now. */
  #goOn(): void {
    this.#socket.restart();
    this.#pump();
  }
}

/** Opens the chats of a project. The connection is made at once, and kept until `close`. */
export function openChat(source: SocketSource, project: string, options: ChatOptions = {}): Chat {
  return new Chat(source, project, options);
}
