import { getDomain } from "tldts";

/**
 * The registrable domain of a host name, one label below a public suffix: `example.co.uk` of `app.example.co.uk`,
 * `me.workers.dev` of `app.me.workers.dev`. A page on any host below it can set cookies for all of it. `undefined` for
 * an IP address and for a public suffix itself. Source: publicsuffix.org, with the private section, as browsers use it.
 */
export function registrableDomain(host: string): string | undefined {
  return getDomain(host, { allowPrivateDomains: true }) ?? undefined;
}
