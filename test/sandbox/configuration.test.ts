import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { z } from "zod";
import { checkEnv } from "#src/env.ts";
import { parseJson } from "#src/lib/parse-json.ts";
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
