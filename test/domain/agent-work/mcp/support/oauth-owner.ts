import { eq, sql } from "drizzle-orm";
import { mcpAuthorizations, mcpServers } from "#src/db/schema/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import {
  beginAuthorization,
  createServer,
  failureOf,
  finishAuthorization,
  tokensOf,
} from "#src/domain/agent-work/mcp/index.ts";
import { createMcpOAuth } from "#src/platform/mcp-oauth/index.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { createOAuthStates } from "#src/platform/tokens/oauth-states.ts";
import type { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { patientMcpClient, patientSafeFetch } from "#test/support/patient-mcp.ts";
import { CLIENT } from "#test/support/people.ts";
import type { OAuthWorld } from "./oauth-world.ts";

const SECRET = "a secret key of this test, long enough";

/** What a person does with MCP servers of a world that want OAuth. Each step is done by a program that has just started. */
export function oauthOwner(
  database: Awaited<ReturnType<typeof fileDatabase>>,
  world: OAuthWorld,
  caller: UserCaller,
) {
  const { db } = database;

  /** A program that has just started: nothing of an earlier one is left but the database. */
  function started({ safeFetch = patientSafeFetch(), publicUrl = "http://127.0.0.1:1" } = {}) {
    return {
      ...database,
      config: { ...database.config, SECRET_KEY: SECRET },
      secrets: createSecrets(SECRET),
      oauthStates: createOAuthStates({ secret: SECRET }),
      refusalOfUrl: () => undefined,
      log: { warn: () => {}, info: () => {}, error: () => {} },
      mcpClient: patientMcpClient(),
      workspaces: partOf<ProjectWorkspaces>({}),
      mcpOAuth: createMcpOAuth({ safeFetch, publicUrl }),
    };
  }
  type Program = ReturnType<typeof started>;

  let count = 0;
  const add = (fields: Partial<Parameters<typeof createServer>[2]> = {}) =>
    createServer(
      started(),
      caller,
      {
        name: `server-${(count += 1)}`,
        url: world.url,
        scope: "person",
        team: undefined,
        projectId: undefined,
        auth: "oauth",
        token: null,
        headers: {},
        rules: {},
        ...fields,
      },
      CLIENT,
    );

  async function finish(
    deps: Program,
    callback: URL,
    cookie: string,
    visitor: typeof caller | undefined = caller,
  ) {
    return finishAuthorization(deps, { parameters: callback.searchParams, cookie, visitor, client: CLIENT });
  }

  /** Connects a server as a person does, by three programs one after the other. */
  async function connect(id: string, publicUrl = "http://127.0.0.1:1") {
    const begun = await beginAuthorization(started({ publicUrl }), caller, id);
    const callback = await world.visit(begun.authorizationUrl);
    const { server } = await finish(started({ publicUrl }), callback, begun.cookie.value);
    return { ...begun, callback, server };
  }

  /** Calls the tool as a step of a task does, which read the server's address before. */
  async function call(id: string, deps = started(), url = world.url): Promise<string> {
    const tokens = tokensOf(deps, { id, auth: "oauth", url });
    try {
      const connection = await deps.mcpClient.connect({ url, headers: {}, tokens });
      await connection.listTools();
      const result = await connection.callTool("look_up", {});
      const content = "content" in result ? result.content : [];
      await connection.close();
      return content[0]?.type === "text" ? content[0].text : "nothing";
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      return `${failure.kind}: ${failure.message}`;
    }
  }

  const rowOf = async (id: string) =>
    (await db.select().from(mcpAuthorizations).where(eq(mcpAuthorizations.id, id)))[0];
  const stateOf = async (id: string) => (await db.select().from(mcpServers).where(eq(mcpServers.id, id)))[0];
  const age = (id: string) =>
    db
      .update(mcpAuthorizations)
      .set({ expiresAt: sql`now()` })
      .where(eq(mcpAuthorizations.id, id));

  return { started, add, finish, connect, call, rowOf, stateOf, age };
}
