import { expect, it } from "vitest";
import { createServer, updateServer } from "#src/domain/agent-work/mcp/index.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import type { McpOAuth } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { McpConnection, McpTarget } from "#src/platform/mcp-client/mcp-client.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { CLIENT } from "#test/support/people.ts";

const database = await fileDatabase();
const person = await newColleague(database.db);

/** What is sent to each address. */
const sent: McpTarget[] = [];
const deps = () => ({
  ...database,
  config: { ...database.config, SECRET_KEY: "a secret key of this test, long enough" },
  secrets: createSecrets("a secret key of this test, long enough"),
  refusalOfUrl: () => undefined,
  log: { warn: () => {} },
  mcpOAuth: partOf<McpOAuth>({}),
  workspaces: partOf<ProjectWorkspaces>({}),
  mcpClient: {
    async connect(target: McpTarget) {
      sent.push(target);
      return partOf<McpConnection>({
        isListOld: false,
        listTools: async () => ({ tools: [], refused: [], malformed: 0 }),
        close: async () => {},
      });
    },
  },
});

const INPUT = {
  scope: "person",
  team: undefined,
  projectId: undefined,
  url: "https://one.test/mcp",
  auth: "token",
  token: "secret-of-one",
  headers: { "x-tenant": "blue" },
  rules: {},
} as const;

it("sends a token to the origin that it was given for, and to no other", async () => {
  const { id } = await createServer(deps(), person.caller, { ...INPUT, name: "one" }, CLIENT);
  const change = (patch: Parameters<typeof updateServer>[3]) =>
    updateServer(deps(), person.caller, id, patch, CLIENT);
  await change({ url: "https://one.test/other" });
  expect(sent).toEqual([
    { url: INPUT.url, headers: { "x-tenant": "blue", authorization: "Bearer secret-of-one" } },
    { url: "https://one.test/other", headers: { "x-tenant": "blue", authorization: "Bearer secret-of-one" } },
  ]);
  sent.length = 0;
  for (const url of ["https://two.test/mcp", "http://one.test/mcp", "https://one.test:8443/mcp"]) {
    await expect(change({ url })).rejects.toMatchObject({ code: "invalid_input" });
    await change({ url, token: "secret-of-two" });
    await change({ url: INPUT.url, token: INPUT.token });
  }
  expect(sent.filter(({ url }) => url !== INPUT.url).map(({ headers }) => headers)).toEqual(
    Array.from({ length: 3 }, () => ({ authorization: "Bearer secret-of-two" })),
  );
});

it("sends no secret to an address at which somebody has put the server while another change kept the secret", async () => {
  const { id } = await createServer(deps(), person.caller, { ...INPUT, name: "moved" }, CLIENT);
  const [read, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { secrets } = deps();
  const slow = {
    ...deps(),
    secrets: {
      ...secrets,
      async encrypt(text: string) {
        read.resolve();
        await moved.promise;
        return secrets.encrypt(text);
      },
    },
  };
  const keeping = updateServer(slow, person.caller, id, { headers: { "x-tenant": "red" } }, CLIENT);
  await read.promise;
  await updateServer(deps(), person.caller, id, { url: "https://two.test/mcp", auth: "none" }, CLIENT);
  sent.length = 0;
  moved.resolve();
  await expect(keeping).rejects.toMatchObject({ code: "conflict" });
  await updateServer(deps(), person.caller, id, { headers: {} }, CLIENT);
  expect(sent).toEqual([{ url: "https://two.test/mcp", headers: {} }]);
});
