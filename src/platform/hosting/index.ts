import type { Registration } from "#src/platform/oauth/code-flow.ts";
import { createProviderFetch } from "#src/platform/oauth/provider-fetch.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { Endpoint, EndpointOf } from "./api.ts";
import { createBudget, type Budget } from "./budget.ts";
import { createCloudflare } from "./cloudflare/index.ts";
import { createDigitalOcean } from "./digitalocean/index.ts";
import { HostingFailure } from "./failure.ts";
import { createHeroku } from "./heroku.ts";
import type { Hosting, HostingAccess, HostingName, HostingProvider } from "./hosting.ts";
import { createNetlify } from "./netlify.ts";
import { createHostingOAuth, type OAuthName } from "./oauth.ts";
import { createVercel } from "./vercel.ts";

export interface HostingOptions {
  /** Addresses have no trailing slash. */
  providers: Readonly<
    Record<
      HostingName,
      { apiBase: string; /** Whether the operator chose the address. */ isConfigured: boolean }
    >
  >;
  oauth: Readonly<
    Record<
      OAuthName,
      { [Field in keyof Registration]: Registration[Field] | undefined } & {
        oauthBase: string;
        redirectUri: string;
      }
    >
  >;
  /** Address of the stand-in, without a trailing slash. */
  standinUrl: string | undefined;
  /** For addresses that a provider names. */
  safeFetch: SafeFetch;
  /** Time limit of a request. */
  timeoutMs: number;
  production: boolean;
  fetch?: typeof fetch;
}

const LABELS: Readonly<Record<HostingName, string>> = {
  vercel: "Vercel",
  netlify: "Netlify",
  cloudflare: "Cloudflare",
  heroku: "Heroku",
  digitalocean: "DigitalOcean",
};

/** Where the stand-in serves each provider's API. */
const STANDIN_APIS: Readonly<Record<HostingName, string>> = {
  vercel: "/vercel",
  netlify: "/netlify/api/v1",
  cloudflare: "/cloudflare/client/v4",
  heroku: "/heroku",
  digitalocean: "/digitalocean",
};

/** Tokens that begin so belong to the stand-in. */
const STANDIN_TOKEN = "standin_";
const STANDIN_CLIENT = { clientId: "standin", clientSecret: "standin" };
/** Requests for the name of an account. */
const ACCOUNT_REQUESTS = 3;

/**
 * The hosting providers of an installation. Plain http is used only where an address is configured so, and never in production.
 */
export function createHosting(options: HostingOptions): Hosting {
  const { standinUrl, providers, timeoutMs, production, safeFetch } = options;

  const fetchFor = (...addresses: string[]) =>
    createProviderFetch({
      timeoutMs,
      allowHttp: !production && addresses.some((address) => address.startsWith("http:")),
      ...(options.fetch && { fetch: options.fetch }),
    });

  /** Each address with its own fetch, made once. */
  const places = (name: HostingName) => {
    const placed = (baseUrl: string) => ({
      label: LABELS[name],
      baseUrl,
      fetch: fetchFor(baseUrl),
      safeFetch,
      timeoutMs,
    });
    return {
      provider: placed(providers[name].apiBase),
      standin: standinUrl === undefined ? undefined : placed(standinUrl + STANDIN_APIS[name]),
    };
  };
  const placesOf: Readonly<Record<HostingName, ReturnType<typeof places>>> = {
    vercel: places("vercel"),
    netlify: places("netlify"),
    cloudflare: places("cloudflare"),
    heroku: places("heroku"),
    digitalocean: places("digitalocean"),
  };

  const endpointsOf =
    (name: HostingName, budget: Budget): EndpointOf =>
    ({ isStandin }): Endpoint => {
      const { provider, standin } = placesOf[name];
      if (!isStandin) return { ...provider, budget };
      if (standin) return { ...standin, budget };
      throw new HostingFailure(
        "unauthorized",
        `This credential of ${LABELS[name]} belongs to the stand-in of \`npm start\`, which does not run here`,
      );
    };

  const workersSite = ({ isStandin }: HostingAccess, script: string, subdomain: string) =>
    isStandin ? standinSite(standinUrl, script) : `https://${script}.${subdomain}.workers.dev/`;

  const client = (name: HostingName, budget: Budget): HostingProvider => {
    const endpointOf = endpointsOf(name, budget);
    const clients: Record<HostingName, () => HostingProvider> = {
      vercel: () => createVercel(endpointOf),
      netlify: () => createNetlify(endpointOf),
      cloudflare: () => createCloudflare(endpointOf, workersSite),
      heroku: () => createHeroku(endpointOf),
      digitalocean: () => createDigitalOcean(endpointOf),
    };
    return clients[name]();
  };

  const provider: Hosting["provider"] = (name, { requests }) => {
    const budget = createBudget(requests);
    return { ...client(name, budget), budget };
  };

  return {
    provider,
    oauth(name) {
      if (name === "cloudflare") return undefined;
      const { clientId, clientSecret, redirectUri, oauthBase } = options.oauth[name];
      const isStandin = !clientId || !clientSecret;
      if (isStandin && standinUrl === undefined) return undefined;
      const bases = isStandin
        ? { oauthBase: `${standinUrl}/${name}`, apiBase: standinUrl + STANDIN_APIS[name] }
        : { oauthBase, apiBase: providers[name].apiBase };
      return createHostingOAuth(name, {
        label: LABELS[name],
        ...bases,
        registration: { redirectUri, ...(isStandin ? STANDIN_CLIENT : { clientId, clientSecret }) },
        isStandin,
        fetch: fetchFor(bases.oauthBase, bases.apiBase),
        accountName: (access) =>
          provider(name, { requests: ACCOUNT_REQUESTS })
            .account(access)
            .then(
              (account) => account.name,
              () => undefined,
            ),
      });
    },
    placeOf(name, token) {
      if (!token.startsWith(STANDIN_TOKEN) || providers[name].isConfigured) return "provider";
      return standinUrl === undefined ? "refused" : "standin";
    },
  };
}

/** Where the stand-in serves a site. */
function standinSite(standinUrl: string | undefined, name: string): string {
  return `http://${name}.localhost:${new URL(standinUrl ?? "").port}/`;
}
