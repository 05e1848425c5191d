import { z } from "zod";
import { sanitizeName } from "./names.ts";
import { effectivePort } from "./ports.ts";
import type { Variables } from "./environment.ts";
import type { Connection, Container } from "./queries.ts";

/** Programs of one project reach each other at this host. */
const HOST = "localhost";

/** For each name of a source's variable, the name of the target's variable with its value. */
const Config = z
  .object({ env_mapping: z.record(z.string(), z.string()).catch({}) })
  .catch({ env_mapping: {} });

/** Further values that a container offers to the containers that use it. */
export interface Offer {
  /** Exports in the configuration document. */
  exports?: Variables | undefined;
  /** Credentials of an external service. */
  credentials?: Variables | undefined;
}

/**
 * Variables that one connection gives its source: the target's place as `<LABEL>_HOST`, `<LABEL>_PORT` and
 * `<LABEL>_URL`, the target's exports, and the names that the connection's `env_mapping` adds.
 */
export function injectedVariables(connection: Connection, target: Container, offer: Offer = {}): Variables {
  const place = placeOf(target);
  const prefix = sanitizeName(target.label).replaceAll("-", "_").toUpperCase();
  // A variable must not begin with a digit.
  const safe = /^\d/u.test(prefix) ? `_${prefix}` : prefix;
  const offered: Variables = { ...place, ...offer.credentials, ...offer.exports };
  const mapped = Object.entries(Config.parse(connection.config).env_mapping).flatMap(([name, source]) => {
    const value = offered[source];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(Object.entries(place).map(([name, value]) => [`${safe}_${name}`, value])),
    ...offer.credentials,
    ...offer.exports,
    ...Object.fromEntries(mapped),
  };
}

/** `HOST`, `PORT` and `URL` of a container, as other programs of its project reach it. */
function placeOf(target: Container): Variables {
  if (target.deploymentMode === "container") {
    const port = String(effectivePort(target));
    return { HOST, PORT: port, URL: `http://${HOST}:${port}` };
  }
  const endpoint = URL.parse(target.externalEndpoint ?? "");
  if (!endpoint) return {};
  const port = endpoint.port || (endpoint.protocol === "https:" ? "443" : "80");
  return { HOST: endpoint.hostname, PORT: port, URL: endpoint.href };
}

export interface InjectedVariable {
  key: string;
  source_container_name: string;
  source_container_id: string;
}

/** Names of the variables that a container receives from the containers it uses, as far as its connections show. */
export function injectedKeys(
  containerId: string,
  connections: readonly Connection[],
  containers: readonly Container[],
): InjectedVariable[] {
  return connections
    .filter((connection) => connection.sourceContainerId === containerId)
    .flatMap((connection) => {
      const target = containers.find((container) => container.id === connection.targetContainerId);
      return target === undefined
        ? []
        : Object.keys(injectedVariables(connection, target)).map((key) => ({
            key,
            source_container_name: target.name,
            source_container_id: target.id,
          }));
    });
}
