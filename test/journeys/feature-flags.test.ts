import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";
import { sharedService } from "#test/support/shared-service.ts";

const plain = sharedService();
let full: TestService;
beforeAll(async () => {
  full = await startService({
    APP_DOMAIN: "workspace.example",
    TWO_FA_ENABLED: "true",
    GITHUB_CLIENT_ID: "id",
    GITHUB_CLIENT_SECRET: "a secret of ours",
  });
});
afterAll(() => full.close());

const OFF = { two_fa: false, magic_link_login: false, template_builder: false, enable_landing_page: false };

it("the feature flags need no sign-in", async () => {
  expect(await plain.call("GET", "/api/feature-flags")).toMatchObject({
    status: 200,
    body: { env: "development", flags: OFF, oauth: { github: false, google: false } },
  });
  const answer = await full.call("GET", "/api/feature-flags");
  expect(answer.body).toEqual({
    env: "development",
    flags: { ...OFF, two_fa: true },
    oauth: { github: true, google: false },
  });
  expect(answer.text).not.toContain("secret");
});

it("the configuration of the deployment needs no sign-in", async () => {
  expect(await plain.call("GET", "/api/config")).toMatchObject({
    status: 200,
    body: { app_domain: "localhost", deployment_mode: "local" },
  });
  expect((await full.call("GET", "/api/config")).body).toEqual({
    app_domain: "workspace.example",
    deployment_mode: "local",
  });
});
