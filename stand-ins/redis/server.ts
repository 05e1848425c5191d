import { Redis } from "ioredis";
import { RedisError, type RedisBackend, type Reply } from "./reply.ts";

/** Connects to a real Redis. Throws when it cannot be reached or refuses. */
export async function openServer(redisUrl: string): Promise<RedisBackend> {
  // Upstash returns the types of protocol 2.
  const redis = new Redis(redisUrl, {
    protocol: 2,
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    connectTimeout: 5000,
  });
  // Without a listener, the error of a lost connection ends the process; each command reports its own error.
  let cause: Error | undefined;
  redis.on("error", (error: Error) => (cause = error));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw cause ?? error;
  }
  return {
    run: async ([name = "", ...args]) => {
      try {
        return toReply(await redis.call(name, ...args));
      } catch (error) {
        throw asRefusal(error) ?? error;
      }
    },
    runTogether: async (commands) => {
      const transaction = redis.multi();
      for (const [name = "", ...args] of commands) transaction.call(name, ...args);
      const results = (await transaction.exec()) ?? [];
      return results.map(([error, value]) => {
        if (!error) return toReply(value);
        const refusal = asRefusal(error);
        if (refusal) return refusal;
        throw error;
      });
    },
    close: async () => redis.disconnect(),
  };
}

/** Returns an error of Redis, as opposed to a lost connection. */
function asRefusal(error: unknown): RedisError | undefined {
  return error instanceof Error && error.name === "ReplyError" ? new RedisError(error.message) : undefined;
}

function toReply(value: unknown): Reply {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (Array.isArray(value)) return value.map(toReply);
  throw new RedisError("ERR the bridge cannot pass on this reply");
}
