import type { api } from "@agent-workspace/client";

const HOSTING_NAMES: Readonly<Record<api.Deployment["provider"], string>> = {
  vercel: "Vercel",
  netlify: "Netlify",
  cloudflare: "Cloudflare",
  heroku: "Heroku",
  digitalocean: "DigitalOcean",
};

/** What a hosting provider is called. */
export const hostingName = (provider: api.Deployment["provider"]): string => HOSTING_NAMES[provider];
