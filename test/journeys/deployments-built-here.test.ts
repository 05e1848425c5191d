import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/local/support/runtime-host.ts";
import { newDeployer, see, type Deployer } from "#test/support/deployer.ts";
import { startService, type TestService } from "#test/support/service.ts";

/** A program of a few lines that builds, so that nothing is installed. */
const BUILD = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist/assets", { recursive: true });
const { NODE_ENV, GREETING } = process.env;
writeFileSync("dist/index.html", \`<h1>\${GREETING} in \${NODE_ENV}</h1>\`);
writeFileSync("dist/assets/a.js", "1");
console.log(\`greeted with \${GREETING}\`);
`;

/** A package that needs no other one, so that npm asks no registry. */
const PACKAGE = {
  "package.json": JSON.stringify({
    name: "app",
    version: "1.0.0",
    private: true,
    scripts: { build: "node build.mjs" },
  }),
  "package-lock.json": JSON.stringify({
    name: "app",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: { "": { name: "app", version: "1.0.0" } },
  }),
  "build.mjs": BUILD,
};

describe(`on the host runtime${SKIPPED}`, () => {
  let service: TestService;
  let deployer: Deployer;
  beforeAll(async () => {
    if (NO_BUBBLEWRAP) return;
    service = await startService({
      PROJECT_RUNTIME: "host",
      DEPLOYMENT_POLL_SECONDS: "1",
    });
    deployer = await newDeployer(service);
    await deployer.connect("netlify");
  });
  afterAll(() => service?.close());

  it.skipIf(NO_BUBBLEWRAP)(
    "a project is built with its variables, and what was built is published",
    async () => {
      const project = await deployer.newProject({ "build.mjs": BUILD, "index.html": "not this one" });
      const wish = {
        provider: "netlify",
        build_command: "node build.mjs",
        env_vars: { GREETING: "Hello-Ada" },
      };
      const over = await deployer.succeeded(await deployer.deploy(project, wish));
      expect(over.deployment_mode).toBe("pre-built");
      expect(await see(service, over.deployment_url)).toEqual({
        status: 200,
        body: "<h1>Hello-Ada in production</h1>",
      });
      expect((await see(service, over.deployment_url, "/assets/a.js")).body).toBe("1");
      expect((await see(service, over.deployment_url, "/build.mjs")).status).toBe(404);
      expect(over.logs).toContain("$ node build.mjs");
      expect(over.logs).toContain("greeted with ***");

      await deployer.write(project, { "build.mjs": "console.log('no way'); process.exit(4);" });
      const failed = await deployer.ended(await deployer.deploy(project, wish));
      expect(failed).toMatchObject({
        status: "failed",
        error: "The build failed: exit code 4:\nno way",
      });
      expect((await see(service, over.deployment_url)).status).toBe(200);
    },
  );

  it.skipIf(NO_BUBBLEWRAP)("a build is stopped when its deployment is cancelled", async () => {
    const project = await deployer.newProject({ "index.html": "x" });
    const wish = { provider: "netlify", build_command: "echo begun; sleep 250" };
    const begun = await deployer.deploy(project, wish);
    const until = async () => {
      const { body } = await deployer.call<string[]>("GET", `/api/deployments/${begun.id}/logs`);
      return body.includes("begun");
    };
    await expect.poll(until, { interval: 100 }).toBe(true);
    expect((await deployer.call("POST", `/api/deployments/${begun.id}/cancel`)).status).toBe(200);
    expect((await deployer.ended(begun)).status).toBe("cancelled");
    // The next one does not wait for it.
    const next = await deployer.deploy(project, { provider: "netlify" });
    expect((await deployer.succeeded(next)).version).toBe(2);
  });

  it.skipIf(NO_BUBBLEWRAP)("a package is installed by its lockfile and built by npm", async () => {
    const project = await deployer.newProject(PACKAGE);
    const wish = {
      provider: "netlify",
      build_command: "npm run build",
      env_vars: { GREETING: "Hello-npm" },
    };
    const over = await deployer.succeeded(await deployer.deploy(project, wish));
    expect(await see(service, over.deployment_url)).toEqual({
      status: 200,
      body: "<h1>Hello-npm in production</h1>",
    });
    expect((await see(service, over.deployment_url, "/package.json")).status).toBe(404);
    expect(over.logs?.[0]).toBe("$ npm ci --include=dev");
    expect(over.logs).toContain("$ npm run build");
    expect(over.logs).toContain("greeted with ***");
  });
});
