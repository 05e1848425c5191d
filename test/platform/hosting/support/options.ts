import type { HostingOptions } from "#src/platform/hosting/index.ts";
import { PUBLIC_URL } from "#test/stand-ins/support/hosting.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";

/** Below the address of the service that the stand-in leads back to. */
export const REDIRECT_URI = `${PUBLIC_URL}/api/deployment-oauth/any/callback`;

/** The providers of an installation whose addresses lead nowhere, but for the stand-in's. */
export function testOptions(given: {
  standinUrl?: string;
  isConfigured?: boolean;
  oauth?: { clientId: string; clientSecret: string; oauthBase: string };
  apiBase?: string;
  timeoutMs?: number;
}): HostingOptions {
  const provider = (name: string) => ({
    apiBase: given.apiBase ?? `https://${name}.invalid`,
    isConfigured: given.isConfigured ?? false,
  });
  const app = {
    clientId: undefined,
    clientSecret: undefined,
    oauthBase: "https://consent.invalid",
    redirectUri: REDIRECT_URI,
    ...given.oauth,
  };
  return {
    providers: {
      vercel: provider("vercel"),
      netlify: provider("netlify"),
      cloudflare: provider("cloudflare"),
      heroku: provider("heroku"),
      digitalocean: provider("digitalocean"),
    },
    oauth: { vercel: app, netlify: app, heroku: app, digitalocean: app },
    standinUrl: given.standinUrl,
    safeFetch: createSafeFetch({ allowPrivate: true, allowedOrigins: [] }),
    timeoutMs: given.timeoutMs ?? 60_000,
    production: false,
  };
}
