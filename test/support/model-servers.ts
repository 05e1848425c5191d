/** The platform's key at the scripted providers. */
export const PROVIDER_KEY = "sk-test-0123456789abcdef";

/** How a provider is spoken to, and what the platform is told so that it asks the scripted one. */
export interface ModelWire {
  name: string;
  model: string;
  variables: (origin: string) => Record<string, string>;
}

export const MODEL_WIRES: readonly ModelWire[] = [
  {
    name: "an OpenAI-compatible server",
    model: "gpt-5",
    variables: (origin) => ({ OPENAI_API_KEY: PROVIDER_KEY, OPENAI_BASE_URL: `${origin}/v1` }),
  },
  {
    name: "an Anthropic-compatible server",
    model: "claude-sonnet-4-5",
    variables: (origin) => ({ ANTHROPIC_API_KEY: PROVIDER_KEY, ANTHROPIC_BASE_URL: origin }),
  },
];
