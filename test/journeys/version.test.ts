import type { api } from "@agent-workspace/client";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

it("tells a client which build it talks to, and whether that has what the client requires", async () => {
  const { status, body } = await service.call<api.Version>("GET", "/api/version");
  expect([status, body]).toMatchObject([
    200,
    {
      build_sha: "unknown",
      schema_versions: { manifest: [] },
      features: expect.arrayContaining(["agent_tasks", "files"]),
      feature_set_hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      runtime_api_supported: ["1.0"],
    },
  ]);
  const check = async (json: object) =>
    (await service.call("POST", "/api/version/check-compat", { json })).body;
  const { features, feature_set_hash } = body;
  expect(await check({ required_features: features })).toEqual({
    compatible: true,
    missing: [],
    manifest_schema_supported: true,
    upgrade_required: false,
    feature_set_hash,
  });
  expect(await check({ required_features: ["files", "time_travel"] })).toMatchObject({
    compatible: false,
    missing: ["time_travel"],
    upgrade_required: true,
  });
  expect(await check({ manifest_schema: "2025-01" })).toMatchObject({
    compatible: false,
    manifest_schema_supported: false,
  });
});

it("an installation has no second step and no provider of sign-ins unless it says so", async () => {
  expect(await service.call("GET", "/api/feature-flags")).toMatchObject({
    status: 200,
    body: { flags: { two_fa: false }, oauth: { github: false, google: false } },
  });
  expect((await service.call("GET", "/api/config")).body).toMatchObject({ app_domain: "localhost" });
});
