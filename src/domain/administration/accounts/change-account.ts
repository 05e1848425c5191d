import { endTasksOf, type UserCaller } from "#src/domain/access/permissions/index.ts";
import {
  checkChange,
  type EmailDomains,
  handsOver,
  refuseTaken,
  requireHolder,
  tellOldAddress,
  type AccountChange,
  type HolderDeps,
  type User,
} from "#src/domain/people/accounts/index.ts";
import type { OpeningConfig } from "#src/domain/metering/credits/index.ts";
import type { MailDeps } from "#src/domain/operations/mail/index.ts";
import type { PasswordConfig } from "#src/domain/people/passwords/index.ts";
import type { ConsoleConfig } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { findAccount } from "./find-account.ts";
import { changeAccountRow, type AccountFields, type NewAction, type Outcome } from "./queries/changes.ts";

/** The acting administrator, their address, and the reason. */
export interface Administrator {
  caller: UserCaller;
  address: string;
  reason?: string | undefined;
}

export interface AdministeredChange extends AccountChange {
  isActive?: boolean | undefined;
  isSuperuser?: boolean | undefined;
  isVerified?: boolean | undefined;
}

/** What an administrator does to an account, as the trail has it. */
export function actionOf(
  { caller, reason, address }: Administrator,
  userId: string,
  what: Pick<NewAction, "actionType" | "details">,
): NewAction {
  return { adminId: caller.userId, userId, reason: reason ?? null, address, ...what };
}

/**
 * Changes a person's account. Recorded in the trail of administrators and in the account's own log. Disabling takes
 * effect at once: sessions end, keys are refused, and running tasks end soon after. A repeated request publishes the
 * end of the tasks again, because the first request may have died before it published. Administrators change their own
 * password and address under the usual conditions (see `requireHolder`). The person is notified of such a change by
 * mail. Throws `invalid_input` and `conflict` as `updateAccount` does, `conflict` for disabling the caller's own
 * account or the last administrator, `not_found`, `forbidden`.
 */
export async function changeAccount(
  deps: HolderDeps & MailDeps & { config: OpeningConfig & ConsoleConfig & EmailDomains },
  by: Administrator,
  userId: string,
  wish: AdministeredChange,
): Promise<User> {
  const { user, teamId } = await findAccount(deps, userId);
  if (user.id === by.caller.userId && handsOver(user, wish)) {
    const { sessionId } = by.caller;
    await requireHolder(
      deps,
      { user, sessionId },
      { currentPassword: wish.currentPassword, address: by.address },
    );
  }
  if (wish.isActive === false && user.id === by.caller.userId) {
    throw new AppError("conflict", "You cannot disable your own account");
  }
  const fields = await fieldsOf(deps.config, user, wish);
  const { caller, reason = null, address } = by;
  const deed = { adminId: caller.userId, userId: user.id, reason, address };
  const changed = await changeAccountRow(deps, deed, fields, teamId).catch(refuseTaken);
  requireDone(changed.outcome);
  if (!changed.user) throw new AppError("not_found", "User not found");
  const isShutOut = wish.isActive === false && !changed.user.isActive;
  const keys = isShutOut ? changed.keys.map(({ id: keyId }) => ({ keyId })) : [];
  // A person who is no longer an administrator also loses access to other people's projects.
  if (isShutOut || wish.isSuperuser === false) await endTasksOf(deps.queue, [...keys, { userId: user.id }]);
  await tellOldAddress(deps, user, changed.user);
  return changed.user;
}

async function fieldsOf(
  config: PasswordConfig & EmailDomains,
  user: User,
  wish: AdministeredChange,
): Promise<AccountFields> {
  const { isActive, isSuperuser, isVerified, ...own } = wish;
  const { email, username, name, passwordHash } = await checkChange(config, user, own);
  return { email, username, name, passwordHash, isVerified, isActive, isSuperuser };
}

/** Throws if a statement was refused; a statement without changes counts as done. */
export function requireDone(outcome: Outcome | undefined): void {
  if (outcome?.done) return;
  if (!outcome?.admin) throw new AppError("forbidden", "Forbidden");
  if (outcome.last) {
    throw new AppError(
      "conflict",
      "The last administrator cannot be disabled, deleted or demoted: make another account an administrator first",
    );
  }
}
