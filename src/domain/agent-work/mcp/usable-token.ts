import { refreshedByOne } from "#src/domain/access/oauth-flows/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { McpToken, McpTokens } from "#src/platform/mcp-client/mcp-client.ts";
import type { McpGrant, McpOAuth, OAuthClient } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { oauthFailureOf } from "./failure.ts";
import { openClient } from "./oauth-client.ts";
import type { McpServer } from "./queries.ts";
import {
  claimRefresh,
  dropTokens,
  releaseRefresh,
  storeRefreshed,
  usableAuthorizationOf,
  type Authorization,
  type SealedTokens,
} from "./queries/authorizations.ts";

export interface TokenDeps {
  db: Db;
  secrets: Pick<Secrets, "encrypt" | "decrypt">;
  mcpOAuth: McpOAuth;
  log: Pick<Log, "warn">;
}

export const NOT_CONNECTED = "It is not connected: connect it under MCP servers";

/** The tokens of a server are gone, and why. */
class NoTokens extends Error {
  override name = "NoTokens";
}

/** An authorization that has tokens. */
type Held = Authorization & {
  encryptedToken: string;
  grantor: NonNullable<Authorization["grantor"]>;
};

/**
 * The tokens of a server with `auth: oauth`, for the requests of one connection to `url`; undefined for any other one. They are
 * renewed before they expire, and once when the server refuses one. Tokens that were given for another address are not handed out:
 * the server may have moved since the caller read it. `onToken` is told each token before it is used.
 */
export function tokensOf(
  deps: TokenDeps,
  { id, auth, url }: Pick<McpServer, "id" | "auth" | "url">,
  onToken: (token: string) => void = () => {},
): McpTokens | undefined {
  if (auth !== "oauth") return undefined;
  let held: { row: Held; token: string } | undefined;
  const answer = async (find: () => Promise<Held>): Promise<McpToken> => {
    try {
      const row = await find();
      const token = await opened(deps, row.encryptedToken);
      held = { row, token };
      onToken(token);
      return { token };
    } catch (error) {
      if (error instanceof NoTokens) return { kind: "needs_authorization", sentence: error.message };
      if (error instanceof AppError && error.code === "unavailable") {
        return { kind: "unreachable", sentence: error.message };
      }
      throw error;
    }
  };
  return {
    async current() {
      if (held && !isDue(held.row)) return { token: held.token };
      return answer(async () => {
        const row = await heldOf(deps, id, url);
        return isDue(row) ? refreshed(deps, row) : row;
      });
    },
    instead: (refused) =>
      answer(async () => {
        const row = await heldOf(deps, id, url);
        // Somebody else may have renewed it since.
        const isAnother = (await opened(deps, row.encryptedToken)) !== refused;
        return isAnother && !isDue(row) ? row : refreshed(deps, row, { isRefused: true });
      }),
  };
}

/** Most time before its end at which a token is renewed; of a short-lived one it is half of its life. */
const MARGIN_SECONDS = 60;

function isDue({ expiresAt, lifetimeSeconds }: Authorization, now = Date.now()): boolean {
  const margin = Math.min(MARGIN_SECONDS, (lifetimeSeconds ?? MARGIN_SECONDS * 2) / 2);
  return expiresAt !== null && expiresAt.getTime() - margin * 1000 < now;
}

const hasTokens = (row: Authorization | undefined): row is Held =>
  row !== undefined && row.encryptedToken !== null && row.grantor !== null;

async function heldOf({ db }: TokenDeps, id: string, url: string): Promise<Held> {
  const found = await usableAuthorizationOf(db, id);
  if (!found || !hasTokens(found.row) || found.row.grantor.url !== url) throw new NoTokens(NOT_CONNECTED);
  if (!found.mayGive) throw new NoTokens("Who connected it may no longer use it: connect it again");
  return found.row;
}

/** Whether the client is the one to which the tokens were given: a visit elsewhere, that is not over, brings its own. */
const isClientOf = ({ client, grantor }: Held) => client?.issuer === grantor.server.issuer;

async function opened({ secrets }: TokenDeps, encrypted: string): Promise<string> {
  return secrets.decrypt(encrypted).catch(() => {
    throw new NoTokens("Its tokens can no longer be decrypted: connect it again");
  });
}

