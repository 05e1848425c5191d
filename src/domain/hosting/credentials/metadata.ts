import { AppError } from "#src/lib/errors.ts";
import type { HostingName } from "#src/platform/hosting/hosting.ts";
import { HOSTING_FACTS } from "./provider-facts.ts";
import { isSecretMetadata } from "./secret-metadata.ts";

/** What is stored beside a token, by name. */
export type Metadata = Readonly<Record<string, string>>;

/** As a client sends it: null and the empty text stand for nothing. */
export type GivenMetadata = Readonly<Record<string, string | null>>;

/** In place of a secret value. */
export const MASK = "***";

/**
 * The names that clients send. It is one list for all providers, because existing clients send every name with each
 * credential.
 */
const KNOWN: ReadonlySet<string> = new Set([
  "team_id",
  "account_id",
  "account_name",
  "configuration_id",
  "dispatch_namespace",
  "repo_owner",
  "org_slug",
  "client_id",
  "project_id",
  "aws_region",
  "gcp_region",
  "azure_region",
  "subscription_id",
  "resource_group",
  "registry_name",
  "tenant_id",
  "site_id",
  "org_id",
  "aws_secret_access_key",
  "email",
  "username",
  "refresh_token",
]);

/**
 * Earlier metadata with the given values in their place; null and the empty text remove a value, and a masked secret stays.
 * Throws `invalid_body` for an unknown name and for a masked value of which there is none, `invalid_input` when a value is
 * missing that the provider needs.
 */
export function mergeMetadata(name: HostingName, earlier: Metadata, given: GivenMetadata): Metadata {
  const merged: Record<string, string> = { ...earlier };
  for (const [field, value] of Object.entries(given)) {
    if (value === null || value === "") delete merged[field];
    else if (!KNOWN.has(field)) throw new AppError("invalid_body", `metadata.${field}: is not a known field`);
    else if (value !== MASK || !isSecretMetadata(field)) merged[field] = value;
    else if (merged[field] === undefined) {
      throw new AppError(
        "invalid_body",
        `metadata.${field}: is masked: send the whole value, or leave it out`,
      );
    }
  }
  const { label, requiredMetadata } = HOSTING_FACTS[name];
  const missing = requiredMetadata.filter((field) => merged[field] === undefined);
  if (missing.length > 0) {
    throw new AppError("invalid_input", `metadata: ${label} needs ${missing.join(" and ")} beside the token`);
  }
  return merged;
}

/** Splits metadata into what is stored as it is and what is stored encrypted. */
export function splitMetadata(metadata: Metadata): { plain: Metadata; secret: Metadata } {
  const entries = Object.entries(metadata);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !isSecretMetadata(name))),
    secret: Object.fromEntries(entries.filter(([name]) => isSecretMetadata(name))),
  };
}

/** Metadata with its secrets masked. */
export function maskedMetadata(metadata: Metadata): Metadata {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, isSecretMetadata(name) ? MASK : value]),
  );
}
