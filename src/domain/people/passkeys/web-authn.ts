import { base64url } from "jose";
import { AppError } from "#src/lib/errors.ts";
import type { WebAuthn } from "#src/platform/webauthn/webauthn.ts";

export interface WebAuthnDeps {
  /** Undefined where browsers have no passkeys for the service's address. */
  webAuthn: WebAuthn | undefined;
}

/** Throws `not_configured` for a service without a host name. */
export function requireWebAuthn({ webAuthn }: WebAuthnDeps): WebAuthn {
  if (webAuthn) return webAuthn;
  throw new AppError("not_configured", "Passkeys need a host name: PUBLIC_URL has an IP address");
}

/** A person as authenticators name them: the bytes of the account's id, in base64url. */
export function handleOf(userId: string): string {
  const hex = userId.replaceAll("-", "").match(/../gu) ?? [];
  return base64url.encode(Uint8Array.from(hex, (pair) => Number.parseInt(pair, 16)));
}
