import { afterAll, describe, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { followProject, type ProjectFollower } from "#test/support/project-follower.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const PLACES = 50;

const follow = (
  { token }: Pick<Account, "token">,
  { project = client.projectId, lastId = "" }: { project?: string; lastId?: string } = {},
) => followProject(service.url, project, { authorization: `Bearer ${token}` }, { lastId });

/** The status of a refusal. */
const answer = async (token: string, project: string, lastId?: string) => {
  const query = new URLSearchParams({ project_id: project, ...(lastId && { last_event_id: lastId }) });
  return (await service.call("GET", `/api/chat/agent/stream-project?${query}`, { token })).status;
};

const says = (text: string) => script({ text });

const service = await otherSharedService("eager");
const team = await newTeamClient(service);
const client = await newTaskClient(service, { account: team.owner });
await service.call("POST", "/api/chat", {
  token: team.owner.token,
  json: { project_id: client.projectId },
});
// A project without activity: the last tests look at the keep-alives of its follower.
const own = await newTaskClient(service, { account: team.owner });
await own.end((await own.start(says("Once"))).task_id);
const quiet = await follow(team.owner, { project: own.projectId });
afterAll(() => quiet.leave());

/** Says `count` words, one every `delay` milliseconds. */
const slowly = (count: number, delay: number) =>
  script({ text: "word ".repeat(count), chunks: count, delay_ms: delay });

/** All events of a task as its log has them, under the names of the rich streams. */
async function logged(taskId: string) {
  const events = await client.end(taskId);
  return events.map(({ type, body }) => ({ ...body, type: type === "tool_result" ? "tool_call" : type }));
}

const until = (follower: ProjectFollower, taskId: string, type: string) =>
  vi.waitFor(
    () => {
      if (!follower.of(taskId).some((event) => event.type === type)) {
        throw new Error(`No ${type}, but ${JSON.stringify(follower.frames.slice(-3))}`);
      }
    },
    { interval: 20 },
  );

it("is followed in fifty tabs of a person at most", async () => {
  const crowd = await team.join("viewer");
  const tabs = await Promise.all(Array.from({ length: PLACES }, () => follow(crowd)));
  expect(await answer(crowd.token, client.projectId)).toBe(409);
  for (const tab of tabs) tab.leave();
});

describe("a follower of a project", () => {
  it("is told of all events of all their tasks, in every tab, however they began and in whatever chat", async () => {
    const tabs = [await follow(team.owner), await follow(team.owner), await follow({ token: client.key })];
    const colleague = await newTaskClient(service, {
      account: await team.join("editor"),
      projectId: client.projectId,
    });
    const files = script(
      { tools: [call("write_file", { file_path: "a.txt", content: "a" })] },
      { text: "Written" },
    );
    const colleagues = await colleague.start(says("x"));
    const begun = await Promise.all([client.start(slowly(30, 30)), client.start(files)]);
    await colleague.end(colleagues.task_id);
    for (const tab of tabs) {
      for (const { task_id, chat_id } of begun) {
        await until(tab, task_id, "done");
        const frames = tab.frames.filter((frame) => frame.task_id === task_id);
        expect(new Set(frames.map((frame) => frame.chat_id))).toEqual(new Set([chat_id]));
      }
      expect(tab.text()).toMatch(/^data: \{"type":"ready"\}\nid: \S+\n\n/u);
      expect(tab.of(begun[0].task_id)).toEqual(await logged(begun[0].task_id));
      expect(tab.of(begun[1].task_id)).toEqual(await logged(begun[1].task_id));
      expect(tab.of(colleagues.task_id)).toEqual([]);
      expect(tab.frames).toHaveLength(
        1 + begun.reduce((count, { task_id }) => count + tab.of(task_id).length, 0),
      );
      tab.leave();
    }
  });

  it("goes on with the id of its last event, over many tasks at once, without loss or repetition", async () => {
    const slow = await Promise.all([client.start(slowly(1_000, 50)), client.start(slowly(1_000, 60))]);
    const running = [...slow];
    const parts = [await follow(team.owner)];
    for (let drops = 0; drops < 2; drops += 1) {
      const part = parts.at(-1);
      await vi.waitFor(() => expect(part?.frames.length).toBeGreaterThan(15));
      part?.leave();
      await part?.over;
      // It begins and ends while no follower is connected.
      const missed = await client.start(says(`Missed ${drops}`));
      await client.end(missed.task_id);
      slow.push(missed);
      parts.push(await follow(team.owner, { lastId: part?.lastId() ?? "" }));
    }
    const last = parts.at(-1);
    for (const { task_id } of running) await client.cancel(task_id);
    for (const { task_id } of slow) {
      await vi.waitFor(() =>
        expect(parts.flatMap((part) => part.of(task_id)).some(({ type }) => type === "done")).toBe(true),
      );
      expect(parts.flatMap((part) => part.of(task_id))).toEqual(await logged(task_id));
    }
    last?.leave();
    // A task that it has seen to the end is not sent again.
    const done = await follow(team.owner, { lastId: last?.lastId() ?? "" });
    const { task_id } = await client.start(says("And then"));
    await until(done, task_id, "done");
    expect(new Set(done.frames.slice(1).map((frame) => frame.task_id))).toEqual(new Set([task_id]));
    done.leave();
  });
});

describe("access to a project's stream", () => {
  it("is refused for projects without chats, and with ids of other streams", async () => {
    const { token } = team.owner;
    expect(await answer(token, (await service.newProject(token)).id)).toBe(404);
    for (const id of ["7", `${crypto.randomUUID()}:x`]) {
      expect(await answer(token, client.projectId, id)).toBe(422);
    }
  });

  it("ends with an error event for a removed member", async () => {
    const former = await team.join("viewer");
    const follower = await follow(former);
    await vi.waitFor(() => expect(follower.frames).toHaveLength(1));
    expect((await team.asOwner("DELETE", `/members/${former.id}`)).status).toBeLessThan(300);
    await follower.over;
    expect(follower.frames.at(-1)).toMatchObject({ type: "error", message: "Project not found" });
    expect(await answer(former.token, client.projectId)).toBe(404);
  });
});

it("keeps a connection open on which nothing comes", async () => {
  await vi.waitFor(() => expect(quiet.text()).toMatch(/\n\n: keepalive\n\n$/u), { interval: 200 });
  expect(quiet.frames).toEqual([expect.objectContaining({ type: "ready" })]);
});
