import { createAnthropicStyleModel } from "./anthropic-style/index.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import { withCountedTokens } from "./counted-tokens.ts";
import { ModelError, type Model } from "./model.ts";
import { createOpenAiStyleModel } from "./openai-style/index.ts";
import { withOwnKey } from "./own-key.ts";
import { providerFetch } from "./provider-fetch.ts";
import type { ApiType } from "./providers.ts";
import { bareName, DEMO_MODEL } from "./settings.ts";
import { withRetries } from "./with-retries.ts";

/** The platform's own accounts at the vendors. */
export interface PlatformAccounts {
  openai: { apiKey: string | undefined; baseURL: string };
  anthropic: { apiKey: string | undefined; baseURL: string };
  /** OpenAI-style address of the scripted `demo` model; absent in production. */
  demoURL: string | undefined;
}

export interface PlatformModelOptions {
  /** `builtin/<name>`, as clients write it, or the bare name. */
  name: string;
  accounts: PlatformAccounts;
  fetch: typeof globalThis.fetch;
  /** Silence after which a call counts as stalled, in milliseconds. */
  stallMs: number;
  maxRetries: number;
}

const RETRY_BASE_DELAY_MS = 500;

/** Replaces the SDKs' own user agent. */
const HEADERS = { "user-agent": USER_AGENT };

/**
 * Returns the model behind a platform model's name, watched and retried: `claude-…` at Anthropic, `demo` at the local
 * stack, any other at the OpenAI-style server. Throws `unauthorized` when the platform has no account for it.
 */
export function choosePlatformModel(options: PlatformModelOptions): Model {
  const { maxRetries } = options;
  const model = withCountedTokens(connect(bareName(options.name), options));
  return withRetries(model, { maxRetries, baseDelayMs: RETRY_BASE_DELAY_MS });
}

function connect(model: string, { accounts, stallMs, fetch: send }: PlatformModelOptions): Model {
  if (model === DEMO_MODEL) {
    const baseURL = present(accounts.demoURL, "The demo model is not available on this installation");
    const fetch = providerFetch(send, { provider: "demo", stallMs });
    return createOpenAiStyleModel({
      provider: "demo",
      model,
      baseURL,
      apiKey: "demo",
      fetch,
      headers: HEADERS,
    });
  }
  const provider = model.startsWith("claude-") ? "anthropic" : "openai";
  const { baseURL, apiKey } = accounts[provider];
  const create = provider === "anthropic" ? createAnthropicStyleModel : createOpenAiStyleModel;
  return create({
    provider,
    model,
    baseURL,
    apiKey: present(apiKey, `No API key of ${provider} is configured for the model ${model}`),
    fetch: providerFetch(send, { provider, stallMs }),
    headers: HEADERS,
  });
}

function present(value: string | undefined, otherwise: string): string {
  if (!value) throw new ModelError("unauthorized", otherwise, { retryable: false });
  return value;
}

/** A user's own account at a provider. */
export interface OwnAccount {
  /** Id of a built-in provider, or `custom/<slug>`; recorded with the usage. */
  provider: string;
  /** Display name of the provider. */
  label: string;
  apiType: ApiType;
  baseUrl: string;
  /** Whether a user entered the address, so that it may lead anywhere. */
  isForeignAddress: boolean;
  apiKey: string;
  /** Whether the key is sent as `Authorization: Bearer` although the protocol has its own header for keys. */
  isBearer: boolean;
  headers: Readonly<Record<string, string>>;
  /** The provider's name of the model. */
  model: string;
}

export interface OwnModelOptions {
  account: OwnAccount;
  /** For addresses from the installation's configuration. */
  fetch: typeof globalThis.fetch;
  /** For addresses that users entered: it cannot be led into a private network. */
  guardedFetch: typeof globalThis.fetch;
  stallMs: number;
  maxRetries: number;
}

/** Returns the model behind a user's own key, watched and retried. */
export function chooseOwnModel({ account, stallMs, maxRetries, ...ways }: OwnModelOptions): Model {
  const { provider, label, model, apiKey, isBearer, headers } = account;
  const send = account.isForeignAddress ? ways.guardedFetch : ways.fetch;
  const create = account.apiType === "anthropic" ? createAnthropicStyleModel : createOpenAiStyleModel;
  const connected = create({
    provider,
    model,
    baseURL: account.baseUrl,
    apiKey,
    isBearer,
    fetch: providerFetch(send, { provider, stallMs }),
    headers: { ...HEADERS, ...inLowerCase(headers) },
  });
  const own = withOwnKey(withCountedTokens(connected), {
    label,
    apiKey,
    headers: Object.values(headers),
  });
  return withRetries(own, { maxRetries, baseDelayMs: RETRY_BASE_DELAY_MS });
}

/** Header names are case-insensitive, but keys of an object are not. */
function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
