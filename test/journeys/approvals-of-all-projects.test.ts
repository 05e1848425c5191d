import { beforeAll, expect, it } from "vitest";
import { frameOf, newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const LIST = "/api/chat/agent/approvals";

interface Question {
  approval_id: string;
  project_id: string;
  chat_id: string;
  task_id: string;
}

let team: TeamClient;
/** The owner, in two projects of the team and in a private one. */
let clients: ChatClient[];
/** The approvals that wait, oldest first, each in a project of its own. */
const asked: Question[] = [];

beforeAll(async () => {
  team = await newTeamClient(service);
  const { owner } = team;
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await service.newProject(owner.token)).id);
  const settings = { token: owner.token, json: { visibility: "private" } };
  const hidden = await service.call("PATCH", `/api/projects/${ids[2]}`, settings);
  if (hidden.status !== 200) throw new Error(`Not private: ${hidden.text}`);
  clients = await Promise.all(ids.map((projectId) => newChatClient(service, { account: owner, projectId })));
  for (const client of clients) {
    const message = script({ tools: [call("bash_exec", { command: "true" })] }, { text: "Done." });
    const stream = await client.send(message, { edit_mode: "ask" });
    const { data } = await frameOf(stream, "approval_required");
    asked.push({
      approval_id: String(data?.["approval_id"]),
      project_id: client.projectId,
      chat_id: stream.chatId,
      task_id: stream.taskId,
    });
  }
});

const list = async (token: string, query = "") => {
  const { status, body, headers } = await service.call<Question[]>("GET", `${LIST}${query}`, { token });
  expect(status).toBe(200);
  return { body, next: headers.get("x-next-cursor") };
};
const idsOf = ({ body }: { body: Question[] }) => body.map(({ approval_id }) => approval_id);

it("lists what waits in all projects, oldest first, each with its project", async () => {
  const { body, next } = await list(team.owner.token);
  expect(body).toMatchObject(asked);
  expect(next).toBeNull();
  const [first] = asked;
  expect((await list(team.owner.token, `?project_id=${first?.project_id}`)).body).toMatchObject([
    first ?? {},
  ]);
  const single = await service.call("GET", `${LIST}/${first?.approval_id}`, team.owner);
  expect(single.body).toMatchObject({ ...first, response: null });
});

it("comes in pages", async () => {
  const first = await list(team.owner.token, "?limit=2");
  const second = await list(team.owner.token, `?limit=2&cursor=${first.next}`);
  expect([...first.body, ...second.body]).toMatchObject(asked);
  expect(second.next).toBeNull();
  for (const bad of ["?limit=0", "?limit=201", "?cursor=x"]) {
    expect((await service.call("GET", LIST + bad, team.owner)).status).toBe(422);
  }
});

it("shows a colleague the team's projects without the private one, and a key its projects", async () => {
  const editor = await team.join("editor");
  const shared = asked.slice(0, 2).map(({ approval_id }) => approval_id);
  expect(idsOf(await list(editor.token))).toEqual(shared);
  const { key } = await service.newKey(team.owner.token, clients[1]?.projectId);
  expect(idsOf(await list(key))).toEqual([asked[1]?.approval_id]);
});

it("does not show what was answered, or what a cancelled task asked", async () => {
  const [first, second, third] = asked;
  const json = { approval_id: first?.approval_id, response: "allow_once" };
  await service.call("POST", "/api/chat/agent/approval", { token: team.owner.token, json });
  await service.call("POST", `/api/chat/agent/cancel/${second?.task_id}`, team.owner);
  await clients[1]?.replay(second?.task_id ?? "");
  expect(idsOf(await list(team.owner.token))).toEqual([third?.approval_id]);
});
