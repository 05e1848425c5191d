import type { api } from "@agent-workspace/client";
import { afterAll, expect, it } from "vitest";
import { startOAuthWorld } from "#test/domain/agent-work/mcp/support/oauth-world.ts";
import { signedIn } from "#test/support/browser.ts";
import { newMcpOwner, type McpServer } from "#test/support/mcp-servers.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = await otherSharedService("eager");
const world = await startOAuthWorld();
afterAll(() => world.close());

it("A person connects an MCP server in the browser; the agent uses it until it is disconnected, and then says what is missing", async () => {
  const { who, account, token } = await signedIn(service);
  const own = newMcpOwner(service, token);
  const { id, state } = await own.add({ name: "guarded", url: world.url, auth: "oauth" });
  expect(state).toBe("needs_authorization");

  const begun = await who.change<api.McpAuthorization>("POST", `/api/mcp/servers/${id}/authorize`);
  expect(begun.body.host).toBe(new URL(world.issuer).host);
  const back = await world.visit(begun.body.authorization_url);
  const stranger = await signedIn(service);
  expect((await stranger.who.call("GET", back.pathname + back.search)).status).toBe(400);
  const { status, body } = await who.call<{ server: McpServer }>("GET", back.pathname + back.search);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { message: "guarded is connected", server: { state: "connected" } },
  });

  const person = await newTaskClient(service, { account });
  const look = async () => {
    const message = script({ tools: [call("mcp__guarded__look_up", {})] }, { text: "Done." });
    const events = await person.end((await person.start(message)).task_id);
    return events.flatMap(({ type, body: { result } }) => (type === "tool_result" ? [result] : []));
  };
  expect(await look()).toMatchObject([{ success: true, text: "found" }]);

  await who.change("POST", `/api/mcp/servers/${id}/disconnect`);
  expect(await look()).toMatchObject([{ success: false, error: expect.stringMatching(/connect/u) }]);
  expect(await own.get(id)).toMatchObject({ state: "needs_authorization" });
});
