import { createLog } from "#src/platform/log/log.ts";
import { HostingFailure } from "#src/platform/hosting/failure.ts";
import type { Hosting, HostingAccess, HostingGrant, HostingName } from "#src/platform/hosting/hosting.ts";
import type { OAuthFlow } from "#src/platform/oauth/provider.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { createOAuthStates } from "#src/platform/tokens/oauth-states.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";

const SECRET_KEY = "a-secret-key-for-tests-of-32-characters";

const account = async ({ token, metadata }: HostingAccess) => {
  if (token.startsWith("bad-")) throw new HostingFailure("unauthorized", "Vercel refuses the token");
  return { id: metadata["team_id"] ?? "account-1", name: "Ada" };
};

/** Providers that admit every token but `bad-…`, and an OAuth app that grants what the test says. */
export function hostingDouble() {
  const seen = { exchanges: [] as [URLSearchParams, OAuthFlow][], refreshes: [] as string[] };
  const behaviour = {
    /** What the provider grants; a refusal where it throws. */
    grant: (): HostingGrant => ({
      accessToken: `granted-${crypto.randomUUID()}`,
      refreshToken: null,
      expiresAt: null,
      metadata: {},
    }),
    /** Until when a refresh takes. */
    refreshed: Promise.resolve(),
    isStandin: false,
    hasApp: true,
  };
  const oauth = {
    get isStandin() {
      return behaviour.isStandin;
    },
    authorizationUrl: async ({ state }: OAuthFlow) => `https://provider.test/authorize?state=${state}`,
    exchange: async (callback: URLSearchParams, flow: OAuthFlow) => {
      seen.exchanges.push([callback, flow]);
      if (callback.get("code") !== "good") throw new Error("invalid_grant");
      return behaviour.grant();
    },
    refresh: async (refreshToken: string) => {
      seen.refreshes.push(refreshToken);
      await behaviour.refreshed;
      return behaviour.grant();
    },
  };
  const hosting = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Of a provider only its account is asked for.
    provider: () => ({ account }) as unknown as ReturnType<Hosting["provider"]>,
    oauth: (name: HostingName) => (behaviour.hasApp && name !== "cloudflare" ? oauth : undefined),
    placeOf: (_: HostingName, token: string) => {
      if (token.startsWith("refused_")) return "refused";
      return token.startsWith("standin_") ? "standin" : "provider";
    },
  } satisfies Hosting;
  return { hosting, behaviour, seen };
}

/** What the functions of the area take, on a database. */
export function credentialDeps(db: Db, hosting: Hosting) {
  return {
    db,
    hosting,
    config: DEFAULT_CEILINGS,
    deploymentSecrets: createSecrets(SECRET_KEY),
    secrets: createSecrets(SECRET_KEY),
    oauthStates: createOAuthStates({ secret: SECRET_KEY }),
    log: createLog(),
  };
}
