import { AppError } from "#src/lib/errors.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

/** A grant's tokens as they are stored: Fernet tokens. */
export interface StoredGrant {
  encryptedToken: string;
  encryptedRefreshToken: string | null;
  /** Null for a token that does not expire. */
  expiresAt: Date | null;
}

/** Encrypts a grant's tokens for storage. */
export async function sealGrant(
  secrets: Pick<Secrets, "encrypt">,
  grant: { accessToken: string; refreshToken: string | null; expiresAt: Date | null },
): Promise<StoredGrant> {
  const { accessToken, refreshToken, expiresAt } = grant;
  return {
    encryptedToken: await secrets.encrypt(accessToken),
    encryptedRefreshToken: refreshToken === null ? null : await secrets.encrypt(refreshToken),
    expiresAt,
  };
}

/** A token that expires within this time counts as expired, because its use takes time. */
const MARGIN_MS = 60_000;
/** Poll interval, and number of polls, of a request that waits for another one to refresh the token. */
const LOOK_MS = 500;
const LOOKS = 16;

export function hasExpired({ expiresAt }: Pick<StoredGrant, "expiresAt">): boolean {
  return expiresAt !== null && expiresAt.getTime() < Date.now() + MARGIN_MS;
}

interface Refreshing<Row> {
  /** Whether this request is the one to refresh; a refresh token can be used only once. */
  claim: (row: Row) => Promise<boolean>;
  /** Refreshes the tokens and stores them. */
  refresh: (row: Row) => Promise<Row>;
  /** Reads the row again, while another request refreshes it. */
  readAgain: () => Promise<Row | undefined>;
  /** Name of the provider, for a sentence. */
  label: string;
}

/**
 * Has the tokens of a row refreshed by one of the requests that ask for it; the others wait for that. Throws what `refresh`
 * throws, and `unavailable` when another request takes too long.
 */
export async function refreshedByOne<Row extends StoredGrant>(
  row: Row,
  { claim, refresh, readAgain, label }: Refreshing<Row>,
): Promise<Row> {
  if (await claim(row)) return refresh(row);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await readAgain();
    if (!now) break;
    if (now.encryptedRefreshToken !== row.encryptedRefreshToken) return now;
  }
  throw new AppError("unavailable", `${label} does not answer: try again later`);
}
