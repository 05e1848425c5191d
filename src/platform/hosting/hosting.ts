import type { OAuthFlow } from "#src/platform/oauth/provider.ts";

/** Hosting providers to which people deploy their projects. */
export type HostingName = "vercel" | "netlify" | "cloudflare" | "heroku" | "digitalocean";

/** Who builds: the provider from the sources, or the project's runtime before the files are sent. */
export type DeploymentMode = "source" | "pre-built";

/** A person's credential at a provider, decrypted. */
export interface HostingAccess {
  token: string;
  /** Further fields that the person entered, by name: `team_id`, `account_id`, … */
  metadata: Readonly<Record<string, string>>;
  /** Whether it belongs to the stand-in of `npm start`; decided when the credential is stored. */
  isStandin: boolean;
}

/** The account in which a credential makes sites. */
export interface HostingAccount {
  /** Never changes: two credentials of one account have the same. */
  id: string;
  name: string;
}

/** A site at a provider: a Vercel project, a Netlify site, a Worker, a Heroku or DigitalOcean app. */
export interface HostedSite {
  /** The provider's id. */
  id: string;
  name: string;
  /** Where people see it; null where the provider says so only once it is deployed. */
  url: string | null;
}

export interface ReleaseFile {
  /** Relative to the site's root, without a leading slash. */
  path: string;
  size: number;
  /** As `HostingProvider.digest` computes it. */
  digest: string;
}

/** The files of one release. They are stored, and the same at every attempt. */
export interface ReleaseFiles {
  readonly list: readonly ReleaseFile[];
  /** Reads one file whole. */
  read(file: ReleaseFile): Promise<Uint8Array>;
  /** All files as a gzipped tar of a known size. */
  archive(): Promise<{ bytes: number; body: ReadableStream<Uint8Array> }>;
}

/** Where a provider fetches the sources by itself. */
export interface ReleaseSource {
  /** Of the remote, without credentials. */
  url: string;
  branch: string;
  commit: string;
  /** Whether the remote refuses strangers. */
  isPrivate: boolean;
}

/** One deployment, as a provider is to publish it. */
export interface Release {
  /** Our id of the deployment. It finds the deployment again whose creation had an unknown outcome. */
  id: string;
  site: HostedSite;
  mode: DeploymentMode;
  /** Build settings, for `source`; null leaves them to the provider. */
  framework: string | null;
  buildCommand: string | null;
  outputDirectory: string | null;
  /** Variables of the program, by name. */
  env: Readonly<Record<string, string>>;
  /** Undefined where the provider fetches the sources. */
  files: ReleaseFiles | undefined;
  /** Only where the provider fetches the sources. */
  source: ReleaseSource | undefined;
  /** The provider's id of the earlier deployment that is published again; null for a new one. */
  again: string | null;
  /** What the provider's client must know at the next attempt; stored before `set` resolves. */
  notes: { get(): string | null; set(notes: string): Promise<void> };
}

/** Bounds the requests of one delivery of the queue. Each request takes one. */
export interface RequestBudget {
  readonly left: number;
}

/** What became of a deployment, as far as the provider knows. */
export interface DeploymentState {
  /** The provider's own word. */
  word: string;
  outcome: "pending" | "success" | "failed" | "cancelled";
  /** Where people see it. */
  url: string | null;
  /** The provider's reason, scrubbed. */
  error: string | null;
}

/**
 * One hosting provider. Every failure is a `HostingFailure`; none contains a token or a variable's value. All calls may be
 * repeated: `createSite` and `publish` find what an earlier call with an unknown outcome has made.
 */
export interface HostingProvider {
  readonly name: HostingName;
  /** The account of a credential. Serves as the test of a credential. */
  account(access: HostingAccess): Promise<HostingAccount>;
  /** A name within the provider's rule, made of a project's slug and a suffix of `[a-z0-9]` that makes it unique. */
  siteName(slug: string, suffix: string): string;
  /** The site of this name in the account of the credential. */
  findSite(access: HostingAccess, name: string): Promise<HostedSite | undefined>;
  /**
   * Makes a site of this name, which `findSite` did not find. `name_taken` where another account has it, or something that is
   * no site of ours.
   */
  createSite(access: HostingAccess, wish: { name: string; framework: string | null }): Promise<HostedSite>;
  /** Identifies a file's content as the provider does; lower-case hexadecimal. */
  digest(path: string, content: Uint8Array): Promise<string>;
  /**
   * Publishes a release and returns the provider's id of the deployment. `unfinished` when the budget does not suffice: the
   * next call goes on from there.
   */
  publish(
    access: HostingAccess,
    release: Release,
    budget: RequestBudget,
  ): Promise<{ deploymentId: string } | "unfinished">;
  state(access: HostingAccess, site: HostedSite, deploymentId: string): Promise<DeploymentState>;
  /** Lines of the provider's build, oldest first, at most 1,000 of at most 2,000 characters. */
  logs(access: HostingAccess, site: HostedSite, deploymentId: string): Promise<string[]>;
  /** Idempotent; no effect on a deployment that is over. */
  cancel(access: HostingAccess, site: HostedSite, deploymentId: string): Promise<void>;
  /** Takes the site down. Idempotent: no error when it is gone. */
  removeSite(access: HostingAccess, site: HostedSite): Promise<void>;
}

/** A token that a provider granted by OAuth. */
export interface HostingGrant {
  accessToken: string;
  refreshToken: string | null;
  /** Null for a token that does not expire. */
  expiresAt: Date | null;
  /** To be stored beside the token, such as `team_id` or `account_name`. */
  metadata: Readonly<Record<string, string>>;
}

/** The OAuth app of the installation at a provider, or at the stand-in. Every failure is an `OAuthFailure`. */
export interface HostingOAuth {
  /** Whether the grants belong to the stand-in. */
  readonly isStandin: boolean;
  /** Returns the address to redirect the browser to. */
  authorizationUrl(flow: OAuthFlow): Promise<string>;
  /** Exchanges the code of a callback. */
  exchange(callback: URLSearchParams, flow: OAuthFlow): Promise<HostingGrant>;
  refresh(refreshToken: string): Promise<HostingGrant>;
}

export interface Hosting {
  /** A client for one delivery or request: at most `requests` requests, each within the time limit. */
  provider(name: HostingName, budget: { requests: number }): HostingProvider & { budget: RequestBudget };
  /** Undefined where the installation has no app, and for Cloudflare, which has none for this. */
  oauth(name: HostingName): HostingOAuth | undefined;
  /**
   * Where a token that a person enters belongs. Tokens that begin `standin_` are the stand-in's, unless the provider's base
   * address is configured: it wins. `refused` for such a token on an installation without a stand-in.
   */
  placeOf(name: HostingName, token: string): "provider" | "standin" | "refused";
}