/** Renews tokens, or waits for the one who does. A refresh token is used once, wherever the service runs. */
async function refreshed(
  deps: TokenDeps,
  row: Held,
  { isRefused = false }: { isRefused?: boolean } = {},
): Promise<Held> {
  if (row.encryptedRefreshToken === null) {
    if (isRefused) throw new NoTokens("The server no longer takes its token: connect it again");
    if (row.expiresAt !== null && row.expiresAt.getTime() <= Date.now()) {
      throw new NoTokens("Its token has expired: connect it again");
    }
    return row;
  }
  if (!isClientOf(row)) {
    throw new NoTokens("It is being connected to another authorization server: finish that");
  }
  return refreshedByOne(row, {
    claim: (each) => claimRefresh(deps.db, each),
    refresh: (each) => refresh(deps, each),
    readAgain: () => heldOf(deps, row.id, row.grantor.url),
    label: "The authorization server",
  });
}

async function refresh(deps: TokenDeps, row: Held): Promise<Held> {
  const { db, mcpOAuth, log } = deps;
  const { id, grantor } = row;
  const claim = { id, generation: row.generation + 1 };
  const { server, resource } = grantor;
  const client = await openClient(deps, row).catch(() => {
    throw new NoTokens("Its client secret can no longer be decrypted: connect it again");
  });
  let grant: McpGrant;
  try {
    const refreshToken = await opened(deps, row.encryptedRefreshToken ?? "");
    grant = await mcpOAuth.refresh({ server, client }, refreshToken, resource);
  } catch (error) {
    const failure = oauthFailureOf(error);
    if (failure?.kind !== "refused") await releaseRefresh(db, claim);
    if (!failure) throw error;
    log.warn("the token of an MCP server was not renewed", { mcp_server: id, cause: error });
    if (failure.kind === "unreachable") throw new AppError("unavailable", failure.message, { cause: error });
    await dropTokens(db, claim, { forgetsClient: isUnknownClient(failure.code, row) });
    throw new NoTokens(`${failure.message}: connect it again`, { cause: error });
  }
  const fresh = await sealTokens(deps, grant, grantor);
  const stored = await storeRefreshed(db, claim, fresh);
  if (hasTokens(stored)) return stored;
  await revokeTokens(mcpOAuth, { server, client }, grant);
  throw new NoTokens(NOT_CONNECTED);
}

/** Whether an authorization server no longer knows a client that it registered: the next visit begins with another one. */
export function isUnknownClient(
  code: string | undefined,
  { client }: Pick<Authorization, "client">,
): boolean {
  return (code === "invalid_client" || code === "unauthorized_client") && client?.source === "registered";
}

/** A grant as it is stored. Scopes that the answer does not name are those that were asked for. */
export async function sealTokens(
  { secrets }: Pick<TokenDeps, "secrets">,
  { accessToken, refreshToken, lifetimeSeconds, scope }: McpGrant,
  grantor: Held["grantor"],
): Promise<SealedTokens> {
  const { server, resource, url, userId } = grantor;
  return {
    grantor: { server, resource, url, userId, scope: scope ?? grantor.scope },
    encryptedToken: await secrets.encrypt(accessToken),
    encryptedRefreshToken: refreshToken === null ? null : await secrets.encrypt(refreshToken),
    lifetimeSeconds,
    expiresAt: lifetimeSeconds === null ? null : new Date(Date.now() + lifetimeSeconds * 1000),
  };
}

/** Revokes tokens at their authorization server; best effort. The refresh token first: with it the others mostly go. */
export async function revokeTokens(
  mcpOAuth: McpOAuth,
  at: { server: Held["grantor"]["server"]; client: OAuthClient },
  { accessToken, refreshToken }: Pick<McpGrant, "accessToken" | "refreshToken">,
): Promise<void> {
  if (refreshToken !== null) await mcpOAuth.revoke(at, { token: refreshToken, hint: "refresh_token" });
  await mcpOAuth.revoke(at, { token: accessToken, hint: "access_token" });
}

/** As `revokeTokens`, for tokens that were stored. Throws nothing. */
export async function revokeStored(
  deps: Pick<TokenDeps, "secrets" | "mcpOAuth">,
  row: Authorization | undefined,
): Promise<void> {
  if (!hasTokens(row) || !isClientOf(row)) return;
  const { encryptedToken, encryptedRefreshToken, grantor } = row;
  try {
    const client = await openClient(deps, row);
    const accessToken = await deps.secrets.decrypt(encryptedToken);
    const refreshToken =
      encryptedRefreshToken === null ? null : await deps.secrets.decrypt(encryptedRefreshToken);
    await revokeTokens(deps.mcpOAuth, { server: grantor.server, client }, { accessToken, refreshToken });
  } catch {
    // Tokens that nobody can read cannot be used either.
  }
}
