import { z } from "zod";
import { Moment, text } from "#src/http/schemas.ts";
import { User } from "../users/user.ts";

export const AdminUserParams = z.object({ user: z.string().describe("Id of the account") });

/** Why an administrator acts; stored in the audit log. */
export const Reason = text({ min: 1, max: 500, trim: true });

export const PageFields = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  page_size: z.coerce.number().int().min(1).max(200).default(50),
};

/** A part of a name, for searching lists. */
export const Search = text({ max: 200, trim: true });

/** An account as administrators list it. */
export const ListedUser = User.extend({
  avatar_url: z.string().nullable().describe("Also null for a picture that is stored in the account itself"),
  subscription_tier: z
    .enum(["free", "basic", "pro", "ultra"])
    .describe("Of the account's personal team, as are the credits"),
  total_credits: z.int(),
  daily_credits: z.int(),
  bundled_credits: z.int(),
  signup_bonus_credits: z.int(),
  purchased_credits: z.int(),
  has_authenticator: z.boolean().describe("Whether signing in takes a code of an authenticator app"),
  disabled_at: Moment.nullable().describe(
    "When the account was last disabled, if the trail goes back that far",
  ),
}).meta({ id: "ListedUser" });

export const Changed = z.object({ success: z.literal(true), user: User }).meta({ id: "ChangedAccount" });
