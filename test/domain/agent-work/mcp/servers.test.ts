import { expect, it } from "vitest";
import { eq } from "drizzle-orm";
import { createServer, updateServer } from "#src/domain/agent-work/mcp/index.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import type { McpOAuth } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import {
  type ListedTools,
  type McpConnection,
  McpFailure,
  type McpTarget,
} from "#src/platform/mcp-client/mcp-client.ts";
import { ServerLink } from "#src/agent/mcp/server-link.ts";
import { projects, tasks, users } from "#src/db/schema/index.ts";
import { pinTools } from "#src/domain/agent-work/mcp/listed-tools.ts";
import { claimTask } from "#src/domain/agent-work/tasks/index.ts";
import { joinTeam, newColleague, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { CLIENT } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";
import { type Owned, storeServer } from "./support/stored-server.ts";

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

const LISTED: ListedTools = {
  tools: [{ name: "a", description: "Does a", inputSchema: { type: "object" } }],
  refused: [],
  malformed: 0,
};

const newServer = (name: string, owned: Owned) =>
  storeServer(database, owned, { name, ...pinTools([], LISTED) });

/** A task that is queued, of a person, in a project of a team, or of their own. */
async function newTask({ id }: { id: string }, teamId?: string) {
  const [user] = await database.db.select().from(users).where(eq(users.id, id));
  if (!user) throw new Error("There is no such person");
  const { taskId } = await storeTask(database.db, user, { status: "queued" });
  const [task] = await database.db.select().from(tasks).where(eq(tasks.id, taskId));
  const projectId = task?.projectId ?? "";
  if (teamId !== undefined) {
    await database.db.update(projects).set({ teamId }).where(eq(projects.id, projectId));
  }
  return { taskId, projectId };
}

/** What a claim reads of servers, and its trips. */
async function claimed(taskId: string, generation: number) {
  const before = database.trips.db;
  const { current } = await claimTask(database.db, taskId, generation);
  return { servers: current?.mcpServers ?? [], trips: database.trips.db - before };
}

it("has the servers of its person, project and team, in one trip with all else that a claim reads", async () => {
  const team = await newTeam(database.db);
  const owner = await newColleague(database.db);
  await joinTeam(database.db, owner, team.id, "editor");
  const task = await newTask(owner, team.id);
  expect(await claimed(task.taskId, 1)).toEqual({ servers: [], trips: 1 });

  const others = await newTask(team.owner, team.id);
  await newServer("own", { scope: "person", userId: owner.id });
  await newServer("project", { scope: "project", projectId: task.projectId });
  await newServer("team", { scope: "team", teamId: team.id });
  await newServer("anothers", { scope: "person", userId: team.owner.id });
  await newServer("elsewhere", { scope: "project", projectId: others.projectId });
  await newServer("other-team", { scope: "team", teamId: (await newTeam(database.db)).id });
  const found = await claimed(task.taskId, 2);
  expect(found.servers.map(({ name }) => name)).toEqual(["own", "project", "team"]);
  expect(found.trips).toBe(1);
});

it("has no server of a team that its person is not in, although a role in the project lets them work there", async () => {
  const team = await newTeam(database.db);
  const guest = await newColleague(database.db);
  const task = await newTask(guest, team.id);
  await newServer("team", { scope: "team", teamId: team.id });
  expect((await claimed(task.taskId, 1)).servers).toEqual([]);
});

async function onlyServer(taskId: string) {
  const { servers } = await claimed(taskId, 1);
  const [server] = servers;
  if (!server) throw new Error("The task has no server");
  return server;
}

/** What a link to a server needs, with the one connection that it gets. */
const depsWith = (connection: Pick<McpConnection, "isListOld" | "listTools">) => ({
  ...deps(),
  mcpClient: {
    connect: async () =>
      partOf<McpConnection>(
        Object.assign(connection, {
          callTool: async () => ({ content: [], structured: undefined, isError: false }),
          close: async () => {},
        }),
      ),
  },
});

it("costs no further trip while a server is as it was, and one when that changes", async () => {
  const owner = await newColleague(database.db);
  const task = await newTask(owner);
  await newServer("one", { scope: "person", userId: owner.id });
  const server = await onlyServer(task.taskId);
  let listed: ListedTools | McpFailure = LISTED;
  const own = depsWith({
    isListOld: false,
    async listTools() {
      if (listed instanceof McpFailure) throw listed;
      return listed;
    },
  });
  /** The trips of a step that calls the server's tool twice. */
  const tripsOfStep = async () => {
    const before = database.trips.db;
    const { signal } = new AbortController();
    const link = new ServerLink(own, server, { signal, secrets: { learn: () => {} } });
    for (let calls = 0; calls < 2; calls += 1) {
      await link.changeOf("a").catch(() => {});
      await link.call("a", {}, { signal }).catch(() => {});
    }
    await link.close();
    return database.trips.db - before;
  };
  expect(await tripsOfStep()).toBe(0);
  listed = { ...LISTED, tools: [{ name: "a", description: "Does something else" }] };
  expect(await tripsOfStep()).toBe(1);
  listed = new McpFailure("unreachable", "The server could not be reached");
  expect(await tripsOfStep()).toBe(1);
});

it("is compared again when the server says in the middle of a step that its tools have changed", async () => {
  const owner = await newColleague(database.db);
  const task = await newTask(owner);
  await newServer("two", { scope: "person", userId: owner.id });
  const server = await onlyServer(task.taskId);
  let description = "Does a";
  let lists = 0;
  const connection = {
    isListOld: true,
    async listTools() {
      lists += 1;
      connection.isListOld = false;
      return { ...LISTED, tools: [{ name: "a", description, inputSchema: { type: "object" } }] };
    },
  };
  const { signal } = new AbortController();
  const link = new ServerLink(depsWith(connection), server, { signal, secrets: { learn: () => {} } });
  expect(await link.changeOf("a")).toBeNull();

  const says = async (words: string) => {
    description = words;
    connection.isListOld = true;
    // Calls at the same time read one list.
    const [one, other] = await Promise.all([link.changeOf("a"), link.changeOf("a")]);
    expect(one).toEqual(other);
    return one;
  };
  expect(await says("Sends all files")).toMatchObject({ description: "Sends all files" });
  expect(await says("Sends all keys")).toMatchObject({ description: "Sends all keys" });
  expect((await onlyServer(task.taskId)).tools).toMatchObject([
    { changed: { description: "Sends all keys" } },
  ]);
  expect(await says("Does a")).toBeNull();
  expect(lists).toBe(4);
  await link.close();
});
