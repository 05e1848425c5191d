import { ALLOWANCES } from "#src/domain/operations/limits/index.ts";
import type { ReceivedClick, ReceivedMessage } from "#src/channels/channel.ts";
import type { AnswerDeps } from "#src/domain/agent-work/approvals/index.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import { channelApi, type Channel } from "#src/domain/messaging/channels/index.ts";
import { choiceOf } from "#src/domain/messaging/deliveries/index.ts";
import type { SessionKey } from "#src/domain/messaging/inbox/index.ts";
import { callerFor, type Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Later } from "#src/work/execute.ts";
import { answerClick } from "./answer-click.ts";
import { argumentOf, commandOf } from "./commands.ts";
import { meetStranger, type StrangerDeps } from "./meet-stranger.ts";
import {
  claimEvents,
  openConversation,
  settleEvents,
  type Membership,
  type StoredEvent,
} from "./queries/events.ts";
import { answerOpen } from "./answer-open.ts";
import { runCommand } from "./run-command.ts";
import { refusalOf, startTurn, type TurnDeps } from "./start-turn.ts";
import { originOfMessage, tell } from "./tell.ts";

export type ConversationDeps = StrangerDeps &
  TurnDeps &
  FinishDeps &
  AnswerDeps & { config: { GATEWAY_SESSION_IDLE_MINUTES: number } };

const { most: MOST_WAITING } = ALLOWANCES.waitingMessages;
/** Messages that come together are answered together: the parts of a long text, the pictures of an album. */
const TOGETHER_MS = 600;
const NEAR_SPLIT_MS = 2_000;
/** Platforms split what people write beyond this. */
const NEAR_SPLIT_CHARS = 3_900;
/** An advance that chose messages has stored and begun their task after this time, or has died. */
const BEGUN_MS = 3_000;
/** A message that could not be started for this long is refused. */
const PATIENCE_MS = 15 * 60_000;

/** What a pass leaves: nothing that can be done now, more that can, or what is to be tried again later. */
type Left = "nothing" | "more" | Later;

/**
 * Handles the open events of a session in their order: commands and clicks at once, messages as one task when the session
 * has none, and otherwise when that task has ended. Idempotent, and harmless beside another advance of the same session.
 * Returns after how many seconds it should be tried again, if it should.
 */
export async function advanceSession(deps: ConversationDeps, key: SessionKey): Promise<Later | undefined> {
  let left: Left;
  do left = await pass(deps, key);
  while (left === "more");
  return left === "nothing" ? undefined : left;
}

/** Handles what the session has now, once. */
async function pass(deps: ConversationDeps, key: SessionKey): Promise<Left> {
  const idleMinutes = deps.config.GATEWAY_SESSION_IDLE_MINUTES;
  const settings = { idleMinutes, wholeChars: NEAR_SPLIT_CHARS };
  const { channel, events, person, isClaimed } = await openConversation(deps.db, key, settings);
  if (events.length === 0) return "nothing";
  if (!channel) {
    await settleEvents(
      deps.db,
      events.map(({ id }) => id),
    );
    return "nothing";
  }
  if (!person) {
    await meetStranger(deps, channel, events);
    return "nothing";
  }
  if (isClaimed) return start(deps, { channel, key, person, batch: messagesOf(events) });
  const waiting = await handleAtOnce(deps, channel, person, events);
  if (waiting.length === 0) return "nothing";
  if (waiting.length < events.length) return "more"; // what was handled may have changed the session
  const isWorking = person.isBusy && !person.isAsking && person.chatId !== null;
  if (isWorking && !waiting.some(isAbandoned)) {
    await refuseBeyond(deps, { channel, person }, waiting);
    return "nothing";
  }
  if (await waitForRest(waiting)) return "more";
  return begin(deps, { channel, key, waiting });
}

type WaitingMessage = { stored: StoredEvent; message: ReceivedMessage };

/** Whether an advance chose the message and died: its task may be stored, and not begun. */
function isAbandoned({ stored }: WaitingMessage): boolean {
  return stored.taskId !== null && Date.now() - stored.createdAt.getTime() > BEGUN_MS;
}

/** Handles clicks and commands. Returns the messages for the agent. */
async function handleAtOnce(
  deps: ConversationDeps,
  channel: Channel,
  person: Membership,
  events: readonly StoredEvent[],
): Promise<WaitingMessage[]> {
  const waiting: WaitingMessage[] = [];
  let membership = person;
  for (const stored of events) {
    const { event } = stored;
    if (event?.kind === "click") {
      const caller = await callerOf(deps, person, event);
      if (caller) await answerClick(deps, channel, event, caller);
      await settleEvents(deps.db, [stored.id]);
      continue;
    }
    if (event?.kind !== "message") {
      await settleEvents(deps.db, [stored.id]);
      continue;
    }
    // Events of a task that was chosen are its message, also when they read like a command.
    const name = stored.taskId === null ? commandOf(event.text) : undefined;
    const choice = stored.taskId === null && person.isAsking ? choiceOf(event.text) : undefined;
    if (name === undefined && choice === undefined) {
      waiting.push({ stored, message: event });
      continue;
    }
    const caller = await callerOf(deps, person, event);
    let text = KEY_ENDED;
    if (caller && name !== undefined) {
      const ids = waiting.map((each) => each.stored.id);
      const { place } = event;
      const argument = argumentOf(event.text);
      const about = { channel, caller, person: membership, place, argument, waiting: ids };
      text = await runCommand(deps, name, about);
      if (name === "stop") waiting.length = 0;
      if (name === "new") membership = { ...membership, chatId: null };
    } else if (caller && choice !== undefined) {
      text = await answerOpen(deps, { channel, caller, person: membership }, { response: choice });
    }
    const origin = originOfMessage(channel, stored);
    if (origin) await tell(deps, { ...origin, person }, text);
    await settleEvents(deps.db, [stored.id]);
  }
  return waiting;
}

