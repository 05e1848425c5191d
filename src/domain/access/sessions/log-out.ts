import { sha256Hex } from "#src/lib/hash.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { endSessionsWith } from "./queries.ts";
import type { Client, SessionDeps } from "./start-session.ts";

/**
 * Ends all sessions of the people to whom these tokens belong, with an audit log entry for each. Unknown, used and
 * expired tokens are ignored. Sessions that began after `askedAt` stay: a login page sends a logout before the login
 * and does not wait for it.
 */
export async function logOut(
  deps: Pick<SessionDeps, "db" | "accessTokens">,
  tokens: { refreshToken: string | undefined; accessToken: string | undefined },
  { askedAt, client }: { askedAt: Date; client: Client },
): Promise<void> {
  const claims = tokens.accessToken ? await deps.accessTokens.verify(tokens.accessToken) : undefined;
  if (!claims && !tokens.refreshToken) return;
  const ended = await endSessionsWith(deps.db, {
    sessionId: claims?.sessionId ?? null,
    tokenHash: tokens.refreshToken ? sha256Hex(tokens.refreshToken) : null,
    askedAt,
  });
  await Promise.all(
    [...ended].map(([userId, count]) =>
      insertAuditEntry(deps.db, {
        userId,
        action: "session.logged_out",
        resourceType: "session",
        details: { ended: count },
        client,
      }),
    ),
  );
}
