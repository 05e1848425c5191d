import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { keysOfUser } from "./queries/keys.ts";
import { headersOfUser } from "./queries/providers.ts";

/** As many as one may have at a time, and some that were deleted: they may still be good at their provider. */
const MOST = 200;

/** Headers that are no secret by themselves; the others of a provider may be. */
const PLAIN = /^(user-agent|accept|content-type|http-referer|x-title|[a-z-]*version[a-z-]*)$/iu;
const MIN_SECRET_CHARS = 8;

/**
 * Somebody's keys of model providers in the clear, with the headers of their own providers, so that they can be hidden: nothing
 * else may be done with them. What was encrypted under another key is left out. One trip.
 */
export async function ownKeyValues(
  { db, modelKeySecrets }: { db: Db; modelKeySecrets: Pick<Secrets, "decrypt"> },
  userId: string,
): Promise<{ name: string; value: string }[]> {
  const [keys, headers] = await db.batch([keysOfUser(db, userId, MOST), headersOfUser(db, userId, MOST)]);
  const open = (encrypted: string) => modelKeySecrets.decrypt(encrypted).catch(() => "");
  const values = await Promise.all([
    ...keys.map(async ({ provider, encryptedValue }) => [
      { name: `${variableOf(provider)}_API_KEY`, value: await open(encryptedValue) },
    ]),
    ...headers.map(async ({ slug, encrypted }) => secretHeaders(slug, await open(encrypted ?? ""))),
  ]);
  return values.flat().filter(({ value }) => value !== "");
}

function secretHeaders(slug: string, json: string): { name: string; value: string }[] {
  const headers = safeParseJson(json, z.record(z.string(), z.string()))?.value ?? {};
  return Object.entries(headers)
    .filter(([name, value]) => !PLAIN.test(name) && value.length >= MIN_SECRET_CHARS)
    .map(([name, value]) => ({ name: `${variableOf(slug)}_${variableOf(name)}`, value }));
}

function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, "_");
}
