import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { containers } from "./containers.ts";
import { projects } from "./projects.ts";

const provider = () => text({ enum: ["vercel", "netlify", "cloudflare", "heroku", "digitalocean"] });

/**
 * A person's access to a hosting provider: an OAuth grant or a token that they entered. One with a project goes before the
 * person's default, which has none.
 */
export const deploymentCredentials = pgTable(
  "deployment_credentials",
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    provider: provider().notNull(),
    projectId: uuid().references(() => projects.id, { onDelete: "cascade" }),
    authType: text({ enum: ["oauth", "token"] }).notNull(),
    /** Fernet tokens. */
    encryptedToken: text().notNull(),
    encryptedRefreshToken: text(),
    /** Of an OAuth grant; null for a token that does not expire. */
    expiresAt: at(),
    /** Until when one request has the refresh of the token to itself. */
    refreshUntil: at(),
    /** What the person entered beside the token, and the provider told, such as `team_id`. */
    metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
    /** Fernet token of a JSON object: metadata named like a secret. */
    encryptedMetadata: text(),
    /** The provider's id of its account; null until the provider was asked. */
    account: text(),
    /** Whether it belongs to the stand-in of `npm start`. */
    isStandin: boolean().notNull().default(false),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    unique("deployment_credentials_unique")
      .on(table.userId, table.provider, table.projectId)
      .nullsNotDistinct(),
    index("deployment_credentials_project").on(table.projectId),
  ],
);

/**
 * Sites at hosting providers, one for each project, container, provider and account. The row is written before the site is
 * created, and outlives its project: the site is there until it is taken down.
 */
export const deploymentSites = pgTable(
  "deployment_sites",
  {
    id: id(),
    /** Null once the project is deleted. */
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    /** Null for the project as a whole, and once the container is deleted. */
    containerId: uuid().references(() => containers.id, { onDelete: "set null" }),
    /** The project's and the container's id, or `-`: what the site was made for, also when that is deleted. */
    madeFor: text().notNull(),
    /** Who made it; null once the account is deleted. */
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    provider: provider().notNull(),
    /** The provider's id of the account that it is in. */
    account: text().notNull(),
    isStandin: boolean().notNull().default(false),
    /** Stored before the site is created. */
    name: text().notNull(),
    /** Whether a creation under this name was begun, so that a site of this name is ours. */
    isNameUsed: boolean().notNull().default(false),
    /** Null while there is no site at the provider. */
    providerSiteId: text(),
    url: text(),
    /** The deployment that people see. */
    liveDeploymentId: uuid(),
    /** Version of the newest deployment. */
    lastVersion: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("deployment_sites_unique").on(table.madeFor, table.provider, table.account, table.isStandin),
    index("deployment_sites_project").on(table.projectId),
    index("deployment_sites_container").on(table.containerId),
    index("deployment_sites_user").on(table.userId),
  ],
);

export const DEPLOYMENT_STATUSES = [
  "pending",
  "building",
  "pushing",
  "deploying",
  "success",
  "failed",
  "cancelled",
  "deleting",
] as const;

/** Who builds: the provider from the sources, or the project's runtime before the files are sent. */
export const DEPLOYMENT_MODES = ["source", "pre-built"] as const;

/** How a deployment is built, as it was decided when it was requested. */
export interface DeploymentSettings {
  /** Relative to the project's root; the root is the empty string. */
  directory: string;
  framework: string | null;
  buildCommand: string | null;
  /** Relative to the directory; null for the service's default. */
  outputDirectory: string | null;
  /** Of the remote, for providers that fetch the sources. */
  branch: string | null;
  /** The provider's id of the deployment that is published again. */
  again: string | null;
}

/** The stored files of a deployment. */
export interface StoredBundle {
  /** Names of its objects in the archive begin so. */
  prefix: string;
  files: number;
  bytes: number;
}

/** Requests to publish a project. Those that are not over have a job. */
export const deployments = pgTable(
  "deployments",
  {
    id: id(),
    siteId: uuid()
      .notNull()
      .references(() => deploymentSites.id, { onDelete: "cascade" }),
    /** Null once the project is deleted. */
    projectId: uuid().references(() => projects.id, { onDelete: "set null" }),
    /** For whom, and with whose credential, it runs. */
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    provider: provider().notNull(),
    containerId: uuid().references(() => containers.id, { onDelete: "set null" }),
    /** Counts the deployments of a site. They run in this order, one at a time. */
    version: integer().notNull(),
    mode: text({ enum: DEPLOYMENT_MODES }).notNull(),
    settings: jsonb().$type<DeploymentSettings>().notNull(),
    /** Fernet token of a JSON object of environment variables; null for none. */
    encryptedEnv: text(),
    /** The deployment whose files this one publishes again. */
    redeployOf: uuid(),
    status: text({ enum: DEPLOYMENT_STATUSES }).notNull().default("pending"),
    /** The provider's word for the state. */
    providerStatus: text(),
    /** The provider's id. */
    providerDeploymentId: text(),
    /** What the provider's client must know at the next attempt. */
    providerNotes: text(),
    url: text(),
    error: text(),
    bundle: jsonb().$type<StoredBundle>(),
    /** The commit that the provider fetches. */
    commitSha: text(),
    /** A client's key: a second request with it returns this deployment. */
    idempotencyKey: text(),
    /** Hash of the request that had the key. */
    requestHash: text(),
    /** Set when its end was requested. */
    cancelledAt: at(),
    /** Set when its deletion was requested; it is `deleting` from the moment that nothing is under way any more. */
    deletedAt: at(),
    /** When the provider was given it: the time limit counts from here. */
    publishedAt: at(),
    createdAt: createdAt(),
    updatedAt: at(),
    completedAt: at(),
  },
  (table) => [
    uniqueIndex("deployments_version_unique").on(table.siteId, table.version),
    uniqueIndex("deployments_idempotency_unique").on(table.userId, table.idempotencyKey),
    // One build of a project at a time.
    uniqueIndex("deployments_building_unique")
      .on(table.projectId)
      .where(sql`${table.status} = 'building'`),
    index("deployments_project").on(table.projectId, table.id),
    index("deployments_user").on(table.userId, table.id),
    index("deployments_container").on(table.containerId),
    // What the sweep of the archive asks for.
    index("deployments_bundle")
      .on(sql`(${table.bundle} ->> 'prefix')`)
      .where(sql`${table.bundle} IS NOT NULL`),
    // Those that wait for their turn, or for their job.
    index("deployments_unfinished")
      .on(table.siteId, table.version)
      .where(sql`${table.status} NOT IN ('success', 'failed', 'cancelled')`),
  ],
);

/** Lines that a deployment's owner reads, numbered from 1 without gaps. Deleted with their deployment. */
export const deploymentLogs = pgTable(
  "deployment_logs",
  {
    deploymentId: uuid()
      .notNull()
      .references(() => deployments.id, { onDelete: "cascade" }),
    line: integer().notNull(),
    text: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.line] })],
);
