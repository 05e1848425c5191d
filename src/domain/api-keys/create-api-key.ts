import { isScope, roleGrants, type UserCaller } from "#src/domain/access/index.ts";
import { requireTeam, type Membership } from "#src/domain/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId, randomHex } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { countReachableProjects, insertKeyWithin, type ApiKey } from "./queries.ts";

const MAX_ACTIVE_KEYS = 10;
const PREFIX = "tsk_";
/** Standard Webhooks asks for 24 to 64 bytes. */
const WEBHOOK_SECRET_BYTES = 32;

export interface KeyWish {
  name: string;
  /** Permissions; null for all that the owner's role grants. */
  scopes: readonly string[] | null;
  /** Projects to bind the key to; null for every project of the team. */
  projectIds: readonly string[] | null;
  expiresAt: Date | null;
}

export interface CreatedKey {
  key: ApiKey;
  /** The raw key: this is the only time it is known. */
  token: string;
  /** Secret that signs the callbacks of the key's tasks; shown this once too. */
  webhookSecret: string;
}

/**
 * Issue a key in the caller's team. Throws `forbidden` for a permission the caller's role has not, `not_found` for a
 * project the caller cannot reach, `invalid_input` when ten keys are active already.
 */
export async function createApiKey(
  deps: { db: Db; secrets: Secrets },
  caller: UserCaller,
  wish: KeyWish,
): Promise<CreatedKey> {
  const team = await requireTeam(deps, caller, "team.view");
  requireGrantable(wish.scopes, team);
  await requireReachable(deps.db, caller.userId, team, wish.projectIds);
  const token = PREFIX + randomHex(32);
  const webhookSecret = newWebhookSecret();
  const key = await insertKeyWithin(deps.db, MAX_ACTIVE_KEYS, {
    id: newId(),
    userId: caller.userId,
    teamId: team.teamId,
    name: wish.name,
    keyHash: sha256Hex(token),
    keyPrefix: token.slice(0, PREFIX.length + 4),
    scope: wish.projectIds ? "project" : "team",
    projectIds: wish.projectIds && [...wish.projectIds],
    scopes: wish.scopes && [...wish.scopes],
    webhookSecretEncrypted: await deps.secrets.encrypt(webhookSecret),
    expiresAt: wish.expiresAt,
  });
  if (!key) {
    throw new AppError(
      "invalid_input",
      `Maximum of ${MAX_ACTIVE_KEYS} active API keys allowed: revoke one first`,
    );
  }
  return { key, token, webhookSecret };
}

function requireGrantable(scopes: readonly string[] | null, { role }: Membership): void {
  const excess = scopes?.find((scope) => !isScope(scope) || !roleGrants(role, scope));
  if (excess) {
    throw new AppError("forbidden", `Scope '${excess}' exceeds your role's permissions (role: ${role})`);
  }
}

async function requireReachable(
  db: Db,
  userId: string,
  team: Membership,
  projectIds: readonly string[] | null,
): Promise<void> {
  if (!projectIds) return;
  const reachable = await countReachableProjects(db, userId, team, projectIds);
  if (reachable !== new Set(projectIds).size) throw new AppError("not_found", "Project not found");
}

/** `whsec_` and the secret in base64: the form the Standard Webhooks libraries take. */
function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES));
  return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
}
