import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { brave } from "./brave.ts";
import type { ProviderAccount, ProviderRequest, SearchProvider } from "./provider.ts";
import { tavily } from "./tavily.ts";
import type { WebSearch } from "./web-search.ts";
import { readAtMost } from "#src/lib/read-at-most.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";

const MAX_BYTES = 2 * 1024 * 1024;

export interface WebSearchConfig {
  provider: "tavily" | "brave";
  /** Providers without a key are not configured. */
  accounts: Record<
    WebSearchConfig["provider"],
    Omit<ProviderAccount, "apiKey"> & { apiKey: string | undefined }
  >;
  defaultResults: number;
  timeoutMs: number;
}

/** Creates the configured search engine; `undefined` without its key. */
export function createWebSearch(config: WebSearchConfig): WebSearch | undefined {
  const { apiKey, baseUrl } = config.accounts[config.provider];
  if (apiKey === undefined) return undefined;
  const account = { apiKey, baseUrl };
  return config.provider === "brave"
    ? searchWith(brave(account), config)
    : searchWith(tavily(account), config);
}

function searchWith<Answer>(
  provider: SearchProvider<Answer>,
  { defaultResults, timeoutMs }: Pick<WebSearchConfig, "defaultResults" | "timeoutMs">,
): WebSearch {
  const { label } = provider;
  return {
    defaultResults,
    async search(query, maxResults) {
      const { status, text } = await ask(label, provider.request(query, maxResults), timeoutMs);
      const answer = status === 200 ? safeParseJson(text, provider.answer) : undefined;
      if (!answer) throw refusal(label, status);
      return provider.hits(answer.value).slice(0, maxResults);
    },
  };
}

/**
 * The address is the operator's, not a user's, so it may lie in a private network. Redirects are returned, not
 * followed, so that the key is sent nowhere else. Errors contain neither the address nor the key.
 */
async function ask(
  label: string,
  { url, ...request }: ProviderRequest,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  using limit = timeLimit(timeoutMs);
  const { signal } = limit;
  const headers = { "user-agent": USER_AGENT, ...request.headers };
  try {
    const response = await fetch(url, { ...request, headers, redirect: "manual", signal });
    return { status: response.status, text: await readText(response) };
  } catch {
    const what = signal.aborted ? "did not answer in time" : "could not be reached";
    throw new AppError("unavailable", `The web search (${label}) ${what}`);
  }
}

async function readText(response: Response): Promise<string> {
  const bytes = await readAtMost(response.body, MAX_BYTES);
  if (!bytes) throw new Error("The response is too large for a search");
  return new TextDecoder().decode(bytes);
}

/**
 * Tavily returns 432 and 433 when a plan is used up:
 * https://help.tavily.com/articles/8645538886-understanding-http-errors
 */
const QUOTA: ReadonlySet<number> = new Set([402, 429, 432, 433]);

function refusal(label: string, status: number): AppError {
  if (QUOTA.has(status)) return new AppError("rate_limited", `The web search (${label}) is used up for now`);
  const what =
    status === 401 || status === 403 ? "refused the service's key" : `answered ${status}, not results`;
  return new AppError("unavailable", `The web search (${label}) ${what}`);
}
