import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const BUILT_IN = "00000000-0000-0000-0000-000000000005";

const list = async (token: string) => (await service.call<api.Agent[]>("GET", "/api/agents", { token })).body;
/** Those of the person's team: the service's own are also those of other tests. */
const listOwn = async (token: string) => (await list(token)).filter(({ team_id }) => team_id !== null);
const create = (token: string, json: Record<string, unknown>) =>
  service.call<api.Agent>("POST", "/api/agents", { token, json: { name: "Reviewer", ...json } });
const at = (method: string, id: string, token: string, json?: unknown) =>
  service.call<api.Agent>(method, `/api/agents/${id}`, { token, ...(json !== undefined && { json }) });

describe("agents", () => {
  it("of the service are visible to every person and cannot be changed", async () => {
    const { token } = await service.signUp();
    const [first, ...others] = await list(token);
    expect(first).toMatchObject({ id: BUILT_IN, slug: "system-default", is_builtin: true, team_id: null });
    expect(others.every((agent) => agent.is_builtin && agent.team_id === null)).toBe(true);
    for (const slug of ["workspace-agent", "librarian", "service-integrator", "agent-builder"]) {
      expect(others).toContainEqual(
        expect.objectContaining({ slug, system_prompt: expect.stringMatching(/./u) }),
      );
    }
    expect(await at("GET", BUILT_IN, token)).toMatchObject({ status: 200, body: { is_builtin: true } });
    for (const [method, json] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
      expect(await at(method, BUILT_IN, token, json)).toMatchObject({ status: 403 });
    }
  });

  it("are made, changed and deleted", async () => {
    const { token, id: userId } = await service.signUp();
    const json = {
      description: "Looks at code",
      system_prompt: "You review code.",
      model: "anthropic/claude-sonnet-4-5",
      tools: ["read_file", "grep"],
    };
    const made = await create(token, json);
    expect(made).toMatchObject({
      status: 201,
      body: { ...json, name: "Reviewer", is_builtin: false, created_by: userId },
    });
    const { id } = made.body;
    const changed = await at("PATCH", id, token, { slug: "reviewer", tools: null, model: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { slug: "reviewer", tools: null, model: null, system_prompt: "You review code." },
    });
    expect(await create(token, { slug: "reviewer" })).toMatchObject({ status: 409 });
    expect((await listOwn(token)).map(({ slug }) => slug)).toEqual(["reviewer"]);
    expect(await at("DELETE", id, token)).toMatchObject({ status: 204 });
    for (const method of ["GET", "DELETE"])
      expect(await at(method, id, token)).toMatchObject({ status: 404 });
    expect(await create(token, { slug: "reviewer" })).toMatchObject({ status: 201 });
  });

  it("have existing tools only, each once", async () => {
    const { token } = await service.signUp();
    const refused = await create(token, { tools: ["read_file", "fly_to_moon"] });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining("fly_to_moon") } });
    const twice = await create(token, { tools: ["read_file", "read_file"] });
    expect(twice.body.tools).toEqual(["read_file"]);
  });

  it("have a model of the service's own agent chosen by each person for themselves", async () => {
    const client = await newTaskClient(service);
    const other = await newTaskClient(service);
    const select = (token: string, model: string | null) =>
      service.call("POST", `/api/marketplace/agents/${BUILT_IN}/select-model`, { token, json: { model } });
    const { token } = client.account;
    expect(await select(token, "builtin/gpt-99")).toMatchObject({ status: 400 });
    expect(await select(token, "openai/gpt-5")).toMatchObject({
      status: 200,
      body: { agent_id: BUILT_IN, selected_model: "openai/gpt-5", success: true },
    });
    expect((await at("GET", BUILT_IN, token)).body).toMatchObject({
      model: null,
      selected_model: "openai/gpt-5",
    });
    expect((await at("GET", BUILT_IN, other.account.token)).body).toMatchObject({ selected_model: null });
    const [mine, theirs] = [await client.start("Hello"), await other.start("Hello")];
    await Promise.all([client.end(mine.task_id), other.end(theirs.task_id)]);
    expect(await client.status(mine.task_id)).toMatchObject({
      completion_reason: "model_error",
      error: expect.stringMatching(/no API key.* OpenAI/u),
    });
    expect(await other.status(theirs.task_id)).toMatchObject({ status: "completed" });
    expect(await select(token, null)).toMatchObject({ status: 200, body: { selected_model: null } });
    const { task_id } = await client.start("Hello");
    expect((await client.end(task_id)).at(-1)?.body.status).toBe("completed");
  });

  it("work for a key that names one, with the tools they have", async () => {
    const client = await newTaskClient(service);
    const { token } = client.account;
    const { id } = (await create(token, { tools: ["read_file"] })).body;
    const made = await service.call<{ key: string; agent_id: string }>("POST", "/api/external-api-keys", {
      token,
      json: { name: "key", agent_id: id },
    });
    expect(made.body.agent_id).toBe(id);
    const message = script(
      { tools: [call("write_file", { path: "a.txt", content: "a" })] },
      { text: "Done" },
    );
    const started = await service.call<{ task_id: string }>("POST", "/api/external/agent/invoke", {
      token: made.body.key,
      json: { project_id: client.projectId, message },
    });
    const events = await client.end(started.body.task_id);
    expect(events.find(({ type }) => type === "tool_error")?.body).toMatchObject({
      error: expect.stringMatching(/does not have the tool write_file/u),
    });
    // Without it, the default one goes on.
    await at("DELETE", id, token);
    const again = await service.call("POST", "/api/external/agent/invoke", {
      token: made.body.key,
      json: { project_id: client.projectId, message: "hello" },
    });
    expect(again).toMatchObject({ status: 200 });
  });
});
