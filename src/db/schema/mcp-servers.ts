import { sql } from "drizzle-orm";
import { check, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { teams } from "./teams.ts";

export const MCP_SCOPES = ["person", "team", "project"] as const;
export const MCP_STATES = ["connected", "needs_authorization", "unreachable", "error"] as const;

/** How tools of a server may be called: names, or beginnings of names before a final `*`. */
export interface McpToolRules {
  /** Not asked about in edit mode `ask`. */
  allow: string[];
  /** Not offered. */
  deny: string[];
  /** Asked about, although `allow` has them too. */
  ask: string[];
  /** Change nothing, as the owner says: they run in edit mode `plan`, too. */
  read_only: string[];
}

/** What is known of a tool: what the model is shown of it, and a hash of all that its server says of it. */
export interface McpDefinition {
  /** The beginning. */
  description: string;
  inputSchema: Record<string, unknown>;
  /** SHA-256 of name, title, description and schema as the server sent them. */
  hash: string;
}

/** A tool of a server, as it was when its owner looked at it. */
export interface McpTool extends McpDefinition {
  /** As the server calls it. */
  name: string;
  /** Why it is not offered; null for one that is. */
  problem: string | null;
  /** What the server says of it since; null while that is the same. */
  changed: McpDefinition | null;
}

/** MCP servers whose tools agents use. Each belongs to a person, a team or a project. */
export const mcpServers = pgTable(
  "mcp_servers",
  {
    id: id(),
    /** One of the three, as `scope` says. */
    userId: uuid().references(() => users.id, { onDelete: "cascade" }),
    teamId: uuid().references(() => teams.id, { onDelete: "cascade" }),
    projectId: uuid().references(() => projects.id, { onDelete: "cascade" }),
    scope: text({ enum: MCP_SCOPES }).notNull(),
    /** Part of the names of its tools. */
    name: text().notNull(),
    url: text().notNull(),
    auth: text({ enum: ["none", "token"] }).notNull(),
    /** Fernet token of a JSON object: the bearer token and further headers. */
    encryptedHeaders: text(),
    rules: jsonb().$type<McpToolRules>().notNull(),
    tools: jsonb().$type<McpTool[]>().notNull().default([]),
    /** What was left out of the last list, and why, as sentences. */
    notes: jsonb().$type<string[]>().notNull().default([]),
    state: text({ enum: MCP_STATES }).notNull(),
    stateSince: at().notNull().defaultNow(),
    lastError: text(),
    createdAt: createdAt(),
    updatedAt: at(),
  },
  (table) => [
    uniqueIndex("mcp_servers_user_name_unique").on(table.userId, table.name),
    uniqueIndex("mcp_servers_team_name_unique").on(table.teamId, table.name),
    uniqueIndex("mcp_servers_project_name_unique").on(table.projectId, table.name),
    check(
      "mcp_servers_one_owner",
      sql`num_nonnulls(${table.userId}, ${table.teamId}, ${table.projectId}) = 1`,
    ),
  ],
);
