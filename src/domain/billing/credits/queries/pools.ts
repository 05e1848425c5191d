import { eq, sql, type SQL } from "drizzle-orm";
import { teams } from "#src/db/schema/index.ts";
import { DEMO_MODEL, PLATFORM_ID } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A bonus past its day counts as nothing. */
export const BONUS = sql`CASE WHEN teams.signup_bonus_expires_at <= now() THEN 0 ELSE teams.signup_bonus_credits END`;

/** What a team could spend now, and which models it does not want. */
export function payerById(db: Db, teamId: string) {
  return db
    .select({ credits: usableCredits(), disabledModels: teams.disabledModels })
    .from(teams)
    .where(eq(teams.id, teamId));
}

/** Credits of the row `teams` that can be spent now. */
export function usableCredits(): SQL<number> {
  return sql<number>`(teams.daily_credits + teams.bundled_credits + teams.purchased_credits + ${BONUS})`;
}

/**
 * Whether a team may begin work with a model: it has credits, or the model costs it none, as all that are not the platform's
 * (`isPlatformId`) and the scripted one do.
 */
export function isFunded(model: SQL, teamId: SQL, platformModels: readonly string[]): SQL<boolean> {
  return sql<boolean>`(
    NOT (${model} ~ ${PLATFORM_ID}::text OR ${model} IN (${listOf(platformModels)}))
    OR ${model} IN (${listOf([DEMO_MODEL, `builtin/${DEMO_MODEL}`])})
    OR EXISTS (SELECT 1 FROM teams WHERE teams.id = ${teamId} AND ${usableCredits()} > 0))`;
}

function listOf(texts: readonly string[]): SQL {
  return sql.join(
    texts.map((text) => sql`${text}::text`),
    sql`, `,
  );
}

const MONTH_SECONDS = 30 * 24 * 60 * 60;

/** Midnight (UTC) at which the day began. */
const TODAY = sql`(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`;

/**
 * Give personal teams of the free tier their credits of the day, once a day. Other teams have none, or whoever makes teams
 * would make credits; what an earlier version gave them ends.
 */
export async function fillDailyCredits(db: Db, credits: number): Promise<void> {
  await db.execute(sql`
    UPDATE teams SET daily_credits = CASE WHEN is_personal THEN ${credits}::int ELSE 0 END, daily_credits_reset_at = ${TODAY}
    WHERE subscription_tier = 'free' AND (daily_credits_reset_at IS NULL OR daily_credits_reset_at < ${TODAY})
      AND (is_personal OR daily_credits > 0)
  `);
}

/**
 * Give teams of paid tiers their credits of the month. The next time is whole months (of 30 days) after the last, however
 * late this one comes; a team without a time has it from now on.
 */
export async function fillBundledCredits(
  db: Db,
  credits: Readonly<Record<"basic" | "pro" | "ultra", number>>,
): Promise<void> {
  await db.execute(sql`
    UPDATE teams SET
      bundled_credits = CASE subscription_tier WHEN 'basic' THEN ${credits.basic}::int WHEN 'pro' THEN ${credits.pro}::int
        ELSE ${credits.ultra}::int END,
      credits_reset_at = coalesce(credits_reset_at, now()) + interval '30 days'
        * (1 + floor(extract(epoch FROM now() - coalesce(credits_reset_at, now())) / ${MONTH_SECONDS}::int))
    WHERE subscription_tier <> 'free' AND (credits_reset_at IS NULL OR credits_reset_at <= now())
  `);
}

export async function endBonuses(db: Db): Promise<void> {
  await db.execute(sql`
    UPDATE teams SET signup_bonus_credits = 0 WHERE signup_bonus_credits > 0 AND signup_bonus_expires_at <= now()
  `);
}

/** A team's credits by pool, as far as they can be spent now, and when they change of themselves. */
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

/** What a personal team begins with. */
export interface OpeningConfig {
  ENVIRONMENT: "development" | "test" | "production";
  SIGNUP_BONUS_CREDITS: number;
  /** Days; 0 is no end. */
  SIGNUP_BONUS_EXPIRY_DAYS: number;
  TIER_DAILY_CREDITS_FREE: number;
}

/**
 * Credits of a new personal team, which is in the free tier. In production the bonus waits for a proved address: an account
 * costs nothing to make, and the bonus is money.
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
 * Give the bonus to the personal team of a person whose address is proved by now: once, however often addresses of the
 * account are proved. A query for the batch of the proof, after it; the team is held before the person, in the order of
 * `locks.ts`.
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
