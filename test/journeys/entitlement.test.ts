import { and, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { agents, libraryAgents, projects, tasks } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { frameOf, newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script, UNTIL_GO } from "#test/support/task-client.ts";

const service = sharedService();
const db = databaseOf(service);

const HOUR_MS = 3_600_000;

/** A buyer's project, and an agent that costs money and belongs to another team. */
async function newSale(row?: Partial<typeof libraryAgents.$inferInsert>) {
  const [seller, buyer] = await Promise.all([newChatClient(service), newChatClient(service)]);
  const [from, to] = await Promise.all([seller, buyer].map(({ projectId }) => teamOf(projectId)));
  const agentId = newId();
  await db.insert(agents).values({
    id: agentId,
    teamId: from ?? "",
    slug: `sold-${agentId}`,
    name: "Sold",
    pricingType: "one_time",
    priceCents: 500,
    isPublished: true,
  });
  if (row)
    await db.insert(libraryAgents).values({ teamId: to ?? "", agentId, purchaseType: "one_time", ...row });
  const change = (values: Partial<typeof libraryAgents.$inferInsert>) =>
    db
      .update(libraryAgents)
      .set(values)
      .where(and(eq(libraryAgents.agentId, agentId), eq(libraryAgents.teamId, to ?? "")));
  return { seller, buyer, agentId, change };
}

async function teamOf(projectId: string): Promise<string> {
  const [row] = await db.select({ teamId: projects.teamId }).from(projects).where(eq(projects.id, projectId));
  return row?.teamId ?? "";
}

const ask = (client: ChatClient, agentId: string) =>
  client.call("POST", "/api/chat/agent", {
    project_id: client.projectId,
    agent_id: agentId,
    message: "Hello",
  });

const REFUSED = { status: 404, body: { detail: expect.stringContaining("Agent not found") } };

describe.concurrent("an agent that costs money", () => {
  it("works for its own team, and for no team that did not buy it", async () => {
    const { seller, buyer, agentId } = await newSale();
    expect(await ask(seller, agentId)).toMatchObject({ status: 200 });
    expect(await ask(buyer, agentId)).toMatchObject(REFUSED);
    const chat = await buyer.call<{ id: string }>("POST", "/api/chat/", { project_id: buyer.projectId });
    const patch = await buyer.call("PATCH", `/api/chat/${chat.body.id}`, { agent_id: agentId });
    expect(patch.status).toBeGreaterThanOrEqual(400);
    expect(await buyer.call("GET", `/api/agents/${agentId}`)).toMatchObject({ status: 404 });
  });

  it("works for a team that bought it until its time is over, it ends or it is switched off", async () => {
    const { buyer, agentId, change } = await newSale({});
    for (const [row, status] of [
      [{ expiresAt: new Date(Date.now() + HOUR_MS) }, 200],
      [{ expiresAt: new Date(Date.now() - 1) }, 404],
      [{ expiresAt: null, endedAt: new Date() }, 404],
      [{ endedAt: null, isActive: false }, 404],
      [{ isActive: true }, 200],
    ] as const) {
      await change(row);
      expect([row, await ask(buyer, agentId)]).toMatchObject([row, { status }]);
    }
  });

  it("that a team loses in the middle of a task ends the task before its next turn, and says so", async () => {
    const { buyer, agentId, change } = await newSale({});
    const message = script(
      { tools: [call("bash_exec", { command: UNTIL_GO })] },
      { tools: [call("write_file", { file_path: "after.txt", content: "after" })] },
      { text: "done" },
    );
    const stream = await buyer.send(message, { agent_id: agentId, edit_mode: "allow" });
    const waiting = await buyer.send("Hello", { chat_id: stream.chatId, agent_id: agentId });
    await frameOf(stream, "tool_start");
    await change({ endedAt: new Date() });
    await buyer.call("PUT", `/api/projects/${buyer.projectId}/files/go.txt`, { content: "" });
    for (const [taskId, iterations] of [
      [stream.taskId, 1],
      [waiting.taskId, 0],
    ] as const) {
      const task = await endOf(taskId);
      expect(task).toMatchObject({ status: "failed", completionReason: "agent_lost", iterations });
      expect(task?.error).toContain("may no longer use this agent");
    }
  });
});

/** The row of a task that is over. */
function endOf(id: string) {
  return vi.waitFor(
    async () => {
      const [task] = await db.select().from(tasks).where(eq(tasks.id, id));
      expect(task?.completedAt).not.toBeNull();
      return task;
    },
    { interval: 250 },
  );
}
