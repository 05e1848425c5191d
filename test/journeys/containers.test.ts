import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const token = (await service.signUp()).token;

const Container = z.looseObject({
  id: z.string(),
  name: z.string(),
  label: z.string(),
  directory: z.string(),
});
/** Everything the service has answered about a project. */
const answered: string[] = [];

async function newProject() {
  const { id, slug } = await service.newProject(token);
  const call = async <T = unknown>(method: string, path: string, json?: unknown) => {
    const answer = await service.call<T>(method, `/api/projects/${id}${path}`, { token, json });
    answered.push(answer.text);
    return answer;
  };
  const add = async (json: Record<string, unknown>) => {
    const { status, text, body } = await call("POST", "/containers", json);
    expect({ status, text }).toEqual({ status: 200, text });
    return z.object({ container: Container }).parse(body).container;
  };
  return { id, slug, call, add };
}

describe("containers", () => {
  it("are added under names of their own, changed, renamed and deleted", async () => {
    const { call, add, id } = await newProject();
    const first = await add({ name: "My API", base_id: "fastapi", project_id: id });
    expect(first).toMatchObject({
      label: "my-api",
      directory: "my-api",
      port: 8000,
      status: "stopped",
      url: null,
    });
    const second = await add({ name: "My API" });
    expect(second).toMatchObject({ name: "My API (2)", label: "my-api-2", directory: "my-api-2" });
    const root = await add({ name: "site", directory: "." });
    expect(root.directory).toBe(".");

    const path = `/containers/${second.id}`;
    expect((await call("POST", `${path}/rename`, { new_name: "My API" })).status).toBe(400);
    expect(await call("PATCH", path, { name: "-_-" })).toMatchObject({
      status: 400,
      body: { detail: "The name needs a letter or a digit" },
    });
    expect((await call("POST", `${path}/rename`, { new_name: "Worker" })).body).toMatchObject({
      name: "Worker",
      label: "worker",
      directory: "my-api-2",
    });
    expect((await call("PATCH", path, { port: 4000, directory: "../up" })).body).toMatchObject({
      detail: expect.stringContaining("traversal"),
    });
    expect((await call("PATCH", path, { port: 4000, startup_command: "npm start" })).body).toMatchObject({
      port: 4000,
      startup_command: "npm start",
      internal_port: 4000,
    });
    expect((await call("DELETE", path)).body).toEqual({ message: "Container Worker deleted" });
    expect((await call("GET", path)).status).toBe(404);
    const { body } = await call<{ name: string }[]>("GET", "/containers");
    expect(body.map(({ name }) => name)).toEqual(["My API", "site"]);
  });

  it("keep the values of variables and credentials to themselves", async () => {
    const { call, add } = await newProject();
    const secrets = ["alpha-secret-1", "beta-secret-2", "gamma-secret-3"] as const;
    const api = await add({ name: "api", env_vars: { FIRST: secrets[0] } });
    const path = `/containers/${api.id}`;
    expect((await call("PATCH", path, { env_vars_to_set: { SECOND: secrets[1] } })).body).toMatchObject({
      environment_vars: null,
      env_var_keys: ["FIRST", "SECOND"],
      env_vars_count: 2,
    });
    expect((await call("PATCH", path, { environment_vars: { C: secrets[1] } })).body).toMatchObject({
      env_var_keys: ["C", "FIRST", "SECOND"],
    });
    expect((await call("PATCH", path, { env_vars_to_delete: ["FIRST"] })).body).toMatchObject({
      env_vars_count: 2,
    });
    const endpoint = { deployment_mode: "external", external_endpoint: "https://db.example" };
    const db = await add({ name: "db", ...endpoint, credentials: { TOKEN: secrets[2] } });
    expect(db).toMatchObject({ status: "connected", credentials_id: db.id, url: "https://db.example" });
    expect((await call("PUT", `${path}/credentials`, { credentials: {} })).status).toBe(400);
    await call("POST", "/sync-config");
    await call("GET", "/files/content?path=.workspace/config.json");
    await call("GET", "/containers");
    expect(secrets.filter((secret) => answered.join().includes(secret))).toEqual([]);
  });

  it("show a person the value of one variable, ten times in a row, and the audit log says who saw it", async () => {
    const owner = await service.signUp();
    const ask = <T = unknown>(method: string, path: string, json?: unknown) =>
      service.call<T>(method, path, { token: owner.token, json });
    const { id } = await service.newProject(owner.token);
    const made = await ask<{ container: { id: string } }>("POST", `/api/projects/${id}/containers`, {
      name: "api",
      env_vars: { TOKEN: "delta-secret-4" },
    });
    const reveal = (name: string) =>
      ask("POST", `/api/projects/${id}/containers/${made.body.container.id}/secrets/${name}/reveal`);
    const shown = await reveal("TOKEN");
    expect(shown).toMatchObject({ status: 200, body: { key: "TOKEN", value: "delta-secret-4" } });
    expect(shown.headers.get("cache-control")).toBe("no-store");
    expect(await reveal("__proto__")).toMatchObject({ status: 404, body: { detail: "Variable not found" } });
    const more = await Promise.all(Array.from({ length: 9 }, () => reveal("TOKEN")));
    expect(more.map(({ status }) => status)).toEqual(Array(9).fill(200));
    const refused = await reveal("TOKEN");
    expect(refused).toMatchObject({ status: 429, body: { detail: "Rate limit exceeded for secret_reveal" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

    const { body: teams } = await ask<{ slug: string }[]>("GET", "/api/teams");
    const log = await ask<{ action: string }[]>(
      "GET",
      `/api/teams/${teams[0]?.slug}/audit-log?project_id=${id}`,
    );
    expect(log.body[0]).toMatchObject({
      action: "secret_reveal_rate_limited_burst",
      resource_id: made.body.container.id,
      details: { key: "TOKEN" },
    });
    expect(log.body.filter(({ action }) => action === "secret_revealed")).toHaveLength(10);
    expect(log.text).not.toContain("delta-secret-4");
  });

  it("are connected once, to others, and tell what they are given", async () => {
    const { call, add } = await newProject();
    const [web, api] = [await add({ name: "web" }), await add({ name: "api", port: 8000 })];
    const connect = (target: string) =>
      call<{ id: string }>("POST", "/containers/connections", {
        source_container_id: web.id,
        target_container_id: target,
      });
    const { status, body } = await connect(api.id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { connection_type: "depends_on", connector_type: "env_injection", config: { env_mapping: {} } },
    });
    expect([(await connect(api.id)).status, (await connect(web.id)).status]).toEqual([409, 400]);
    const source = { source_container_name: "api", source_container_id: api.id };
    expect((await call("GET", `/containers/${web.id}`)).body).toMatchObject({
      injected_env_vars: ["API_HOST", "API_PORT", "API_URL"].map((key) => ({ key, ...source })),
    });
    expect((await call("DELETE", `/containers/connections/${body.id}`)).status).toBe(200);
  });

  it("of files start with their project, have an address, and stop", async () => {
    const { call, add, slug } = await newProject();
    expect(await call("POST", "/containers/start-all")).toMatchObject({
      status: 400,
      body: { detail: "The project has no containers" },
    });
    expect((await call("GET", "/status")).body).toMatchObject({ state: "stopped" });
    const site = await add({ name: "site" });
    await call("PUT", "/files/site/index.html", { content: "hello" });
    const health = () => call(`GET`, `/containers/${site.id}/health`);
    expect((await health()).body).toMatchObject({ healthy: false, url: null });
    const start = await call<{ task_id: string | null }>("POST", `/containers/${site.id}/start`);
    expect(start).toMatchObject({ status: 202, body: { container_name: "site", already_running: false } });
    const summary = () => call<{ status: string }>("GET", "/containers/status");
    await expect.poll(async () => (await summary()).body.status).toBe("running");
    const port = new URL(service.url).port;
    const url = `http://${slug}--site.localhost:${port}`;
    expect((await summary()).body).toMatchObject({
      compute_state: "environment",
      containers: { site: { running: true, url, preview_path: `/preview/${slug}/site/` } },
    });
    expect((await health()).body).toEqual({ healthy: true, url });
    expect((await call("GET", `/containers/${site.id}/logs`)).body).toEqual({ logs: [] });
    const again = await call("POST", `/containers/${site.id}/start`);
    expect(again.body).toMatchObject({ task_id: null, already_running: true, completed: true, url });
    const restart = await call<{ task_id: string }>("POST", `/containers/${site.id}/restart`);
    const task = () => service.call("GET", `/api/tasks/${restart.body.task_id}/status`, { token });
    await expect
      .poll(async () => (await task()).body)
      .toMatchObject({ type: "container_restart", status: "completed" });
    expect(await call("POST", "/containers/restart-all")).toMatchObject({
      status: 200,
      body: { containers: { site: { container_id: site.id } } },
    });
    await expect.poll(async () => (await health()).body).toEqual({ healthy: true, url });
    expect((await call("POST", `/containers/${site.id}/stop`)).body).toMatchObject({ container_id: site.id });
    // The restart may still be under way.
    await expect
      .poll(async () => (await summary()).body)
      .toMatchObject({ status: "stopped", compute_state: "ephemeral" });
  });
});

it("the configuration document makes the containers, is written without what is secret, and comes back from them", async () => {
  const { call } = await newProject();
  expect((await call("GET", "/setup-config")).body).toMatchObject({
    exists: false,
    apps: {},
    primaryApp: "",
  });
  // What the file of a project has already is no secret.
  const file = {
    apps: { web: { start: "npm start", env: { NODE_ENV: "development" } } },
    primaryApp: "web",
  };
  await call("PUT", "/files/.workspace/config.json", { content: JSON.stringify(file) });
  const document = {
    apps: {
      web: {
        directory: "web",
        port: 5173,
        start: "npm start",
        env: { NODE_ENV: "development", KEY: "web-secret" },
      },
      api: { directory: "api", start: "node api.js", exports: { API_VERSION: "2" } },
    },
    infrastructure: { mail: { endpoint: "https://mail.example" } },
    connections: [{ from: "web", to: "api" }],
    deployments: { production: { provider: "vercel", targets: ["web"] } },
    previews: { main: { target: "web" } },
    primaryApp: "web",
  };
  const set = () =>
    call<{ container_ids: string[]; primary_container_id: string }>("POST", "/setup-config", document);
  const first = await set();
  expect(first.status).toBe(200);
  expect(first.body.container_ids).toHaveLength(3);
  expect(first.body.primary_container_id).toBe(first.body.container_ids[0]);
  expect((await set()).body).toEqual(first.body);

  const stored = await call("GET", "/setup-config");
  const env = { NODE_ENV: "development", KEY: "${KEY}" };
  expect(stored.body).toMatchObject({ exists: true, ...document, apps: { web: { env }, api: {} } });
  expect((await call("POST", "/setup-config", stored.body)).status).toBe(200);
  expect((await call("GET", `/containers/${first.body.primary_container_id}`)).body).toMatchObject({
    name: "web",
    port: 5173,
    deployment_provider: "vercel",
    env_var_keys: ["KEY", "NODE_ENV"],
  });
  await call("PATCH", `/containers/${first.body.primary_container_id}`, {
    port: 6000,
    env_vars_to_set: { NODE_ENV: "production" },
  });
  expect((await call("POST", "/sync-config")).body).toEqual({
    status: "saved",
    sections: { apps: 2, infrastructure: 1, connections: 1, deployments: 1, previews: 1 },
  });
  const synced = await call("GET", "/setup-config");
  expect(synced.body).toMatchObject({
    apps: {
      web: { port: 6000, env: { NODE_ENV: "${NODE_ENV}", KEY: "${KEY}" } },
      api: { exports: { API_VERSION: "2" } },
    },
    connections: document.connections,
    deployments: { production: { provider: "vercel", targets: ["web"] } },
    previews: document.previews,
    primaryApp: "web",
  });
  expect(answered.filter((text) => text.includes("web-secret"))).toEqual([]);
});

it("browser windows are kept, show containers of their project only, and lose them with the container", async () => {
  const { call, add } = await newProject();
  const site = await add({ name: "site" });
  const foreign = await (await newProject()).add({ name: "foreign" });
  const made = await call<{ id: string }>("POST", "/browser-previews", {
    position_x: 1.5,
    current_path: "/a",
  });
  const path = `/browser-previews/${made.body.id}`;
  expect(made.body).toMatchObject({ position_x: 1.5, connected_container_id: null, current_path: "/a" });
  expect((await call("POST", `${path}/connect/${foreign.id}`)).status).toBe(400);
  expect((await call("POST", `${path}/connect/${site.id}`)).body).toMatchObject({
    connected_container_id: site.id,
  });
  expect((await call("PATCH", path, { current_path: "/b" })).body).toMatchObject({
    connected_container_id: site.id,
    current_path: "/b",
  });
  expect((await call("POST", `${path}/disconnect`)).body).toMatchObject({ connected_container_id: null });
  await call("POST", `${path}/connect/${site.id}`);
  await call("DELETE", `/containers/${site.id}`);
  expect((await call("GET", "/browser-previews")).body).toMatchObject([{ connected_container_id: null }]);
  expect((await call("DELETE", path)).status).toBe(200);
});
