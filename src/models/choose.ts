import { createAnthropicStyleModel } from "./anthropic-style/index.ts";
import { withIdleWatchdog } from "./idle-watchdog.ts";
import { ModelError, type Model } from "./model.ts";
import { createOpenAiStyleModel } from "./openai-style/index.ts";
import { withRetries } from "./with-retries.ts";

/** The platform's own accounts with the vendors. */
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

/**
 * The model behind a platform model's name, watched and retried: `claude-…` at Anthropic, `demo` at the local stack,
 * any other at the OpenAI-style server. Throws `unauthorized` when the platform holds no account for it.
 */
export function choosePlatformModel(options: PlatformModelOptions): Model {
  const { accounts, stallMs, maxRetries } = options;
  const model = options.name.replace(/^builtin\//u, "");
  const fetch = withIdleWatchdog(options.fetch, { stallMs });
  return withRetries(connect(model, accounts, fetch), { maxRetries, baseDelayMs: RETRY_BASE_DELAY_MS });
}

function connect(model: string, accounts: PlatformAccounts, fetch: typeof globalThis.fetch): Model {
  if (model === "demo") {
    const baseURL = present(accounts.demoURL, "There is no demo model here");
    return createOpenAiStyleModel({ provider: "demo", model, baseURL, apiKey: "demo", fetch });
  }
  const provider = model.startsWith("claude-") ? "anthropic" : "openai";
  const { baseURL, apiKey } = accounts[provider];
  const create = provider === "anthropic" ? createAnthropicStyleModel : createOpenAiStyleModel;
  return create({
    provider,
    model,
    baseURL,
    apiKey: present(apiKey, `No API key of ${provider} is configured for the model ${model}`),
    fetch,
  });
}

function present(value: string | undefined, otherwise: string): string {
  if (!value) throw new ModelError("unauthorized", otherwise, { retryable: false });
  return value;
}
