import { AppError } from "#src/lib/errors.ts";

/** Whose addresses accounts may have. Names are the configuration contract. */
export interface EmailDomains {
  /** The only domains, exactly; an empty list is all of them. */
  ALLOWED_EMAIL_DOMAINS: readonly string[];
  /** Refused, and their subdomains too, also where they are allowed. */
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
