import { usableBonus } from "#src/domain/metering/credits/index.ts";
import { describeUser } from "#src/domain/people/accounts/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { boundsOf, pagesOf, type Page } from "./page.ts";
import { pageOfAccounts } from "./queries/lists.ts";

/** Accounts whose names contain a text, newest first, with the credits of their personal teams. */
export async function listAccounts(
  deps: { db: Db },
  filter: { search?: string | undefined; isActive?: boolean | undefined },
  page: Page,
) {
  const { accounts, total } = await pageOfAccounts(deps.db, filter, boundsOf(page));
  return { users: accounts.map(describeAccount), total, page: page.page, pages: pagesOf(total, page) };
}

type Account = Awaited<ReturnType<typeof pageOfAccounts>>["accounts"][number];

function describeAccount({ user, team, disabledAt }: Account) {
  const { dailyCredits = 0, bundledCredits = 0, purchasedCredits = 0 } = team ?? {};
  const bonus = usableBonus(team);
  return {
    ...describeUser(user),
    subscription_tier: team?.subscriptionTier ?? "free",
    total_credits: dailyCredits + bundledCredits + bonus + purchasedCredits,
    daily_credits: dailyCredits,
    bundled_credits: bundledCredits,
    signup_bonus_credits: bonus,
    purchased_credits: purchasedCredits,
    has_authenticator: user.hasAuthenticator,
    disabled_at: disabledAt?.toISOString() ?? null,
  };
}
