import { modelProviders, type BaseUrlVariable, type ModelProvider } from "./providers.ts";

/** What the configuration says of models. */
export interface ModelSettings {
  /** Names of the platform's models, without `builtin/`; the first is the default one. */
  platformModels: readonly string[];
  /** Built-in providers that people may have keys of. */
  providers: readonly ModelProvider[];
  /** Tiers of teams that may work with keys of their own. */
  byokTiers: readonly string[];
}

interface Variables extends Partial<Record<BaseUrlVariable, string | undefined>> {
  DEFAULT_MODEL: string;
  PLATFORM_MODELS?: string | undefined;
  BYOK_ENABLED_TIERS: string;
  PUBLIC_URL: string;
}

/** Source of the default: interface.md, Ownership and authentication (own keys are for Pro and Ultra). */
export function modelSettings(env: Variables): ModelSettings {
  const named = [bareName(env.DEFAULT_MODEL), ...namesIn(env.PLATFORM_MODELS ?? "")];
  return {
    platformModels: [...new Set(named)],
    byokTiers: listOf(env.BYOK_ENABLED_TIERS),
    providers: modelProviders(env, env.PUBLIC_URL),
  };
}

/** The scripted model of the local stack. It costs nothing, and it is there wherever its server is. */
export const DEMO_MODEL = "demo";

/** Ids that are the platform's whatever it is set up with, as a regular expression of JavaScript and of Postgres alike. */
export const PLATFORM_ID = "^builtin/|^[^/]*$";

/**
 * Whether an id is one of the platform's, for whose calls it pays; all others run on a person's own key. A name of
 * `PLATFORM_MODELS` may have a slash: the platform's account may be one with an aggregator.
 */
export function isPlatformId(id: string, platformModels: readonly string[]): boolean {
  return new RegExp(PLATFORM_ID, "u").test(id) || platformModels.includes(id);
}

/** A platform model's name without the prefix that clients write before it. */
export function bareName(id: string): string {
  return id.replace(/^builtin\//u, "");
}

/** The platform models of a list as `PLATFORM_MODELS` is one. */
export function namesIn(list: string): string[] {
  return listOf(list).map(bareName);
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
