import { z } from "zod";
import { bodyOf } from "#src/lib/body-of.ts";
import { AppError } from "#src/lib/errors.ts";
import {
  hostOf,
  isAddress,
  isPublicAddress,
  PRIVATE_REFUSAL,
  type OutboundPolicy,
} from "#src/lib/outbound-url.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { sending, type TakeHop } from "./hop.ts";

/** https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ */
const DNS_OVER_HTTPS = "https://cloudflare-dns.com/dns-query";

/** Record types with addresses: A and AAAA. */
const ADDRESS_TYPES: ReadonlyMap<string, number> = new Map([
  ["A", 1],
  ["AAAA", 28],
]);

const DnsAnswer = z.object({
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

/**
 * Sends requests of a deployed Worker, which cannot choose the address it connects to: the name is resolved and every
 * address checked just before. docs/decisions/0003-outbound-requests.md describes the remaining gap.
 */
export function createDirectHop(policy: OutboundPolicy, send: typeof fetch): TakeHop {
  return async ({ url, method, headers, body, signal }) => {
    const target = new URL(url);
    if (
      !policy.allowPrivate &&
      !policy.allowedOrigins.includes(target.origin) &&
      !isAddress(hostOf(target))
    ) {
      const addresses = await resolve(hostOf(target), send, signal);
      if (addresses.length === 0) throw new Error("The host name has no address");
      if (!addresses.every(isPublicAddress)) {
        throw new AppError("invalid_input", PRIVATE_REFUSAL);
      }
    }
    const response = await send(url, { method, headers, signal, redirect: "manual", ...sending(body) });
    return { status: response.status, headers: response.headers, body: bodyOf(response) };
  };
}

async function resolve(host: string, send: typeof fetch, signal: AbortSignal): Promise<string[]> {
  const answers = await Promise.all(
    [...ADDRESS_TYPES].map(([name, type]) => query(host, name, type, send, signal)),
  );
  return answers.flat();
}

async function query(
  host: string,
  name: string,
  type: number,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<string[]> {
  const url = `${DNS_OVER_HTTPS}?name=${encodeURIComponent(host)}&type=${name}`;
  const response = await send(url, { headers: { accept: "application/dns-json" }, signal });
  const parsed = safeParseJson(await response.text(), DnsAnswer);
  if (!response.ok || !parsed) throw new Error(`The resolver returned ${response.status}`);
  const { Answer: records = [] } = parsed.value;
  return records.filter((record) => record.type === type).map((record) => record.data);
}
