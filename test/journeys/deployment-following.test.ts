import { createParser } from "eventsource-parser";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { newDeployer, PATIENCE, see, type Deployer, type Deployment } from "#test/support/deployer.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";

let service: SharedService;
beforeAll(async () => {
  service = await otherSharedService("eager");
});

async function newScene() {
  const deployer = await newDeployer(service);
  await deployer.connect("netlify");
  await deployer.connect("vercel");
  const project = await deployer.newProject({ "index.html": "<h1>Hello</h1>" });
  return { deployer, project };
}

interface StreamEvent {
  id: string;
  type: string;
  data: { type: string; line?: number; text?: string; status?: string; deployment_url?: string | null };
}

/** Reads a stream to its end. */
async function stream({ token }: Deployer, id: string, headers: Record<string, string> = {}, query = "") {
  const response = await fetch(`${service.url}/api/deployments/${id}/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: (event) =>
      events.push({ id: event.id ?? "", type: event.event ?? "", data: JSON.parse(event.data) }),
  });
  parser.feed(await response.text());
  return { status: response.status, type: response.headers.get("content-type"), events };
}

const linesOf = (events: readonly StreamEvent[]) => events.filter(({ type }) => type === "log");

describe("a deployment is followed", () => {
  it("by its stream, from the first line to the end, and from any line on", async () => {
    const { deployer, project } = await newScene();
    const begun = await deployer.deploy(project, { provider: "netlify" });
    const { status, type, events } = await stream(deployer, begun.id);
    expect([status, type]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const { body: logs } = await deployer.call<string[]>("GET", `/api/deployments/${begun.id}/logs`);
    const lines = linesOf(events);
    expect(lines.map(({ data }) => data.text)).toEqual(logs);
    expect(lines.map(({ id, data }) => [id, data.line])).toEqual(
      logs.map((_, at) => [String(at + 1), at + 1]),
    );
    expect(events.at(-1)).toMatchObject({
      type: "done",
      data: { type: "done", deployment_id: begun.id, status: "success", error: null },
    });

    const rest = await stream(deployer, begun.id, { "last-event-id": "2" });
    expect(linesOf(rest.events).map(({ id }) => id)).toEqual(lines.slice(2).map(({ id }) => id));
    expect(rest.events.at(-1)?.type).toBe("done");
    // One that has the last line is told the end, and has all then.
    const comesBack = await stream(deployer, begun.id, { "last-event-id": String(logs.length) });
    expect(comesBack).toMatchObject({ status: 200, events: [{ type: "status" }, { type: "done" }] });
    const end = comesBack.events.at(-1)?.id ?? "";
    expect(end).toBe(String(logs.length + 1));
    for (const has of [end, "999999999999999"]) {
      expect(await stream(deployer, begun.id, { "last-event-id": has })).toMatchObject({ status: 204 });
    }
    expect(await stream(deployer, begun.id, {}, `?last_event_id=${end}`)).toMatchObject({
      status: 200,
      events: [],
    });
  });

  it("by its status, its log, and its project's socket", async () => {
    const { deployer, project } = await newScene();
    const socket = await openSocket(
      service.url,
      `/ws/chat/${project.id}?${new URLSearchParams({ token: deployer.token })}`,
    );
    socket.send({ type: "ping" });
    await socket.next("pong");
    const begun = await deployer.deploy(project, { provider: "vercel" });
    const over = await deployer.succeeded(begun);
    const told = () =>
      socket.frames.flatMap(({ type, payload }) =>
        type === "status_update" && payload instanceof Object && "deployment_id" in payload ? [payload] : [],
      );
    const { deployment_url } = over;
    const end = { type: "deployment", deployment_id: begun.id, status: "success", deployment_url };
    await vi.waitFor(() => expect(told().at(-1)).toMatchObject(end), PATIENCE);
    const states = told().map((payload) => ("status" in payload ? payload.status : ""));
    expect(states).toEqual(["building", "deploying", "success"]);
    socket.close();

    const { body: status } = await deployer.call("GET", `/api/deployments/${begun.id}/status`);
    expect(status).toMatchObject({
      status: "success",
      deployment_url,
      provider_status: { state: "READY", deployment_id: over.deployment_id },
    });
    const { body: logs } = await deployer.call<string[]>("GET", `/api/deployments/${begun.id}/logs`);
    expect(logs).toContain("=== Provider Logs ===");
    expect(over.logs).toEqual(logs);
  });
});

it("deployments of a project and of a person are listed, by provider and status, in pages", async () => {
  const { deployer, project } = await newScene();
  const empty = await deployer.newProject({});
  const one = await deployer.deploy(project, { provider: "netlify" });
  const two = await deployer.deploy(project, { provider: "vercel" });
  const three = await deployer.deploy(empty, { provider: "netlify" });
  for (const each of [one, two]) await deployer.succeeded(each);
  expect(await deployer.ended(three)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^There is no index\.html to deploy in /u),
  });

  const list = async (path: string) => {
    const { body } = await deployer.call<Deployment[]>("GET", path);
    expect(body.every(({ logs }) => logs === null)).toBe(true);
    return body.map(({ id }) => id);
  };
  const all = [three.id, two.id, one.id];
  expect(await list("/api/deployments")).toEqual(all);
  expect(await list("/api/deployments?limit=2&offset=2")).toEqual(all.slice(2));
  expect(await list("/api/deployments?provider=vercel")).toEqual([two.id]);
  expect(await list("/api/deployments?status=failed")).toEqual([three.id]);
  expect(await list("/api/deployments?provider=netlify&status=success")).toEqual([one.id]);
  const ofProject = [two.id, one.id];
  expect(await list(`/api/deployments?project_id=${project.slug}`)).toEqual(ofProject);
  const path = `/api/deployments/${project.id}/deployments`;
  expect(await list(path)).toEqual(ofProject);
  expect(await list(`${path}?status_filter=failed`)).toEqual([]);
  expect(await list(`${path}?status=success&limit=1&offset=1`)).toEqual([one.id]);
});

it("a request with an Idempotency-Key is one deployment, however often and at once it is repeated", async () => {
  const { deployer, project } = await newScene();
  const key = { "idempotency-key": "deploy-1" };
  const wish = { project_id: project.id, provider: "netlify" };
  const post = (json: object) => deployer.call("POST", "/api/deployments", json, key);
  const answers = await Promise.all([post(wish), post(wish), post(wish)]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  const [first] = answers;
  expect(await post({ ...wish, provider: "vercel" })).toMatchObject({
    status: 422,
    body: { detail: "This Idempotency-Key was used with a different request" },
  });
  const over = await deployer.succeeded(first?.body ?? { id: "" });
  expect((await post(wish)).body).toMatchObject({ id: over.id, status: "success" });

  const path = `/api/deployments/${over.id}/redeploy`;
  const again = () => deployer.call("POST", path, undefined, { "idempotency-key": "back-1" });
  const [back, replayed] = [await again(), await again()];
  expect(replayed.body.id).toBe(back.body.id);
  expect((await deployer.succeeded(back.body)).version).toBe(2);
});

const container = async (
  { call }: Deployer,
  project: { id: string },
  fields: object,
): Promise<{ id: string }> => {
  const path = `/api/projects/${project.id}/containers`;
  return (await call<{ container: { id: string } }>("POST", path, fields)).body.container;
};

it("a container with a target is deployed by deploy-all, and one without is not", async () => {
  const { deployer, project } = await newScene();
  await deployer.write(project, { "shop/index.html": "shop", "blog/index.html": "blog" });
  const [shop, blog, api] = [
    await container(deployer, project, { name: "shop", directory: "shop" }),
    await container(deployer, project, { name: "blog", directory: "blog" }),
    await container(deployer, project, { name: "api", directory: "api" }),
  ];
  const aim = ({ id }: { id: string }, provider: string | null) =>
    deployer.call("PATCH", `/api/projects/${project.id}/containers/${id}/deployment-target`, { provider });
  await aim(shop, "netlify");
  await aim(api, "heroku");
  interface Outcome {
    container_id: string;
    deployment_id?: string;
  }
  const all = () =>
    deployer.call<{ results: Outcome[] }>("POST", `/api/deployments/${project.slug}/deploy-all`, undefined, {
      "idempotency-key": "all-1",
    });
  const { body } = await all();
  expect(body).toMatchObject({ total: 3, deployed: 1, failed: 1, skipped: 1 });
  const outcomes = new Map(body.results.map((each) => [each.container_id, each]));
  expect(outcomes.get(shop.id)).toMatchObject({
    container_name: "shop",
    provider: "netlify",
    status: "success",
    deployment_id: expect.any(String),
  });
  expect(outcomes.get(blog.id)).toMatchObject({ provider: null, status: "skipped" });
  expect(outcomes.get(api.id)).toMatchObject({
    provider: "heroku",
    status: "failed",
    error: "Connect your Heroku account first",
  });
  const id = outcomes.get(shop.id)?.deployment_id ?? "";
  const over = await deployer.succeeded({ id });
  expect((await see(service, over.deployment_url)).body).toBe("shop");
  const repeated = await all();
  expect(repeated.body.results.flatMap(({ deployment_id: same }) => same ?? [])).toEqual([id]);
});