const KEY_ENDED = "The API key of this connection is no longer good: connect with another one.";

/** Who acts by an event: at the command line the key, with its own limits. Undefined once the key has ended. */
async function callerOf(
  deps: { db: Db },
  { userId }: Membership,
  { apiKeyId }: ReceivedMessage | ReceivedClick,
): Promise<Caller | undefined> {
  try {
    return await callerFor(deps, { userId, apiKeyId: apiKeyId ?? null });
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return undefined;
    throw error;
  }
}

/** Tells the person which messages are too many, and forgets those. */
async function refuseBeyond(
  deps: ConversationDeps,
  { channel, person }: { channel: Channel; person: Membership },
  waiting: readonly WaitingMessage[],
): Promise<void> {
  for (const { stored } of waiting.slice(MOST_WAITING)) {
    const origin = originOfMessage(channel, stored);
    if (origin)
      await tell(
        deps,
        { ...origin, person },
        `${MOST_WAITING} messages wait already: this one was not taken.`,
      );
    await settleEvents(deps.db, [stored.id]);
  }
}

/**
 * Waits for messages that belong to the last one. A single short text waits for nothing; after a pause for others there is
 * none left to wait for.
 */
async function waitForRest(waiting: readonly WaitingMessage[]): Promise<boolean> {
  const last = waiting.at(-1);
  if (!last || waiting.some(({ stored }) => stored.taskId !== null)) return false;
  const { text, media } = last.message;
  const isSplit = text.length >= NEAR_SPLIT_CHARS;
  const window = isSplit ? NEAR_SPLIT_MS : waiting.length > 1 || media.length > 0 ? TOGETHER_MS : 0;
  const left = last.stored.createdAt.getTime() + window - Date.now();
  if (left <= 0) return false;
  await new Promise((resolve) => setTimeout(resolve, left));
  return true;
}

/** Makes the waiting messages one task. Those that are not in it go on: an interrupted task may be over already. */
async function begin(
  deps: ConversationDeps,
  { channel, key, waiting }: { channel: Channel; key: SessionKey; waiting: readonly WaitingMessage[] },
): Promise<Left> {
  // A task has the permissions of one key, so that a message never gets those of another key.
  const otherKey = waiting.findIndex(({ message }) => message.apiKeyId !== waiting[0]?.message.apiKeyId);
  const most = otherKey === -1 ? MOST_WAITING : Math.min(otherKey, MOST_WAITING);
  const ids = waiting.slice(0, most).map(({ stored }) => stored.id);
  const idleMinutes = deps.config.GATEWAY_SESSION_IDLE_MINUTES;
  const { events, person } = await claimEvents(deps.db, key, { ids, idleMinutes });
  const batch = messagesOf(events);
  if (batch.length === 0) return "nothing"; // another advance was faster
  if (!person) return "more"; // no longer linked
  const left = await start(deps, { channel, key, person, batch });
  return left === "nothing" && batch.length < waiting.length ? "more" : left;
}

function messagesOf(events: readonly StoredEvent[]): WaitingMessage[] {
  return events.flatMap((stored) =>
    stored.event?.kind === "message" ? [{ stored, message: stored.event }] : [],
  );
}

/** Starts a task for a claimed batch. If the service refuses it, the person is told why. */
async function start(
  deps: ConversationDeps,
  {
    channel,
    key,
    person,
    batch,
  }: { channel: Channel; key: SessionKey; person: Membership; batch: readonly WaitingMessage[] },
): Promise<Left> {
  const last = batch.at(-1);
  if (!last) return "nothing";
  try {
    const { apiKeyId } = last.message;
    const caller = await callerFor(deps, { userId: person.userId, apiKeyId: apiKeyId ?? null });
    const started = await startTurn(deps, { channel, key, caller, person, batch });
    if (started) await showReceipt(deps, channel, last.message);
  } catch (error) {
    const isLate = Date.now() - last.stored.createdAt.getTime() > PATIENCE_MS;
    const refusal = refusalOf(error) ?? (isLate ? "This could not be started: please try again." : undefined);
    if (refusal === undefined) {
      if (error instanceof AppError && error.code === "rate_limited") return { retryAfterSeconds: 15 };
      throw error;
    }
    const origin = originOfMessage(channel, last.stored);
    if (origin) await tell(deps, { ...origin, person }, refusal);
    await settleEvents(
      deps.db,
      batch.map(({ stored }) => stored.id),
    );
  }
  return "nothing";
}

const RECEIVED = "👀";

/** Shows that the message was received and that the agent writes. Never throws: it is a courtesy. */
async function showReceipt(
  deps: ConversationDeps,
  channel: Channel,
  message: ReceivedMessage,
): Promise<void> {
  const { place, messageId, sender } = message;
  try {
    const api = await channelApi(deps, channel);
    await Promise.allSettled([
      api.showTyping?.(place, messageId),
      channel.hasReactions && messageId !== undefined
        ? api.react?.({ place, messageId, sender }, RECEIVED)
        : undefined,
    ]);
  } catch (cause) {
    deps.log.warn("a receipt could not be shown", { channel_id: channel.id, cause });
  }
}
