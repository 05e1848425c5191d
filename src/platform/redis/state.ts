import type { Redis } from "./client.ts";

/** Time limit, so that a hanging Redis does not block its caller. */
const TIMEOUT_MS = 2_000;

export type RedisState = "connected" | "unavailable" | "off";

/** Whether Redis responds; `off` when the service runs without it. */
export async function redisState(redis: Redis | undefined): Promise<RedisState> {
  if (!redis) return "off";
  const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), TIMEOUT_MS));
  const answer = await Promise.race([redis.ping().catch(() => "failed" as const), late]);
  return answer === "PONG" ? "connected" : "unavailable";
}
