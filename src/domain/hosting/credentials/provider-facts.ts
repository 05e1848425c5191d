import { AppError } from "#src/lib/errors.ts";
import type { DeploymentMode, HostingName } from "#src/platform/hosting/hosting.ts";

export const HOSTING_NAMES = [
  "vercel",
  "netlify",
  "cloudflare",
  "heroku",
  "digitalocean",
] as const satisfies readonly HostingName[];

/** What people and forms are told about a provider, and how it is deployed to. */
export interface HostingFacts {
  label: string;
  description: string;
  /** The provider's own name for a token that a person enters. */
  tokenField: "token" | "api_token" | "api_key";
  /** Metadata without which the token is of no use. */
  requiredMetadata: readonly string[];
  optionalMetadata: readonly string[];
  /** The default first. */
  modes: readonly [DeploymentMode, ...DeploymentMode[]];
}

export const HOSTING_FACTS: Readonly<Record<HostingName, HostingFacts>> = {
  vercel: {
    label: "Vercel",
    description: "Sites and programs with a serverless backend. Vercel builds them, or takes built files.",
    tokenField: "token",
    requiredMetadata: [],
    optionalMetadata: ["team_id"],
    modes: ["source", "pre-built"],
  },
  netlify: {
    label: "Netlify",
    description: "Static sites and single-page applications, from built files.",
    tokenField: "token",
    requiredMetadata: [],
    optionalMetadata: [],
    modes: ["pre-built"],
  },
  cloudflare: {
    label: "Cloudflare Workers",
    description: "Static sites and single-page applications on Cloudflare's network, from built files.",
    tokenField: "api_token",
    requiredMetadata: ["account_id"],
    optionalMetadata: ["dispatch_namespace"],
    modes: ["pre-built"],
  },
  heroku: {
    label: "Heroku",
    description: "Programs with a server. Heroku builds them with its buildpacks.",
    tokenField: "api_key",
    requiredMetadata: [],
    optionalMetadata: [],
    modes: ["source"],
  },
  digitalocean: {
    label: "DigitalOcean",
    description: "Programs and sites on App Platform, which fetches and builds the project's git repository.",
    tokenField: "api_token",
    requiredMetadata: [],
    optionalMetadata: ["registry_name"],
    modes: ["source"],
  },
};

const LABELS = HOSTING_NAMES.map((name) => `\`${name}\``).join(", ");

/** The provider of this name. Throws `invalid_input` for any other name. */
export function requireHostingName(name: string): HostingName {
  const found = HOSTING_NAMES.find((each) => each === name);
  if (found) return found;
  throw new AppError("invalid_input", `provider: deployments go to one of ${LABELS}`);
}
