import type { Role } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { whileTeamExists, type MemberCaller } from "#src/domain/organisations/teams/index.ts";
import type { ConsoleConfig } from "#src/lib/console-url.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import { addressOfInvitation } from "./invitation-address.ts";
import { insertLink, type Invitation } from "./queries.ts";
import { onlyAdministrators } from "./refusals.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a link by which any account can join the caller's team, `maxUses` times or, for null, until it expires.
 * Throws `invalid_input` for a team with the most open links.
 */
export async function createLink(
  deps: { db: Db; config: ConsoleConfig & CeilingConfig<"invitation_links"> },
  { userId, membership: { teamId } }: MemberCaller,
  wish: { role: Role; maxUses: number | null; days: number },
  client: Client,
): Promise<{ invitation: Invitation; url: string }> {
  const { role, maxUses, days } = wish;
  const { token, hash } = newToken();
  const expiresAt = new Date(Date.now() + days * DAY_MS);
  const row = { id: newId(), teamId, invitedBy: userId, role, maxUses, tokenHash: hash, expiresAt };
  const entry = {
    userId,
    teamId,
    action: "member.invited",
    resourceType: "invitation",
    resourceId: row.id,
    details: { kind: "link", role, max_uses: maxUses },
    client,
  };
  const created = await whileTeamExists(insertLink(deps, row, entry));
  if (created) return { invitation: created, url: addressOfInvitation(deps.config, token) };
  throw onlyAdministrators();
}
