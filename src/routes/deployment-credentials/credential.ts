import { z } from "zod";
import { HOSTING_NAMES, type ShownCredential } from "#src/domain/hosting/credentials/index.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const CredentialParams = z.object({ deployment_credential: z.string() });

/** Tokens of all providers are printable ASCII, and are sent in a header. */
export const Token = text({ min: 1, max: 4096, trim: true }).regex(
  /^[\x21-\x7E]*$/u,
  "must be a token in the format that the provider shows",
);

const MAX_FIELDS = 50;
const MAX_VALUE_CHARS = 2000;

export const GivenMetadata = z
  .record(text({ min: 1, max: 100 }), text({ max: MAX_VALUE_CHARS, trim: true }).nullable())
  .refine((given) => Object.keys(given).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS} fields`)
  .describe(
    "`team_id` of Vercel, `account_id` (required) and `dispatch_namespace` of Cloudflare, `registry_name` of DigitalOcean, and what existing clients send; null and empty values are not stored. Values named like a secret are encrypted, and masked in responses",
  );

/** A person's access to a hosting provider, without the token. */
export const Credential = z
  .object({
    id: z.uuid(),
    user_id: z.uuid(),
    project_id: z.uuid().nullable().describe("Null for the default of all projects"),
    provider: z.enum(HOSTING_NAMES),
    auth_type: z.enum(["oauth", "token"]),
    metadata: z.record(z.string(), z.string()).nullable().describe("Secrets are masked"),
    is_default: z.boolean().describe("Whether it is for all projects without their own"),
    is_readable: z.boolean().describe("False when it cannot be decrypted any more: connect again"),
    created_at: Moment,
    updated_at: Moment,
  })
  .meta({ id: "DeploymentCredential" });

export function describeCredential(shown: ShownCredential): z.input<typeof Credential> {
  const { credential, metadata, isReadable } = shown;
  const { createdAt, updatedAt } = credential;
  return {
    id: credential.id,
    user_id: credential.userId,
    project_id: credential.projectId,
    provider: credential.provider,
    auth_type: credential.authType,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    is_default: credential.projectId === null,
    is_readable: isReadable,
    created_at: createdAt.toISOString(),
    updated_at: (updatedAt ?? createdAt).toISOString(),
  };
}
