import { z } from "zod";

/** Providers with OAuth for this. The group is needed because the router anchors the pattern with `^` and `$`. */
export const PROVIDER = ":hosting_provider{(?:vercel|netlify|heroku|digitalocean)}";

export const ProviderParams = z.object({
  hosting_provider: z.enum(["vercel", "netlify", "heroku", "digitalocean"]),
});

/** Not the cookie of a git host, so that both can be connected at the same time. */
export const COOKIE = "deploy_oauth_state";
