import { describe, expect, it } from "vitest";
import { emptyConversation, fold, Workspace } from "@agent-workspace/client";
import { serve } from "#local/serve.ts";
import { openChat } from "#sdk/live/chat.ts";
import { ManualClock, ScriptedSource, take } from "./live/support/scripted-sockets.ts";

describe("a hostile server", () => {
  it.each([302, 307])("sends no request elsewhere: %d", async (status) => {
    const heard: unknown[] = [];
    const elsewhere = await serve((request, response) => {
      heard.push(request.headers);
      response.end("{}");
    });
    const server = await serve((_, response) => {
      response.writeHead(status, { location: `${elsewhere.url}/api/x` }).end();
    });
    const workspace = new Workspace({ baseUrl: server.url, apiKey: "tsk_secret" });
    for (const method of ["GET", "PUT"] as const) {
      await expect(
        workspace.request(method, "/api/later", method === "PUT" ? { body: { secret: 1 } } : {}),
      ).rejects.toMatchObject({ status });
    }
    expect(heard).toEqual([]);
    await Promise.all([server.close(), elsewhere.close()]);
  });

  it("poisons no position by an id that is no number of an event, and no object by its keys", async () => {
    const [source, clock] = [new ScriptedSource(), new ManualClock()];
    const chat = openChat(source, "project", { clock });
    const events = chat.events();
    const socket = await source.opened();
    const payload = JSON.parse(
      '{"type":"tool_start","__proto__":{"polluted":1},"args":{"__proto__":{"polluted":1}}}',
    );
    const ids = [1.5, 1e300, "7", null, {}];
    socket.say(...ids.map((event_id) => ({ type: "agent_event", task_id: "__proto__", event_id, payload })));
    socket.say({ type: "agent_event", task_id: "__proto__", event_id: 1, payload });
    const heard = await take(events, ids.length + 1);
    expect(heard.map(({ eventId }) => eventId)).toEqual([...ids.map(() => 0), 1]);
    const conversation = heard.reduce(fold, emptyConversation());
    expect(conversation.tasks.map(({ taskId, lastEventId }) => [taskId, lastEventId])).toEqual([
      ["__proto__", 1],
    ]);
    expect(conversation.tasks[0]?.turns[0]?.calls[0]?.args["polluted"]).toBeUndefined();
    expect(Object("")["polluted"]).toBeUndefined();
    chat.close();
  });
});
