import { describe, expect, it } from "vitest";
import { SandboxHolder } from "#durable-objects/project-sandbox/holder.ts";
import { answerRequest } from "#durable-objects/project-sandbox/routes.ts";
import { StorageState, type KeyValues } from "#durable-objects/project-sandbox/storage-state.ts";
import {
  applyConfig,
  ConfigDocument,
  createContainer,
  updateContainer,
  type ContainerInput,
} from "#src/domain/workspaces/containers/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import { SANDBOX_PORTS } from "#src/platform/runtime/http-runtime/protocol.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { containerDeps } from "#test/support/container-deps.ts";
import { fileDatabase } from "#test/support/database.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { fieldsOf } from "#test/support/fields.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
const database = await fileDatabase();

/** A project whose runtime uses these ports itself, and what a request does there that names a port. */
async function open(reservedPorts: readonly number[]) {
  const { db } = database;
  const { caller } = await newColleague(db);
  const project = await createProject(database, caller, {
    name: "app",
    description: "",
    sourceType: "empty",
  });
  const runtime = Object.assign(new MemoryRuntime(), { reservedPorts });
  const base = containerDeps({ db, secrets });
  const deps = {
    ...base,
    config: { ...base.config, APP_DOMAIN: undefined, PUBLIC_URL: "https://service.test" },
    workspaces: { runtime: () => runtime },
  };
  const add = async (input: ContainerInput) =>
    (await createContainer(deps, caller, project.id, input)).container;
  const { id: container } = await add({ name: "web", startupCommand: "node ." });
  const change = (port: number) =>
    updateContainer(deps, caller, { project: project.id, container }, { port });
  const apply = (document: object) => applyConfig(deps, project, runtime, ConfigDocument.parse(document));
  /** Every request that takes a port, by its operation in the API's description. */
  const requests: Record<string, ((port: number) => Promise<unknown>)[]> = {
    "post /api/projects/{project}/containers": [
      (port) => add({ name: "a", port }),
      (port) => add({ name: "b", containerType: "service", port }),
    ],
    "patch /api/projects/{project}/containers/{container}": [change],
    "post /api/projects/{project}/setup-config": [
      (port) => apply({ apps: { c: { start: "node .", port } }, primaryApp: "c" }),
      (port) => apply({ infrastructure: { d: { image: "redis", port } }, primaryApp: "" }),
    ],
  };
  return { add, requests };
}

describe("where a request names a port", () => {
  it("the table of these requests is complete", async () => {
    const { body } = await sharedService().call<{ paths: Record<string, Record<string, object>> }>(
      "GET",
      "/openapi.json",
    );
    const taking = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        takesPort(operation, body) ? [`${method} ${path}`] : [],
      ),
    );
    const { requests } = await open([]);
    expect(taking.toSorted()).toEqual(Object.keys(requests).toSorted());
  });

  it("each refuses the sandbox runtime's own ports, and leaves users those that the runtime does not use", async () => {
    const [contained, usual] = [await open(SANDBOX_PORTS), await open([])];
    for (const port of SANDBOX_PORTS) {
      const message = `Port ${port} is used by the environment that runs this project: choose another port`;
      for (const request of Object.values(contained.requests).flat()) {
        await expect(request(port)).rejects.toMatchObject({ code: "invalid_input", message });
      }
      for (const request of Object.values(usual.requests).flat()) {
        await expect(request(port)).resolves.toBeDefined();
      }
    }
  });

  it("a sandbox has 8080, the port of a service elsewhere may be any, and none is given that is refused", async () => {
    const { add } = await open(SANDBOX_PORTS);
    expect(await add({ name: "go", port: 8080 })).toMatchObject({ port: 8080 });
    const external = { deploymentMode: "external", externalEndpoint: "https://api.example" } as const;
    expect(await add({ name: "api", ...external, port: 3000 })).toMatchObject({ port: 3000 });
    expect(await add({ name: "next" })).toMatchObject({ port: 3001 });
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
        .reduce<unknown>((at, name) => fieldsOf(at)[name], document);
      return has(target);
    }
    if ("properties" in node && "port" in fieldsOf(node.properties)) return true;
    return Object.values(node).some(has);
  };
  return has(fieldsOf(operation)["requestBody"]);
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
