import { makeOnce, requirePayments } from "#src/domain/billing/provider/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { accountOf, storeAccount } from "./queries/accounts.ts";
import type { PayoutDeps } from "./pay-creator.ts";

/**
 * Returns the address of the page on which a person introduces themself to the provider, in order to be paid. Their account
 * there is made once. Throws `not_found` for a deleted account, and what the provider throws.
 */
export async function connectAccount(
  deps: PayoutDeps,
  { userId, returnOrigin }: { userId: string; returnOrigin: string },
): Promise<{ url: string }> {
  const payments = requirePayments(deps);
  const person = await accountOf(deps.db, userId);
  if (!person) throw new AppError("not_found", "User not found");
  const accountId = person.accountId ?? (await makeAccount(deps, userId));
  const page = `${returnOrigin}/settings/team/billing`;
  const link = { accountId, refreshUrl: `${page}?connect=again`, returnUrl: `${page}?connect=done` };
  return { url: await payments.createAccountLink(link, `account-link-${newId()}`) };
}

async function makeAccount(deps: PayoutDeps, userId: string): Promise<string> {
  const payments = requirePayments(deps);
  const account = { metadata: { user_id: userId } };
  const { id } = await makeOnce(`account-${userId}`, (key) => payments.createAccount(account, key));
  const accountId = await storeAccount(deps.db, userId, id);
  if (accountId === undefined) throw new AppError("not_found", "User not found");
  return accountId;
}
