import { z } from "zod";
import { encryptionKey, flag, httpUrl, optional, origins, text, withDefault } from "../fields.ts";

/** Where the service is and what it is made of: addresses, database, Redis, queue, outbound requests. */
export const serviceVariables = {
  ENVIRONMENT: withDefault(z.enum(["development", "test", "production"]), "production"),
  /** What `GET /api/version` calls the build; such as the commit. */
  BUILD_SHA: text(),
  /** Address that other parties reach: webhooks, links, queue callbacks. */
  PUBLIC_URL: httpUrl,
  APP_BASE_URL: optional(httpUrl),
  /** Apex of the hosts of previews; `localhost` where there are none but on one's own machine. */
  APP_DOMAIN: withDefault(z.string(), "localhost"),
  /** The operator knows that pages of previews can set cookies for the service; only asked in production. */
  PREVIEWS_SHARE_DOMAIN: flag(false),
  SECRET_KEY: z.string("is required").min(32, "must have at least 32 characters"),
  /** What SECRET_KEY was before: what is encrypted under it can be read; what is signed with it is not believed. */
  PREVIOUS_SECRET_KEY: text(),
  /** What ENCRYPTION_KEY or DEPLOYMENT_ENCRYPTION_KEY was before. */
  PREVIOUS_ENCRYPTION_KEY: text(),
  /** For the credentials of messaging channels; nothing is encrypted under it yet. */
  CHANNEL_ENCRYPTION_KEY: encryptionKey(),
  /** Whose pages may act for their visitor beside the service's own and the console's. */
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
  /** QStash's own library takes its public development keys with it; this service never does, and refuses it in production. */
  QSTASH_DEV: text(),

  /** `true` lets outbound requests reach loopback and private addresses. */
  OUTBOUND_ALLOW_PRIVATE: flag(false),
  /** Origins outbound requests may always reach, comma-separated; the local callback catcher, in development only. */
  OUTBOUND_ALLOWED_ORIGINS: text(),
  /** The local egress server, which resolves, checks and connects; absent when deployed. */
  EGRESS_URL: optional(httpUrl),
};
