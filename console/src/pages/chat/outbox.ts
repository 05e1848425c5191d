import { WorkspaceError } from "@agent-workspace/client";
import { signal } from "@preact/signals";
import { readStored } from "../../service/stored.ts";

/** A message as it is sent, and sent again under the same key: the service takes it once. */
export interface Outgoing {
  readonly key: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly attachments: readonly object[];
}

/** A message on its way, or why it is not. */
export interface Leaving extends Outgoing {
  readonly isRefused: boolean;
  /** Why it was refused, if that is known: it is forgotten with the page. */
  readonly error: unknown;
}

/** Hands a message to the service; resolves once it is stored there. */
export type Send = (message: Outgoing) => Promise<unknown>;

/** The messages on their way, by chat: they stay so while the person looks at another page, and over a reload. */
const messages = signal<ReadonlyMap<string, readonly Leaving[]>>(new Map());
/** Keys of those that this page has handed to the client. */
const underWay = new Set<string>();

/** The messages of a chat that the service has not taken yet. Read while rendering, it renders again after each change. */
export const onTheirWay = (chatId: string): readonly Leaving[] => messages.value.get(chatId) ?? [];

/** Sends a message, which is kept until the service has it. */
export function post(chatId: string, message: Omit<Outgoing, "key">, send: Send): void {
  deliver(chatId, { ...message, key: crypto.randomUUID() }, send);
}

/** Sends what an earlier page of this tab has left, but for what was refused. */
export function resume(chatId: string, send: Send): void {
  for (const { isRefused, ...message } of kept(chatId)) {
    if (underWay.has(message.key)) continue;
    if (!isRefused) deliver(chatId, message, send);
    else if (!onTheirWay(chatId).some(({ key }) => key === message.key))
      set(chatId, { ...message, isRefused, error: undefined });
  }
}

/** Sends a message that was refused once more. */
export function repeat(chatId: string, message: Leaving, send: Send): void {
  deliver(chatId, message, send);
}

/** Takes a message that was refused out of the chat. */
export function discard(chatId: string, { key }: Outgoing): void {
  change(chatId, (before) => before.filter((each) => each.key !== key));
}

function deliver(chatId: string, message: Outgoing, send: Send): void {
  underWay.add(message.key);
  set(chatId, { ...message, isRefused: false, error: undefined });
  const end = async () => {
    try {
      await send(message);
      keep(
        chatId,
        onTheirWay(chatId).filter(({ key }) => key !== message.key),
      );
      // What came of it is shown with the next frame; the message is not gone in between.
      requestAnimationFrame(() => discard(chatId, message));
    } catch (error) {
      // A chat that was closed has not said what became of the message: it is sent again when it is opened.
      const isOpen = error instanceof WorkspaceError && error.code === "closed";
      if (!isOpen) set(chatId, { ...message, isRefused: true, error });
    } finally {
      underWay.delete(message.key);
    }
  };
  void end();
}

/** Adds a message, or replaces what was known of it. */
function set(chatId: string, message: Leaving): void {
  change(chatId, (before) => {
    const place = before.findIndex(({ key }) => key === message.key);
    return place === -1 ? [...before, message] : before.with(place, message);
  });
}

function change(chatId: string, next: (before: readonly Leaving[]) => readonly Leaving[]): void {
  const after = next(onTheirWay(chatId));
  messages.value = new Map([...messages.value, [chatId, after]]);
  keep(chatId, after);
}

const nameOf = (chatId: string) => `outbox.${chatId}`;

function keep(chatId: string, all: readonly Leaving[]): void {
  if (all.length === 0) return sessionStorage.removeItem(nameOf(chatId));
  const stored = all.map((message) => ({ ...message, error: undefined }));
  try {
    sessionStorage.setItem(nameOf(chatId), JSON.stringify(stored));
  } catch {
    // The storage is full: the message goes out of this page alone.
  }
}

type Kept = Outgoing & Pick<Leaving, "isRefused">;

function kept(chatId: string): readonly Kept[] {
  const stored = readStored(sessionStorage, nameOf(chatId));
  return Array.isArray(stored) ? stored.filter(isKept) : [];
}

function isKept(value: unknown): value is Kept {
  const { key, message, fields, attachments, isRefused }: Record<string, unknown> = {
    ...(typeof value === "object" && value),
  };
  const isText = typeof key === "string" && typeof message === "string";
  const hasFields = typeof fields === "object" && fields !== null && Array.isArray(attachments);
  return isText && hasFields && typeof isRefused === "boolean";
}
