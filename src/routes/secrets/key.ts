import { z } from "zod";
import type { ShownKey } from "#src/domain/models/model-keys/index.ts";
import { dayOrMoment, Moment, Succeeded, text } from "#src/http/schemas.ts";

export const KeyParams = z.object({ model_key: z.string() });

/** Text that can be sent in a header. */
const PRINTABLE = /^[\x20-\x7e]*$/u;

export const KeyValue = text({ min: 1, max: 10_000, trim: true }).regex(
  PRINTABLE,
  "must consist of printable ASCII characters",
);
export const KeyName = text({ min: 1, max: 100, trim: true });
export const BaseUrl = text({ min: 1, max: 2048, trim: true });
/** An empty string, from clients that send every field. */
export const Cleared = z.literal("");

/** Id of a built-in provider or slug of a custom one, in any case of letters. */
export const Provider = text({ min: 1, max: 64, trim: true })
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/u, "must be letters, digits, - and _")
  .toLowerCase();

export const Expiry = z
  .union([Cleared, dayOrMoment()], "must be an ISO 8601 date, with a time or without, or empty for none")
  .nullish();

const fields = {
  id: z.uuid(),
  provider: z.string(),
  auth_type: z.string(),
  key_name: z.string(),
  key_preview: z
    .string()
    .nullable()
    .describe("The beginning of the key; null when the key cannot be decrypted, or is shown whole"),
  base_url: z.string().nullable(),
  provider_metadata: z.record(z.string(), z.unknown()),
  expires_at: Moment.nullable(),
  last_used_at: Moment.nullable(),
  created_at: Moment,
};

export const ListedKey = z.object(fields).meta({ id: "ModelKey" });

export const SingleKey = z
  .object({
    ...fields,
    key_value: z.string().nullable().describe("The whole key, when a reveal was requested"),
    is_active: z.boolean(),
  })
  .meta({ id: "SingleModelKey" });

export function describeListedKey(key: ShownKey): z.input<typeof ListedKey> {
  return {
    id: key.id,
    provider: key.provider,
    auth_type: key.authType,
    key_name: key.keyName,
    key_preview: key.preview,
    base_url: key.baseUrl,
    provider_metadata: key.providerMetadata,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}

export const describeSingleKey = (key: ShownKey): z.input<typeof SingleKey> => ({
  ...describeListedKey(key),
  key_value: key.value,
  is_active: key.isActive,
});

export const Done = Succeeded;
export const KeyDone = Done.extend({ key_id: z.uuid() });
