import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { passkeyRemoved, sendNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import { requireAccount } from "#src/domain/people/accounts/index.ts";
import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { OAuthProviders, ProviderName } from "#src/platform/oauth/provider.ts";
import { SECURITY_PAGE } from "./add-passkey.ts";
import { deletePasskey, passkeyOf, passkeysOf, renamePasskeyRow, type Passkey } from "./queries.ts";
import { requireProof, type Proof, type ProofDeps } from "./require-proof.ts";

/** The person's own, the oldest first. */
export function listPasskeys({ db }: { db: Db }, { userId }: UserCaller): Promise<Passkey[]> {
  return passkeysOf(db, userId);
}

/** Throws `not_found`. */
export async function renamePasskey(
  { db }: { db: Db },
  { userId }: UserCaller,
  { id, name }: { id: string; name: string },
  client: Client,
): Promise<Passkey> {
  const renamed = isId(id) ? await renamePasskeyRow(db, { id, userId }, name) : undefined;
  if (!renamed) throw notFound();
  await insertAuditEntry(db, {
    userId,
    action: "passkey.renamed",
    resourceType: "passkey",
    resourceId: id,
    details: { name },
    client,
  });
  return renamed;
}

/**
 * Removes a passkey, and notifies the person by mail. Sessions that it began go on. Throws `not_found`, `conflict` where the person could
 * not sign in any more, and as `requireProof` does.
 */
export async function removePasskey(
  deps: ProofDeps & MailDeps & { oauth: OAuthProviders; config: ConsoleConfig },
  { userId, sessionId }: UserCaller,
  { id, ...proof }: Proof & { id: string },
  client: Client,
): Promise<void> {
  const passkey = isId(id) ? await passkeyOf(deps.db, { id, userId }) : undefined;
  if (!passkey) throw notFound();
  const user = await requireAccount(deps, userId);
  await requireProof(deps, { user, sessionId }, { ...proof, what: "Removing a passkey", client });
  const { name } = passkey;
  const isRemoved = await deletePasskey(deps.db, { id, userId }, configured(deps.oauth), {
    userId,
    action: "passkey.removed",
    resourceType: "passkey",
    resourceId: id,
    details: { name },
    client,
  });
  if (!isRemoved) throw (await passkeyOf(deps.db, { id, userId })) ? lastWayIn() : notFound();
  await sendNotice(deps, user.email, passkeyRemoved({ name, link: consoleUrl(deps.config, SECURITY_PAGE) }));
}

/** The providers at which people can sign in: a link to another one is no way in. */
function configured({ github, google }: OAuthProviders): ProviderName[] {
  return [...(github ? (["github"] as const) : []), ...(google ? (["google"] as const) : [])];
}

function notFound(): AppError {
  return new AppError("not_found", "Passkey not found");
}

function lastWayIn(): AppError {
  return new AppError(
    "conflict",
    "You could not sign in without this passkey: set a password, or add another passkey first",
  );
}
