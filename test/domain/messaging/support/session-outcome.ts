import { and, asc, eq, gt, isNotNull } from "drizzle-orm";
import { channelEvents, channelMessages, jobs, tasks } from "#src/db/schema/index.ts";
import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";
import { RETRY_PAUSES } from "#src/domain/messaging/channels/index.ts";
import { deliverMessage } from "#src/domain/messaging/deliveries/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { LinkedChannel } from "./people-of-platforms.ts";

const MARK = "(This may be a repetition.)";

/** What the platform and its person saw. */
interface Seen {
  /** Texts that the platform was told are taken, and those before them when they were sent first. */
  taken: readonly string[];
  before: ReadonlyMap<string, readonly string[]>;
  /** What the platform shows to the person, in its order. */
  shown: readonly string[];
}

/** What became of the session, for a test to judge. */
export async function outcomeOf(db: Db, { channel, userId }: LinkedChannel, { taken, before, shown }: Seen) {
  const ofChannel = await db
    .select()
    .from(channelEvents)
    .where(eq(channelEvents.channelConfigId, channel.id))
    .orderBy(asc(channelEvents.id));
  const started = await db
    .select()
    .from(tasks)
    .where(eq(tasks.userId, userId))
    .orderBy(asc(tasks.createdAt), asc(tasks.id));
  const outbound = await db
    .select()
    .from(channelMessages)
    .where(and(eq(channelMessages.channelConfigId, channel.id), eq(channelMessages.direction, "outbound")))
    .orderBy(asc(channelMessages.id));
  const said = started.flatMap(({ message }) => message.split("\n\n"));
  const givenUp = await givenUpMessages(db);
  const replies = outbound.filter(({ occasion }) => occasion?.startsWith("task:"));
  const sent = replies.filter(({ id }) => !givenUp.has(id)).map(({ content }) => content);
  return {
    /** Messages for the agent that the platform was told are taken. */
    taken: taken.filter((text) => !text.startsWith("/")).toSorted(),
    said: said.toSorted(),
    /** Messages that tasks were told before one that the platform had delivered before. */
    overtaken: said.flatMap((text, at) =>
      said.slice(0, at).filter((earlier) => before.get(earlier)?.includes(text)),
    ),
    messagesOfTasks: started.map(({ message }) => message).toSorted(),
    replies: replies.map(({ content }) => content).toSorted(),
    unread: sent.filter((content) => !shown.some((text) => text.endsWith(content))),
    /** Replies that the person read after a later one. */
    late: sent.filter((content, at) =>
      sent.slice(at + 1).some((later) => firstShown(later, shown) < firstShown(content, shown)),
    ),
    /** Replies that the person read twice without a word about it. */
    unmarked: sent.filter((content) => shown.filter((text) => text === content).length > 1),
    open: ofChannel.filter(({ handledAt }) => handledAt === null),
    unsent: outbound.filter(({ id, status }) => status !== "delivered" && !givenUp.has(id)),
    unfinished: started.filter(({ status }) => !isTerminal(status)),
  };
}

/** Where the person first read a text. */
function firstShown(content: string, shown: readonly string[]): number {
  return shown.findIndex((text) => text === content || text === `${MARK}\n${content}`);
}

/** Messages whose executors have failed, died or fallen silent as often as a message is tried. A world can be that bad. */
async function givenUpMessages(db: Db): Promise<ReadonlySet<string>> {
  const isTriedOften = gt(jobs.attempts, RETRY_PAUSES.length);
  const rows = await db
    .select({ id: jobs.key })
    .from(jobs)
    .where(and(eq(jobs.kind, deliverMessage.name), isNotNull(jobs.failedAt), isTriedOften));
  return new Set(rows.map(({ id }) => id));
}
