import { eq, sql, type SQL } from "drizzle-orm";
import { teams } from "#src/db/schema/index.ts";
import { DEMO_MODEL, PLATFORM_ID } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";

/** The bonus of the row `teams`; 0 once it has expired. */
export const BONUS = sql`CASE WHEN teams.signup_bonus_expires_at <= now() THEN 0 ELSE teams.signup_bonus_credits END`;

/** A team's spendable credits, and the models that it has switched off. */
export function payerById(db: Db, teamId: string) {
  return db
    .select({ credits: usableCredits(), disabledModels: teams.disabledModels })
    .from(teams)
    .where(eq(teams.id, teamId));
}

/** SQL value: the spendable credits of the row `teams`. */
export function usableCredits(): SQL<number> {
  return sql<number>`(teams.daily_credits + teams.bundled_credits + teams.purchased_credits + ${BONUS})`;
}

/**
 * Whether a team may begin work with a model: the team has credits, or the model costs none. The scripted model and all
 * models that are not the platform's (`isPlatformId`) cost none.
 */
export function isFunded(model: SQL, teamId: SQL, platformModels: readonly string[]): SQL<boolean> {
  return sql<boolean>`(
    NOT ${isOfPlatform(model, platformModels)}
    OR ${model} IN (${listOf([DEMO_MODEL, `builtin/${DEMO_MODEL}`])})
    OR EXISTS (SELECT 1 FROM teams WHERE teams.id = ${teamId} AND ${usableCredits()} > 0))`;
}

/** Whether a model's id is one of the platform's (`isPlatformId`). */
export function isOfPlatform(model: SQL, platformModels: readonly string[]): SQL<boolean> {
  return sql<boolean>`(${model} ~ ${PLATFORM_ID}::text OR ${model} IN (${listOf(platformModels)}))`;
}

function listOf(texts: readonly string[]): SQL {
  return sql.join(
    texts.map((text) => sql`${text}::text`),
    sql`, `,
  );
}

const MONTH_SECONDS = 30 * 24 * 60 * 60;

/** The last midnight, UTC. */
const TODAY = sql`(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`;

/**
 * Grants personal teams of the free tier their daily credits, once a day. Other teams get none, because people could
 * multiply their credits by creating teams; daily credits from an earlier version are removed.
 */
export async function fillDailyCredits(db: Db, credits: number): Promise<void> {
  await db.execute(sql`
    UPDATE teams SET daily_credits = CASE WHEN is_personal THEN ${credits}::int ELSE 0 END, daily_credits_reset_at = ${TODAY}
    WHERE subscription_tier = 'free' AND (daily_credits_reset_at IS NULL OR daily_credits_reset_at < ${TODAY})
      AND (is_personal OR daily_credits > 0)
  `);
}

/** SQL values: the bundled credits of the team's tier, and whether a subscription's period is a year. */
const bundledOfTier = (credits: Readonly<Record<"basic" | "pro" | "ultra", number>>) => sql`
  CASE subscription_tier WHEN 'basic' THEN ${credits.basic}::int WHEN 'pro' THEN ${credits.pro}::int ELSE ${credits.ultra}::int END`;
const IS_ANNUAL = sql`s.period_end - s.period_start > interval '40 days'`;

/**
 * Grants teams whose tier was given by hand their monthly credits. The next date is a whole number of months (of 30 days)
 * after the last one, even if a run is late. For a team without a date, the months begin now. A subscription brings the
 * credits of its periods itself; of a paid year, the further months are granted here. An overdue one brings none.
 */
