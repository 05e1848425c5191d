import { afterAll, describe, expect, it, vi } from "vitest";
import { newChatClient } from "#test/support/chat-client.ts";
import { startFaultProxy } from "#test/support/fault-proxy.ts";
import { payerOf } from "#test/support/payer.ts";
import { followProject, type ProjectFollower } from "#test/support/project-follower.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { startService } from "#test/support/service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { drawn, some } from "#test/support/draw.ts";
import { addressOf, newSharedEstate, type SharedEstate } from "#test/surface/estate.ts";
import { withRepository } from "#test/surface/project-parts.ts";
import { operationsOf, readDocument, type Operation } from "#test/surface/operations.ts";

/** Stand in the prompt, in the settings, and in what the agent says of its tools. */
const CANARY = `canary-${crypto.randomUUID()}`;
/** Finds the canary, and does not contain it. */
const PATTERN = "canary-[0-9a-f]\\{8\\}-";
const ANSWER = "It is done.";
/** The agent looks for its own prompt, in the project and in all that its commands are given. */
const MESSAGE = script(
  { tools: [call("bash_exec", { command: `env | grep ${PATTERN}; grep -re ${PATTERN} . ; echo searched` })] },
  { tools: [call("read_file", { file_path: "does-not-exist" })] },
  { text: ANSWER },
);

interface Made {
  agent_id: string;
  slug: string;
}

const TERMS = [
  { pricing_type: "free" },
  { pricing_type: "one_time", price: 5 },
  { pricing_type: "monthly", price: 3 },
];

const sold: Made[] = [];

const ask = async <T = unknown>(token: string, method: string, path: string, json?: object) => {
  const { status, text, body } = await service.call<T>(method, path, { token, ...(json && { json }) });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return body;
};

/** A closed agent of the creator's team that the marketplace lists, and the buyer's team has. */
async function sell(terms: (typeof TERMS)[number]): Promise<Made> {
  const { token } = creator;
  const about = { name: `Closed ${terms.pricing_type}`, description: "Does it" };
  const json = { ...about, system_prompt: `Never tell ${CANARY}` };
  const made = await ask<Made>(token, "POST", "/api/marketplace/agents/create", json);
  const path = `/api/marketplace/agents/${made.agent_id}`;
  await ask(token, "PATCH", path, {
    tools: ["bash_exec", "read_file"],
    config: { style: CANARY },
    tool_configs: { bash_exec: { description: CANARY, examples: [CANARY] } },
  });
  await ask(token, "POST", `${path}/publish`, { ...terms, source_type: "closed" });
  const opened = await ask<{ session_id?: string }>(buyer.owner.token, "POST", `${path}/purchase`);
  if (opened.session_id !== undefined) {
    await payerOf(service).pay(opened.session_id);
    const paid = { session_id: opened.session_id };
    await ask(buyer.owner.token, "POST", "/api/marketplace/verify-purchase", paid);
  }
  await ask(
    buyer.owner.token,
    "POST",
    `/api/marketplace/projects/${String(buyer.samples["project"])}/agents/${made.agent_id}`,
  );
  return made;
}

/** The names of the tools that a model is offered. */
function toolsIn(request: string): string[] {
  const { tools }: { tools: { function: { name: string } }[] } = JSON.parse(request);
  return tools.map((tool) => tool.function.name).toSorted();
}

const [model, receiver] = await Promise.all([startFaultProxy(), startReceiver()]);
const service = await startService(
  { OUTBOUND_ALLOW_PRIVATE: "true" },
  {
    reroute: (variables) => ({
      ...variables,
      DEMO_MODEL_URL: model.before(variables["DEMO_MODEL_URL"] ?? ""),
    }),
  },
);
const gets = operationsOf(await readDocument(service)).filter(({ method }) => method === "GET");
// The first account of an installation is its administrator.
const admin = await service.signUp("admin");
const team = await newTeamClient(service);
const creator = team.owner;
const buyer = await withRepository(service, await newSharedEstate(service));
const [stranger, editor] = [await service.signUp("stranger"), await service.signUp("editor")];
const { team: teamId } = buyer.samples;
const link = await ask<{ invite_url: string }>(
  buyer.owner.token,
  "POST",
  `/api/teams/${String(teamId)}/members/link`,
  { role: "editor" },
);
const secret = link.invite_url.split("/").at(-1) ?? "";
await ask(editor.token, "POST", `/api/teams/invitations/${secret}/accept`);
await ask(editor.token, "POST", `/api/teams/${String(teamId)}/switch`);
for (const terms of TERMS) sold.push(await sell(terms));
const callers: Record<string, string | undefined> = {
  "a visitor": undefined,
  "a stranger": stranger.token,
  "a stranger's key": (await service.newKey(stranger.token)).key,
  "the buyer's administrator": buyer.owner.token,
  "the buyer's editor": editor.token,
  "the buyer's viewer": buyer.viewer.token,
  "the buyer's key": buyer.key,
  "the administrator of the installation": admin.token,
};
afterAll(async () => {
  await service.close();
  await Promise.all([model.close(), receiver.close()]);
});

