import { z } from "zod";

/** Longest part of a credential in characters; an attestation without certificates has a few hundred. */
const MAX_PART = 8_192;

/** Bytes as WebAuthn writes them in JSON. */
export function base64Url(max = MAX_PART): z.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .max(max, `must have at most ${max} characters`)
    .regex(/^[\w-]+$/u, "must be base64url without padding");
}

/** WebAuthn allows ids of 1,023 bytes. */
export const CredentialId = base64Url(1_364).describe("Base64url");
