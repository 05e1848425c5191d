import { z } from "zod";
import { Moment } from "#src/http/schemas.ts";

/** An account as its owner sees it. Fields that are always null belong to features the service has not. */
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
    diagram_model: z.null(),
    disabled_models: z.null(),
    referral_code: z.null(),
    referred_by: z.null(),
  })
  .meta({ id: "User" });
