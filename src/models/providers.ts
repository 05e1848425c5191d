/** How a server of models is spoken to: as OpenAI's chat completions, or as Anthropic's messages. */
export const API_TYPES = ["openai", "anthropic"] as const;
export type ApiType = (typeof API_TYPES)[number];

/** A provider of models that people may have a key of. */
export interface ModelProvider {
  /** First segment of the ids of its models: `<id>/<name>`. */
  id: ProviderId;
  name: string;
  description: string;
  /** Where keys are made. */
  website: string;
  baseUrl: string;
  apiType: ApiType;
}

type Entry = Omit<ModelProvider, "id" | "apiType">;

/** Addresses from each provider's API reference; the list is byok-billing-market-deploy.md section 1. */
const BUILT_IN = {
  openrouter: {
    name: "OpenRouter",
    description: "Models of many providers behind one key",
    website: "https://openrouter.ai/keys",
    baseUrl: "https://openrouter.ai/api/v1",
  },
  "nano-gpt": {
    name: "NanoGPT",
    description: "Models of many providers, paid per prompt",
    website: "https://nano-gpt.com/api",
    baseUrl: "https://nano-gpt.com/api/v1",
  },
  openai: {
    name: "OpenAI",
    description: "GPT and o-series models",
    website: "https://platform.openai.com/api-keys",
    baseUrl: "https://api.openai.com/v1",
  },
  anthropic: {
    name: "Anthropic",
    description: "Claude models",
    website: "https://console.anthropic.com/settings/keys",
    baseUrl: "https://api.anthropic.com/v1",
  },
  groq: {
    name: "Groq",
    description: "Open models on fast hardware",
    website: "https://console.groq.com/keys",
    baseUrl: "https://api.groq.com/openai/v1",
  },
  together: {
    name: "Together AI",
    description: "Open models",
    website: "https://api.together.xyz/settings/api-keys",
    baseUrl: "https://api.together.xyz/v1",
  },
  deepseek: {
    name: "DeepSeek",
    description: "DeepSeek models",
    website: "https://platform.deepseek.com/api_keys",
    baseUrl: "https://api.deepseek.com/v1",
  },
  fireworks: {
    name: "Fireworks AI",
    description: "Open models",
    website: "https://fireworks.ai/account/api-keys",
    baseUrl: "https://api.fireworks.ai/inference/v1",
  },
  "z-ai": {
    name: "Z.AI",
    description: "GLM models",
    website: "https://z.ai/manage-apikey/apikey-list",
    baseUrl: "https://api.z.ai/api/paas/v4",
  },
  google: {
    name: "Google Gemini",
    description: "Gemini models",
    website: "https://aistudio.google.com/apikey",
    // https://ai.google.dev/gemini-api/docs/openai
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
  },
} as const satisfies Record<string, Entry>;

export type ProviderId = keyof typeof BUILT_IN;

/** The built-in providers, with the installation's own addresses in place of theirs. */
export function modelProviders(
  baseUrls: Readonly<Record<ProviderId, string | undefined>>,
): readonly ModelProvider[] {
  return PROVIDER_IDS.map((id) => ({
    ...BUILT_IN[id],
    id,
    apiType: id === "anthropic" ? "anthropic" : "openai",
    baseUrl: baseUrls[id] ?? BUILT_IN[id].baseUrl,
  }));
}

const PROVIDER_IDS: readonly ProviderId[] = [
  "openrouter",
  "nano-gpt",
  "openai",
  "anthropic",
  "groq",
  "together",
  "deepseek",
  "fireworks",
  "z-ai",
  "google",
];
