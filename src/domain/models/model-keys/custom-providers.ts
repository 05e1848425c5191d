import { z } from "zod";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId, newId } from "#src/lib/ids.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { API_TYPES, type ApiType } from "#src/models/providers.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { checkAddress, type AddressDeps } from "./check-address.ts";
import { fieldNames } from "./field-names.ts";
import {
  activeProviders,
  putProvider,
  removeProvider,
  updateProvider,
  type CustomProvider,
} from "./queries/providers.ts";
import { requireByokTier, type TierDeps } from "./require-tier.ts";

/** Prefixes of model ids, and ids of integrations, that a slug must not equal. */
const RESERVED: ReadonlySet<string> = new Set(["custom", "builtin", "github"]);
const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/u;

export interface ProviderInput {
  name: string;
  slug: string;
  baseUrl: string;
  /** One of `API_TYPES`. */
  apiType: string;
  defaultHeaders: Readonly<Record<string, string>>;
  availableModels: readonly string[];
}

export interface ShownProvider extends Omit<CustomProvider, "defaultHeadersEncrypted"> {
  /** Empty if the headers cannot be decrypted. */
  defaultHeaders: Record<string, string>;
}

interface ListDeps {
  db: Db;
  modelKeySecrets: Pick<Secrets, "decrypt">;
}

export interface ProviderDeps extends TierDeps, AddressDeps {
  modelKeySecrets: Pick<Secrets, "encrypt">;
  config: CeilingConfig<"model_providers">;
}

/** A person's custom providers. */
export async function listCustomProviders(deps: ListDeps, userId: string): Promise<ShownProvider[]> {
  const providers = await activeProviders(deps.db, userId);
  return Promise.all(
    providers.map(async ({ defaultHeadersEncrypted: encrypted, ...provider }) => ({
      ...provider,
      defaultHeaders: encrypted === null ? {} : await readHeaders(deps, encrypted),
    })),
  );
}

async function readHeaders(
  { modelKeySecrets }: ListDeps,
  encrypted: string,
): Promise<Record<string, string>> {
  const text = await modelKeySecrets.decrypt(encrypted).catch(() => "");
  return safeParseJson(text, z.record(z.string(), z.string()))?.value ?? {};
}

/**
 * Adds a provider: any endpoint that speaks one of the two protocols. Restores a deleted one with the same slug. Throws
 * `forbidden` for the tier, `invalid_input` for an invalid or used slug and for an address that must not be called.
 */
export async function addCustomProvider(
  deps: ProviderDeps,
  userId: string,
  input: ProviderInput,
  client: Client,
): Promise<{ id: string; slug: string }> {
  await requireByokTier(deps, userId);
  const slug = input.slug.toLowerCase();
  if (!SLUG.test(slug)) {
    throw new AppError(
      "invalid_input",
      "slug: use 1 to 64 letters, digits, - and _, beginning with a letter or digit",
    );
  }
  if (RESERVED.has(slug)) throw new AppError("invalid_input", `slug: '${slug}' is reserved`);
  if (deps.modelSettings.providers.some(({ id }) => id === slug)) {
    throw new AppError("invalid_input", `slug: '${slug}' is the name of a built-in provider`);
  }
  const apiType = apiTypeOf(input.apiType);
  checkAddress(deps, input.baseUrl);
  const { name, baseUrl, availableModels } = input;
  const provider = {
    id: newId(),
    userId,
    slug,
    name,
    baseUrl,
    apiType,
    availableModels: [...availableModels],
    defaultHeadersEncrypted: await sealed(deps, input.defaultHeaders),
  };
  const entry = { ...entryOf(userId, client), action: "model_provider.created", details: { slug } };
  const id = await putProvider(deps, provider, entry);
  if (id === undefined) throw new AppError("invalid_input", `You already have a provider '${slug}'`);
  return { id, slug };
}

/** Changes a provider. Absent fields stay; the slug cannot change. Throws `not_found`, `invalid_input`. */
export async function changeCustomProvider(
  deps: ProviderDeps,
  { userId, id }: { userId: string; id: string },
  { defaultHeaders, availableModels, apiType, ...change }: Partial<Omit<ProviderInput, "slug">>,
  client: Client,
): Promise<string> {
  if (change.baseUrl !== undefined) checkAddress(deps, change.baseUrl);
  const changed = fieldNames({ ...change, apiType, defaultHeaders, availableModels });
  if (changed.length === 0) return found(await slugOf(deps.db, { userId, id }));
  const written = {
    ...change,
    ...(apiType !== undefined && { apiType: apiTypeOf(apiType) }),
    ...(availableModels && { availableModels: [...availableModels] }),
    ...(defaultHeaders && { defaultHeadersEncrypted: await sealed(deps, defaultHeaders) }),
  };
  const details = { changed };
  const entry = { ...entryOf(userId, client), resourceId: id, action: "model_provider.updated", details };
  return found(isId(id) ? await updateProvider(deps.db, { userId, id }, written, entry) : undefined);
}

/**
 * Deletes a provider with its keys and added models, so that a later provider with the same slug does not inherit them.
 * Throws `not_found`.
 */
export async function deleteCustomProvider(
  { db }: Pick<ProviderDeps, "db">,
  { userId, id }: { userId: string; id: string },
  client: Client,
): Promise<void> {
  const entry = { ...entryOf(userId, client), resourceId: id, action: "model_provider.deleted" };
  found(isId(id) ? await removeProvider(db, { userId, id }, entry) : undefined);
}

async function slugOf(db: Db, { userId, id }: { userId: string; id: string }): Promise<string | undefined> {
  return (await activeProviders(db, userId)).find((provider) => provider.id === id)?.slug;
}

function apiTypeOf(text: string): ApiType {
  const type = API_TYPES.find((each) => each === text);
  if (!type) throw new AppError("invalid_input", `api_type: must be ${API_TYPES.join(" or ")}`);
  return type;
}

function found(slug: string | undefined): string {
  if (slug === undefined) throw new AppError("not_found", "Provider not found");
  return slug;
}

async function sealed(
  { modelKeySecrets }: Pick<ProviderDeps, "modelKeySecrets">,
  headers: Readonly<Record<string, string>>,
): Promise<string | null> {
  return Object.keys(headers).length === 0 ? null : modelKeySecrets.encrypt(JSON.stringify(headers));
}

const entryOf = (userId: string, client: Client) => ({ userId, resourceType: "model_provider", client });
