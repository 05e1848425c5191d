import { HOSTING_API_BASES } from "#src/configuration/variables/hosting.ts";
import type { Env } from "#src/env.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { HostingName } from "./hosting.ts";
import type { HostingOptions } from "./index.ts";

/** Time limit of one request to a hosting provider. */
const HOSTING_TIMEOUT_MS = 20_000;

const provider = (name: HostingName, configured: string) => {
  const apiBase = withoutSlash(configured);
  return { apiBase, isConfigured: apiBase !== HOSTING_API_BASES[name] };
};

/** The hosting providers as an installation is configured. */
export function hostingOptions(env: Env): Omit<HostingOptions, "safeFetch"> {
  const callback = (name: HostingName) =>
    `${withoutSlash(env.PUBLIC_URL)}/api/deployment-oauth/${name}/callback`;
  return {
    providers: {
      vercel: provider("vercel", env.VERCEL_API_BASE),
      netlify: provider("netlify", env.NETLIFY_API_BASE),
      cloudflare: provider("cloudflare", env.CLOUDFLARE_API_BASE),
      heroku: provider("heroku", env.HEROKU_API_BASE),
      digitalocean: provider("digitalocean", env.DIGITALOCEAN_API_BASE),
    },
    oauth: {
      vercel: {
        clientId: env.VERCEL_CLIENT_ID,
        clientSecret: env.VERCEL_CLIENT_SECRET,
        redirectUri: env.VERCEL_OAUTH_REDIRECT_URI ?? callback("vercel"),
        oauthBase: withoutSlash(env.VERCEL_OAUTH_BASE_URL),
      },
      netlify: {
        clientId: env.NETLIFY_CLIENT_ID,
        clientSecret: env.NETLIFY_CLIENT_SECRET,
        redirectUri: env.NETLIFY_OAUTH_REDIRECT_URI ?? callback("netlify"),
        oauthBase: withoutSlash(env.NETLIFY_OAUTH_BASE_URL),
      },
      heroku: {
        clientId: env.HEROKU_CLIENT_ID,
        clientSecret: env.HEROKU_CLIENT_SECRET,
        redirectUri: env.HEROKU_OAUTH_REDIRECT_URI ?? callback("heroku"),
        oauthBase: withoutSlash(env.HEROKU_OAUTH_BASE_URL),
      },
      digitalocean: {
        clientId: env.DIGITALOCEAN_CLIENT_ID,
        clientSecret: env.DIGITALOCEAN_CLIENT_SECRET,
        redirectUri: env.DIGITALOCEAN_OAUTH_REDIRECT_URI ?? callback("digitalocean"),
        oauthBase: withoutSlash(env.DIGITALOCEAN_OAUTH_BASE_URL),
      },
    },
    standinUrl: env.HOSTING_STANDIN_URL === undefined ? undefined : withoutSlash(env.HOSTING_STANDIN_URL),
    timeoutMs: HOSTING_TIMEOUT_MS,
    production: env.ENVIRONMENT === "production",
  };
}
