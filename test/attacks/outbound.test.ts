import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, describe, expect, it, vi } from "vitest";
import { tools } from "#src/agent/tools/index.ts";
import { startEgress } from "#hosts/egress/index.ts";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService } from "#test/support/service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";
import { setTier } from "#test/support/tiers.ts";
import { drawn, some } from "#test/support/draw.ts";
import { estatesOf } from "#test/surface/estate.ts";
import { operationsOf, readDocument } from "#test/surface/operations.ts";
import { slotsOf, worded, type Slot } from "./support/foreign-names.ts";

/** A server inside, allowed by no list: it counts requests. */
let visits = 0;
const trap = createServer((socket) => {
  visits += 1;
  socket.destroy();
});
/**
 * One of the ports that no server here is given: who still knocks at the address of another test's server, which is gone, must not
 * come to the trap.
 */
async function listenApart(): Promise<number> {
  const among = randomInt(11_000, 20_000);
  trap.listen(among, "::");
  try {
    await once(trap, "listening");
    return among;
  } catch {
    return listenApart();
  }
}
const port = await listenApart();

/** The answers of an attacker's DNS resolver. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "inside-v6.attack.test": ["::1"],
  "half.attack.test": ["8.8.8.8", "127.0.0.1"],
};

/** Addresses that lead inside, one of each kind; test/lib/outbound-url.test.ts has every form. */
const INSIDE = [
  `http://127.0.0.1:${port}/`,
  `http://2130706433:${port}/`,
  `http://[::ffff:7f00:1]:${port}/`,
  `http://app.localhost:${port}/`,
  `http://127.0.0.1:${port}\\@8.8.8.8/`,
  ...Object.keys(NAMES).map((name) => `http://${name}:${port}/`),
] as const;

