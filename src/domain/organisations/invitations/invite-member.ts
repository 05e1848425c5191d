import type { Role } from "#src/domain/access/permissions/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { ALLOWANCES, type AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { sendMail, teamInvitation, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { whileTeamExists, type MemberCaller } from "#src/domain/organisations/teams/index.ts";
import type { ConsoleConfig } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import { addressOfInvitation } from "./invitation-address.ts";
import { insertEmailInvitation, type Invitation } from "./queries.ts";
import { onlyAdministrators } from "./refusals.ts";

const DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A new invitation. Its address is only returned here. */
export interface MadeInvitation {
  invitation: Invitation;
  url: string;
  /** The outcome of the mail; if none can be sent, the inviter passes the address on. */
  mail: "sent" | "retrying" | "not_configured";
}

/**
 * Invites the owner of an email address to the caller's team. Only an account with that address can accept; an earlier
 * invitation for the address is revoked. Throws `conflict` for a member, `rate_limited` with the time to wait after the
 * team's invitations of a day, and as `beginAttempt` and `sendMail` do.
 */
export async function inviteMember(
  deps: MailDeps & { db: Db; attempts: AttemptLimits; config: ConsoleConfig },
  { userId, membership: { teamId } }: MemberCaller,
  invitee: { email: string; role: Role },
  client: Client,
): Promise<MadeInvitation> {
  const { email, role } = invitee;
  await beginAttempt(deps, "invitation", { account: email, address: client.address });
  const { token, hash } = newToken();
  const row = { id: newId(), teamId, invitedBy: userId, email, role, tokenHash: hash, expiresAt: expiry() };
  const entry = {
    userId,
    teamId,
    action: "member.invited",
    resourceType: "invitation",
    resourceId: row.id,
    details: { kind: "email", email, role },
    client,
  };
  const made = await whileTeamExists(insertEmailInvitation(deps.db, row, ALLOWANCES.invitations, entry));
  const { created, teamName, inviterName } = made;
  if (!created) {
    if (made.inviteeIsMember) throw new AppError("conflict", "This person is already a member of the team");
    if (made.roomInSeconds === undefined) throw onlyAdministrators();
    throw tooMany(made.roomInSeconds);
  }
  const url = addressOfInvitation(deps.config, token);
  if (!deps.mailer.configured) return { invitation: created, url, mail: "not_configured" };
  const message = teamInvitation({ link: url, teamName, inviterName, days: DAYS });
  const { expiresAt } = created;
  const mail = await sendMail(deps, { ...message, to: email, kind: "team-invitation", expiresAt });
  return { invitation: created, url, mail };
}

function expiry(): Date {
  return new Date(Date.now() + DAYS * DAY_MS);
}

function tooMany(seconds: number): AppError {
  const { most, seconds: window } = ALLOWANCES.invitations;
  const rule = `A team may send ${most} invitations in ${window / 3600} hours`;
  return new AppError("rate_limited", `${rule}: try again later`, {
    retryAfterSeconds: Math.max(1, seconds),
  });
}
