import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { newChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();

const say = (text: string) => script({ text });

/** A person with a project, in which a program with the person's key talks to the agent, too. */
async function newScene() {
  const client = await newChatClient(service);
  const { account, projectId } = client;
  const { key } = await newTaskClient(service, { account, projectId });
  const path = (rest: string) => `/api/chat/${projectId}/${rest}`;
  const sessions = async () =>
    (await client.call<api.ListProjectChatsAnswerItem[]>("GET", path("sessions"))).body;
  const said = async (token: string) => {
    const { body } = await service.call<{ content: string }[]>("GET", path("history"), { token });
    return body.map(({ content }) => content);
  };
  const asKey = (message: string) =>
    service.call("POST", "/api/chat/agent", { token: key, json: { project_id: projectId, message } });
  return { client, key, path, sessions, said, asKey };
}

describe.concurrent("where no chat is named", () => {
  it("reading, clearing and sending mean the same one, and a person's is never a program's", async () => {
    const { client, key, path, sessions, said, asKey } = await newScene();
    await client.ask(say("to a person"));
    await asKey(say("to a program"));
    expect(await said(client.account.token)).toEqual([say("to a person"), "to a person"]);
    expect(await said(key)).toEqual([say("to a program"), "to a program"]);
    const cleared = await client.call("DELETE", path("messages"));
    expect(cleared.body).toMatchObject({ deleted_count: 2 });
    expect(await said(client.account.token)).toEqual([]);
    expect(await said(key)).toHaveLength(2);
    await client.ask(say("again"));
    const counts = (await sessions()).map(({ origin, message_count: count }) => [origin, count]);
    expect(Object.fromEntries(counts)).toEqual({ browser: 2, api: 2 });
  });

  it("nor a project, all first messages at once go to one workspace", async () => {
    const { token } = await service.signUp("first");
    const made = await Promise.all(
      Array.from({ length: 6 }, () =>
        service.call<{ project_id: string }>("POST", "/api/chat/", { token, json: {} }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    expect(new Set(made.map(({ body }) => body.project_id)).size).toBe(1);
    const { body: projects } = await service.call<{ id: string }[]>("GET", "/api/projects/", { token });
    expect(projects.map(({ id }) => id)).toEqual([made[0]?.body.project_id]);
  });
});

it.concurrent("a chat that is moved is one of its project's, or stands alone again; a program's stays a program's", async () => {
  const { client, sessions, asKey } = await newScene();
  const { body: alone } = await client.call<{ id: string }>("POST", "/api/chat/", {});
  const move = (id: string, project_id: string | null) =>
    client.call("PATCH", `/api/chat/${id}/project`, { project_id });
  const standalone = async () =>
    (
      await client.call<{ sessions: api.ListProjectChatsAnswerItem[] }>("GET", "/api/chat/sessions")
    ).body.sessions.map(({ id }) => id);
  expect(await standalone()).toEqual([alone.id]);
  await move(alone.id, client.projectId);
  expect(await standalone()).toEqual([]);
  expect(await sessions()).toMatchObject([{ id: alone.id, origin: "browser" }]);
  await move(alone.id, null);
  expect(await standalone()).toEqual([alone.id]);
  await asKey("Hello");
  const [ofProgram] = await sessions();
  await move(ofProgram?.id ?? "", null);
  expect(await standalone()).toEqual([alone.id]);
});

it.concurrent("the list of chats tells how many there are beyond what is shown", async () => {
  const client = await newChatClient(service);
  for (let count = 0; count < 3; count += 1) {
    await client.call("POST", "/api/chat/", { project_id: client.projectId });
  }
  const { headers, body } = await client.call<unknown[]>("GET", "/api/chat/?limit=2&offset=2");
  expect(body).toHaveLength(1);
  expect(headers.get("x-total-count")).toBe("3");
});
