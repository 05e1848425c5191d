import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { startHosting } from "#local/hosting/index.ts";
import { newDeployer, PATIENCE, see, type Deployer } from "#test/support/deployer.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { jsonLines, newMachine, type Machine } from "./support/machine.ts";
import { Failure, Lines } from "./support/schemas.ts";
import { programSession } from "./support/session.ts";

/** A provider that never finishes. */
let slow: { url: string; close: () => Promise<void> };
const dataDir = mkdtempSync(path.join(tmpdir(), "slow-hosting-"));
let service: TestService;
let deployer: Deployer;
let machine: Machine;
beforeAll(async () => {
  slow = await startHosting({
    dataDir,
    publicUrl: "http://service.test",
    log: () => {},
    pace: { queued: 100, building: 3_600_000 },
  });
  service = await startService({
    DEPLOYMENT_POLL_SECONDS: "1",
    OUTBOUND_ALLOW_PRIVATE: "true",
    VERCEL_API_BASE: `${slow.url}/vercel`,
  });
  deployer = await newDeployer(service);
  await deployer.connect("netlify");
  await deployer.connect("vercel");
  machine = await newMachine({ WORKSPACE_URL: service.url });
  await machine.storeSession(service.url, await programSession(service, deployer));
});
afterAll(async () => {
  await machine?.close();
  await service?.close();
  await slow?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const newProject = () => deployer.newProject({ "index.html": "<h1>Hello</h1>" });

/** The lines of a command that succeeds. */
async function deployments(...args: string[]) {
  const ran = await machine.run([...args, "--json"]);
  expect({ args, ...ran }).toMatchObject({ args, code: 0 });
  return jsonLines(ran.stdout).map((each) => Lines.deployment.parse(each));
}

it("a project is published, and its deployments are listed with their log", async () => {
  const { slug } = await newProject();
  const ran = await machine.run(["deploy", "netlify", "-p", slug, "--json"]);
  expect(ran).toMatchObject({ code: 0 });
  const [published, ...others] = jsonLines(ran.stdout).map((each) => Lines.deployment.parse(each));
  expect(others).toEqual([]);
  expect(published).toMatchObject({ provider: "netlify", status: "success" });
  expect((await see(service, published?.deployment_url ?? "")).body).toContain("Hello");
  expect((await deployments("deploy", "-p", slug)).map(({ id }) => id)).toEqual([published?.id]);
  const log = await machine.run(["api", "GET", `/api/deployments/${published?.id}/logs`]);
  expect(z.array(z.string()).min(1).parse(JSON.parse(log.stdout))).toBeTruthy();
});

it("a person reads its states and its address", async () => {
  const { slug } = await newProject();
  const ran = await machine.run(["deploy", "netlify", "-p", slug]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ https?:\/\/\S+\n$/u) });
  expect(ran.stderr).toMatch(/pending|building/u);
  expect((await machine.run(["deploy", "-p", slug])).stdout).toMatch(/netlify +success/u);
});

it("one that is cancelled meanwhile ends with 1, and names its log", async () => {
  const { slug } = await newProject();
  const running = machine.start(["deploy", "vercel", "-p", slug]);
  const begun = await vi.waitFor(async () => {
    const [first] = await deployments("deploy", "-p", slug);
    if (first === undefined || first.status === "pending") throw new Error(running.output().stderr);
    return first;
  }, PATIENCE);
  const cancelled = await machine.run(["api", "POST", `/api/deployments/${begun.id}/cancel`]);
  expect(cancelled).toMatchObject({ code: 0 });
  const ran = await running.ended;
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toMatch(/cancelled/u);
  expect(ran.stderr).toContain(`/api/deployments/${begun.id}/logs`);
  const again = await machine.run(["api", "POST", `/api/deployments/${begun.id}/cancel`]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("over already") });
});

it("with --detach it is only begun", async () => {
  const { slug } = await newProject();
  const [begun, ...others] = await deployments("deploy", "vercel", "-p", slug, "--detach");
  expect(others).toEqual([]);
  expect(begun).toMatchObject({ provider: "vercel", deployment_url: null });
  expect(["pending", "building"]).toContain(begun?.status);
  await machine.run(["api", "POST", `/api/deployments/${begun?.id}/cancel`]);
});

it("a failure is one line with the provider's words", async () => {
  const { slug } = await newProject();
  const none = await machine.run(["deploy", "heroku", "-p", slug, "--json"]);
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(Failure.parse(JSON.parse(none.stderr)).error.detail).toMatch(/heroku|connect/iu);
  const unknown = await machine.run(["deploy", "nowhere", "-p", slug, "--json"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(Failure.parse(JSON.parse(unknown.stderr)).error.detail).toContain("vercel");
});
