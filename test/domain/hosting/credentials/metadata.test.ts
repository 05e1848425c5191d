import { describe, expect, it } from "vitest";
import {
  MASK,
  maskedMetadata,
  mergeMetadata,
  splitMetadata,
} from "#src/domain/hosting/credentials/metadata.ts";
import { isSecretMetadata } from "#src/domain/hosting/credentials/secret-metadata.ts";
import { AppError } from "#src/lib/errors.ts";

function refusalOf(act: () => unknown): [code: string, sentence: string] {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.message];
    throw error;
  }
  throw new Error("It was not refused");
}

describe("metadata", () => {
  it("is stored without null and empty values, known or not", () => {
    const given = { team_id: "team_1", account_id: null, email: "", unknown: null };
    expect(mergeMetadata("vercel", {}, given)).toEqual({ team_id: "team_1" });
  });

  it("is merged: a null removes its field, the rest stays", () => {
    const earlier = { team_id: "team_1", account_name: "Ada", refresh_token: "r-1" };
    const given = { team_id: null, account_name: "Grace", refresh_token: MASK };
    expect(mergeMetadata("vercel", earlier, given)).toEqual({ account_name: "Grace", refresh_token: "r-1" });
  });

  it("is refused under an unknown name", () => {
    expect(refusalOf(() => mergeMetadata("vercel", {}, { favourite_colour: "red" }))).toEqual([
      "invalid_body",
      "metadata.favourite_colour: is not a known field",
    ]);
    expect(refusalOf(() => mergeMetadata("vercel", {}, { __proto__x: "1" }))[0]).toBe("invalid_body");
  });

  it("is refused when a secret is masked of which there is none", () => {
    expect(refusalOf(() => mergeMetadata("vercel", {}, { refresh_token: MASK }))[0]).toBe("invalid_body");
  });

  it.each([
    [{}, {}],
    [{}, { account_id: "" }],
    [{ account_id: "a" }, { account_id: null }],
  ])("is refused without what the provider needs: %j changed by %j", (earlier, given) => {
    expect(refusalOf(() => mergeMetadata("cloudflare", earlier, given))).toEqual([
      "invalid_input",
      "metadata: Cloudflare Workers needs account_id beside the token",
    ]);
  });

  it("is stored and shown without secrets in the clear", () => {
    const metadata = { team_id: "team_1", aws_secret_access_key: "s3cret" };
    expect(splitMetadata(metadata)).toEqual({
      plain: { team_id: "team_1" },
      secret: { aws_secret_access_key: "s3cret" },
    });
    expect(maskedMetadata(metadata)).toEqual({ team_id: "team_1", aws_secret_access_key: MASK });
  });
});

describe("a name", () => {
  it.each([
    "token",
    "refreshToken",
    "aws_secret_access_key",
    "API_KEY_2",
    "db_passwords",
    "private_pem",
    "service_account_json",
    "Authorization",
  ])("is a secret's: %s", (name) => {
    expect(isSecretMetadata(name)).toBe(true);
  });

  it.each(["team_id", "account_name", "dispatch_namespace", "aws_region", "email", "token_type", "key_id"])(
    "is a public value's: %s",
    (name) => {
      expect(isSecretMetadata(name)).toBe(false);
    },
  );
});
