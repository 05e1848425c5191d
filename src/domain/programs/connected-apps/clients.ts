import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64url } from "jose";
import { z } from "zod";
import { randomHex } from "#src/lib/ids.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { sameText } from "#src/lib/same-text.ts";
import { visibleLine } from "#src/lib/visible.ts";
import { documentClient, type DocumentDeps } from "./client-documents.ts";
import { oauthRefusal } from "./oauth-refusal.ts";
import { checkRedirectUri, type RedirectConfig } from "./redirect-uris.ts";

/** A program that asks for access: what it says about itself. */
export interface Client {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
}

export interface ClientDeps extends DocumentDeps {
  config: RedirectConfig & { SECRET_KEY: string };
}

const PREFIX = "mcp_";

/** Most bytes that a client's name and addresses have together: they are part of its id, and so of addresses. */
const MAX_BYTES = 1_500;

const Sealed = z.object({ name: z.string(), uris: z.array(z.string()) });

/**
 * Registers a client (RFC 7591). Its id is what it said, signed: nothing is stored, so that no flood of registrations fills a
 * table, and none has to be forgotten. Throws `invalid_input` with the code `invalid_redirect_uri` or `invalid_client_metadata`.
 */
export function registerClient(
  { config }: Pick<ClientDeps, "config">,
  { name, redirectUris }: { name: string; redirectUris: readonly string[] },
): Client {
  checkName(name);
  for (const uri of redirectUris) checkRedirectUri(uri, config);
  // The random part gives each registration an id of its own.
  const text = JSON.stringify({ name, uris: redirectUris, random: randomHex(16) });
  const bytes = utf8ToBytes(text);
  if (bytes.byteLength > MAX_BYTES) {
    throw oauthRefusal(
      "invalid_client_metadata",
      "The name and the redirect addresses are too long together",
    );
  }
  const sealed = base64url.encode(bytes);
  return { clientId: `${PREFIX}${sealed}.${signatureOf(config, sealed)}`, name, redirectUris };
}

/**
 * The client with this id: a registered one, or the one whose document is at this address. Throws `invalid_input` with the code
 * `invalid_client`, `unavailable` for a document that cannot be read.
 */
export async function readClient(deps: ClientDeps, clientId: string): Promise<Client> {
  if (clientId.startsWith("https://")) {
    const client = await documentClient(deps, clientId);
    checkName(client.name);
    return client;
  }
  const [sealed = "", signature = ""] = clientId.slice(PREFIX.length).split(".");
  const isOurs = clientId.startsWith(PREFIX) && sameText(signature, signatureOf(deps.config, sealed));
  const said = isOurs
    ? safeParseJson(new TextDecoder().decode(base64url.decode(sealed)), Sealed)?.value
    : undefined;
  if (!said) throw oauthRefusal("invalid_client", "The client is not registered here: register it again");
  return { clientId, name: said.name, redirectUris: said.uris };
}

/** A person decides by the name, so nothing in it is hidden or reorders what is shown. */
function checkName(name: string): void {
  if (name !== "" && name === visibleLine(name)) return;
  throw oauthRefusal("invalid_client_metadata", "client_name must be visible text in one line");
}

function signatureOf({ SECRET_KEY }: { SECRET_KEY: string }, sealed: string): string {
  return base64url.encode(hmac(sha256, utf8ToBytes(SECRET_KEY), utf8ToBytes(`mcp client ${sealed}`)));
}
