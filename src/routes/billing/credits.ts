import { z } from "zod";
import { readBalance } from "#src/domain/metering/credits/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";

const Tier = z.enum(["free", "basic", "pro", "ultra"]);
const credits = z.int().min(0);

const WITH_RESERVED = "Credits not charged yet, including those that current model calls have reserved";

export const Credits = z.object({
  bundled_credits: credits,
  purchased_credits: credits,
  signup_bonus_credits: credits.describe("0 once the bonus has expired"),
  daily_credits: credits,
  total_credits: credits.describe(WITH_RESERVED),
  monthly_allowance: credits,
  credits_reset_date: Moment.nullable(),
  signup_bonus_expires_at: Moment.nullable(),
  tier: Tier,
});

export function describeCredits(balance: Awaited<ReturnType<typeof readBalance>>): z.input<typeof Credits> {
  return {
    bundled_credits: balance.bundled,
    purchased_credits: balance.purchased,
    signup_bonus_credits: balance.bonus,
    daily_credits: balance.daily,
    total_credits: balance.total,
    monthly_allowance: balance.allowance,
    credits_reset_date: balance.resetAt?.toISOString() ?? null,
    signup_bonus_expires_at: balance.bonusExpiresAt?.toISOString() ?? null,
    tier: balance.tier,
  };
}

export const creditsOfTeam = endpoint({
  operationId: "getCredits",
  method: "get",
  path: "/api/billing/credits",
  summary: "Get credits",
  description: "The active team's credits by source. One credit is one US cent.",
  tag: "Billing",
  access: { user: "any" },
  response: {
    status: 200,
    schema: Credits,
  },
  async handler({ services, caller }) {
    const { teamId } = await requireTeam(services, caller, "billing.view");
    return describeCredits(await readBalance(services, teamId));
  },
});

export const creditsStatus = endpoint({
  operationId: "getCreditStatus",
  method: "get",
  path: "/api/billing/credits/status",
  summary: "Get the credit status",
  description: "Whether the active team has few credits left, or none.",
  tag: "Billing",
  access: { user: "any" },
  response: {
    status: 200,
    schema: z.object({
      total_credits: credits.describe(WITH_RESERVED),
      is_low: z.boolean().describe("Credits remain, but no more than `threshold`"),
      is_empty: z.boolean(),
      threshold: credits,
      tier: Tier,
      monthly_allowance: credits,
    }),
  },
  async handler({ services, caller }) {
    const { teamId } = await requireTeam(services, caller, "billing.view");
    const { total, allowance, tier } = await readBalance(services, teamId);
    const threshold = Math.floor(allowance * services.config.CREDITS_LOW_BALANCE_THRESHOLD);
    return {
      total_credits: total,
      is_low: total > 0 && total <= threshold,
      is_empty: total === 0,
      threshold,
      tier,
      monthly_allowance: allowance,
    };
  },
});
