import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { z } from "zod";
import { checkEnv } from "#src/env.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { SANDBOX_PORTS, SERVER_PORT } from "#src/platform/runtime/http-runtime/protocol.ts";
import { SETTINGS } from "./support/scripted-sandboxes.ts";

it("says which binding the runtime needs where it is missing", () => {
  const checked = checkEnv({ ...SETTINGS, PROJECT_RUNTIME: "sandbox" });
  expect(checked).toEqual({
    ok: false,
    problems: [
      {
        variable: "PROJECT_SANDBOX",
        problem: "binding missing: PROJECT_RUNTIME=sandbox is deployed with wrangler.sandbox.toml",
      },
    ],
  });
  expect(checkEnv({ ...SETTINGS, PROJECT_RUNTIME: "sandbox", PROJECT_SANDBOX: {} })).toMatchObject({
    ok: true,
  });
});

it("deploys the same service as wrangler.toml does, with containers", () => {
  const usual = unstable_readConfig({ config: "wrangler.toml" });
  const own = unstable_readConfig({ config: "wrangler.sandbox.toml" });
  for (const part of ["assets", "compatibility_date", "compatibility_flags", "triggers", "limits"] as const) {
    expect(own[part]).toEqual(usual[part]);
  }
  for (const part of ["r2_buckets", "migrations"] as const) {
    expect(own[part]).toEqual(expect.arrayContaining(usual[part]));
  }
  expect(own.vars).toMatchObject({ ...usual.vars, PROJECT_RUNTIME: "sandbox" });
  const bindings = own.durable_objects.bindings;
  expect(bindings).toEqual(expect.arrayContaining(usual.durable_objects.bindings));
  expect(bindings).toContainEqual({ name: "PROJECT_SANDBOX", class_name: "ProjectSandbox" });
  expect(own.containers).toMatchObject([{ class_name: "ProjectSandbox" }]);
});

it("builds its image from the SDK's own of the same version", () => {
  const manifest = readFileSync("node_modules/@cloudflare/sandbox/package.json", "utf8");
  const { version } = parseJson(manifest, z.object({ version: z.string() }));
  expect(readFileSync("sandbox/Dockerfile", "utf8")).toContain(`cloudflare/sandbox:${version}\n`);
});

it("keeps the ports that its servers listen on from programs", () => {
  expect(readFileSync("sandbox/start.sh", "utf8")).toContain(`--listen 0.0.0.0:${SERVER_PORT} `);
  expect(readFileSync("sandbox/Dockerfile", "utf8")).toContain(`EXPOSE ${SERVER_PORT}\n`);
  const sdk = "node_modules/@cloudflare/sandbox/dist";
  const sources = readdirSync(sdk, { encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  const ports = sources
    .map((name) => readFileSync(`${sdk}/${name}`, "utf8"))
    .flatMap((source) => [...source.matchAll(/\bdefaultPort = ([\de]+)/gu)].map(([, port]) => Number(port)));
  expect(ports.length).toBeGreaterThan(0);
  for (const port of [...ports, SERVER_PORT]) expect(SANDBOX_PORTS).toContain(port);
});
