import type { ArgumentReader } from "./argument-reader.ts";
import type { Keyspace } from "./keyspace.ts";
import { RedisError, type Reply } from "./reply.ts";

export type Command = (args: ArgumentReader, keys: Keyspace) => Reply;

/** Commands on keys and strings, as https://redis.io/docs/latest/commands/ describes them. */
export const stringCommands: Readonly<Record<string, Command>> = {
  PING: (args) => (args.left > 0 ? args.text() : "PONG"),
  GET: (args, keys) => keys.string(args.text()) ?? null,
  SET: set,
  SETEX: (args, keys) => {
    const [key, seconds, value] = [args.text(), positive(args.integer()), args.text()];
    args.end();
    keys.setString(key, value, keys.now() + seconds * 1000);
    return "OK";
  },
  DEL: (args, keys) => count(args.rest(), (key) => keys.delete(key)),
  EXISTS: (args, keys) => count(args.rest(), (key) => keys.has(key)),
  EXPIRE: (args, keys) => Number(keys.expireAt(args.text(), keys.now() + args.integer() * 1000)),
  PEXPIRE: (args, keys) => Number(keys.expireAt(args.text(), keys.now() + args.integer())),
  TTL: (args, keys) => {
    const key = args.text();
    if (!keys.has(key)) return -2;
    const at = keys.expiry(key);
    return at === undefined ? -1 : Math.round((at - keys.now()) / 1000);
  },
  INCR: (args, keys) => increase(keys, args.text(), 1),
  INCRBY: (args, keys) => increase(keys, args.text(), args.integer()),
  MGET: (args, keys) => args.rest().map((key) => keys.string(key) ?? null),
  KEYS: (args, keys) => matching(keys, args.text()),
  SCAN: scan,
};

function set(args: ArgumentReader, keys: Keyspace): Reply {
  const [key, value] = [args.text(), args.text()];
  let expiresAt: number | undefined;
  let condition: "absent" | "present" | undefined;
  while (args.left > 0) {
    if (args.takes("EX")) expiresAt = keys.now() + positive(args.integer()) * 1000;
    else if (args.takes("PX")) expiresAt = keys.now() + positive(args.integer());
    else if (args.takes("NX")) condition = "absent";
    else if (args.takes("XX")) condition = "present";
    else throw new RedisError("ERR syntax error");
  }
  if (condition === "absent" && keys.has(key)) return null;
  if (condition === "present" && !keys.has(key)) return null;
  keys.setString(key, value, expiresAt);
  return "OK";
}

function increase(keys: Keyspace, key: string, by: number): number {
  const before = keys.string(key) ?? "0";
  if (!/^-?\d+$/u.test(before)) throw new RedisError("ERR value is not an integer or out of range");
  const after = Number(before) + by;
  keys.setString(key, String(after), keys.expiry(key));
  return after;
}

/** One page holds all keys: the cursor is always at the end. */
function scan(args: ArgumentReader, keys: Keyspace): Reply {
  args.integer();
  let pattern = "*";
  while (args.left > 0) {
    if (args.takes("MATCH")) pattern = args.text();
    else if (args.takes("COUNT")) args.integer();
    else throw new RedisError("ERR syntax error");
  }
  return ["0", matching(keys, pattern)];
}

function matching(keys: Keyspace, pattern: string): string[] {
  const literal = pattern.replace(/[\\^$.|+(){}[\]]/gu, String.raw`\$&`);
  const source = literal.replaceAll("*", "[^]*").replaceAll("?", "[^]");
  const expression = new RegExp(`^${source}$`, "u");
  return keys.keys().filter((key) => expression.test(key));
}

function count(keys: readonly string[], test: (key: string) => boolean): number {
  return keys.filter(test).length;
}

function positive(value: number): number {
  if (value <= 0) throw new RedisError("ERR invalid expire time");
  return value;
}
