import { randomBytes } from "node:crypto";
import { distances } from "#local/distances.ts";
import { serve } from "#local/serve.ts";
import { openMemory } from "./memory.ts";
import { restHandler } from "./rest.ts";
import { openServer } from "./server.ts";

/** Upstash's REST API on this machine, over the Redis of `redisUrl` (`redis://…`) or one in memory. */
export async function startRedis(options: {
  redisUrl?: string | undefined;
}): Promise<{ url: string; token: string; close: () => Promise<void> }> {
  const backend = options.redisUrl ? await openServer(options.redisUrl) : openMemory();
  const token = randomBytes(24).toString("hex");
  const { url, close } = await serve(restHandler(backend, token), { distanceMs: distances.redis });
  return {
    url,
    token,
    close: async () => {
      await close();
      await backend.close();
    },
  };
}
