import { and, asc, eq } from "drizzle-orm";
import { channelEvents, channelMessages, tasks } from "#src/db/schema/index.ts";
import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";
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
  const started = await db.select().from(tasks).where(eq(tasks.userId, userId)).orderBy(asc(tasks.createdAt));
  const outbound = await db
    .select()
    .from(channelMessages)
    .where(and(eq(channelMessages.channelConfigId, channel.id), eq(channelMessages.direction, "outbound")))
    .orderBy(asc(channelMessages.id));
  const said = started.flatMap(({ message }) => message.split("\n\n"));
  const replies = outbound
    .filter(({ occasion }) => occasion?.startsWith("task:"))
    .map(({ content }) => content);
  return {
    /** Messages for the agent that the platform was told are taken. */
    taken: taken.filter((text) => !text.startsWith("/")).toSorted(),
    said: said.toSorted(),
    /** Messages that tasks were told before one that the platform had delivered before. */
    overtaken: said.flatMap((text, at) =>
      said.slice(0, at).filter((earlier) => before.get(earlier)?.includes(text)),
    ),
    messagesOfTasks: started.map(({ message }) => message).toSorted(),
    replies,
    /** Replies in the order in which the person read them first. */
    readInOrder: firstShown(replies, shown),
    unread: replies.filter((content) => !shown.some((text) => text.endsWith(content))),
    /** Replies that the person read twice without a word about it. */
    unmarked: replies.filter((content) => shown.filter((text) => text === content).length > 1),
    open: ofChannel.filter(({ handledAt }) => handledAt === null),
    unsent: outbound.filter(({ status }) => status !== "delivered"),
    unfinished: started.filter(({ status }) => !isTerminal(status)),
  };
}

/** Contents in the order in which the person first read them. */
function firstShown(contents: readonly string[], shown: readonly string[]): string[] {
  const at = (content: string) =>
    shown.findIndex((text) => text === content || text === `${MARK}\n${content}`);
  return contents.toSorted((a, b) => at(a) - at(b));
}
