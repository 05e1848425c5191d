import { z } from "zod";
import { BASE_URL_VARIABLES, type BaseUrlVariable } from "#src/models/providers.ts";
import { THINKING_EFFORTS } from "#src/models/thinking.ts";
import { encryptionKey, httpUrl, integer, optional, text, withDefault } from "../fields.ts";

/** Models of the platform, and people's own keys. */
export const modelVariables = {
  DEFAULT_MODEL: z.string("is required").min(1, "is required"),
  OPENAI_API_KEY: text(),
  OPENAI_BASE_URL: withDefault(httpUrl, "https://api.openai.com/v1"),
  ANTHROPIC_API_KEY: text(),
  ANTHROPIC_BASE_URL: withDefault(httpUrl, "https://api.anthropic.com"),
  /** Address of the scripted `demo` model; set by the local stack only. */
  DEMO_MODEL_URL: optional(httpUrl),
  /**
   * Platform models that people may choose, comma-separated. DEFAULT_MODEL is always included; when absent, it is the
   * only one.
   */
  PLATFORM_MODELS: text(),
  /** Tiers whose teams may use their own keys, comma-separated. */
  BYOK_ENABLED_TIERS: withDefault(
    z
      .string()
      .regex(
        /^(free|basic|pro|ultra)(\s*,\s*(free|basic|pro|ultra))*$/u,
        "must be a list of free, basic, pro and ultra",
      ),
    "pro,ultra",
  ),
  /** Encrypts people's own keys; a key derived from SECRET_KEY when absent. */
  ENCRYPTION_KEY: encryptionKey(),
  /** Addresses at which people's own keys are used, instead of the provider's own address. */
  ...providerAddresses(),
  /** Reasoning effort that is requested of the agent's models; not requested when absent. */
  DEFAULT_THINKING_EFFORT: optional(
    z.enum(THINKING_EFFORTS, `must be one of ${THINKING_EFFORTS.join(", ")}, or empty`),
  ),
  MODEL_STALL_SECONDS: integer(60, 1, 600),
  MODEL_MAX_RETRIES: integer(3, 0, 10),
};

function providerAddresses() {
  const address = optional(httpUrl);
  const addresses = Object.fromEntries(BASE_URL_VARIABLES.map((name) => [name, address]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.fromEntries` loses the names of the keys
  return addresses as Record<BaseUrlVariable, typeof address>;
}
