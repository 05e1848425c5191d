import { usableBonus } from "#src/domain/metering/credits/index.ts";
import { z } from "zod";
import type { OwnTeam } from "#src/domain/organisations/teams/index.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { Role } from "../members.ts";

/** Path parameters of every route of one team. */
export const TeamParams = z.object({ team: z.string().describe("Slug of the team") });

export const TeamName = text({ min: 1, max: 100, trim: true });

export const TeamSlug = z
  .string()
  .max(100, "must have at most 100 characters")
  .regex(
    /^[a-z0-9][a-z0-9-]*[a-z0-9]$/u,
    "must be lowercase letters, digits and hyphens, and begin and end with a letter or digit",
  );

const Credits = z.int().describe("One credit is one US cent");

/** A team as its members see it. */
export const Team = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    avatar_url: z.string().nullable(),
    is_personal: z.boolean(),
    created_by_id: z.uuid(),
    role: Role.describe("The caller's role in the team"),
    subscription_tier: z.enum(["free", "basic", "pro", "ultra"]),
    total_credits: Credits,
    daily_credits: Credits,
    bundled_credits: Credits,
    purchased_credits: Credits,
    signup_bonus_credits: Credits,
    deployed_projects_count: z.int(),
    support_tier: z.enum(["community", "email", "priority"]),
    created_at: Moment,
  })
  .meta({ id: "Team" });

const SUPPORT = { free: "community", basic: "email", pro: "priority", ultra: "priority" } as const;

export function describeTeam({ team, role }: OwnTeam): z.input<typeof Team> {
  const { dailyCredits, bundledCredits, purchasedCredits } = team;
  const bonus = usableBonus(team);
  return {
    id: team.id,
    name: team.name,
    slug: team.slug,
    avatar_url: team.avatarUrl,
    is_personal: team.isPersonal,
    created_by_id: team.createdBy,
    role,
    subscription_tier: team.subscriptionTier,
    total_credits: dailyCredits + bundledCredits + purchasedCredits + bonus,
    daily_credits: dailyCredits,
    bundled_credits: bundledCredits,
    purchased_credits: purchasedCredits,
    signup_bonus_credits: bonus,
    // The service does not deploy projects yet.
    deployed_projects_count: 0,
    support_tier: SUPPORT[team.subscriptionTier],
    created_at: team.createdAt.toISOString(),
  };
}
