import { z } from "zod";
import { encryptionKey, flag, httpUrl, optional, origins, text, withDefault } from "../fields.ts";

/** Addresses, database, Redis, queue, outbound requests. */
export const serviceVariables = {
  ENVIRONMENT: withDefault(z.enum(["development", "test", "production"]), "production"),
  /** Identity of the build in `GET /api/version`, such as its commit. */
  BUILD_SHA: text(),
  /** Public address of the service: for webhooks, links, queue callbacks. */
  PUBLIC_URL: httpUrl,
  APP_BASE_URL: optional(httpUrl),
  /** Apex of the hosts of previews; `localhost` if there are none beyond the local machine. */
  APP_DOMAIN: withDefault(z.string(), "localhost"),
  /** The operator accepts that pages of previews can set cookies for the service; only checked in production. */
  PREVIEWS_SHARE_DOMAIN: flag(false),
  SECRET_KEY: z.string("is required").min(32, "must have at least 32 characters"),
  /** The previous SECRET_KEY: still decrypts stored data, but signatures made with it are refused. */
  PREVIOUS_SECRET_KEY: text(),
  /** The previous ENCRYPTION_KEY or DEPLOYMENT_ENCRYPTION_KEY. */
  PREVIOUS_ENCRYPTION_KEY: text(),
  /** For the credentials of messaging channels. DEPLOYMENT_ENCRYPTION_KEY when absent. */
  CHANNEL_ENCRYPTION_KEY: encryptionKey(),
  /** Further origins whose pages may act for their visitor, besides the service's and the console's. */
  CORS_ORIGINS: origins,

  DATABASE_URL: z.string("is required").regex(/^postgres(ql)?:\/\//u, "must begin with postgres://"),
  /** SQL-over-HTTP address of the local bridge; Neon's own is derived from DATABASE_URL when absent. */
  NEON_HTTP_URL: optional(httpUrl),
  REDIS_URL: z
    .string("is required (`off` for none)")
    .regex(/^(off|https?:\/\/.+|rediss:\/\/.+)$/u, "must be https://…, rediss://default:TOKEN@host or off"),
  REDIS_TOKEN: text(),
  QSTASH_URL: withDefault(httpUrl, "https://qstash.upstash.io"),
  QSTASH_TOKEN: z.string("is required").min(1, "is required"),
  QSTASH_CURRENT_SIGNING_KEY: z.string("is required").min(1, "is required"),
  QSTASH_NEXT_SIGNING_KEY: z.string("is required").min(1, "is required"),
  /**
   * With this set, QStash's own library uses its public development keys. This service never does, and refuses the
   * variable in production.
   */
  QSTASH_DEV: text(),

  /** `true` lets outbound requests reach loopback and private addresses. */
  OUTBOUND_ALLOW_PRIVATE: flag(false),
  /** Origins that outbound requests may always reach, comma-separated: in development the local callback catcher. */
  OUTBOUND_ALLOWED_ORIGINS: text(),
  /** The local egress server, which resolves, checks and connects; absent in deployments. */
  EGRESS_URL: optional(httpUrl),
};
