import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxHolder } from "#durable-objects/project-sandbox/holder.ts";
import { answerRequest } from "#durable-objects/project-sandbox/routes.ts";
import { StorageState, type KeyValues } from "#durable-objects/project-sandbox/storage-state.ts";
import { createLog } from "#src/platform/log/log.ts";
import { SANDBOX_PORTS, SERVER_PORT } from "#src/platform/runtime/http-runtime/protocol.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { startService, type TestService } from "#test/support/service.ts";

/** Ports that programs usually have, and the service's own. */
const USUAL = [3000, 8080, 5173];
const refusal = (port: number) => ({
  detail: `Port ${port} is used by the environment that runs this project: choose another port`,
});

/** A project of a service, with a container in it. */
interface Place {
  service: Pick<TestService, "call">;
  token: string;
  project: string;
  container: string;
}

async function open(service: Pick<TestService, "call" | "signUp" | "newProject">): Promise<Place> {
  const { token } = await service.signUp();
  const { id: project } = await service.newProject(token);
  const json = { name: "web", startup_command: "node ." };
  const made = await service.call<{ container: { id: string } }>(
    "POST",
    `/api/projects/${project}/containers`,
    {
      token,
      json,
    },
  );
  return { service, token, project, container: made.body.container.id };
}

/** Every request that takes a port, by its operation in the API's description. */
const REQUESTS: Record<string, (place: Place, port: number) => { path: string; json: object }[]> = {
  "post /api/projects/{project}/containers": ({ project }, port) => [
    { path: `/api/projects/${project}/containers`, json: { name: "a", port } },
    { path: `/api/projects/${project}/containers`, json: { name: "b", container_type: "service", port } },
  ],
  "patch /api/projects/{project}/containers/{container}": ({ project, container }, port) => [
    { path: `/api/projects/${project}/containers/${container}`, json: { port } },
  ],
  "post /api/projects/{project}/setup-config": ({ project }, port) => [
    {
      path: `/api/projects/${project}/setup-config`,
      json: { apps: { c: { start: "node .", port } }, primaryApp: "c" },
    },
    {
      path: `/api/projects/${project}/setup-config`,
      json: { infrastructure: { d: { image: "redis", port } }, primaryApp: "" },
    },
  ],
};

const ask = (place: Place, operation: string, { path, json }: { path: string; json: object }) => {
  const [method = ""] = operation.split(" ");
  return place.service.call(method.toUpperCase(), path, { token: place.token, json });
};

describe("where a request names a port", () => {
  const usual = sharedService();
  let contained: TestService;
  beforeAll(async () => {
    // A refusal comes before the runtime is called, so this test needs no container.
    const sandbox = { PROJECT_RUNTIME: "sandbox", PROJECT_SANDBOX: Object({}) };
    contained = await startService({}, { reroute: (variables) => ({ ...variables, ...sandbox }) });
  });
  afterAll(() => contained?.close());

  it("the table of these requests is complete", async () => {
    const { body } = await usual.call<{ paths: Record<string, Record<string, object>> }>(
      "GET",
      "/openapi.json",
    );
    const taking = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        takesPort(operation, body) ? [`${method} ${path}`] : [],
      ),
    );
    expect(taking.toSorted()).toEqual(Object.keys(REQUESTS).toSorted());
  });

  describe.each(Object.entries(REQUESTS))("%s", (operation, requests) => {
    it.each(SANDBOX_PORTS)("refuses the sandbox runtime's own port %i", async (port) => {
      const place = await open(contained);
      for (const request of requests(place, port)) {
        expect(await ask(place, operation, request)).toMatchObject({ status: 400, body: refusal(port) });
      }
    });

    it("leaves users the usual ports where the runtime does not use them", async () => {
      const place = await open(usual);
      for (const port of [...USUAL, SERVER_PORT]) {
        for (const request of requests(place, port)) {
          expect(await ask(place, operation, request)).toMatchObject({ status: 200 });
        }
      }
    });
  });

  it("a sandbox has 8080, the port of a service elsewhere may be any, and none is given that is refused", async () => {
    const { token, project, container } = await open(contained);
    const add = (json: object) =>
      contained.call("POST", `/api/projects/${project}/containers`, { token, json });
    expect(await add({ name: "go", port: 8080 })).toMatchObject({ body: { container: { port: 8080 } } });
    const external = { deployment_mode: "external", external_endpoint: "https://api.example", port: 3000 };
    expect(await add({ name: "api", ...external })).toMatchObject({ status: 200 });
    expect(await add({ name: "next" })).toMatchObject({ body: { container: { port: 3001 } } });
    const path = `/api/projects/${project}/containers/${container}`;
    expect(await contained.call("PATCH", path, { token, json: { name: "x" } })).toMatchObject({
      status: 200,
    });
  });
});

/** Whether the body of an operation has a property `port` anywhere. */
function takesPort(operation: object, document: object): boolean {
  const seen = new Set<unknown>();
  const has = (node: unknown): boolean => {
    if (typeof node !== "object" || node === null || seen.has(node)) return false;
    seen.add(node);
    if ("$ref" in node && typeof node.$ref === "string") {
      const target = node.$ref
        .slice(2)
        .split("/")
        .reduce<unknown>((at, name) => Object(at)[name], document);
      return has(target);
    }
    if ("properties" in node && "port" in Object(node.properties)) return true;
    return Object.values(node).some(has);
  };
  return has(Object(operation).requestBody);
}

describe("the object of a sandbox", () => {
  /** Paths that the container was asked for. */
  const asked: string[] = [];
  const values = new Map<string, unknown>();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a map is as much of a storage as the state uses
  const kv = {
    get: (key: string) => values.get(key),
    put: (key: string, value: unknown) => void values.set(key, value),
  } as unknown as KeyValues;
  const holder = new SandboxHolder({
    container: {
      isRunning: true,
      start: async () => undefined,
      diskId: async () => "disk",
      fetch: async ({ url }) => {
        asked.push(new URL(url).pathname);
        return new Response("page");
      },
      end: async () => undefined,
    },
    state: new StorageState(kv),
    log: createLog(),
  });
  const get = (path: string, headers = {}) =>
    answerRequest(holder, new Request(`http://project-sandbox${path}`, { headers }), createLog());

  it.each(SANDBOX_PORTS)("hands nothing on to port %i, however it is written", async (port) => {
    const paths = [`/port/${port}`, `/port/${port}/commands`, `/port/0${port}/x`, `/x/../port/${port}/?a=1`];
    for (const path of [...paths, `//port/${port}/`, `/port//${port}/`, `/port/%3${String(port)[0]}/`]) {
      const { ok, status } = await get(path, { upgrade: "websocket" });
      expect(ok ? "no port" : status).toBe(paths.includes(path) ? 403 : "no port");
    }
    // The workspace server does not accept these as paths of a port either.
    expect(asked.filter((path) => /^\/port\/0*(3000|21787)(?!\d)/u.test(path))).toEqual([]);
  });

  it("hands on requests to all others", async () => {
    for (const port of [8080, 5173, 30_000, 300]) {
      expect((await get(`/port/${port}/page`)).status).toBe(200);
      expect(asked).toContain(`/port/${port}/page`);
    }
  });
});