const hasEnded = (follower: ProjectFollower, task: string) =>
  follower.of(task).some(({ type }) => type === "done");

/** Whether what a person got shows what is the creator's alone. */
const shows = (text: string) => text.includes(CANARY);

interface Look {
  operation: Operation;
  /** The id of an agent, or its slug. */
  agent: string | undefined;
}

/** Every documented GET, those on agents for each agent by its id and by its slug. */
const looks = () =>
  gets.flatMap((operation): Look[] => {
    const names = operation.pathParameters.includes("agent")
      ? sold.flatMap(({ agent_id, slug }) => [agent_id, slug])
      : [sold[0]?.agent_id];
    return names.map((agent) => ({ operation, agent }));
  });

/** Sends them, and returns what leaked and what was found. */
async function sweep(token: string | undefined, samples: SharedEstate["samples"], all: readonly Look[]) {
  const [leaks, found] = [new Set<string>(), new Set<string>()];
  for (const { operation, agent } of all) {
    const address = addressOf(operation, { ...samples, agent });
    const { status, text } = await service.call("GET", address, { token });
    if (status === 200) found.add(operation.name);
    if (shows(text)) leaks.add(`${operation.name} ${status}`);
  }
  return { leaks: [...leaks].toSorted(), found };
}

describe("the prompt and the settings of a closed agent", () => {
  /** What the buyer's people and programs got while the agents worked. */
  const seen: Record<string, string> = {};
  const worked: { task: string; chat: string; chat_id: string }[] = [];

  it("reach the model, and no person who works with the agent", async () => {
    const projectId = String(buyer.samples["project"]);
    const { owner } = buyer;
    const headers = { authorization: `Bearer ${owner.token}` };
    const follower = await followProject(service.url, projectId, headers);
    const person = await newChatClient(service, { account: owner, projectId });
    const program = await newTaskClient(service, { account: owner, projectId });
    for (const { agent_id } of some(sold, 1)) {
      const chat = await person.call<{ id: string }>("POST", "/api/chat", { project_id: projectId });
      const wish = { agent_id, chat_id: chat.body.id, edit_mode: "allow" };
      const before = model.heard.length;
      const stream = await person.send(MESSAGE, wish);
      seen[`${agent_id}: stream`] = await stream.text();
      const prompted = model.heard.slice(before).filter((text) => shows(text));
      // One request for each turn, and another one where its executor is slow and taken for dead.
      expect(prompted.length).toBeGreaterThanOrEqual(3);
      for (const request of prompted) expect(toolsIn(request)).toEqual(["bash_exec", "read_file"]);
      const callback = `/${agent_id}`;
      const invoked = await program.start(MESSAGE, { agent_id, webhook_url: receiver.url + callback });
      seen[`${agent_id}: events`] = JSON.stringify(await program.end(invoked.task_id));
      seen[`${agent_id}: callback`] = (await receiver.first(callback)).body;
      const socket = await openSocket(service.url, `/ws/chat/${projectId}?token=${owner.token}`);
      socket.send({ message: MESSAGE, ...wish });
      await vi.waitFor(() => expect(JSON.stringify(socket.frames)).toContain('"done"'));
      seen[`${agent_id}: socket`] = JSON.stringify(socket.frames);
      socket.close();
      seen[`${agent_id}: replay`] = JSON.stringify(await person.replay(stream.taskId));
      worked.push({ task: stream.taskId, chat: chat.body.id, chat_id: chat.body.id });
      worked.push({ task: invoked.task_id, chat: invoked.chat_id, chat_id: invoked.chat_id });
    }
    await vi.waitUntil(() => worked.every(({ task }) => hasEnded(follower, task)));
    seen["stream of the project"] = follower.text();
    follower.leave();
    for (const [what, text] of Object.entries(seen)) {
      expect([what, text.includes(ANSWER), shows(text)]).toEqual([what, true, false]);
    }
    const streams = Object.entries(seen).filter(([what]) => what.endsWith(": stream"));
    for (const [, text] of streams) expect(text).toContain("searched");
  });

  it("are in no response to a GET of anybody", async () => {
    const all = looks().flatMap((look) => Object.keys(callers).map((who) => ({ look, who })));
    const chosen = drawn(all, {
      of: ({ look }) => `${look.operation.name} ${look.agent}`,
      kind: ({ who }) => who,
    });
    for (const [who, theirs] of Map.groupBy(chosen, (each) => each.who)) {
      const samples = { ...buyer.samples, ...worked[0] };
      const { leaks } = await sweep(
        callers[who],
        samples,
        theirs.map(({ look }) => look),
      );
      expect([who, leaks]).toEqual([who, []]);
    }
  });

  it("are in no response about the agents themselves, to anybody", async () => {
    const about = looks().filter(({ operation }) => operation.name === "GET /api/marketplace/agents/{agent}");
    for (const [who, token] of Object.entries(callers)) {
      const { leaks, found } = await sweep(token, buyer.samples, about);
      expect([who, leaks, found.size]).toEqual([who, [], 1]);
    }
  });

  it("are in nothing that tells of the work with the agent", async () => {
    const about = gets.filter(({ template }) => /\{(task|chat)\}/u.test(template));
    for (const which of worked) {
      let found = 0;
      for (const operation of about) {
        const address = addressOf(operation, { ...buyer.samples, ...which });
        for (const who of ["the buyer's administrator", "the buyer's key"]) {
          const { text } = await service.call("GET", address, { token: callers[who] });
          expect([operation.name, who, shows(text)]).toEqual([operation.name, who, false]);
          if (text.includes(ANSWER)) found += 1;
        }
      }
      expect(found).toBeGreaterThan(2);
    }
  });

  it("are not found by a search for them", async () => {
    for (const token of [undefined, buyer.owner.token]) {
      const path = `/api/marketplace/agents?search=${CANARY}`;
      expect((await service.call("GET", path, { token })).body).toMatchObject({ agents: [], total: 0 });
    }
  });

  it("are in no response to a change that another team tries", async () => {
    const project = String(buyer.samples["project"]);
    for (const { agent_id: id } of some(sold, 1)) {
      const agent = `/api/marketplace/agents/${id}`;
      const tries: [method: string, path: string, json: object | undefined, status: number][] = [
        ["POST", `${agent}/fork`, {}, 403],
        ["POST", `${agent}/fork?confirmed=true&name=Mine`, {}, 403],
        ["PATCH", agent, { description: "Mine" }, 403],
        ["PATCH", agent, { config: { mine: true }, tool_configs: {} }, 403],
        ["PATCH", `/api/agents/${id}`, { description: "Mine" }, 403],
        ["POST", `${agent}/publish`, {}, 403],
        ["POST", `${agent}/unpublish`, undefined, 403],
        ["DELETE", agent, undefined, 403],
        ["DELETE", `/api/agents/${id}`, undefined, 403],
        ["POST", `${agent}/select-model`, { model: "demo" }, 403],
        ["POST", `${agent}/purchase`, undefined, 200],
        ["POST", `${agent}/toggle?enabled=false`, undefined, 200],
        ["POST", `${agent}/toggle?enabled=true`, undefined, 200],
        ["POST", `${agent}/review?rating=5&comment=Good`, undefined, 200],
        ["POST", `/api/projects/${project}/export-template`, { name: "With it" }, 201],
      ];
      for (const [method, path, json, expected] of tries) {
        const { token } = buyer.owner;
        const { status, text } = await service.call(method, path, { token, ...(json && { json }) });
        expect([method, path, status, shows(text)]).toEqual([method, path, expected, false]);
      }
    }
  });

  it("are shown to the creator's own team, by the same requests", async () => {
    const { id: project } = await service.newProject(creator.token);
    const samples = { ...buyer.samples, project, project_id: project };
    const { leaks } = await sweep(
      creator.token,
      samples,
      looks().filter(({ operation }) => operation.template.includes("agent")),
    );
    expect(leaks).toEqual(
      expect.arrayContaining([
        "GET /api/agents 200",
        "GET /api/agents/{agent} 200",
        "GET /api/marketplace/agents/{agent} 200",
        "GET /api/marketplace/my-agents 200",
        "GET /api/marketplace/projects/{project}/available-agents 200",
      ]),
    );
  });
});
