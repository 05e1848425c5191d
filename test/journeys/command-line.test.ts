import { and, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { channelConfigs } from "#src/db/schema/index.ts";
import { openCommandLine } from "#test/support/command-line.ts";
import { databaseOf } from "#test/support/database.ts";
import { otherSharedService, sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";

const service = await otherSharedService("eager");
const owner = await service.signUp("owner");
const project = await service.newProject(owner.token);
const { key } = await service.newKey(owner.token, project.id);

const channels = () =>
  databaseOf(service)
    .select()
    .from(channelConfigs)
    .where(and(eq(channelConfigs.userId, owner.id), eq(channelConfigs.projectId, project.id)));

describe("the command line", () => {
  it("has one channel of its project, made with the first client", async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => openCommandLine(service, key)));
    expect(await channels()).toMatchObject([{ channelType: "cli", name: "Command line", isActive: true }]);
    for (const client of clients) client.close();
  });

  it("accepts messages and commands, and brings the agent's answer to every client of the key", async () => {
    const [one, other] = [await openCommandLine(service, key), await openCommandLine(service, key)];
    const id = one.say(script({ text: "Good morning." }));
    expect(await one.next("accepted")).toEqual({ type: "accepted", client_id: id });
    expect(await one.answerTo(id)).toMatchObject({ text: "Good morning.", id: expect.any(Number) });
    expect(await other.answerTo(id)).toMatchObject({ text: "Good morning." });
    one.send({ message: "/help" });
    const help = expect.objectContaining({ text: expect.stringContaining("/new") });
    await vi.waitFor(() => expect(one.frames).toContainEqual(help));
    one.close();
    other.close();
  });

  it("asks before the agent writes, and leaves the answer to a person in the browser", async () => {
    const client = await openCommandLine(service, key);
    const id = client.say(
      script({ tools: [call("write_file", { path: "asked.txt", content: "yes" })] }, { text: "Written." }),
    );
    expect(await client.answerTo(id)).toMatchObject({ text: expect.stringContaining("an API key cannot") });
    const list = `/api/chat/agent/approvals?project_id=${project.id}`;
    const { body } = await service.call<{ approval_id: string }[]>("GET", list, { token: owner.token });
    const [approvalId] = body.map((each) => each.approval_id);
    // Neither the words nor a forged button of the key count.
    client.send({ type: "approval", data: `approve:${approvalId}:allow_once`, client_id: "forged" });
    const words = client.say("/approve");
    expect(await client.answerTo(words)).toMatchObject({ text: expect.stringContaining("Only people") });
    const { body: open } = await service.call<unknown[]>("GET", list, { token: owner.token });
    expect(open).toHaveLength(1);
    await service.call("POST", "/api/chat/agent/approval", {
      token: owner.token,
      json: { approval_id: approvalId, response: "allow_once" },
    });
    await expect.poll(() => client.frames.map((frame) => frame["text"])).toContain("Written.");
    const { status } = await service.call("GET", `/api/projects/${project.id}/files/asked.txt`, {
      token: owner.token,
    });
    expect(status).toBe(200);
    client.close();
  });
});

describe("a client whose key may no longer be used", () => {
  const closed = { code: 4401, reason: "auth_failed" };

  it("is closed when the key is revoked, also when it says nothing", async () => {
    const made = await service.newKey(owner.token, project.id);
    const client = await openCommandLine(service, made.key);
    await service.call("DELETE", `/api/external-api-keys/${made.id}`, { token: owner.token });
    expect(await client.closed).toEqual(closed);
  });

  it("is closed at its next message", async () => {
    // This one does not look by itself so soon.
    const slow = sharedService();
    const person = await slow.signUp();
    const made = await slow.newKey(person.token);
    const client = await openCommandLine(slow, made.key);
    await slow.call("DELETE", `/api/external-api-keys/${made.id}`, { token: person.token });
    client.say("hello");
    expect(await client.closed).toEqual(closed);
    expect(client.frames.map(({ type }) => type)).not.toContain("accepted");
  });
});
