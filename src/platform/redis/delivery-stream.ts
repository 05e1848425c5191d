import { z } from "zod";
import type { Redis } from "./client.ts";

/** An entry of the stream of replies; the fields are those of other programs that read it, all texts. */
export interface StreamEntry {
  kind: string;
  config_id: string;
  session_key: string;
  task_id: string;
  /** Empty for a long text; the row of `delivery_id` has all of it. */
  body: string;
  artifact_refs: string;
  /** `origin` for a reply, else the target. */
  deliver: string;
  schedule_id: string;
  /** The same as `body`, for older readers. */
  response: string;
  chat_id: string;
  thread_id: string;
  reply_to: string;
  /** Id of the message's row, which decides what is still to be sent. */
  delivery_id: string;
  attempt: string;
}

/** An entry that this process has taken and must acknowledge. */
export interface TakenEntry {
  id: string;
  configId: string;
  deliveryId: string;
}

/** The stream of replies, with one consumer group for each shard. Throws when Redis does not respond. */
export interface DeliveryStream {
  /** Appends an entry, and takes entries of the shard that no consumer has taken: at most `count`. One round trip. */
  appendAndTake(entry: StreamEntry, shard: number, count: number): Promise<TakenEntry[]>;
  acknowledge(shard: number, ids: readonly string[]): Promise<void>;
  /** Takes entries whose consumer has not acknowledged them for a minute. */
  takeAbandoned(shard: number, count: number): Promise<TakenEntry[]>;
  /** Appends to the stream of messages that were given up. */
  bury(entry: StreamEntry & { error: string }): Promise<void>;
}

/** After this time the consumer of an entry counts as dead. */
const ABANDONED_MS = 60_000;
const DEAD_LETTERS = "gateway_delivery_dlq";

/** A stream's entry over REST: its id, and names and values in turn. */
const Entry = z.tuple([z.string(), z.array(z.unknown())]).nullable();
const Taken = z.array(z.tuple([z.string(), z.array(Entry)])).nullable();
const Claimed = z.tuple([z.string(), z.array(Entry)]).rest(z.unknown());

const groupOf = (shard: number) => `gateway-shard-${shard}`;

export function deliveryStream(
  redis: Redis,
  { stream, maxLength }: { stream: string; maxLength: number },
): DeliveryStream {
  const consumer = `consumer-${crypto.randomUUID()}`;
  const trim = { trim: { type: "MAXLEN", threshold: maxLength, comparison: "~" } } as const;

  /** Creates the group at the first use: it begins with the oldest entry. */
  async function withGroup<T>(shard: number, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!String(error).includes("NOGROUP")) throw error;
      const creation = {
        type: "CREATE",
        group: groupOf(shard),
        id: "0",
        options: { MKSTREAM: true },
      } as const;
      await redis.xgroup(stream, creation).catch((cause: unknown) => {
        // Another process was faster.
        if (!String(cause).includes("BUSYGROUP")) throw cause;
      });
      return call();
    }
  }

  const take = async (shard: number, count: number) =>
    takenOf(
      Taken.parse(await redis.xreadgroup(groupOf(shard), consumer, stream, ">", { count }))?.flatMap(
        ([, entries]) => entries,
      ) ?? [],
    );

  return {
    async appendAndTake(entry, shard, count) {
      let isAppended = false;
      return withGroup(shard, async () => {
        if (isAppended) return take(shard, count);
        const pipeline = redis.pipeline();
        pipeline.xadd(stream, "*", { ...entry }, trim);
        pipeline.xreadgroup(groupOf(shard), consumer, stream, ">", { count });
        const [added, read] = await pipeline.exec<[string, unknown]>({ keepErrors: true });
        if (added?.error) throw new Error(added.error);
        isAppended = true;
        if (read?.error) throw new Error(read.error);
        return takenOf(Taken.parse(read?.result ?? null)?.flatMap(([, entries]) => entries) ?? []);
      });
    },
    async acknowledge(shard, ids) {
      if (ids.length > 0) await redis.xack(stream, groupOf(shard), [...ids]);
    },
    takeAbandoned: (shard, count) =>
      withGroup(shard, async () => {
        const claimed = await redis.xautoclaim(stream, groupOf(shard), consumer, ABANDONED_MS, "0-0", {
          count,
        });
        return takenOf(Claimed.parse(claimed)[1]);
      }),
    async bury(entry) {
      await redis.xadd(DEAD_LETTERS, "*", { ...entry }, trim);
    },
  };
}

/** Entries without the id of a row are of other programs: they are acknowledged, and nothing is sent. */
function takenOf(entries: z.output<typeof Entry>[]): TakenEntry[] {
  return entries.flatMap((entry) => {
    if (entry === null) return [];
    const [id, fields] = entry;
    const valueOf = (name: string) => {
      const at = fields.findIndex((each, index) => index % 2 === 0 && each === name);
      return at < 0 ? "" : String(fields[at + 1]);
    };
    return [{ id, configId: valueOf("config_id"), deliveryId: valueOf("delivery_id") }];
  });
}
