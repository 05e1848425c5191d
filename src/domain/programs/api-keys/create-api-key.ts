import { requireAgent } from "#src/domain/agent-work/agents/index.ts";
import { isScope, roleGrants, type UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { requireTeam, whileTeamExists, type Membership } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { newKeySecrets } from "./new-secrets.ts";
import { insertKey, reachableProjects, type ApiKey } from "./queries.ts";

export interface KeyInput {
  name: string;
  /** Permissions; null for all that the owner's role grants. */
  scopes: readonly string[] | null;
  /** Projects to bind the key to; null for every project that its owner reaches. */
  projectIds: readonly string[] | null;
  expiresAt: Date | null;
  /** Agent for calls that do not name one; the default one when absent or null. */
  agentId?: string | null;
}

export interface CreatedKey {
  key: ApiKey;
  /** The raw key, which is only returned here. */
  token: string;
  /** Secret that signs the callbacks of the key's tasks; also only returned here. */
  webhookSecret: string;
}

/**
 * Creates a key, in the team of the projects that it is bound to, otherwise in the caller's. Throws `forbidden` for a
 * permission that the caller's role does not grant, `not_found` for a project that the caller cannot reach or an agent
 * that the team does not have, `invalid_input` for a person with the most active keys.
 */
export async function createApiKey(
  deps: { db: Db; secrets: Secrets; config: CeilingConfig<"api_keys"> },
  caller: UserCaller,
  input: KeyInput,
  client: Client,
): Promise<CreatedKey> {
  const team = await teamOfKey(deps, caller, input.projectIds);
  requireGrantable(input.scopes, team);
  if (input.agentId) await requireAgent(deps.db, team.teamId, input.agentId);
  const { token, webhookSecret, stored } = await newKeySecrets(deps);
  const { name, scopes, projectIds, expiresAt, agentId = null } = input;
  const row = {
    ...stored,
    userId: caller.userId,
    teamId: team.teamId,
    name,
    scope: projectIds ? ("project" as const) : ("team" as const),
    projectIds: projectIds && [...projectIds],
    scopes: scopes && [...scopes],
    expiresAt,
    agentId,
  };
  const entry = {
    userId: caller.userId,
    teamId: team.teamId,
    action: "api_key.created",
    resourceType: "api_key",
    resourceId: stored.id,
    details: { name, key_prefix: stored.keyPrefix, scopes, project_ids: projectIds },
    client,
  };
  const key = await whileTeamExists(insertKey(deps, row, entry));
  if (!key) throw new AppError("not_found", "Team not found");
  return { key, token, webhookSecret };
}

/** Throws `forbidden` for permissions that a role does not grant. */
export function requireGrantable(scopes: readonly string[] | null, { role }: Membership): void {
  const excess = scopes?.find((scope) => !isScope(scope) || !roleGrants(role, scope));
  if (excess) {
    throw new AppError("forbidden", `Scope '${excess}' exceeds your role's permissions (role: ${role})`);
  }
}

/**
 * The team of all these projects if they share one and the caller is its member; otherwise the caller's default team.
 */
async function teamOfKey(
  deps: { db: Db },
  caller: UserCaller,
  projectIds: readonly string[] | null,
): Promise<Membership> {
  const reached = projectIds ? await reachableProjects(deps.db, caller.userId, projectIds) : [];
  if (reached.length !== new Set(projectIds).size) throw new AppError("not_found", "Project not found");
  const [first] = reached;
  if (first?.role && reached.every(({ teamId }) => teamId === first.teamId)) {
    return { teamId: first.teamId, role: first.role };
  }
  return requireTeam(deps, caller, "team.view");
}
