/** Permissions a key may carry, with the words and headings a settings page shows. */
const CATALOGUE = {
  Team: ["team.view", "team.edit", "team.delete", "team.invite", "team.remove_member", "team.change_role"],
  Billing: ["billing.view", "billing.manage", "billing.usage"],
  Projects: [
    "project.list",
    "project.create",
    "project.view",
    "project.edit",
    "project.delete",
    "project.settings",
    "projects.sync",
  ],
  Files: ["file.read", "file.write", "file.delete"],
  Containers: [
    "container.view",
    "container.create",
    "container.edit",
    "container.delete",
    "container.start_stop",
  ],
  Chat: ["chat.view", "chat.send", "chat.delete"],
  Deployments: ["deployment.view", "deployment.create", "deployment.delete"],
  Git: ["git.view", "git.write"],
  Kanban: ["kanban.view", "kanban.edit"],
  Snapshots: ["snapshot.view", "snapshot.create", "snapshot.restore"],
  Terminal: ["terminal.access"],
  Credentials: ["credentials.view", "credentials.manage", "api_keys.manage"],
  Channels: ["channel.view", "channel.manage"],
  MCP: ["mcp.view", "mcp.manage"],
  Agents: ["agent.view", "agent.manage", "agents.read", "agents.handoff"],
  Audit: ["audit.view", "audit.export"],
  Marketplace: ["marketplace.read", "marketplace.install"],
  Models: ["models.proxy"],
  Usage: ["usage.read"],
  Desktop: ["desktop.pair"],
  Kubernetes: ["k8s.projects"],
  Apps: ["app.invoke"],
} as const;

/** Accepted in a key, never listed: they belong to machines. */
const UNLISTED = ["connectors.manage_user", "connectors.manage_project"] as const;

export type Scope = (typeof CATALOGUE)[keyof typeof CATALOGUE][number] | (typeof UNLISTED)[number];

export const ROLES = ["admin", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export interface ListedScope {
  value: Scope;
  label: string;
  category: string;
}

export const LISTED_SCOPES: readonly ListedScope[] = Object.entries(CATALOGUE).flatMap(([category, values]) =>
  values.map((value) => ({ value, label: labelOf(value), category })),
);

const ALL: readonly Scope[] = [...LISTED_SCOPES.map((scope) => scope.value), ...UNLISTED];

const ADMIN_ONLY: ReadonlySet<Scope> = new Set<Scope>([
  "team.edit",
  "team.delete",
  "team.invite",
  "team.remove_member",
  "team.change_role",
  "billing.manage",
  "project.delete",
  "container.delete",
  "deployment.delete",
  "api_keys.manage",
  "audit.view",
  "audit.export",
]);

const VIEWER: ReadonlySet<Scope> = new Set<Scope>([
  "team.view",
  "billing.view",
  "project.view",
  "container.view",
  "chat.view",
  "deployment.view",
  "git.view",
  "kanban.view",
  "snapshot.view",
  "credentials.view",
  "channel.view",
  "mcp.view",
  "agent.view",
  "project.list",
  "file.read",
  "connectors.manage_user",
  "marketplace.read",
  "models.proxy",
  "usage.read",
  "agents.read",
]);

const GRANTED: Record<Role, ReadonlySet<Scope>> = {
  admin: new Set(ALL),
  editor: new Set(ALL.filter((scope) => !ADMIN_ONLY.has(scope))),
  viewer: VIEWER,
};

/** A scope that applies to the key itself only. It does not depend on a role. */
const ABOUT_ITSELF: ReadonlySet<Scope> = new Set<Scope>(["desktop.pair"]);

const KNOWN: ReadonlySet<string> = new Set(ALL);

export function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/** Whether a team role grants a permission. */
export function roleGrants(role: Role, scope: Scope): boolean {
  return GRANTED[role].has(scope);
}

/** All permissions that a role grants. */
export function scopesOfRole(role: Role): Scope[] {
  return ALL.filter((scope) => roleGrants(role, scope));
}

/** Whether a key whose owner has this role may use a permission that it carries. */
export function roleLeavesKey(role: Role, scope: Scope): boolean {
  return ABOUT_ITSELF.has(scope) || roleGrants(role, scope);
}

/** The roles that grant a permission, for queries that decide by it. */
export function rolesGranting(scope: Scope): Role[] {
  return ROLES.filter((role) => roleGrants(role, scope));
}

function labelOf(scope: string): string {
  const words = scope.replaceAll(/[._]/gu, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
