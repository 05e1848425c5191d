/** Where the service publishes projects. */
export const HOSTING_PROVIDERS: readonly string[] = [
  "vercel",
  "netlify",
  "cloudflare",
  "heroku",
  "digitalocean",
];
