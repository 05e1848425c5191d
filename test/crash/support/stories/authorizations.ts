import { expect } from "vitest";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub, type McpStub } from "#test/support/mcp-stub.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import type { Story, World } from "./story.ts";

const METHODS = ["server/discover", "tools/list", "tools/call"];

const refuse: McpStub["instead"][string] = (_, response) => {
  response.writeHead(401).end();
};

/** At each kill an agent uses an MCP server that asks for authorization. The server's owner is told so. */
export async function authorizations({ api }: World): Promise<Story & { close(): Promise<void> }> {
  const stub = await startMcpStub([plainTool("look_up")]);
  const client = await newTaskClient(api);
  const owner = newMcpOwner(api, client.account.token);
  const begun: string[] = [];
  let last: string | undefined;
  return {
    async beforeKill() {
      const { token } = client.account;
      if (last !== undefined) await api.call("DELETE", `/api/mcp/servers/${last}`, { token });
      stub.instead = {};
      const name = `server${begun.length}`;
      const { id, state } = await owner.add({ name, url: stub.url });
      expect(state).toBe("connected");
      last = id;
      stub.instead = Object.fromEntries(METHODS.map((method) => [method, refuse]));
      const tools = [call(`mcp__${name}__look_up`, { q: "a" })];
      begun.push((await client.start(script({ tools }, { text: "Done." }))).task_id);
    },
    async verify() {
      for (const taskId of begun) {
        const events = await client.end(taskId);
        expect(events.at(-1)).toMatchObject({ type: "done", body: { data: { status: "completed" } } });
      }
    },
    close: () => stub.close(),
  };
}
