import { afterAll, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { newDeployer, see } from "#test/support/deployer.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { jsonLines } from "./support/machine.ts";
import { Failure, Lines } from "./support/schemas.ts";
import { machineOf } from "./support/session.ts";

const service = await otherSharedService("eager");
const deployer = await newDeployer(service);
await deployer.connect("netlify");
const machine = await machineOf(service, deployer);
afterAll(() => machine.close());

it("a project is published, and its deployments are listed", async () => {
  const { slug } = await deployer.newProject({ "index.html": "<h1>Hello</h1>" });
  const ran = await machine.run(["deploy", "netlify", "-p", slug, "--json"]);
  expect(ran).toMatchObject({ code: 0 });
  const [published, ...others] = jsonLines(ran.stdout).map((each) => Lines.deployment.parse(each));
  expect(others).toEqual([]);
  expect(published).toMatchObject({ provider: "netlify", status: "success" });
  expect((await see(service, published?.deployment_url ?? "")).body).toContain("Hello");
  const listed = await machine.run(["deploy", "-p", slug, "--json"]);
  expect(jsonLines(listed.stdout).map((each) => Lines.deployment.parse(each).id)).toEqual([published?.id]);

  const none = await machine.run(["deploy", "heroku", "-p", slug, "--json"]);
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(Failure.parse(JSON.parse(none.stderr)).error.detail).toMatch(/heroku|connect/iu);
  const unknown = await machine.run(["deploy", "nowhere", "-p", slug, "--json"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(Failure.parse(JSON.parse(unknown.stderr)).error.detail).toContain("vercel");
});

it("a person reads the states of a deployment and its end, or only its beginning", async () => {
  const id = crypto.randomUUID();
  const states = ["pending", "building", "cancelled", "pending", "success", "pending"];
  const slow = await serve((_, response) => {
    const status = states.shift();
    const body = { id, status, provider: "vercel", deployment_url: "https://a.test/", error: null };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const environment = { WORKSPACE_API_KEY: "tsk_1", WORKSPACE_URL: slow.url };
  const deploy = (...args: string[]) =>
    machine.run(["deploy", "vercel", "-p", "shop", ...args], { environment });
  const cancelled = await deploy();
  expect(cancelled).toMatchObject({ code: 1, stdout: "" });
  expect(cancelled.stderr).toMatch(
    new RegExp(`pending …\nbuilding …\n[^]*cancelled[^]*/api/deployments/${id}/logs`, "u"),
  );
  expect(await deploy()).toMatchObject({ code: 0, stdout: "✓ https://a.test/\n", stderr: "pending …\n" });
  expect(await deploy("--detach")).toMatchObject({ code: 0, stdout: `Deployment ${id}: pending\n` });
  await slow.close();
});
