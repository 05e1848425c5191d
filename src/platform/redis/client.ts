import { Redis } from "@upstash/redis/cloudflare";

export type { Redis };

/**
 * The Redis database over Upstash REST. `url` is `https://…` (with `token`), `http://…` for the local bridge,
 * `rediss://default:TOKEN@host` for an Upstash database, or `off`.
 */
export function createRedis(options: { url: string; token: string | undefined }): Redis | undefined {
  if (options.url === "off") return undefined;
  const { url, token } = restAddress(options.url, options.token);
  return new Redis({ url, token, enableTelemetry: false, retry: { retries: 1 } });
}

function restAddress(url: string, token: string | undefined): { url: string; token: string } {
  if (!url.startsWith("rediss://")) return { url, token: token ?? "" };
  const { hostname, password } = new URL(url);
  return { url: `https://${hostname}`, token: decodeURIComponent(password) };
}
