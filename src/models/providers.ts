/** API of a model server: OpenAI's chat completions, or Anthropic's messages. */
export const API_TYPES = ["openai", "anthropic"] as const;
export type ApiType = (typeof API_TYPES)[number];

interface Entry {
  /** First segment of the ids of its models: `<id>/<name>`. */
  id: string;
  name: string;
  description: string;
  /** Page on which users create keys. */
  website: string;
  baseUrl: string;
  /** Environment variable that overrides `baseUrl`. */
  baseUrlVariable: `${string}_API_BASE`;
  apiType: ApiType;
  /** Path that answers about the key itself, below `baseUrl`. */
  keyPath?: string;
  /** Whether everyone may read the list of models, so that it says nothing about a key. */
  isListOpen?: boolean;
  /** Headers of each request, besides those of the API. */
  headers?: (appUrl: string) => Record<string, string>;
}

/**
 * The model providers for which users may have keys; this is the only list. Addresses are from each provider's API
 * reference; clients show them in this order.
 */
const PROVIDERS = [
  {
    id: "openrouter",
    name: "OpenRouter",
    description: "Models of many providers behind one key",
    website: "https://openrouter.ai/keys",
    baseUrl: "https://openrouter.ai/api/v1",
    baseUrlVariable: "OPENROUTER_API_BASE",
    apiType: "openai",
    // https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key
    keyPath: "/key",
    isListOpen: true,
    // https://openrouter.ai/docs/app-attribution
    headers: (appUrl: string) => ({ "HTTP-Referer": appUrl, "X-Title": "Agent Workspace Service" }),
  },
  {
    id: "nano-gpt",
    name: "NanoGPT",
    description: "Models of many providers, paid per prompt",
    website: "https://nano-gpt.com/api",
    baseUrl: "https://nano-gpt.com/api/v1",
    baseUrlVariable: "NANO_GPT_API_BASE",
    apiType: "openai",
    isListOpen: true,
  },
  {
    id: "openai",
    name: "OpenAI",
    description: "GPT and o-series models",
    website: "https://platform.openai.com/api-keys",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_API_BASE",
    apiType: "openai",
  },
  {
    id: "anthropic",
    name: "Anthropic",
    description: "Claude models",
    website: "https://console.anthropic.com/settings/keys",
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlVariable: "ANTHROPIC_API_BASE",
    apiType: "anthropic",
  },
  {
    id: "groq",
    name: "Groq",
    description: "Open models on fast hardware",
    website: "https://console.groq.com/keys",
    baseUrl: "https://api.groq.com/openai/v1",
    baseUrlVariable: "GROQ_API_BASE",
    apiType: "openai",
  },
  {
    id: "together",
    name: "Together AI",
    description: "Open models",
    website: "https://api.together.xyz/settings/api-keys",
    baseUrl: "https://api.together.xyz/v1",
    baseUrlVariable: "TOGETHER_API_BASE",
    apiType: "openai",
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    description: "DeepSeek models",
    website: "https://platform.deepseek.com/api_keys",
    baseUrl: "https://api.deepseek.com/v1",
    baseUrlVariable: "DEEPSEEK_API_BASE",
    apiType: "openai",
  },
  {
    id: "fireworks",
    name: "Fireworks AI",
    description: "Open models",
    website: "https://fireworks.ai/account/api-keys",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    baseUrlVariable: "FIREWORKS_API_BASE",
    apiType: "openai",
  },
  {
    id: "z-ai",
    name: "Z.AI",
    description: "GLM models",
    website: "https://z.ai/manage-apikey/apikey-list",
    baseUrl: "https://api.z.ai/api/paas/v4",
    baseUrlVariable: "Z_AI_API_BASE",
    apiType: "openai",
  },
  {
    id: "google",
    name: "Google Gemini",
    description: "Gemini models",
    website: "https://aistudio.google.com/apikey",
    // https://ai.google.dev/gemini-api/docs/openai
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    baseUrlVariable: "GOOGLE_API_BASE",
    apiType: "openai",
  },
] as const satisfies readonly Entry[];

/** A provider with the installation's settings. */
export type ModelProvider = Omit<Entry, "baseUrlVariable" | "headers"> & { headers: Record<string, string> };

export type BaseUrlVariable = (typeof PROVIDERS)[number]["baseUrlVariable"];

/** Names of the variables that override the providers' addresses. */
export const BASE_URL_VARIABLES: readonly BaseUrlVariable[] = PROVIDERS.map(
  ({ baseUrlVariable }) => baseUrlVariable,
);

/** Returns the providers, with the installation's own addresses. */
export function modelProviders(
  env: Readonly<Partial<Record<BaseUrlVariable, string | undefined>>>,
  appUrl: string,
): readonly ModelProvider[] {
  return PROVIDERS.map(({ baseUrlVariable, headers, ...provider }: (typeof PROVIDERS)[number] & Entry) => ({
    ...provider,
    baseUrl: env[baseUrlVariable] ?? provider.baseUrl,
    headers: headers?.(appUrl) ?? {},
  }));
}
