import { beforeAll, describe, expect, it } from "vitest";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/hosts/support/runtime-host.ts";
import { newDeployer, see } from "#test/support/deployer.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";

/** A program of a few lines that builds. */
const BUILD = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist/assets", { recursive: true });
const { NODE_ENV, GREETING } = process.env;
writeFileSync("dist/index.html", \`<h1>\${GREETING} in \${NODE_ENV}</h1>\`);
writeFileSync("dist/assets/a.js", "1");
console.log(\`greeted with \${GREETING}\`);
`;

const MANIFEST = { name: "app", version: "1.0.0" };
/** A package that needs no other one, so that npm asks no registry. */
const PACKAGE = {
  "package.json": JSON.stringify({ ...MANIFEST, private: true, scripts: { build: "node build.mjs" } }),
  "package-lock.json": JSON.stringify({
    ...MANIFEST,
    lockfileVersion: 3,
    requires: true,
    packages: { "": MANIFEST },
  }),
  "build.mjs": BUILD,
};

/*
 * How a build on a host goes on, fails and ends is shown in test/domain/hosting/bundles/build-project.test.ts; here, that a
 * service with this runtime builds by it.
 */
describe(`on the host runtime${SKIPPED}`, () => {
  let service: SharedService;
  beforeAll(async () => {
    if (!NO_BUBBLEWRAP) service = await otherSharedService("host");
  });

  it.skipIf(NO_BUBBLEWRAP)(
    "a project is installed by its lockfile and built by npm with its variables, and what was built is published",
    async () => {
      const deployer = await newDeployer(service);
      await deployer.connect("netlify");
      const project = await deployer.newProject(PACKAGE);
      const wish = {
        provider: "netlify",
        build_command: "npm run build",
        env_vars: { GREETING: "Hello-npm" },
      };
      const over = await deployer.succeeded(await deployer.deploy(project, wish));
      expect(over.deployment_mode).toBe("pre-built");
      expect(await see(service, over.deployment_url)).toEqual({
        status: 200,
        body: "<h1>Hello-npm in production</h1>",
      });
      expect((await see(service, over.deployment_url, "/assets/a.js")).body).toBe("1");
      expect((await see(service, over.deployment_url, "/package.json")).status).toBe(404);
      expect(over.logs?.[0]).toBe("$ npm ci --include=dev");
      expect(over.logs).toEqual(expect.arrayContaining(["$ npm run build", "greeted with ***"]));
    },
  );
});
