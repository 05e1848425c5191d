import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { accountsByEmail, administrators, appoint, dismiss, type Account } from "./queries.ts";

/** An account that was looked up to change its role. */
export interface ChangedAccount extends Account {
  /** False if it already had that role. */
  changed: boolean;
}

/** The reason in the trail of administrators, which cannot name a person, because the program has no account. */
const REASON = "npm run admin";

/**
 * Makes an account an administrator, for the operator of the installation, who has access to its database. Throws
 * `not_found` for an address without an account, `conflict` for a disabled account.
 */
export async function grantAdministrator({ db }: { db: Db }, email: string): Promise<ChangedAccount> {
  const account = await requireAccount(db, email);
  if (!account.isActive) throw new AppError("conflict", `The account ${account.email} is disabled`);
  const [{ rows }] = await db.batch([...appoint(db, account.id, REASON)]);
  return { ...account, changed: rows.length > 0 };
}

/**
 * Takes the role of an administrator from an account, for the operator of the installation. Also for the last
 * administrator, because the operator can appoint another. Throws `not_found`.
 */
export async function revokeAdministrator({ db }: { db: Db }, email: string): Promise<ChangedAccount> {
  const account = await requireAccount(db, email);
  const [{ rows }] = await db.batch([...dismiss(db, account.id, REASON)]);
  return { ...account, changed: rows.length > 0 };
}

/** All administrators, including disabled accounts, in the order of registration. */
export function listAdministrators({ db }: { db: Db }): PromiseLike<Account[]> {
  return administrators(db);
}

async function requireAccount(db: Db, email: string): Promise<Account> {
  const [account, other] = await accountsByEmail(db, email);
  if (!account) throw new AppError("not_found", `No account has the address ${email}: register it first`);
  if (other && account.emailAskedAt) {
    const detail = `Several accounts claim the address ${email}, and none has verified it: open the link in the verification email first`;
    throw new AppError("conflict", detail);
  }
  return account;
}
