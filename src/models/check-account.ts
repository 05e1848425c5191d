import { z } from "zod";
import { decodeText } from "#src/lib/decode-text.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { readAtMost } from "#src/lib/read-at-most.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import { toError as toAnthropicError } from "./anthropic-style/to-error.ts";
import type { OwnAccount } from "./choose.ts";
import { ModelError } from "./model.ts";
import { toError as toOpenAiError } from "./openai-style/to-error.ts";
import { withoutOwnSecrets } from "./own-key.ts";
import { badResponse, connectionFailure } from "./provider-failure.ts";
import { providerFetch } from "./provider-fetch.ts";
import type { ModelProvider } from "./providers.ts";
import { refusedFetch } from "./refused-fetch.ts";

/** A user's own account, and how its key can be checked. */
export interface AccountToCheck
  extends Omit<OwnAccount, "model">, Pick<ModelProvider, "keyPath" | "isListOpen"> {}

export interface AccountCheck {
  /** `unknown` when the provider does not answer, or its answer does not tell. */
  outcome: "works" | "refused" | "unknown";
  /** For the person; without the key. */
  sentence: string;
  /** The provider's names of its models; empty if it did not list them. */
  models: string[];
}

/** How long a person waits for the provider, in milliseconds. */
const PATIENCE_MS = 15_000;
/** OpenRouter's list, with hundreds of models and their descriptions, has less than one MiB. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const MOST_MODELS = 1_000;

/**
 * Asks a provider whether it takes a key, by calls that cost nothing: for the list of models, or for the key itself
 * where everyone may read that list. Never throws for what the provider does.
 */
export async function checkAccount(
  account: AccountToCheck,
  ways: { fetch: typeof globalThis.fetch; guardedFetch: typeof globalThis.fetch },
): Promise<AccountCheck> {
  const { label, keyPath, isListOpen = false } = account;
  using limit = timeLimit(PATIENCE_MS);
  const provider = { ask: providerOf(account, ways), signal: limit.signal };
  try {
    if (keyPath !== undefined) await provider.ask(keyPath, provider.signal);
    const models = await listModels(account, provider);
    if (isListOpen && keyPath === undefined) {
      const reason = `${label} shows its models to everyone, whatever the key`;
      return { outcome: "unknown", sentence: unchecked(reason), models };
    }
    const offer = models.length === 1 ? "1 model" : `${models.length.toLocaleString("en")} models`;
    return { outcome: "works", sentence: `This key works: ${label} offers ${offer}.`, models };
  } catch (error) {
    const { outcome, sentence } = verdictOf(failureOf(error, account, provider.signal));
    const secrets = { apiKey: account.apiKey, headers: Object.values(account.headers) };
    return { outcome, sentence: withoutOwnSecrets(sentence, secrets), models: [] };
  }
}

type Ask = (path: string, signal: AbortSignal) => Promise<string>;

/** Sends a GET to the account's provider and returns the body; throws an error response as a `ModelError`. */
function providerOf(
  { label, apiType, baseUrl, isForeignAddress, apiKey, isBearer, headers }: AccountToCheck,
  ways: { fetch: typeof globalThis.fetch; guardedFetch: typeof globalThis.fetch },
): Ask {
  const origin = { provider: label, apiKey };
  const toError = apiType === "anthropic" ? toAnthropicError : toOpenAiError;
  const send = providerFetch(isForeignAddress ? ways.guardedFetch : ways.fetch, {
    provider: label,
    stallMs: PATIENCE_MS,
  });
  const ask = refusedFetch(send, (answer) => {
    const error = toError(origin, answer);
    // Gemini refuses a wrong key with 400, and nothing else of these calls can be wrong.
    return answer.status === 400
      ? new ModelError("unauthorized", error.message, { retryable: false })
      : error;
  });
  const sent = new Headers({ accept: "application/json", "user-agent": USER_AGENT });
  if (apiType === "anthropic") sent.set("anthropic-version", "2023-06-01");
  if (apiType === "anthropic" && !isBearer) sent.set("x-api-key", apiKey);
  else sent.set("authorization", `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  return async (path, signal) => {
    const response = await ask(`${baseUrl.replace(/\/+$/u, "")}${path}`, { headers: sent, signal });
    const bytes = await readAtMost(response.body, MAX_LIST_BYTES);
    if (!bytes) throw badResponse(origin, "sent an answer that is too large");
    return decodeText(bytes) ?? "";
  };
}

const Listed = z.object({ id: z.string().min(1).max(200) });
/** OpenAI's and Anthropic's form, or the bare list of Together AI. */
const List = z.union([z.object({ data: z.array(z.unknown()) }), z.array(z.unknown())]);

async function listModels(
  { label, apiKey, apiType, baseUrl }: AccountToCheck,
  { ask, signal }: { ask: Ask; signal: AbortSignal },
): Promise<string[]> {
  // Anthropic's base address may be without the version, and its pages have 20 models by themselves.
  const version = apiType === "anthropic" && !/\/v1\/?$/u.test(baseUrl) ? "/v1" : "";
  const query = apiType === "anthropic" ? `?limit=${MOST_MODELS}` : "";
  const list = safeParseJson(await ask(`${version}/models${query}`, signal), List)?.value;
  if (!list) throw badResponse({ provider: label, apiKey }, "did not answer with a list of models");
  return (Array.isArray(list) ? list : list.data)
    .flatMap((each) => Listed.safeParse(each).data?.id ?? [])
    .map((id) => id.replace(/^models\//u, ""))
    .slice(0, MOST_MODELS);
}

function failureOf(error: unknown, { label, apiKey }: AccountToCheck, signal: AbortSignal): ModelError {
  if (error instanceof ModelError) return error;
  const origin = { provider: label, apiKey };
  return signal.aborted
    ? badResponse(origin, `did not answer within ${PATIENCE_MS / 1000} s`, error)
    : connectionFailure(origin, error);
}

/** A key that may not read the list of models may still call them, so 403 says nothing. */
function verdictOf(error: ModelError): Pick<AccountCheck, "outcome" | "sentence"> {
  const { code } = error;
  const message = error.message.replace(/\.$/u, "");
  if (code === "unauthorized") {
    const sentence = `This key does not work: ${message}. Check that it was copied whole and is not revoked.`;
    return { outcome: "refused", sentence };
  }
  if (code === "quota_exhausted") {
    return { outcome: "refused", sentence: `This key does not work yet: ${message}.` };
  }
  return { outcome: "unknown", sentence: unchecked(message) };
}

const unchecked = (reason: string) => `This key could not be checked: ${reason}. Its first use will tell.`;
