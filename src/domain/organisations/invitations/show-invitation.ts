import type { Role } from "#src/domain/access/permissions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { invitationByHash } from "./queries.ts";
import { notFound, over } from "./refusals.ts";

/** What an invitation shows to its holder, who need not be signed in. */
export interface ShownInvitation {
  teamName: string;
  inviterName: string | null;
  role: Role;
  kind: "email" | "link";
  /** The address that may accept, masked; null for a link. */
  email: string | null;
  expiresAt: Date;
}

/** Throws `not_found` for an unknown token, `gone` for an invitation that is no longer valid. */
export async function showInvitation(deps: { db: Db }, token: string): Promise<ShownInvitation> {
  const [found] = await invitationByHash(deps.db, sha256Hex(token));
  if (!found) throw notFound();
  if (!found.isOpen) throw over();
  const { teamName, inviterName, invitation } = found;
  const { role, kind, email, expiresAt } = invitation;
  return { teamName, inviterName, role, kind, email: email === null ? null : maskAddress(email), expiresAt };
}

/** `a…@example.com`: enough for a person to recognise their address, and of little use to others. */
function maskAddress(email: string): string {
  const at = email.lastIndexOf("@");
  return `${Array.from(email.slice(0, at))[0] ?? ""}…${email.slice(at)}`;
}
