import type { Hosting, HostingName } from "#src/platform/hosting/hosting.ts";
import { HOSTING_FACTS, HOSTING_NAMES, type HostingFacts } from "./provider-facts.ts";

export interface ListedProvider extends HostingFacts {
  name: HostingName;
  /** Whether accounts can be connected by OAuth; a token can always be entered. */
  hasOAuth: boolean;
}

/** Every provider, with what a person enters to connect. */
export function listProviders({ hosting }: { hosting: Pick<Hosting, "oauth"> }): ListedProvider[] {
  return HOSTING_NAMES.map((name) => ({
    name,
    hasOAuth: hosting.oauth(name) !== undefined,
    ...HOSTING_FACTS[name],
  }));
}