export async function fillBundledCredits(
  db: Db,
  credits: Readonly<Record<"basic" | "pro" | "ultra", number>>,
): Promise<void> {
  await db.execute(sql`
    UPDATE teams SET
      bundled_credits = ${bundledOfTier(credits)},
      credits_reset_at = coalesce(credits_reset_at, now()) + interval '30 days'
        * (1 + floor(extract(epoch FROM now() - coalesce(credits_reset_at, now())) / ${MONTH_SECONDS}::int))
    WHERE subscription_tier <> 'free' AND (credits_reset_at IS NULL OR credits_reset_at <= now())
      AND NOT EXISTS (
        SELECT 1 FROM subscriptions s WHERE s.team_id = teams.id AND s.tier IS NOT NULL
          AND s.status NOT IN ('canceled', 'incomplete_expired', 'incomplete')
      )
  `);
  await db.execute(sql`
    UPDATE teams SET bundled_credits = ${bundledOfTier(credits)},
      credits_reset_at = s.period_start + make_interval(months => 1 + 12 * extract(year FROM age(now(), s.period_start))::int
        + extract(month FROM age(now(), s.period_start))::int)
    FROM subscriptions s
    WHERE s.team_id = teams.id AND s.tier = teams.subscription_tier AND s.status IN ('active', 'trialing')
      AND ${IS_ANNUAL} AND now() < s.period_end
      AND coalesce(teams.credits_reset_at, s.period_start + interval '1 month') <= now()
  `);
}

export async function endBonuses(db: Db): Promise<void> {
  await db.execute(sql`
    UPDATE teams SET signup_bonus_credits = 0 WHERE signup_bonus_credits > 0 AND signup_bonus_expires_at <= now()
  `);
}

/** A team's spendable credits by pool, and when pools next change by themselves. */
export function creditsOfTeam(db: Db, teamId: string) {
  return db
    .select({
      tier: teams.subscriptionTier,
      daily: teams.dailyCredits,
      bundled: teams.bundledCredits,
      bonus: sql<number>`${BONUS}`,
      purchased: teams.purchasedCredits,
      resetAt: teams.creditsResetAt,
      bonusExpiresAt: teams.signupBonusExpiresAt,
    })
    .from(teams)
    .where(eq(teams.id, teamId));
}

/** Settings for the initial credits of a personal team. */
export interface OpeningConfig {
  ENVIRONMENT: "development" | "test" | "production";
  SIGNUP_BONUS_CREDITS: number;
  /** Days; 0 never expires. */
  SIGNUP_BONUS_EXPIRY_DAYS: number;
  TIER_DAILY_CREDITS_FREE: number;
}

/**
 * Initial credits of a new personal team, which is in the free tier. In production the bonus is granted only after the
 * address is verified, because accounts cost nothing and the bonus is worth money.
 */
export function openingCredits(config: OpeningConfig, { isProved }: { isProved: boolean }) {
  const daily = { dailyCredits: config.TIER_DAILY_CREDITS_FREE, dailyCreditsResetAt: sql`now()` };
  if (waitsForProof(config) && !isProved) return daily;
  return {
    ...daily,
    signupBonusCredits: config.SIGNUP_BONUS_CREDITS,
    signupBonusExpiresAt: endOfBonus(config),
    signupBonusGrantedAt: sql`now()`,
  };
}

const waitsForProof = ({ ENVIRONMENT }: OpeningConfig) => ENVIRONMENT === "production";

/**
 * Grants the bonus to the personal team of a person whose address is verified, only once per team. Returns a query for
 * the batch of the verification, after it; lock the team before the person, in the order of `locks.ts`.
 */
export function grantBonus(db: Db, config: OpeningConfig, userId: SQL) {
  return db.execute(sql`
    UPDATE teams SET signup_bonus_credits = ${config.SIGNUP_BONUS_CREDITS}::int,
      signup_bonus_expires_at = ${endOfBonus(config)}, signup_bonus_granted_at = now()
    FROM users
    WHERE ${waitsForProof(config)}::boolean AND users.id IN (${userId}) AND users.is_verified
      AND teams.created_by = users.id AND teams.is_personal AND teams.signup_bonus_granted_at IS NULL
  `);
}

function endOfBonus({
  SIGNUP_BONUS_CREDITS: credits,
  SIGNUP_BONUS_EXPIRY_DAYS: days,
}: OpeningConfig): SQL | null {
  return credits > 0 && days > 0 ? sql`now() + make_interval(days => ${days}::int)` : null;
}
