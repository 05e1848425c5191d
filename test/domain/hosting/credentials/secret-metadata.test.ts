import { describe, expect, it } from "vitest";
import { isSecretMetadata } from "#src/domain/hosting/credentials/secret-metadata.ts";

describe("a name of a secret", () => {
  it.each([
    "token",
    "refresh_token",
    "refreshToken",
    "aws_secret_access_key",
    "clientSecret",
    "client-secret",
    "api_key",
    "apiKey",
    "apikey",
    "API_KEY_2",
    "authtoken",
    "password",
    "db_passwords",
    "passphrase",
    "private_pem",
    "service_account_json",
    "credentials",
    "Authorization",
    "secret value",
  ])("is %s", (name) => {
    expect(isSecretMetadata(name)).toBe(true);
  });
});

describe("a name of a public value", () => {
  it.each([
    "team_id",
    "account_id",
    "account_name",
    "dispatch_namespace",
    "registry_name",
    "configuration_id",
    "aws_region",
    "email",
    "username",
    "token_type",
    "key_id",
    "",
  ])("is %s", (name) => {
    expect(isSecretMetadata(name)).toBe(false);
  });
});
