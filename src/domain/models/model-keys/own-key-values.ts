import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { sealedKeys } from "./queries/keys.ts";
import type { sealedHeaders } from "./queries/providers.ts";

/** Headers that are never secret; other headers of a provider may be. */
const PLAIN = /^(user-agent|accept|content-type|http-referer|x-title|[a-z-]*version[a-z-]*)$/iu;
const MIN_SECRET_CHARS = 8;

/**
 * The decrypted values of a person's model keys and of the headers of their custom providers, to be used only for
 * hiding them in output. Values that were encrypted with another key are left out.
 */
export async function ownKeyValues(
  { modelKeySecrets }: { modelKeySecrets: Pick<Secrets, "decrypt"> },
  keys: Awaited<ReturnType<typeof sealedKeys>>,
  headers: Awaited<ReturnType<typeof sealedHeaders>>,
): Promise<{ name: string; value: string }[]> {
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
