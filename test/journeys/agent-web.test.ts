import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startReceiver } from "#test/local/support/receiver.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const KEY = "a-search-key-of-the-operator";

let web: Awaited<ReturnType<typeof startReceiver>>;
let service: TestService;
let client: TaskClient;
beforeAll(async () => {
  web = await startReceiver(({ path }) => {
    const headers = { "content-type": "text/plain" };
    if (path === "/search/search") {
      const found = [{ title: "Beds", url: `${web.url}/beds`, content: "About beds" }];
      return { status: 200, body: JSON.stringify({ results: found }) };
    }
    return path === "/beds" ? { status: 200, headers, body: "Beds want sun." } : { status: 204 };
  });
  service = await startService({
    TAVILY_API_KEY: KEY,
    TAVILY_API_BASE: `${web.url}/search/`,
    AGENT_DISCORD_WEBHOOK_URL: `${web.url}/api/webhooks/1/token`,
    OUTBOUND_ALLOW_PRIVATE: "true",
  });
  client = await newTaskClient(service);
});
afterAll(async () => {
  await service.close();
  await web.close();
});

const Result = z.looseObject({ success: z.boolean() });

/** The results of these calls, in one task. */
async function results(of: TaskClient, ...calls: readonly object[]) {
  const { task_id } = await of.start(script({ tools: calls }, { text: "Done." }));
  const events = await of.end(task_id);
  const found = events.filter(({ type }) => type === "tool_result");
  return { results: found.map(({ body }) => Result.parse(body["result"])), told: JSON.stringify(events) };
}

describe("an agent", () => {
  it("searches with the operator's key, which is shown nowhere, and reads what it found", async () => {
    const { results: found, told } = await results(
      client,
      call("web_search", { query: "beds" }),
      call("web_fetch", { url: `${web.url}/beds` }),
    );
    expect(found).toMatchObject([
      { success: true, results: [{ title: "Beds", url: `${web.url}/beds`, snippet: "About beds" }] },
      { success: true, content: "Beds want sun.", details: { status_code: 200, content_type: "text/plain" } },
    ]);
    expect(web.deliveries[0]).toMatchObject({ headers: { authorization: `Bearer ${KEY}` } });
    expect(told).not.toContain(KEY);
  });

  it("sends messages to the operator's webhook, and nowhere else", async () => {
    const { results: sent, told } = await results(
      client,
      call("send_message", { channel: "discord", message: "The beds are done" }),
      call("send_message", { channel: "slack", target: "C1", text: "The beds are done" }),
    );
    expect(sent).toMatchObject([
      { success: true, channel: "discord" },
      {
        success: false,
        error: "No Slack channel is connected. A person connects one under Settings → Channels.",
      },
    ]);
    expect(web.deliveries.find(({ path }) => path.startsWith("/api/webhooks"))?.body).toContain(
      "The beds are done",
    );
    expect(told).not.toContain("/api/webhooks");
  });

  it("tells the program that started the task while it works, signed as the callback", async () => {
    const message = script(
      { tools: [call("send_message", { channel: "webhook", text: "Half of it is done" })] },
      { text: "Done." },
    );
    const { task_id } = await client.start(message, { webhook_url: `${web.url}/receiver` });
    const events = await client.end(task_id);
    expect(events.find(({ type }) => type === "tool_result")?.body.result).toMatchObject({
      success: true,
      notification: "sent",
      details: { via: "callback" },
    });
    const { body = "", headers = {} } = web.deliveries.find(({ path }) => path === "/receiver") ?? {};
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    const signed = new Webhook(client.webhookSecret).verify(body, Object.fromEntries(texts));
    expect(signed).toEqual({
      type: "agent_notification",
      message: "Half of it is done",
      task_id,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/u),
    });
  });

  it("has no search without a key, and reaches nothing private by itself", async () => {
    const other = await newTaskClient(sharedService());
    const { results: refused } = await results(
      other,
      call("web_search", { query: "beds" }),
      call("web_fetch", { url: `${web.url}/beds` }),
    );
    expect(refused).toMatchObject([
      { success: false, error: 'There is no tool named "web_search".' },
      { success: false, error: expect.stringMatching(/into a private or special network/u) },
    ]);
  });
});
