import { z } from "zod";
import { email, Moment, text } from "#src/http/schemas.ts";

/** An account by its id. Other names, such as `me`, have their own paths. */
export const USER_PATH = "/api/users/:user{[0-9a-fA-F-]+}";

export const UserParams = z.object({ user: z.string().describe("Id of the account") });

/** Fields of an account that can be changed. */
export const AccountBody = z.object({
  email: email().optional(),
  username: text({ max: 100 }).optional(),
  name: text({ min: 1, max: 100, trim: true }).optional(),
  password: text({ max: 1000 }).optional(),
  current_password: text({ max: 1000 })
    .optional()
    .describe(
      "Password of the caller, needed to change their own password or address in a session older than ten minutes",
    ),
});

/** An account as its owner sees it. Fields that are always null belong to features that the service does not have. */
export const User = z
  .object({
    id: z.uuid(),
    email: z.string(),
    username: z.string(),
    name: z.string(),
    slug: z.string(),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
    is_verified: z.boolean(),
    is_admin: z.boolean(),
    default_team_id: z.uuid().nullable(),
    avatar_url: z.string().nullable(),
    created_at: Moment,
    last_active_at: Moment.nullable(),
    litellm_api_key: z.null(),
    litellm_user_id: z.null(),
    diagram_model: z.string().nullable(),
    disabled_models: z.null(),
    referral_code: z.null(),
    referred_by: z.null(),
  })
  .meta({ id: "User" });
