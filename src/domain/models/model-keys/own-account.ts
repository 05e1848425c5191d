import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { OwnAccount } from "#src/models/choose.ts";
import { ModelError } from "#src/models/model.ts";
import type { ApiType } from "#src/models/providers.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { bareKey } from "./bare-key.ts";
import type { ModelKey } from "./queries/keys.ts";

export interface ReadDeps {
  modelKeySecrets: Pick<Secrets, "decrypt">;
  log: Pick<Log, "warn">;
}

/** A custom provider of a person. */
export interface CustomTarget {
  name: string;
  baseUrl: string;
  apiType: ApiType;
}

type Target = Omit<OwnAccount, "apiKey" | "isBearer" | "model">;

/** The provider's address and headers, before the key's own address applies; undefined without such a provider. */
export function targetOf(
  { providers }: Pick<ModelSettings, "providers">,
  provider: string,
  custom: CustomTarget | undefined,
): Target | undefined {
  const builtIn = providers.find(({ id }) => id === provider);
  if (builtIn) {
    const { name: label, baseUrl, apiType, headers } = builtIn;
    return { provider, label, apiType, baseUrl, isForeignAddress: false, headers };
  }
  if (!custom) return undefined;
  const { name: label, baseUrl, apiType } = custom;
  return { provider: `custom/${provider}`, label, apiType, baseUrl, isForeignAddress: true, headers: {} };
}

/**
 * A person's account at a provider, with the decrypted key and the custom provider's headers. Throws `unauthorized` if
 * either cannot be decrypted.
 */
export async function accountOf(
  deps: ReadDeps,
  target: Target,
  key: Pick<ModelKey, "encryptedValue" | "baseUrl"> & { authType: string | null },
  customHeaders: string | null,
): Promise<Omit<OwnAccount, "model">> {
  const apiKey = await readable(deps, key.encryptedValue, target);
  const headers = customHeaders === null ? {} : await headersOf(deps, customHeaders, target);
  return {
    ...target,
    ...(key.baseUrl !== null && { baseUrl: key.baseUrl, isForeignAddress: true }),
    headers: { ...target.headers, ...headers },
    apiKey: bareKey(apiKey),
    isBearer: key.authType === "oauth_token" || key.authType === "bearer_token",
  };
}

type Named = Pick<OwnAccount, "provider" | "label">;

async function readable(
  { modelKeySecrets, log }: ReadDeps,
  encrypted: string,
  { provider, label }: Named,
): Promise<string> {
  try {
    return await modelKeySecrets.decrypt(encrypted);
  } catch (cause) {
    log.warn("a stored model key cannot be decrypted: ENCRYPTION_KEY or SECRET_KEY is not what it was", {
      provider,
      cause,
    });
    const sentence = `Your own API key for ${label} can no longer be decrypted: store it again`;
    throw new ModelError("unauthorized", sentence, { retryable: false, cause });
  }
}

const Headers = z.record(z.string(), z.string());

async function headersOf(deps: ReadDeps, encrypted: string, named: Named): Promise<Record<string, string>> {
  return safeParseJson(await readable(deps, encrypted, named), Headers)?.value ?? {};
}
