import { z } from "zod";
import { flag, httpUrl, integer, optional, text, withDefault } from "../fields.ts";

/** Addresses of the providers' APIs, unless the operator chooses others. */
export const HOSTING_API_BASES = {
  vercel: "https://api.vercel.com",
  netlify: "https://api.netlify.com/api/v1",
  cloudflare: "https://api.cloudflare.com/client/v4",
  heroku: "https://api.heroku.com",
  digitalocean: "https://api.digitalocean.com",
} as const;

/** Deployments to hosting providers. */
export const hostingVariables = {
  VERCEL_API_BASE: withDefault(httpUrl, HOSTING_API_BASES.vercel),
  NETLIFY_API_BASE: withDefault(httpUrl, HOSTING_API_BASES.netlify),
  CLOUDFLARE_API_BASE: withDefault(httpUrl, HOSTING_API_BASES.cloudflare),
  HEROKU_API_BASE: withDefault(httpUrl, HOSTING_API_BASES.heroku),
  DIGITALOCEAN_API_BASE: withDefault(httpUrl, HOSTING_API_BASES.digitalocean),
  /** OAuth apps. Without a client id people connect with a token. */
  VERCEL_CLIENT_ID: text(),
  VERCEL_CLIENT_SECRET: text(),
  VERCEL_OAUTH_REDIRECT_URI: optional(httpUrl),
  VERCEL_OAUTH_BASE_URL: withDefault(httpUrl, "https://vercel.com"),
  NETLIFY_CLIENT_ID: text(),
  NETLIFY_CLIENT_SECRET: text(),
  NETLIFY_OAUTH_REDIRECT_URI: optional(httpUrl),
  NETLIFY_OAUTH_BASE_URL: withDefault(httpUrl, "https://app.netlify.com"),
  HEROKU_CLIENT_ID: text(),
  HEROKU_CLIENT_SECRET: text(),
  HEROKU_OAUTH_REDIRECT_URI: optional(httpUrl),
  HEROKU_OAUTH_BASE_URL: withDefault(httpUrl, "https://id.heroku.com"),
  DIGITALOCEAN_CLIENT_ID: text(),
  DIGITALOCEAN_CLIENT_SECRET: text(),
  DIGITALOCEAN_OAUTH_REDIRECT_URI: optional(httpUrl),
  DIGITALOCEAN_OAUTH_BASE_URL: withDefault(httpUrl, "https://cloud.digitalocean.com"),
  /** Seconds that a provider may take to publish. */
  DEPLOYMENT_TIMEOUT: integer(600, 10, 3600),
  DEPLOYMENT_BUILD_TIMEOUT_SECONDS: integer(300, 5, 780),
  /** Interval in seconds at which a provider is asked for the state of a deployment. */
  DEPLOYMENT_POLL_SECONDS: integer(5, 1, 60),
  /** Output directory of a build that names none. */
  DEPLOYMENT_BUILD_DIR: withDefault(z.string().max(500), "dist"),
  /** Limits of what is sent to a provider. */
  DEPLOYMENT_MAX_FILES: integer(20_000, 1, 100_000),
  DEPLOYMENT_MAX_FILE_MB: integer(25, 1, 64),
  DEPLOYMENT_MAX_TOTAL_MB: integer(500, 1, 5_000),
  /** Deployments of a site whose files are kept, to go back to. */
  DEPLOYMENTS_KEPT: integer(5, 1, 100),
  /** Whether `npm start` runs a stand-in for the providers, to which tokens that begin `standin_` belong. */
  HOSTING_STANDIN: flag(false),
  /** Address of the stand-in; set by the local stack only. */
  HOSTING_STANDIN_URL: optional(httpUrl),
};
