import { describe, expect, it } from "vitest";
import { refusalOf } from "#test/support/socket-refusal.ts";
import { COMMAND_LINE, openCommandLine } from "#test/support/command-line.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";

const service = sharedService();
const owner = await service.signUp("owner");
const project = await service.newProject(owner.token);
const stranger = await service.signUp("stranger");

/** The status of an attempt to connect; 101 when it is let in. */
async function statusOf(authorization: string | undefined, query = "", path = COMMAND_LINE): Promise<number> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const refusal = await refusalOf(new URL(path + query, service.url), headers);
  return refusal?.status ?? 101;
}

async function newKey(fields: Readonly<Record<string, unknown>>, { token } = owner) {
  const { body } = await service.call<{ id: string; key: string }>("POST", "/api/external-api-keys", {
    token,
    json: { name: "key", ...fields },
  });
  return body;
}

describe("the command line lets in", () => {
  it("a key at both addresses, and nothing without one, with a sign-in, or with a key in the address", async () => {
    const { key, id } = await newKey({});
    expect(await statusOf(`Bearer ${key}`)).toBe(101);
    expect(await statusOf(`Bearer ${key}`, "", "/ws/gateway/cli")).toBe(101);
    expect(await statusOf(undefined, `?token=${key}`)).toBe(401);
    await service.call("DELETE", `/api/external-api-keys/${id}`, { token: owner.token });
    for (const other of [undefined, owner.token, key, "tsk_nonsense", `tsk_${"0".repeat(32)}`]) {
      expect([other, await statusOf(other && `Bearer ${other}`)]).toEqual([other, 401]);
    }
    expect(await statusOf(`Bearer ${(await newKey({ scopes: ["chat.view"] })).key}`)).toBe(403);
  });

  it("no key to a project that is not the key's, or not its owner's", async () => {
    const [second, bound] = [await service.newProject(owner.token), await newKey({ project_id: project.id })];
    expect(await statusOf(`Bearer ${bound.key}`, `?project_id=${second.id}`)).toBe(403);
    const foreign = await newKey({}, stranger);
    expect(await statusOf(`Bearer ${foreign.key}`, `?project_id=${project.id}`)).toBe(404);
    const several = await newKey({ project_ids: [project.id, second.id] });
    expect(await statusOf(`Bearer ${several.key}`)).toBe(400);
    expect(await statusOf(`Bearer ${several.key}`, `?project_id=${second.id}`)).toBe(101);
  });
});

it("a key of one project learns no address, and no schedule of another project", async () => {
  const other = await service.newProject(owner.token);
  const about = { schedule: "daily at 9:00", prompt_template: "Hi", deliver: "none" };
  for (const json of [
    { ...about, name: "here", project_id: project.id },
    { ...about, name: "elsewhere", project_id: other.id },
  ]) {
    expect((await service.call("POST", "/api/schedules", { token: owner.token, json })).status).toBe(200);
  }
  const client = await openCommandLine(service, (await newKey({ project_id: project.id })).key);
  const listed = await client.answerTo(client.say("/schedules"));
  expect(listed).toMatchObject({ text: expect.stringContaining("here:") });
  expect(listed["text"]).not.toContain("elsewhere");
  expect((await client.answerTo(client.say("/whoami")))["text"]).not.toContain(owner.email);
  client.close();
});

it("a client of another user gets nothing, whatever it names", async () => {
  const foreign = await newKey({}, stranger);
  const own = await newKey({ project_id: project.id });
  const spy = await openCommandLine(service, foreign.key, { last_id: "0" });
  const client = await openCommandLine(service, own.key);
  const secret = `secret-${crypto.randomUUID()}`;
  const id = client.say(script({ text: secret }));
  await client.answerTo(id);
  const question = script(
    { tools: [call("write_file", { path: "x.txt", content: secret })] },
    { text: "No." },
  );
  await client.answerTo(client.say(question));
  const list = `/api/chat/agent/approvals?project_id=${project.id}`;
  const asked = async () =>
    (await service.call<{ approval_id: string }[]>("GET", list, { token: owner.token })).body;
  const [approval] = await asked();
  spy.send({ type: "approval", data: `approve:${approval?.approval_id}:stop`, client_id: "click" });
  await spy.next("accepted");
  const hello = spy.say(script({ text: "Hello, stranger." }));
  await spy.answerTo(hello);
  expect(JSON.stringify(spy.frames)).not.toContain(secret);
  // The question still waits: the stranger's click decided nothing.
  expect(await asked()).toEqual([approval]);
  for (const each of [spy, client]) each.close();
});
