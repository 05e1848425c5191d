import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

const Sealed = z.object({ token: z.string().nullable(), headers: z.record(z.string(), z.string()) });

/** What is secret of a server: the token of `auth: token`, and further headers. */
export type Credentials = z.output<typeof Sealed>;

const NO_CREDENTIALS: Credentials = { token: null, headers: {} };

/** What stands for a secret where it is shown. */
export const MASK = "***";

export async function sealCredentials(
  { secrets }: { secrets: Pick<Secrets, "encrypt"> },
  credentials: Credentials,
): Promise<string | null> {
  const isEmpty = credentials.token === null && Object.keys(credentials.headers).length === 0;
  return isEmpty ? null : secrets.encrypt(JSON.stringify(credentials));
}

/** Throws `InvalidToken` when no configured key opens them. */
export async function openCredentials(
  { secrets }: { secrets: Pick<Secrets, "decrypt"> },
  encrypted: string | null,
): Promise<Credentials> {
  return encrypted === null ? NO_CREDENTIALS : parseJson(await secrets.decrypt(encrypted), Sealed);
}

/** The headers of every request to a server. */
export function headersOf({ token, headers }: Credentials): Record<string, string> {
  return { ...headers, ...(token !== null && { authorization: `Bearer ${token}` }) };
}

/** Throws `invalid_input` for values that were copied from where they are masked. */
export function refuseMasks({ token, headers, url }: Partial<Credentials> & { url?: string }): void {
  const ofUrl = url === undefined ? [] : new URL(url).searchParams.values();
  const values = [token, ...Object.values(headers ?? {}), ...ofUrl];
  if (values.includes(MASK)) {
    throw new AppError("invalid_input", `'${MASK}' stands for a secret: leave the field out to keep it`);
  }
}

/** An address whose query, which may hold a key, is masked value by value. */
export function maskUrl(text: string): string {
  const url = new URL(text);
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, MASK);
  return url.href;
}

/** What is secret of a server in the clear, for scrubbing: its headers, and the values in its address. */
export function secretValues(headers: Readonly<Record<string, string>>, url: string): string[] {
  const bare = Object.values(headers).map((value) => value.replace(/^Bearer +/iu, ""));
  return [...bare, ...new URL(url).searchParams.values()];
}
