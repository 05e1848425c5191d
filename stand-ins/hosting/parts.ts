import type { Faults } from "#stand-ins/shared/faults.ts";
import type { Builds } from "./builds.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { Journal } from "./journal.ts";
import type { Signer } from "./signer.ts";
import type { HostingStore } from "./store.ts";
import type { Tokens } from "./tokens.ts";

/** What the calls of all wires work on. */
export interface HostingParts {
  store: HostingStore;
  files: KeptFiles;
  tokens: Tokens;
  signer: Signer;
  journal: Journal;
  faults: Faults;
  builds: Builds;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** The stand-in's own address. */
  url: () => string;
  /** Below this address OAuth may lead back. */
  callbacks: string;
}

/** The address of a site, or of one of its deployments, by its host label. */
export function siteUrl(parts: Pick<HostingParts, "url">, label: string): string {
  return `http://${siteHost(parts, label)}`;
}

/** As `siteUrl`, without the scheme. */
export function siteHost({ url }: Pick<HostingParts, "url">, label: string): string {
  return `${label}.localhost:${new URL(url()).port}`;
}
