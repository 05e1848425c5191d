import { z } from "zod";
import type { Passkey as StoredPasskey } from "#src/domain/people/passkeys/index.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const PASSKEYS_PATH = "/api/users/me/passkeys";
export const PASSKEY_PATH = `${PASSKEYS_PATH}/:passkey`;

/** What the browser keeps between the options and the passkey that is made with them. */
export const COOKIE = "new_passkey_challenge";

export const PasskeyParams = z.object({ passkey: z.string() });

export const PasskeyName = text({ min: 1, max: 100, trim: true });

/** What shows that the person is there, as for the authenticator app. */
export const ProofBody = z.object({
  current_password: text({ max: 1000 }).nullish(),
  code: text({ max: 100, trim: true }).nullish(),
});

export const PROOF =
  "Needs `current_password`, unless the session began in the last ten minutes; where an authenticator app is on, a `code` of it or a recovery code instead.";

export function proofIn({ current_password, code }: z.output<typeof ProofBody>) {
  return { currentPassword: current_password ?? undefined, code: code ?? undefined };
}

export const Passkey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    is_backed_up: z.boolean().describe("Whether the authenticator keeps copies of it on other devices"),
    created_at: Moment,
    last_used_at: Moment.nullable(),
  })
  .meta({ id: "Passkey" });

export function describePasskey(passkey: StoredPasskey): z.input<typeof Passkey> {
  return {
    id: passkey.id,
    name: passkey.name,
    is_backed_up: passkey.isBackedUp,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
  };
}
