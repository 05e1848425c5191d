import { readFileSync } from "node:fs";
import type { Plugin } from "miniflare";

/** Name of the binding that makes Miniflare load this file; the Worker does not get it. */
export const DIRECT_NETWORK = "DIRECT_NETWORK";

/**
 * Connects the Worker directly to the network. Miniflare puts its own Worker in between, which resizes images and
 * renames headers; the service needs neither, and each of a task's seven requests would pass through it (a tenth of
 * workerd's time). Of two services of one name Miniflare takes the first: this one stands before its own.
 */
export const plugins: Record<string, Plugin> = {
  "direct-network": {
    getBindings() {},
    getNodeBindings: () => ({}),
    getServices({ options: { config }, workerIndex }) {
      if (!config.env?.[DIRECT_NETWORK]) return undefined;
      // The same definition as Miniflare's service "internet".
      const network = {
        allow: ["public", "private"],
        tlsOptions: { trustBrowserCas: true, trustedCertificates: extraCertificates() },
      };
      return { services: [{ name: `outbound:${workerIndex + 1}`, network }], extensions: [] };
    },
  },
};

/** Returns the certificates that Node trusts in addition, by its environment. */
function extraCertificates(): string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (!file) return [];
  return (
    readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu) ?? []
  );
}
