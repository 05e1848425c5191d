import type { ArgumentReader } from "./argument-reader.ts";
import type { Keyspace } from "./keyspace.ts";
import { RedisError, type Reply } from "./reply.ts";
import {
  compareIds,
  entryReply,
  FIRST,
  idText,
  parseId,
  type Group,
  type Pending,
  type Stream,
  type StreamEntry,
  type StreamId,
} from "./stream.ts";
import { rangeEnd, rangeStart, streamsOf } from "./stream-commands.ts";
import type { Command } from "./string-commands.ts";

/** Commands on a stream's consumer groups, as https://redis.io/docs/latest/commands/ describes them. */
export const groupCommands: Readonly<Record<string, Command>> = {
  XGROUP: createGroup,
  XREADGROUP: readGroup,
  XACK: (args, keys) => {
    const group = keys.stream(args.text())?.groups.get(args.text());
    return args.rest().filter((id) => group?.pending.delete(idText(parseId(id, 0)))).length;
  },
  XPENDING: pending,
  XCLAIM: claim,
  XAUTOCLAIM: autoClaim,
};

function createGroup(args: ArgumentReader, keys: Keyspace): Reply {
  if (!args.takes("CREATE")) throw new RedisError("ERR unknown subcommand of XGROUP");
  const [key, name, start] = [args.text(), args.text(), args.text()];
  const make = args.takes("MKSTREAM");
  args.end();
  const stream = make ? keys.openStream(key) : keys.stream(key);
  if (!stream) throw new RedisError("ERR The XGROUP subcommand requires the key to exist");
  if (stream.groups.has(name)) throw new RedisError("BUSYGROUP Consumer Group name already exists");
  const lastDelivered = start === "$" ? stream.lastId : parseId(start, 0);
  stream.groups.set(name, { lastDelivered, pending: new Map() });
  return "OK";
}

function readGroup(args: ArgumentReader, keys: Keyspace): Reply {
  if (!args.takes("GROUP")) throw new RedisError("ERR syntax error");
  const [name, consumer] = [args.text(), args.text()];
  const count = args.takes("COUNT") ? args.integer() : Infinity;
  const keep = !args.takes("NOACK");
  const found = streamsOf(args).flatMap(([key, after]): Reply[] => {
    const { stream, group } = find(keys, key, name);
    if (after !== ">") return [[key, history(stream, group, consumer, parseId(after, 0), count)]];
    const entries = stream.after(group.lastDelivered, count);
    for (const { id } of entries) {
      group.lastDelivered = id;
      if (keep) group.pending.set(idText(id), { id, consumer, deliveredAt: keys.now(), deliveries: 1 });
    }
    return entries.length === 0 ? [] : [[key, entries.map(entryReply)]];
  });
  return found.length === 0 ? null : found;
}

/** Returns entries that were delivered to the consumer and not acknowledged; a deleted entry has no fields. */
function history(stream: Stream, group: Group, consumer: string, after: StreamId, count: number): Reply {
  const own = inOrder(group).filter((each) => each.consumer === consumer && compareIds(each.id, after) > 0);
  return own.slice(0, count).map(({ id }) => [idText(id), stream.get(id)?.fields ?? null]);
}

function pending(args: ArgumentReader, keys: Keyspace): Reply {
  const { group } = find(keys, args.text(), args.text());
  if (args.left === 0) return summary(inOrder(group));
  const minIdle = args.takes("IDLE") ? args.integer() : 0;
  const [start, end, count] = [rangeStart(args.text()), rangeEnd(args.text()), args.integer()];
  const consumer = args.left > 0 ? args.text() : undefined;
  args.end();
  return inOrder(group)
    .filter((each) => compareIds(each.id, start) >= 0 && compareIds(each.id, end) <= 0)
    .filter((each) => consumer === undefined || each.consumer === consumer)
    .map((each) => ({ ...each, idle: keys.now() - each.deliveredAt }))
    .filter(({ idle }) => idle >= minIdle)
    .slice(0, count)
    .map((each) => [idText(each.id), each.consumer, each.idle, each.deliveries]);
}

function summary(all: readonly Pending[]): Reply {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return [0, null, null, null];
  const byConsumer = Object.entries(Object.groupBy(all, ({ consumer }) => consumer));
  const counts = byConsumer
    .map(([consumer, own]): Reply => [consumer, String(own?.length ?? 0)])
    .toSorted((a, b) => String(a).localeCompare(String(b)));
  return [all.length, idText(first.id), idText(last.id), counts];
}

function claim(args: ArgumentReader, keys: Keyspace): Reply {
  const { stream, group } = find(keys, args.text(), args.text());
  const [consumer, minIdle] = [args.text(), args.integer()];
  const ids: StreamId[] = [];
  let justIds = false;
  while (args.left > 0) {
    if (args.takes("JUSTID")) justIds = true;
    else ids.push(parseId(args.text(), 0));
  }
  const claimed = ids.flatMap((id) => {
    const held = group.pending.get(idText(id));
    if (!held || keys.now() - held.deliveredAt < minIdle) return [];
    return take(stream, group, held, consumer, keys.now(), justIds) ?? [];
  });
  return claimed.map((entry) => (justIds ? idText(entry.id) : entryReply(entry)));
}

/** Returns the next cursor (`0-0` = from the start), the claimed entries, and the ids whose entries are gone. */
function autoClaim(args: ArgumentReader, keys: Keyspace): Reply {
  const { stream, group } = find(keys, args.text(), args.text());
  const [consumer, minIdle, start] = [args.text(), args.integer(), rangeStart(args.text())];
  const count = args.takes("COUNT") ? args.integer() : 100;
  const justIds = args.takes("JUSTID");
  args.end();
  const idle = inOrder(group).filter(
    (each) => compareIds(each.id, start) >= 0 && keys.now() - each.deliveredAt >= minIdle,
  );
  const claimed: StreamEntry[] = [];
  const gone: string[] = [];
  for (const held of idle.slice(0, count)) {
    const entry = take(stream, group, held, consumer, keys.now(), justIds);
    if (entry) claimed.push(entry);
    else gone.push(idText(held.id));
  }
  const next = idle[count];
  return [
    idText(next?.id ?? FIRST),
    claimed.map((entry) => (justIds ? idText(entry.id) : entryReply(entry))),
    gone,
  ];
}

/** Transfers a pending entry to another consumer; an entry that was deleted meanwhile is dropped from the list. */
function take(
  stream: Stream,
  group: Group,
  held: Pending,
  consumer: string,
  now: number,
  justIds: boolean,
): StreamEntry | undefined {
  const entry = stream.get(held.id);
  if (!entry) {
    group.pending.delete(idText(held.id));
    return undefined;
  }
  held.consumer = consumer;
  held.deliveredAt = now;
  if (!justIds) held.deliveries += 1;
  return entry;
}

function find(keys: Keyspace, key: string, name: string): { stream: Stream; group: Group } {
  const stream = keys.stream(key);
  const group = stream?.groups.get(name);
  if (!stream || !group) throw new RedisError(`NOGROUP No such key '${key}' or consumer group '${name}'`);
  return { stream, group };
}

/**
 * Returns pending entries in the order of their ids, which is the map's order because entries are delivered in order.
 */
function inOrder(group: Group): Pending[] {
  return [...group.pending.values()];
}
