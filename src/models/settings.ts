import { modelProviders, type BaseUrlVariable, type ModelProvider } from "./providers.ts";

/** Settings of models from the configuration. */
export interface ModelSettings {
  /** Names of the platform's models, without `builtin/`; the first is the default one. */
  platformModels: readonly string[];
  /** Built-in providers for which users may have keys. */
  providers: readonly ModelProvider[];
  /** Tiers of teams that may use their own keys. */
  byokTiers: readonly string[];
}

interface Variables extends Partial<Record<BaseUrlVariable, string | undefined>> {
  DEFAULT_MODEL: string;
  PLATFORM_MODELS?: string | undefined;
  BYOK_ENABLED_TIERS: string;
  PUBLIC_URL: string;
}

/** By default teams of the tiers Pro and Ultra may use their own keys. */
export function modelSettings(env: Variables): ModelSettings {
  const named = [bareName(env.DEFAULT_MODEL), ...namesIn(env.PLATFORM_MODELS ?? "")];
  return {
    platformModels: [...new Set(named)],
    byokTiers: listOf(env.BYOK_ENABLED_TIERS),
    providers: modelProviders(env, env.PUBLIC_URL),
  };
}

/** The scripted model of the local stack. It is free, and available wherever its server runs. */
export const DEMO_MODEL = "demo";

/** Ids that always belong to the platform, as a regular expression valid in JavaScript and in Postgres. */
export const PLATFORM_ID = "^builtin/|^[^/]*$";

/**
 * Whether an id is one of the platform's, which then pays for the calls; all others use a user's own key. A name in
 * `PLATFORM_MODELS` may contain a slash: the platform's account may be at an aggregator.
 */
export function isPlatformId(id: string, platformModels: readonly string[]): boolean {
  return new RegExp(PLATFORM_ID, "u").test(id) || platformModels.includes(id);
}

/** Returns a platform model's name without the prefix that clients write before it. */
export function bareName(id: string): string {
  return id.replace(/^builtin\//u, "");
}

/** Parses a list of platform models, such as `PLATFORM_MODELS`. */
export function namesIn(list: string): string[] {
  return listOf(list).map(bareName);
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
