import { uniqueViolation } from "#src/db/unique-violation.ts";
import { requireKeyScope, type Caller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { acceptTools } from "./listed-tools.ts";
import {
  changeServer,
  insertServer,
  removeServer,
  UNIQUE_NAMES,
  visibleServers,
  type FoundServer,
  type LimitedDb,
  type McpServer,
  type McpServerChange,
} from "./queries.ts";
import { changedRules, NO_RULES, type RulesChange } from "./rules.ts";
import { authorizeServer, MISSING, requireServer } from "./require-server.ts";
import { readable } from "./show-servers.ts";
import { refuseMasks, sealCredentials, type Credentials } from "./sealed-headers.ts";
import { givenOnly, NO_CLIENT, sealGivenClient, type GivenClient } from "./oauth-client.ts";
import { authorizationOf, type Authorization, type StoredClient } from "./queries/authorizations.ts";
import type { Entry } from "./queries/entries.ts";
import { isStdio } from "./stdio-program.ts";
import { isInProject } from "./target.ts";
import { testStored, type TestDeps } from "./test-server.ts";
import { revokeStored } from "./usable-token.ts";

export interface ManageDeps extends Omit<LimitedDb, "config">, TestDeps {
  config: LimitedDb["config"] & TestDeps["config"];
  secrets: Pick<Secrets, "encrypt" | "decrypt">;
  /** Why an address must not be called, as far as its text shows. */
  refusalOfUrl(url: string): string | undefined;
}

interface Settings {
  name: string;
  url: string;
  auth: McpServer["auth"];
  token: string | null;
  headers: Record<string, string>;
  rules: RulesChange;
  /** A client id that a person entered, for `auth: oauth`; undefined for none, or for the one that is stored. */
  oauthClient?: GivenClient | undefined;
}

export interface McpServerInput extends Settings {
  scope: McpServer["scope"];
  /** Slug of the team of scope `team`; undefined for the one in which the caller acts. */
  team: string | undefined;
  /** Of scope `project`. */
  projectId: string | undefined;
}

/** Fields that are undefined stay as they are. */
export type McpServerPatch = {
  [Field in keyof Settings]?: Settings[Field] | undefined;
} & {
  /** Hashes of changed tools that are accepted, by the tools' names. */
  accept?: Readonly<Record<string, string>> | undefined;
};

/** The servers that a caller can see: of all that is theirs, or those that agents in one project may use. */
export async function listServers(
  deps: { db: Db },
  caller: Caller,
  projectId: string | undefined,
): Promise<McpServer[]> {
  const project =
    projectId === undefined ? undefined : await requireProject(deps, caller, projectId, "mcp.view");
  if (project === undefined) requireWhole(caller);
  const rows = await visibleServers(deps.db, caller.userId, project?.id);
  return rows.filter((row) => isAllowed(caller, row)).map(({ server }) => server);
}

/** A key that is bound to projects sees what is of its projects alone. */
function requireWhole(caller: Caller): void {
  if (caller.kind === "key" && caller.projectIds !== null) {
    throw new AppError("forbidden", "This API key is bound to projects: name one with project_id");
  }
}

function isAllowed(caller: Caller, row: FoundServer): boolean {
  try {
    authorizeServer(caller, "mcp.view", row);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Stores a server, and connects to it: the state says what came of that. Throws `invalid_input` for an address that must not be
 * called, a name that is taken and an owner with the most servers; and as `requireProject` and `requireTeam` do.
 */
export async function createServer(
  deps: ManageDeps,
  caller: Caller,
  input: McpServerInput,
  client: Client,
): Promise<McpServer> {
  const { logTeamId, ...owned } = await ownerOf(deps, caller, input);
  checkUrl(deps, { projectId: null, ...owned, url: input.url, auth: input.auth });
  const { token, headers, oauthClient } = input;
  refuseMasks({ token, headers, url: input.url });
  refuseMasks({ token: oauthClient?.clientSecret ?? null });
  checkAuth(input);
  checkClient(input.auth, oauthClient);
  const stored = await named(input.name, async () =>
    insertServer(
      deps,
      {
        id: newId(),
        ...owned,
        scope: input.scope,
        name: input.name,
        url: input.url,
        auth: input.auth,
        encryptedHeaders: await sealCredentials(deps, { token, headers }),
        rules: changedRules(NO_RULES, input.rules),
        state: "unreachable",
        lastError: "It was not tried yet",
      },
      { userId: caller.userId, logTeamId, client },
      oauthClient && (await sealGivenClient(deps, oauthClient)),
    ),
  );
  return (await testStored(deps, stored)).server;
}

/** What a new server belongs to, and whose log has it. */
async function ownerOf(deps: { db: Db }, caller: Caller, { scope, team, projectId }: McpServerInput) {
  if (scope === "project") {
    if (projectId === undefined)
      throw new AppError("invalid_input", "project_id: is required for scope project");
    const project = await requireProject(deps, caller, projectId, "mcp.manage");
    return { projectId: project.id, logTeamId: project.teamId };
  }
  requireWhole(caller);
  if (scope === "team") {
    const { teamId } = await requireTeam(deps, caller, "mcp.manage", team);
    return { teamId, logTeamId: teamId };
  }
  if (caller.kind === "key") requireKeyScope(caller, "mcp.manage");
  return { userId: caller.userId, logTeamId: null };
}

/**
 * Changes a server, and connects to it again if that may have another outcome now. At another origin it needs its secrets anew: who
 * may change an address must not learn what was kept for another one. Throws as `requireServer` and `createServer` do, and
 * `conflict` for an accepted change that is not the one that waits, and for a server that was moved or given other secrets meanwhile.
 */
export async function updateServer(
  deps: ManageDeps,
  caller: Caller,
  id: string,
  patch: McpServerPatch,
  client: Client,
): Promise<McpServer> {
  const { server, logTeamId } = await requireServer(deps, caller, id, "mcp.manage");
  const { accept, rules, token, headers, oauthClient, ...plain } = patch;
  const fields = Object.entries(patch).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (isStdio(server) && fields.some((field) => field !== "rules" && field !== "accept")) {
    throw new AppError("invalid_input", "A stdio server is changed in the project's .mcp.json");
  }
  const auth = plain.auth ?? server.auth;
  const url = plain.url ?? server.url;
  if (plain.url !== undefined || plain.auth !== undefined) checkUrl(deps, { ...server, url, auth });
  refuseMasks({
    ...(token !== undefined && { token }),
    ...(headers && { headers }),
    ...(plain.url !== undefined && { url: plain.url }),
  });
  const moves = plain.url !== undefined && plain.url !== server.url;
  const keeps = !moves || new URL(plain.url ?? "").origin === new URL(server.url).origin;
  const given = {
    ...(token !== undefined && { token }),
    ...(headers && { headers }),
    ...(plain.auth !== undefined && plain.auth !== "token" && server.auth === "token" && { token: null }),
  };
  const changesSecrets = Object.keys(given).length > 0 || !keeps;
  const kept = keeps && changesSecrets ? await readable(deps, server) : undefined;
  const credentials: Credentials = { token: null, headers: {}, ...kept, ...given };
  if (changesSecrets) checkAuth({ auth, token: credentials.token });
  else if (plain.auth === "token" && server.auth !== "token") checkAuth({ auth: "token", token: null });
  checkClient(auth, oauthClient);
  refuseMasks({ token: oauthClient?.clientSecret ?? null });
  const before = await authorizationOf(deps.db, id);
  const resets = before
    ? moves || auth !== server.auth || oauthClient !== undefined
    : oauthClient !== undefined;
  const reset = resets
    ? await nextClient(deps, before, { given: oauthClient, keeps: keeps && auth === "oauth" })
    : undefined;
  const accepted = accept && acceptTools(server.tools, accept);
  if (accept && !accepted) {
    throw new AppError("conflict", "A tool has changed again, or back: look at what it says now");
  }
  const change: McpServerChange = {
    ...plain,
    ...(rules && { rules: changedRules(server.rules, rules) }),
    ...(changesSecrets && { encryptedHeaders: await sealCredentials(deps, credentials) }),
    ...(moves ? { tools: [], notes: [] } : accepted && { tools: accepted }),
    ...((resets || moves) && { neededScope: null }),
  };
  if (fields.length === 0) return server;
  const entry: Entry = { userId: caller.userId, logTeamId, client };
  const changed = await named(plain.name ?? server.name, () =>
    changeServer(deps.db, server, { change, fields, reset }, entry),
  );
  if (!changed) {
    await requireServer(deps, caller, id, "mcp.manage");
    throw new AppError("conflict", "The MCP server was changed meanwhile: look at it again");
  }
  if (reset) await revokeStored(deps, before);
  const isAnother = moves || changesSecrets || reset !== undefined || auth !== server.auth;
  return isAnother ? (await testStored(deps, changed)).server : changed;
}

/** The client of the next authorization: what a person entered is kept for the origin that it was entered for. */
async function nextClient(
  deps: ManageDeps,
  before: Authorization | undefined,
  { given, keeps }: { given: GivenClient | undefined; keeps: boolean },
): Promise<StoredClient> {
  if (given) return sealGivenClient(deps, given);
  return keeps ? givenOnly(before) : NO_CLIENT;
}

/** Deletes a server, and revokes the tokens that it has by OAuth where that is possible. Throws as `requireServer` does. */
export async function deleteServer(
  deps: Pick<ManageDeps, "db" | "secrets" | "mcpOAuth">,
  caller: Caller,
  id: string,
  client: Client,
): Promise<void> {
  const { server, logTeamId } = await requireServer(deps, caller, id, "mcp.manage");
  const entry = { userId: caller.userId, logTeamId, client };
  const before = await authorizationOf(deps.db, id);
  if (!(await removeServer(deps.db, server, entry))) throw new AppError("not_found", MISSING);
  await revokeStored(deps, before);
}

/** A server that is a program of its own project is reached through the project alone, so no rule of the network applies to it. */
function checkUrl(
  deps: Pick<ManageDeps, "refusalOfUrl">,
  { url, projectId, auth }: Pick<McpServer, "url" | "projectId" | "auth">,
): void {
  const isProgram = isInProject({ url, projectId });
  const refusal = isProgram ? undefined : deps.refusalOfUrl(url);
  if (refusal !== undefined) throw new AppError("invalid_input", `url: ${refusal}`);
  const { hash, username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new AppError("invalid_input", "url: The address must not contain a user name or password");
  if (hash !== "") throw new AppError("invalid_input", "url: The address must have no fragment");
  if (isProgram && auth === "oauth")
    throw new AppError("invalid_input", "auth: A program of the project takes a token or headers, not oauth");
}

function checkAuth({ auth, token }: { auth: McpServer["auth"]; token: string | null }): void {
  if (auth === "token" && !token) throw new AppError("invalid_input", "token: is required for auth token");
  if (auth !== "token" && token) throw new AppError("invalid_input", "token: goes with auth token only");
}

function checkClient(auth: McpServer["auth"], given: GivenClient | undefined): void {
  if (given && auth !== "oauth") throw new AppError("invalid_input", "oauth: goes with auth oauth only");
}

/** Throws `conflict` for a name that is taken. */
export async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!UNIQUE_NAMES.includes(uniqueViolation(error) ?? "")) throw error;
    throw new AppError("conflict", `There is an MCP server '${name}' already`, { cause: error });
  }
}
