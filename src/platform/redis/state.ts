import { within } from "#src/lib/time-limit.ts";
import type { Redis } from "./client.ts";

/** Time limit, so that a hanging Redis does not block its caller. */
const TIMEOUT_MS = 2_000;

export type RedisState = "connected" | "unavailable" | "off";

/** Whether Redis responds; `off` when the service runs without it. */
export async function redisState(redis: Redis | undefined): Promise<RedisState> {
  if (!redis) return "off";
  const answer = await within(TIMEOUT_MS, redis.ping()).catch(() => undefined);
  return answer?.value === "PONG" ? "connected" : "unavailable";
}
