import type { GrantSettings } from "#src/platform/oauth/grants.ts";

/** What each host needs; without a registration it offers no OAuth. */
export type HostSettings = Pick<GrantSettings, "fetch"> & {
  registration: GrantSettings["registration"] | undefined;
};
