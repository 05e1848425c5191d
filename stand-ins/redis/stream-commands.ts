import type { ArgumentReader } from "./argument-reader.ts";
import { RedisError, type Reply } from "./reply.ts";
import { entryReply, FIRST, idText, LAST, parseId, type StreamId } from "./stream.ts";
import type { Command } from "./string-commands.ts";

/** Commands on streams, as https://redis.io/docs/latest/commands/ describes them. */
export const streamCommands: Readonly<Record<string, Command>> = {
  XADD: (args, keys) => {
    const key = args.text();
    const maxLength = args.takes("MAXLEN") ? threshold(args) : undefined;
    const id = args.text();
    const fields = args.rest();
    if (fields.length === 0 || fields.length % 2 === 1) throw new RedisError("ERR wrong number of arguments");
    const stream = keys.openStream(key);
    const added = stream.add(id, fields, keys.now());
    if (maxLength !== undefined) stream.trim(maxLength);
    return idText(added);
  },
  XLEN: (args, keys) => keys.stream(args.text())?.length ?? 0,
  XRANGE: (args, keys) => {
    const [key, start, end] = [args.text(), rangeStart(args.text()), rangeEnd(args.text())];
    const count = args.takes("COUNT") ? args.integer() : Infinity;
    args.end();
    return (keys.stream(key)?.range(start, end, count) ?? []).map(entryReply);
  },
  XREAD: (args, keys) => {
    const count = args.takes("COUNT") ? args.integer() : Infinity;
    const found = streamsOf(args).flatMap(([key, after]): Reply[] => {
      const stream = keys.stream(key);
      if (!stream || after === "$") return [];
      const entries = stream.after(parseId(after, 0), count);
      return entries.length === 0 ? [] : [[key, entries.map(entryReply)]];
    });
    return found.length === 0 ? null : found;
  },
  XDEL: (args, keys) => {
    const stream = keys.stream(args.text());
    return args.rest().filter((id) => stream?.delete(parseId(id, 0))).length;
  },
  XTRIM: (args, keys) => {
    const key = args.text();
    if (!args.takes("MAXLEN")) throw new RedisError("ERR syntax error");
    const length = threshold(args);
    args.end();
    return keys.stream(key)?.trim(length) ?? 0;
  },
};

/** Parses `STREAMS key … id …` into pairs. */
export function streamsOf(args: ArgumentReader): [key: string, id: string][] {
  if (!args.takes("STREAMS")) throw new RedisError("ERR syntax error");
  const names = args.rest();
  const half = names.length / 2;
  if (names.length === 0 || !Number.isInteger(half)) throw new RedisError("ERR Unbalanced list of streams");
  return names.slice(0, half).map((key, index) => [key, names[half + index] ?? ""]);
}

export function rangeStart(text: string): StreamId {
  if (text === "-") return FIRST;
  if (!text.startsWith("(")) return parseId(text, 0);
  const { ms, seq } = parseId(text.slice(1), 0);
  return { ms, seq: seq + 1 };
}

export function rangeEnd(text: string): StreamId {
  return text === "+" ? LAST : parseId(text, LAST.seq);
}

/** Parses the number after MAXLEN. `~` allows Redis to keep a few more; here the number is always exact. */
function threshold(args: ArgumentReader): number {
  if (!args.takes("~")) args.takes("=");
  return args.integer();
}
