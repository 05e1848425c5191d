/** The hosting providers that the stand-in stands for. */
export const PROVIDERS = ["vercel", "netlify", "cloudflare", "heroku", "digitalocean"] as const;
export type Provider = (typeof PROVIDERS)[number];
