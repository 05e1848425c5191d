import { sql } from "drizzle-orm";
import { check, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { at, createdAt, id } from "./columns.ts";
import { projects } from "./projects.ts";
import { teams } from "./teams.ts";

export const MCP_SCOPES = ["person", "team", "project"] as const;
export const MCP_AUTHS = ["none", "token", "oauth"] as const;
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
    auth: text({ enum: MCP_AUTHS }).notNull(),
    /** Fernet token of a JSON object: the bearer token and further headers. */
    encryptedHeaders: text(),
    rules: jsonb().$type<McpToolRules>().notNull(),
    tools: jsonb().$type<McpTool[]>().notNull().default([]),
    /** What was left out of the last list, and why, as sentences. */
    notes: jsonb().$type<string[]>().notNull().default([]),
    state: text({ enum: MCP_STATES }).notNull(),
    stateSince: at().notNull().defaultNow(),
    lastError: text(),
    /** Scopes that the server has asked for beyond those of its token; null for none. Until they are given it needs authorization. */
    neededScope: text(),
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

/** This service as a client of an authorization server. */
export interface McpOAuthClient {
  /** Entered by a person, registered by this service, or the address of its metadata. */
  source: "given" | "registered" | "document";
  clientId: string;
  /** The authorization server for which it is; null until one that a person entered is first used. */
  issuer: string | null;
  /** How it authenticates, as its registration says; null where that is not said. */
  authMethod: string | null;
  /** Where browsers come back to, as it was registered; null for one that a person entered. */
  redirectUri: string | null;
  /** ISO 8601; null for a secret that does not expire. */
  secretExpiresAt: string | null;
}

/** Where tokens come from, and what they are for. */
export interface McpOAuthGrantor {
  server: {
    issuer: string;
    authorizationEndpoint: string;
    tokenEndpoint: string;
    registrationEndpoint: string | null;
    revocationEndpoint: string | null;
    authMethods: string[];
    takesClientDocuments: boolean;
    namesItself: boolean;
  };
  /** The MCP server, as tokens name it. */
  resource: string;
  /** Scopes that were asked for, or given; null for those of the authorization server's choice. */
  scope: string | null;
  /** The only address to which tokens go: that of the MCP server when the visit began. */
  url: string;
  /** The person whose sign-in it is: without them, or their role, the tokens are not used. */
  userId: string;
}

/** A person's visit to an authorization server that is not over. */
export interface McpOAuthFlow extends McpOAuthGrantor {
  /** SHA-256 of its `state`. */
  stateHash: string;
}

/** The authorization of the MCP servers with `auth: oauth`: at most one row for each. */
export const mcpAuthorizations = pgTable("mcp_authorizations", {
  /** The server's. */
  id: uuid()
    .primaryKey()
    .references(() => mcpServers.id, { onDelete: "cascade" }),
  /** Null until the first flow. */
  client: jsonb().$type<McpOAuthClient>(),
  /** Fernet token; null for a public client. */
  encryptedClientSecret: text(),
  /** The last visit that was begun; null after its end. */
  flow: jsonb().$type<McpOAuthFlow>(),
  /** Null without tokens. */
  grantor: jsonb().$type<McpOAuthGrantor>(),
  /** Fernet tokens. */
  encryptedToken: text(),
  encryptedRefreshToken: text(),
  /** Null for tokens that do not expire. */
  expiresAt: at(),
  /** How long the token is valid in all, in seconds. */
  lifetimeSeconds: integer(),
  /** When somebody began to renew the tokens; null while nobody does. */
  refreshingSince: at(),
  /** Goes up when a renewal of the tokens begins, and when tokens are stored. Only the renewal that began last is stored. */
  generation: integer().notNull().default(0),
  createdAt: createdAt(),
  updatedAt: at(),
});
