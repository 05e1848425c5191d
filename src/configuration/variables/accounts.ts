import { z } from "zod";
import { ALLOWANCES } from "#src/domain/operations/limits/table.ts";
import { flag, httpUrl, integer, optional, text, trueOrFalse, withDefault } from "../fields.ts";

/** A comma-separated list, converted to lower case. */
const listOf = (each: z.ZodType, problem: string) =>
  z.preprocess(
    (value) =>
      (typeof value === "string" ? value : "")
        .split(",")
        .map((part) => part.trim().toLowerCase())
        .filter((part) => part !== ""),
    z.array(z.string()).refine((list) => list.every((part) => each.safeParse(part).success), problem),
  );

const addresses = listOf(z.email(), "must be email addresses, separated by commas");
const domains = listOf(
  z.string().regex(/^([a-z0-9-]+\.)*[a-z0-9-]+$/u),
  "must be domain names such as example.com, separated by commas",
);

const places = listOf(
  z.string().regex(/^(([a-z0-9-]+\.)*[a-z0-9-]+|[a-z][a-z0-9+.-]*:)$/u),
  "must be domain names such as example.com and schemes such as cursor:, separated by commas",
);

/** Passwords, sessions, cookies, second factor, mail, desktop pairing and login providers. */
export const accountVariables = {
  /** Addresses whose accounts become administrators in production, once verified; elsewhere the first account does. */
  ADMIN_EMAIL: addresses,
  /** The only allowed domains of accounts' addresses; empty allows all. */
  ALLOWED_EMAIL_DOMAINS: domains,
  /** Domains that accounts' addresses may not have, subdomains included. */
  BLOCKED_EMAIL_DOMAINS: domains,
  /**
   * Whether registration reveals that an address has an account. When absent: yes outside production and without a mail
   * server, because only mail can prove who owns an address.
   */
  REGISTRATION_REVEALS_ACCOUNTS: optional(trueOrFalse),
  /** Cost of bcrypt: each step doubles the work, also for an attacker with stolen hashes. */
  PASSWORD_HASH_COST: integer(10, 4, 14),
  ACCESS_TOKEN_EXPIRE_MINUTES: integer(30, 1),
  REFRESH_TOKEN_EXPIRE_DAYS: integer(14, 1),
  /** Whether any client of MCP may register itself. Clients with a document at an https address need not. */
  MCP_CLIENT_REGISTRATION: flag(true),
  /** The only hosts (https) and schemes of apps (`cursor:`) by which clients of MCP may send people back; empty allows all. */
  MCP_REDIRECT_HOSTS: places,
  /** Whether cookies are sent over https only; by default in production. */
  COOKIE_SECURE: optional(trueOrFalse),
  COOKIE_SAMESITE: withDefault(z.enum(["lax", "strict", "none"]), "lax"),
  /** Apex domain whose subdomains receive the cookies too; when absent, only the host itself does. */
  COOKIE_DOMAIN: optional(z.string().regex(/^\.?[a-z0-9.-]+$/iu, "must be a domain name")),
  /** Seconds during which a used refresh token is still accepted, for browsers whose tabs refresh at once. */
  REFRESH_REUSE_GRACE_SECONDS: integer(0, 0, 300),
  /** Signs CSRF tokens; SECRET_KEY when absent. */
  CSRF_SECRET_KEY: optional(z.string().min(32, "must have at least 32 characters")),
  CSRF_TOKEN_MAX_AGE: integer(86_400, 60),
  /** Mails a code at login; needs a mail server. */
  TWO_FA_ENABLED: flag(false),
  TWO_FA_CODE_LENGTH: integer(6, 4, 10),
  TWO_FA_CODE_EXPIRY_SECONDS: integer(600, 1),
  TWO_FA_MAX_ATTEMPTS: integer(ALLOWANCES.mailedCode.most, 1),
  TWO_FA_TEMP_TOKEN_EXPIRY_SECONDS: integer(600, 1),
  /** Memory of Argon2id in KiB, for the hashes of codes, also for an attacker with stolen hashes. */
  TWO_FA_HASH_KIB: integer(19_456, 8, 65_536),
  /** Mail is configured when the host and the sender are set. */
  SMTP_HOST: text(z.string().regex(/^[^\s/@]+$/u, "must be a host name or an address, without a scheme")),
  /** Port 465 is encrypted from the first byte, regardless of SMTP_USE_TLS. */
  SMTP_PORT: integer(587, 1, 65_535),
  SMTP_USERNAME: text(),
  SMTP_PASSWORD: text(),
  SMTP_SENDER_EMAIL: optional(z.email("must be an email address")),
  /** Encrypts with STARTTLS; servers without it are refused. */
  SMTP_USE_TLS: flag(true),
  /** Scheme of the links that open the desktop app. */
  DESKTOP_SCHEME: withDefault(
    z.string().regex(/^[a-z][a-z0-9+.-]*$/u, "must be the scheme of an address, in lower case"),
    "workspace",
  ),
  PAIRING_TOKEN_EXPIRY_SECONDS: integer(300, 1, 3600),

  /** A login provider without an id and a secret is disabled. */
  GITHUB_CLIENT_ID: text(),
  GITHUB_CLIENT_SECRET: text(),
  /** Exactly as registered at the provider; `PUBLIC_URL/api/auth/<provider>/callback` when absent. */
  GITHUB_OAUTH_REDIRECT_URI: optional(httpUrl),
  GITHUB_OAUTH_BASE_URL: withDefault(httpUrl, "https://github.com"),
  GITHUB_API_BASE_URL: withDefault(httpUrl, "https://api.github.com"),
  GOOGLE_CLIENT_ID: text(),
  GOOGLE_CLIENT_SECRET: text(),
  GOOGLE_OAUTH_REDIRECT_URI: optional(httpUrl),
  GOOGLE_OAUTH_ISSUER: withDefault(httpUrl, "https://accounts.google.com"),
  /** Timeout of each request to a login provider; signing in takes two or three. */
  OAUTH_TIMEOUT_SECONDS: integer(5, 1, 30),
};
