import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import { scopesOfDevice } from "./device-scopes.ts";
import { insertPairing } from "./queries.ts";

export interface Pairing {
  /** Usable once, for a few minutes; only its hash is stored. */
  token: string;
  /** Opens the desktop app with the token. */
  deepLink: string;
  expiresAt: Date;
}

/**
 * Creates a token that a desktop app exchanges for its own key, so that the key itself never travels in an address.
 * `scopes` are the permissions of that key; null for the default ones. Throws `invalid_input` and `forbidden` for
 * permissions, `rate_limited` for a person with the most unused links.
 */
export async function mintPairing(
  deps: {
    db: Db;
    config: { DESKTOP_SCHEME: string; PAIRING_TOKEN_EXPIRY_SECONDS: number } & CeilingConfig<"pairing_links">;
  },
  caller: UserCaller,
  wish: readonly string[] | null,
  client: Client,
): Promise<Pairing> {
  const team = await requireTeam(deps, caller, "team.view");
  const scopes = scopesOfDevice(wish, team);
  const { token, hash } = newToken();
  const expiresAt = await insertPairing(
    deps,
    {
      id: newId(),
      userId: caller.userId,
      teamId: team.teamId,
      tokenHash: hash,
      scopes,
      lifeSeconds: deps.config.PAIRING_TOKEN_EXPIRY_SECONDS,
    },
    {
      action: "desktop.pairing_minted",
      resourceType: "pairing_token",
      details: { scopes },
      client,
    },
  );
  return { token, deepLink: `${deps.config.DESKTOP_SCHEME}://pair?token=${token}`, expiresAt };
}