/** The one origin outside that may be reached; it redirects every request inside. */
const outside = await startReceiver(({ method }) => ({
  status: method === "GET" ? 302 : 307,
  headers: { location: INSIDE[0] },
}));
const allowedOrigins = [new URL(outside.url).origin];
const egress = await startEgress({
  allowPrivate: false,
  allowedOrigins,
  resolve: async (host) =>
    (NAMES[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
});
const service = await startService(
  { MODEL_MAX_RETRIES: "0" },
  {
    reroute: (local) => ({
      ...local,
      EGRESS_URL: egress.url,
      OUTBOUND_ALLOWED_ORIGINS: allowedOrigins.join(","),
    }),
  },
);
afterAll(async () => {
  await service.close();
  await Promise.all([egress.close(), outside.close()]);
  await new Promise((resolve) => trap.close(resolve));
});
const document = await readDocument(service);
const estateFor = estatesOf(service);
const client = await newTaskClient(service);
const { token } = client.account;
await setTier(databaseOf(service), client.account.id, "pro");

const post = <T>(path: string, json: object, bearer = token) =>
  service.call<T>("POST", path, { token: bearer, json });

/** A repository whose remote is at the address. */
async function repositoryAt(repo_url: string): Promise<string> {
  const { id } = await service.newProject(token);
  const file = { token, json: { content: "hello" } };
  await service.call("PUT", `/api/projects/${id}/files/a.txt`, file);
  await post(`/api/projects/${id}/git/init`, { repo_url });
  await post(`/api/projects/${id}/git/commit`, { message: "first" });
  return `/api/projects/${id}/git`;
}

let providers = 0;
async function modelAt(base_url: string): Promise<void> {
  const slug = `own-${(providers += 1)}`;
  await post("/api/secrets/providers/custom", { name: "Own", slug, base_url, available_models: ["m"] });
  await post("/api/secrets/api-keys", { provider: slug, api_key: "sk-0123456789abcdef" });
  const messages = [{ role: "user", content: "Hello" }];
  await post("/api/v1/chat/completions", { model: `custom/${slug}/m`, messages }, client.key);
}

async function callbackTo(webhook_url: string): Promise<void> {
  const { status, body } = await client.invoke("Hello", { webhook_url });
  if (status !== 200) return;
  await vi.waitUntil(async () => (await client.status(body.task_id)).callback.attempts.length > 0, {
    interval: 50,
  });
}

async function importFrom(git_repo_url: string): Promise<void> {
  const json = { name: "import", source_type: "github", git_repo_url };
  const { body } = await post<{ status_endpoint?: string }>("/api/projects", json);
  const { status_endpoint: path } = body;
  if (path === undefined) return;
  const state = async () => (await service.call<{ status: string }>("GET", path, { token })).body.status;
  await vi.waitUntil(async () => /failed|completed/u.test(await state()), { interval: 50 });
}

async function testKeyAt(base_url: string): Promise<void> {
  const key_name = `key-${(providers += 1)}`;
  const key = { provider: "openai", api_key: "sk-0123456789abcdef", key_name, base_url };
  const { body } = await post<{ key_id: string }>("/api/secrets/api-keys", key);
  await post(`/api/secrets/api-keys/${body.key_id}/test`, {});
}

/** Every way in which the service requests an address that a user supplies. */
const WAYS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  "an import": importFrom,
  "a clone": async (repo_url) =>
    post(`/api/projects/${(await service.newProject(token)).id}/git/clone`, { repo_url }),
  "a pull and a push": async (url) => {
    const git = await repositoryAt(url);
    await Promise.all(["pull", "push"].map((verb) => post(`${git}/${verb}`, { branch: "main" })));
  },
  "a callback": callbackTo,
  "a model of one's own": modelAt,
  "a test of a model key": testKeyAt,
};

it("the trap counts requests that come inside, over IPv4 and IPv6", async () => {
  for (const host of ["127.0.0.1", "[::1]"]) await fetch(`http://${host}:${port}/`).catch(() => undefined);
  expect(visits).toBe(2);
  visits = 0;
});

const attempts = drawn(
  Object.keys(WAYS).flatMap((way) => INSIDE.map((url) => ({ way, url }))),
  { of: ({ way }) => way, kind: ({ url }) => url, each: 2 },
);

describe.each(Object.entries(WAYS))("by %s", (way, go) => {
  it("no request comes inside, whatever form the address has", async () => {
    await Promise.all(attempts.filter((each) => each.way === way).map(({ url }) => go(url)));
    expect(visits).toBe(0);
  });

  it("an address outside is reached, and not where it leads", async () => {
    const path = `/${way.replaceAll(/\W/gu, "-")}`;
    await go(outside.url + path);
    const reached = () => outside.deliveries.filter((each) => each.path.startsWith(path));
    // A clone that takes long goes on in the background.
    await expect.poll(reached).not.toEqual([]);
    expect(visits).toBe(0);
  });
});

/** Places of a request, and arguments of a tool, that may take an address. */
const TAKES_ADDRESS =
  /ur[il]s?$|(^|_)(remote|address|host|endpoint|origin|link|website|webhook|registry)(_|$)/u;

const addressesOf = (slots: readonly Slot[]) =>
  slots.filter(({ in: place, name, schema }) => {
    const isNamedSo = TAKES_ADDRESS.test(name) || schema["format"] === "uri";
    return place !== "path" && isNamedSo;
  });
const taking = operationsOf(document).filter(
  (each) => !each.isAlias && !each.isPublic && addressesOf(slotsOf(document, each)).length > 0,
);

const arguments_ = tools.flatMap(({ definition }) =>
  Object.keys(definition.parameters["properties"] ?? {})
    .filter((name) => TAKES_ADDRESS.test(name))
    .map((name) => ({ tool: definition.name, name })),
);

it("operations and tools with a place for an address are known", () => {
  expect(taking.map(({ name }) => name)).toContain("POST /api/external/agent/invoke");
  expect(arguments_).toContainEqual({ tool: "web_fetch", name: "url" });
});

describe("of every operation with a place for an address", () => {
  it.each(taking)("$name sends no request inside", async (operation) => {
    const { owner, key, samples } = await estateFor(operation);
    await setTier(databaseOf(service), owner.id, "pro");
    for (const [salt, slot] of addressesOf(slotsOf(document, operation)).entries()) {
      const statuses = await Promise.all(
        some(INSIDE, 1, operation.name.length + salt).map(async (value) => {
          const { address, json } = worded(document, operation, samples, { slot, value });
          const request = { token: operation.person ? owner.token : key, ...(json && { json }) };
          return (await service.call(operation.method, address, request)).status;
        }),
      );
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
    expect(visits).toBe(0);
  });
});

describe("of every tool with an argument for an address", () => {
  it.each(arguments_)("$tool sends no request inside by $name", async ({ tool, name }) => {
    const urls = [...INSIDE, `${outside.url}/${tool}`];
    const { task_id } = await client.start(
      script({ tools: urls.map((url) => call(tool, { [name]: url })) }, { text: "Done." }),
    );
    await client.end(task_id);
    expect(outside.deliveries.map(({ path }) => path)).toContain(`/${tool}`);
    expect(visits).toBe(0);
  });
});
