import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";

/**
 * Saved states of a project's files. The content is in tar packs in the archive bucket, listed by a manifest under the
 * snapshot's hash. Several snapshots of a project may share a pack.
 */
export const snapshots = pgTable(
  "snapshots",
  {
    id: id(),
    projectId: uuid()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    /** SHA-256 of the manifest, in hexadecimal. */
    hash: text().notNull(),
    parentHash: text(),
    /** Created by a person, before a run of the agent, before a restore, on hibernation, or after a use of the project. */
    role: text({ enum: ["checkpoint", "agent", "restore", "hibernation", "automatic"] }).notNull(),
    label: text().notNull(),
    fileCount: integer().notNull(),
    totalBytes: bigint({ mode: "number" }).notNull(),
    /** Names of the packs to which the manifest refers. */
    packs: text().array().notNull(),
    /** Chat of the run for which it was taken; no foreign keys, because it may outlive them. */
    chatId: uuid(),
    taskId: uuid(),
    createdBy: uuid().references(() => users.id, { onDelete: "set null" }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("snapshots_hash_unique").on(table.projectId, table.hash),
    index("snapshots_by_task").on(table.taskId),
    index("snapshots_creator").on(table.createdBy),
    // The nightly sweep ranks all rows by this index alone.
    index("snapshots_by_role").on(table.projectId, table.role, table.id, table.createdAt),
  ],
);

/**
 * Templates for projects. Where the files are depends on the source: a tar archive in the archive bucket under
 * `bases/<id>.tar`, a repository that is cloned, or the service itself, for its own templates.
 */
export const bases = pgTable(
  "bases",
  {
    id: id(),
    slug: text().notNull().unique("bases_slug_unique"),
    name: text().notNull(),
    description: text().notNull().default(""),
    visibility: text({ enum: ["private", "public"] })
      .notNull()
      .default("private"),
    /** Null for the service's own. */
    createdBy: uuid().references(() => users.id, { onDelete: "cascade" }),
    fileCount: integer().notNull(),
    totalBytes: bigint({ mode: "number" }).notNull(),
    createdAt: createdAt(),
    source: text({ enum: ["archive", "git", "service"] })
      .notNull()
      .default("archive"),
    /** An `https:` address; null unless the source is `git`. */
    gitRepoUrl: text(),
    defaultBranch: text(),
    longDescription: text(),
    category: text().notNull().default("fullstack"),
    icon: text(),
    previewImage: text(),
    tags: text().array().notNull().default([]),
    features: text().array().notNull().default([]),
    techStack: text().array().notNull().default([]),
    pricingType: text({ enum: ["free", "one_time"] })
      .notNull()
      .default("free"),
    /** Cents. */
    priceCents: integer().notNull().default(0),
    isFeatured: boolean().notNull().default(false),
    /** Teams that took it. */
    downloads: integer().notNull().default(0),
    /** Of its reviews. */
    ratingSum: integer().notNull().default(0),
    reviewsCount: integer().notNull().default(0),
  },
  (table) => [
    index("bases_by_creator").on(table.createdBy),
    index("bases_search")
      .using("gin", sql`search_text(ARRAY[${table.name}, ${table.description}]) gin_trgm_ops`)
      .where(sql`${table.visibility} = 'public'`),
  ],
);
