import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { jsonLines, newMachine, type Machine } from "./support/machine.ts";
import { Lines } from "./support/schemas.ts";
import { programSession } from "./support/session.ts";
import { startSocketRelay } from "./support/socket-relay.ts";

const service = sharedService();
let session: { accessToken: string; refreshToken: string };
beforeAll(async () => {
  session = await programSession(service, await service.signUp());
});

let machine: Machine;
/** What the test has opened. */
let opened: { close(): Promise<void> }[];
beforeEach(async () => {
  machine = await newMachine();
  opened = [machine];
});
afterEach(() => Promise.all(opened.map((each) => each.close())));

/** Something before the service that changes its answers. */
async function relay(changes?: Parameters<typeof startSocketRelay>[1]) {
  const started = await startSocketRelay(service.stack.url, changes);
  opened.push(started);
  return started;
}

/** What the doctor finds, by check. Each fault comes with advice. */
async function findings(url: string) {
  await machine.storeSession(url, session);
  const { code, stdout, stderr } = await machine.run(["doctor", "--url", url, "--json"]);
  const found = jsonLines(stdout).map((each) => Lines.finding.parse(each));
  const withAdvice = found.filter(({ advice }) => advice !== null && advice !== "");
  expect(withAdvice).toEqual(found.filter(({ state }) => state === "failed"));
  const states = Object.fromEntries(found.map(({ check, state }) => [check, state]));
  return { code, stderr, states, of: (check: string) => found.find((each) => each.check === check) };
}

const CHECKS = ["service", "version", "session", "clock", "socket", "model"];
const all = (state: string) => Object.fromEntries(CHECKS.map((check) => [check, state]));
const WELL = all("ok");
const UNSEEN = { ...all("skipped"), service: "failed" };

it("finds nothing where all is well", async () => {
  const { code, states, stderr } = await findings((await relay()).url);
  expect({ code, states, stderr }).toEqual({ code: 0, states: WELL, stderr: "" });
});

describe("a service", () => {
  it("that is not there is named", async () => {
    // Below 1024, where no test is given a port.
    const url = "http://localhost:2";
    const { code, states, of } = await findings(url);
    expect({ code, states }).toEqual({ code: 7, states: UNSEEN });
    expect(of("service")).toMatchObject({
      detail: expect.stringMatching(/ECONNREFUSED/u),
      advice: expect.stringContaining("--url"),
    });
    expect(of("service")?.detail).toContain(url);
  });

  it("that is not ready says so", async () => {
    const ill = await serve((_, response) => {
      response.writeHead(503, { "content-type": "application/json" }).end('{"detail":"No database"}');
    });
    opened.push(ill);
    const { code, of } = await findings(ill.url);
    expect(code).toBe(1);
    expect(of("service")?.detail).toBe(`${ill.url} is not well: No database`);
  });
});

it("finds a clock that is behind the service's, sockets that are refused, and that there is no model", async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const none = {
    models: [],
    default: null,
    count: 0,
    external_providers: [],
    user_providers: [],
    custom_models: [],
  };
  const proxy = await relay({ headers: { date }, bodies: { "/api/marketplace/models": none } });
  proxy.refuse(403);
  const { code, states, of } = await findings(proxy.url);
  const faults = { clock: "failed", socket: "failed", model: "failed" };
  expect({ code, states }).toEqual({ code: 1, states: { ...WELL, ...faults } });
  expect(of("clock")?.detail).toMatch(/clock is \d+ s behind the service's/u);
  expect(of("socket")).toMatchObject({
    detail: expect.stringContaining("403"),
    advice: expect.stringContaining("WebSocket"),
  });
  expect(of("model")?.advice).toContain("key");
});

it("finds a key that is none", async () => {
  const { url } = await relay();
  const environment = { WORKSPACE_API_KEY: `tsk_${"0".repeat(32)}` };
  const { code, stdout } = await machine.run(["doctor", "--url", url, "--json"], { environment });
  const found = jsonLines(stdout).map((each) => Lines.finding.parse(each));
  expect(code).toBe(3);
  expect(found.find(({ check }) => check === "session")).toMatchObject({
    state: "failed",
    advice: expect.stringContaining("WORKSPACE_API_KEY"),
  });
});
