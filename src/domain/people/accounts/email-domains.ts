import { AppError } from "#src/lib/errors.ts";

/** Which domains addresses of accounts may have. The names are the configuration's. */
export interface EmailDomains {
  /** Only exactly these domains; empty allows all. */
  ALLOWED_EMAIL_DOMAINS: readonly string[];
  /** Refused with their subdomains, even if they are allowed above. */
  BLOCKED_EMAIL_DOMAINS: readonly string[];
}

/** Whether an account may have this address. */
export function isDomainAllowed(config: EmailDomains, email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const { ALLOWED_EMAIL_DOMAINS: allowed, BLOCKED_EMAIL_DOMAINS: blocked } = config;
  if (blocked.some((each) => domain === each || domain.endsWith(`.${each}`))) return false;
  return allowed.length === 0 || allowed.includes(domain);
}

/** Throws `invalid_input` for an address that an account may not have. */
export function requireAllowedDomain(config: EmailDomains, email: string): void {
  if (!isDomainAllowed(config, email)) {
    throw new AppError("invalid_input", "Email addresses of this domain are not accepted here");
  }
}
