import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

/** The parts of a project: a dev server, a worker, static files, an external service. */
export const containers = pgTable(
  "containers",
  {
    id: id(),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** DNS label that names it in its URL; unique in the project. */
    label: text().notNull(),
    /** Where it runs, relative to the project root; the root is the empty string. */
    directory: text().notNull().default(""),
    containerType: text({ enum: ["base", "service"] })
      .notNull()
      .default("base"),
    deploymentMode: text({ enum: ["container", "external"] })
      .notNull()
      .default("container"),
    externalEndpoint: text(),
    baseId: text(),
    image: text(),
    serviceSlug: text(),
    serviceType: text(),
    /** The requested port. */
    port: integer(),
    /** The port that the program received at the last start: the requested one, or the next free one. */
    internalPort: integer(),
    startupCommand: text(),
    buildCommand: text(),
    outputDirectory: text(),
    framework: text(),
    deploymentProvider: text(),
    icon: text(),
    techStack: text().array().notNull().default([]),
    /** Fernet token of a JSON object of environment variables; null for none. */
    encryptedEnv: text(),
    envKeys: text().array().notNull().default([]),
    /** Fernet token of a JSON object: credentials of an external service. */
    encryptedCredentials: text(),
    positionX: doublePrecision().notNull().default(0),
    positionY: doublePrecision().notNull().default(0),
    status: text({ enum: ["stopped", "starting", "running", "failed", "connected"] })
      .notNull()
      .default("stopped"),
    /** Whether the container runs while its project runs. */
    wanted: boolean().notNull().default(true),
    /** Why the container failed, or a warning while it runs. */
    error: text(),
    startedAt: at(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("containers_label_unique").on(table.projectId, table.label),
    // For the sweeps, which read starting and running containers.
    index("containers_at_work")
      .on(table.status, table.projectId)
      .where(sql`${table.status} IN ('starting', 'running')`),
  ],
);

/** One container uses another: variables of the target are injected into the source. */
export const containerConnections = pgTable(
  "container_connections",
  {
    id: id(),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    sourceContainerId: uuid()
      .notNull()
      .references(() => containers.id, { onDelete: "cascade" }),
    targetContainerId: uuid()
      .notNull()
      .references(() => containers.id, { onDelete: "cascade" }),
    label: text(),
    config: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("container_connections_pair").on(table.sourceContainerId, table.targetContainerId),
    index("container_connections_target").on(table.targetContainerId),
    index("container_connections_project").on(table.projectId),
  ],
);

/** Browser windows on the project's canvas; each may show a container. */
export const browserPreviews = pgTable(
  "browser_previews",
  {
    id: id(),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    connectedContainerId: uuid().references(() => containers.id, { onDelete: "set null" }),
    positionX: doublePrecision().notNull().default(0),
    positionY: doublePrecision().notNull().default(0),
    currentPath: text().notNull().default("/"),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    index("browser_previews_project").on(table.projectId),
    index("browser_previews_container").on(table.connectedContainerId),
  ],
);
