import { base64url } from "jose";
import { z } from "zod";
import { consumeState, type FlowCookie } from "#src/domain/access/oauth-flows/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

/** How long a person may take with the authenticator. */
const CHALLENGE_SECONDS = 300;
const CHALLENGE_BYTES = 32;

/** What a challenge is for; it is good for nothing else. */
type Purpose = "sign_in" | "addition";

/** Encrypted in the cookie of the browser that began, so that nothing is stored for a visitor who does not come back. */
const Kept = z.object({
  id: z.uuid(),
  purpose: z.enum(["sign_in", "addition"]),
  challenge: z.string(),
  /** The session that began; absent for a sign-in, which precedes the session. */
  sessionId: z.uuid().optional(),
  expiresAt: z.coerce.date(),
});

/** A new challenge, in base64url, and the cookie with which the same browser presents it. */
export async function openChallenge(
  { secrets }: { secrets: Secrets },
  purpose: Purpose,
  sessionId?: string,
): Promise<{ challenge: string; cookie: FlowCookie }> {
  const challenge = base64url.encode(crypto.getRandomValues(new Uint8Array(CHALLENGE_BYTES)));
  const expiresAt = new Date(Date.now() + CHALLENGE_SECONDS * 1000);
  const value = await secrets.encrypt(
    JSON.stringify({ id: newId(), purpose, challenge, sessionId, expiresAt }),
  );
  return { challenge, cookie: { value, maxAgeSeconds: CHALLENGE_SECONDS } };
}

/**
 * Uses a challenge up, before anything is compared with it: it is good for one try. Throws `invalid_input` for one that has
 * expired or was used, that another browser or session began, or that is for another purpose.
 */
export async function claimChallenge(
  { db, secrets }: { db: Db; secrets: Secrets },
  purpose: Purpose,
  presented: { cookie: string | undefined; sessionId?: string },
): Promise<string> {
  const kept = presented.cookie === undefined ? undefined : await readKept(secrets, presented.cookie);
  const isSame =
    kept?.purpose === purpose &&
    kept.sessionId === presented.sessionId &&
    kept.expiresAt.getTime() > Date.now();
  if (!isSame || !(await consumeState(db, kept)))
    throw new AppError("invalid_input", "This has expired, or was begun in another browser: begin again");
  return kept.challenge;
}

async function readKept(secrets: Secrets, cookie: string): Promise<z.output<typeof Kept> | undefined> {
  try {
    return safeParseJson(await secrets.decrypt(cookie), Kept)?.value;
  } catch {
    return undefined;
  }
}
