import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";

export const featureFlags = endpoint({
  operationId: "getFeatureFlags",
  method: "get",
  path: "/api/feature-flags",
  tag: "Service",
  summary: "Get feature flags",
  description: "What this installation has switched on, for a login page.",
  access: "public",
  response: {
    status: 200,
    schema: z.object({
      env: z.enum(["development", "test", "production"]),
      flags: z.object({
        two_fa: z.boolean().describe("Whether signing in needs an emailed code"),
        magic_link_login: z.literal(false),
        template_builder: z.literal(false),
        enable_landing_page: z.literal(false),
      }),
      oauth: z
        .object({ github: z.boolean(), google: z.boolean() })
        .describe("Providers that users can sign in with"),
      passkey_origin: z
        .url()
        .nullable()
        .describe("Origin of the pages on which passkeys work; null where they cannot"),
    }),
  },
  handler: async ({ services: { config, oauth, webAuthn } }) => ({
    env: config.ENVIRONMENT,
    flags: {
      two_fa: config.TWO_FA_ENABLED,
      magic_link_login: false as const,
      template_builder: false as const,
      enable_landing_page: false as const,
    },
    oauth: {
      github: oauth.github !== undefined,
      google: oauth.google !== undefined,
    },
    passkey_origin: webAuthn?.origin ?? null,
  }),
});
