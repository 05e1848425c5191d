import { expect, it } from "vitest";
import { signedIn } from "#test/support/browser.ts";
import { newDeployer, see } from "#test/support/deployer.ts";
import { otherSharedService } from "#test/support/shared-service.ts";

const CREDENTIALS = "/api/deployment-credentials";

/*
 * What each provider's client sends is shown in test/platform/hosting/oauth.test.ts; who may come back, and what is stored, in
 * test/domain/hosting/credentials.
 */
it("a hosting account is connected by OAuth, unless its person declines; the window closes, and it is published to", async () => {
  const service = await otherSharedService("eager");
  const deployer = await newDeployer(service);
  const { username } = deployer;
  const { who, token } = await signedIn(service, deployer);
  /** The way back from the provider's page after this decision. */
  const decide = async (decision: string) => {
    const path = "/api/deployment-oauth/vercel/authorize";
    const { auth_url: url } = (await who.call<{ auth_url: string }>("GET", path, { token })).body;
    const body = new URLSearchParams({ decision, account: username });
    const headers = { origin: new URL(url).origin };
    const pressed = await fetch(url, { method: "POST", redirect: "manual", body, headers });
    return new URL(pressed.headers.get("location") ?? "");
  };
  const declined = await decide("deny");
  const refused = await who.call("GET", `${declined.pathname + declined.search}&error_description=<b>Hi</b>`);
  expect([refused.status, refused.text]).toEqual([200, expect.stringContaining("Vercel was not connected")]);
  expect(refused.text).not.toContain("Hi</b>");

  const back = await decide("allow");
  expect(back.origin + back.pathname).toBe(`${service.url}/api/deployment-oauth/vercel/callback`);
  const { status, headers, text } = await who.call("GET", back.pathname + back.search);
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = headers.get("content-security-policy") ?? "";
  const nonce = /script-src 'nonce-(?<nonce>[\w-]+)'/u.exec(policy)?.groups?.["nonce"];
  expect(policy).toBe(
    `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(text).toContain(`<script nonce="${nonce}">setTimeout(() => window.close(), 0);</script>`);
  expect(text).toContain("Vercel is connected");

  const { body } = await deployer.call<{ credentials: { id: string }[] }>("GET", CREDENTIALS);
  expect(body.credentials).toMatchObject([{ provider: "vercel", auth_type: "oauth", is_default: true }]);
  const tested = await deployer.call("POST", `${CREDENTIALS}/test/${body.credentials[0]?.id}`);
  expect(tested.body).toMatchObject({ valid: true, provider_info: { account_id: expect.any(String) } });
  const project = await deployer.newProject({ "index.html": "<h1>By OAuth</h1>" });
  const live = await deployer.succeeded(await deployer.deploy(project, { provider: "vercel" }));
  expect(await see(service, live.deployment_url)).toEqual({ status: 200, body: "<h1>By OAuth</h1>" });
});
