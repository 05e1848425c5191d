import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { oauthRefusal } from "./oauth-refusal.ts";

export interface DocumentDeps {
  safeFetch: SafeFetch;
}

interface DocumentClient {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
}

const MAX_BYTES = 16 * 1024;
const TIMEOUT_MS = 5_000;
const MAX_ADDRESS = 500;
const KEPT_MS = 600_000;
const MOST_KEPT = 200;

const Document = z.object({
  client_id: z.string(),
  client_name: z.string().trim().max(100),
  redirect_uris: z.array(z.string().max(500)).min(1).max(50),
  token_endpoint_auth_method: z.string().default("none"),
});

/** Clients by the address of their document, for ten minutes. */
const kept = new Map<string, { client: DocumentClient; until: number }>();

/**
 * The client whose metadata document is at this https address, which is its id. The document must name the same address. Source:
 * draft-ietf-oauth-client-id-metadata-document. Throws `invalid_input` with the code `invalid_client`, `unavailable` for an address that
 * does not answer.
 */
export async function documentClient({ safeFetch }: DocumentDeps, address: string): Promise<DocumentClient> {
  checkAddress(address);
  const known = kept.get(address);
  if (known && known.until > Date.now()) return known.client;
  const answer = await safeFetch(address, {
    headers: { accept: "application/json" },
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    // Whoever redirects there could lend another's document.
    maxRedirects: 0,
  });
  if (answer.status !== 200 || answer.truncated) throw refused("has no document of a client");
  const found = safeParseJson(new TextDecoder().decode(answer.body), Document)?.value;
  if (!found) throw refused("is not the document of a client");
  if (found.client_id !== address) throw refused("is the document of another client");
  if (found.token_endpoint_auth_method !== "none")
    throw refused("asks for a secret, which no client has here");
  const client = { clientId: address, name: found.client_name, redirectUris: found.redirect_uris };
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(address, { client, until: Date.now() + KEPT_MS });
  return client;
}

function checkAddress(address: string): void {
  const url = URL.parse(address);
  // Compared as a text, so each client has one spelling: no dots, default port, user name or fragment.
  const isPlain = url !== null && url.href === address && url.username === "" && url.hash === "";
  if (!isPlain || url.pathname === "/" || address.length > MAX_ADDRESS || url.password !== "") {
    throw refused("must be an https address with a path, and nothing else");
  }
}

function refused(why: string) {
  return oauthRefusal("invalid_client", `The address of the client ${why}`);
}
