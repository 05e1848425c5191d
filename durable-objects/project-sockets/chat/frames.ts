import { z } from "zod";
import type { LiveTask, SentMessage } from "#src/domain/agent-work/chats/index.ts";
import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import { ChatMessageFrame } from "#src/http/chat-message.ts";
import { IdempotencyKey } from "#src/http/idempotency-key.ts";
import { AppError } from "#src/lib/errors.ts";
import { sentenceOf } from "#src/lib/close-codes.ts";
import { parseJson, safeParseJson } from "#src/lib/parse-json.ts";
import { ChatCommandFrame, RequestId, type ErrorFrame, type ServerFrame } from "#src/wire/sockets.ts";
import type { UserMessageEvent } from "#src/wire/streams.ts";

export type Message = z.output<typeof ChatMessageFrame>;

/** Frames that a chat client sends, as text. */
export type ChatFrame =
  | z.output<typeof ChatCommandFrame>
  | ({ type: "message"; isPlain: boolean } & Omit<Message, "type">);

const Any = z.record(z.string(), z.unknown());
const TYPES = ["ping", "approval_response", "cancel", "resume"];

/** Returns the key and the id of a refused frame. An `error` repeats them, so that the client knows which frame failed. */
export function aboutFrame(frame: string): Pick<ErrorFrame, "idempotency_key" | "request_id"> {
  const { idempotency_key, request_id: id } = safeParseJson(frame, Names)?.value ?? {};
  return { ...(idempotency_key && { idempotency_key }), ...(id && { request_id: id }) };
}

const Names = z.object({ idempotency_key: IdempotencyKey.nullish(), request_id: RequestId });

/** Parses a frame. Throws `invalid_input` with a description of the problem. */
export function readChatFrame(frame: string): ChatFrame {
  const raw = safeParseJson(frame, Any)?.value;
  if (!raw) throw new AppError("invalid_input", "Not a frame of this socket: frames are JSON objects");
  if (typeof raw["type"] === "string" && TYPES.includes(raw["type"])) return checked(ChatCommandFrame, raw);
  const isMessage = raw["message"] !== undefined || raw["attachments"] !== undefined;
  if (!isMessage && raw["type"] !== "message" && raw["type"] !== "chat") {
    throw new AppError(
      "invalid_input",
      `Not a frame of this socket; it accepts a message, ${TYPES.join(", ")}`,
    );
  }
  return { ...checked(ChatMessageFrame, raw), type: "message", isPlain: isPlain(raw) };
}

/**
 * Whether a message has only the fields of the original frame, `{message, agent_id}`. Clients that send such frames cannot
 * answer approvals. A frame with an idempotency key comes from a newer client, which can answer them.
 */
function isPlain(raw: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(raw).every((name) => name === "message" || name === "agent_id");
}

function checked<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** Returns a failure as a frame for a chat client. */
export function errorFrame(
  error: unknown,
  about: Pick<ErrorFrame, "task_id" | "idempotency_key" | "request_id"> = {},
): ErrorFrame {
  const message = sentenceOf(error);
  const known = error instanceof AppError ? error : undefined;
  const wait = known?.retryAfterSeconds ?? 0;
  return {
    type: "error",
    content: message,
    message,
    ...about,
    data: {
      message,
      ...(known && { code: known.code, ...known.extra }),
      ...(wait > 0 && { retry_after_seconds: wait }),
    },
  };
}

/** An event of a task, as sockets receive it. Its texts are built once for all sockets. */
export class ShownEvent {
  readonly id: number;
  readonly type: string;
  readonly #task: Pick<LiveTask, "id" | "chatId">;
  readonly #data: string;
  #direct: string | undefined;
  #wrapped: string | undefined;

  constructor(
    task: Pick<LiveTask, "id" | "chatId">,
    { id, type, data }: { id: number; type: string; data: string },
  ) {
    this.id = id;
    this.type = type;
    this.#task = task;
    this.#data = data;
  }

  /** `{type, …, task_id, chat_id, event_id}`, for a socket that started the task or asked to follow it. */
  get direct(): string {
    return (this.#direct ??= JSON.stringify({ ...this.#payload(), ...this.#names() }));
  }

  /** `{type: "agent_event", task_id, chat_id, event_id, payload}`, for all other sockets. */
  get wrapped(): string {
    return (this.#wrapped ??= JSON.stringify({
      type: "agent_event",
      ...this.#names(),
      payload: this.#payload(),
    }));
  }

  /** The event as the log has it. Only `tool_result` is renamed to `tool_call`, as on the rich streams. */
  #payload(): Record<string, unknown> {
    const payload = parseJson(this.#data, Any);
    return this.type === "tool_result" ? { ...payload, type: "tool_call" } : payload;
  }

  #names() {
    return { task_id: this.#task.id, chat_id: this.#task.chatId, event_id: this.id };
  }
}

/** Whether a task waits for an approval after these events. */
export function isAskingAfter(before: boolean, events: readonly { type: string }[]): boolean {
  const last = events.findLast(({ type }) => type === "approval_required" || type === "approval_answered");
  return last ? last.type === "approval_required" : before;
}

/** Announces a message that another user or another tab sent. The log has no such event, so the frame has no event id. */
export function userMessage({ id, chatId, userId, userName, message, createdAt }: LiveTask): ServerFrame {
  const data = {
    content: message,
    user_id: userId,
    ...(userName !== null && { user_name: userName }),
    created_at: createdAt.toISOString(),
  };
  const payload: UserMessageEvent = { type: "user_message", content: message, data };
  return { type: "agent_event", task_id: id, chat_id: chatId, payload };
}

/** Tells the socket that sent a message that the message is stored, and the id of its task. */
export function messageAccepted(
  { taskId, chatId }: SentMessage,
  key: string | null | undefined,
): ServerFrame {
  const names = { task_id: taskId, chat_id: chatId };
  return { type: "message_accepted", ...names, ...(key && { idempotency_key: key }), data: names };
}

/** Tells the same socket why its message waits. Undefined if the message does not wait. */
export function messageWaits({ taskId, chatId, waiting, refused }: SentMessage): string | undefined {
  if (!waiting) return undefined;
  const { data } = taskEvents.waiting(taskId, waiting, refused);
  return JSON.stringify({ ...parseJson(data, Any), task_id: taskId, chat_id: chatId });
}
